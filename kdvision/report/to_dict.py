"""Results as plain values, ready for `json.dumps`; docs/json.md describes each field."""

from typing import TYPE_CHECKING, Any

from kdvision.game.inventory import Inventory
from kdvision.game.kingdom import count_crowns, measure_largest, name_crossing
from kdvision.game.legality import Problem
from kdvision.game.open_facts import OpenFact
from kdvision.game.scoring import Line
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import PossibleTotal, Question, ScoredDoubt
from kdvision.report.result import Result, ScoredKingdom

if TYPE_CHECKING:
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece


def result_to_dict(result: Result) -> dict[str, Any]:
    """The result as one object of plain values."""
    questions = result.questions
    return {
        "photo": result.photo,
        "width": result.width,
        "height": result.height,
        "game": result.game,
        "kingdoms": [kingdom_to_dict(scored) for scored in result.kingdoms],
        "standing": None if result.standing is None else standing_to_dict(result.standing),
        "outlook": result.outlook or None,
        "ask_first": _question_to_dict(questions[0], result.kingdoms[questions[0].kingdom]) if questions else None,
        "box": None if result.inventory is None else _inventory_to_dict(result.inventory),
        "promise": None if result.calibration is None else _guarantee_to_dict(result.calibration),
        "error": None if result.error is None else str(result.error),
        "hint": None if result.error is None else result.error.hint or None,
        "failed": [
            {"photo": photo, "error": str(error), "hint": error.hint or None} for photo, error in result.failed_views
        ],
    }


def kingdom_to_dict(scored: ScoredKingdom) -> dict[str, Any]:
    """A scored kingdom as plain values."""
    reading = scored.reading
    return {
        "board": list(scored.board.rows()),
        "corners": None
        if reading is None
        else [[round(float(x), 1), round(float(y), 1)] for x, y in reading.grid.corners],
        "place": None if reading is None else reading.place,
        "colour": None if reading is None else reading.colour or None,
        "player": scored.player_name or None,
        "rules": scored.rule_set.name,
        "side": scored.rule_set.side,
        "points": None if scored.is_open else scored.card.points,
        "total": None if scored.is_open else scored.card.total,
        "complete": scored.extent.is_exact,
        "least": scored.extent.least,
        "most": scored.extent.most,
        "missing": [_missing_to_dict(fact) for fact in scored.extent.missing],
        "lines": [_line_to_dict(line) for line in scored.card.lines],
        "largest": measure_largest(scored.kingdom),
        "crowns": count_crowns(scored.kingdom),
        "probability": round(scored.probability, 4),
        "points_probability": None if scored.is_open else round(min(scored.points_probability, 1.0), 4),
        "alternatives": [total_to_dict(total) for total in scored.possible_totals[1:]],
        "review": scored.review,
        "doubts": [_doubt_to_dict(doubt, scored) for doubt in scored.doubts],
        "problems": [problem_to_dict(problem) for problem in scored.problems],
        "pieces": [] if reading is None else [_piece_to_dict(piece) for piece in reading.pieces],
        "gems": [] if reading is None else [_gem_to_dict(gem) for gem in reading.gems],
    }


def _piece_to_dict(piece: "DetectedPiece") -> dict[str, Any]:
    return {"kind": piece.kind, "square": piece.square.name, "probability": round(piece.probability, 4)}


def _gem_to_dict(gem: "DetectedGem") -> dict[str, Any]:
    return {"between": name_crossing(gem.corner), "probability": round(gem.probability, 4)}


def _line_to_dict(line: Line) -> dict[str, Any]:
    squares = [square.name for square in line.squares]
    terrain = None if line.territory is None else line.territory.terrain.value
    return {"label": line.label, "points": line.points, "clause": line.clause, "squares": squares, "terrain": terrain}


def _missing_to_dict(fact: OpenFact) -> dict[str, Any]:
    return {"item": fact.item, "squares": [square.name for square in fact.squares], "text": fact.text}


def _doubt_to_dict(doubt: ScoredDoubt, scored: ScoredKingdom) -> dict[str, Any]:
    return {
        "square": doubt.square.name,
        "read": doubt.read,
        "probability": round(doubt.probability, 4),
        "instead": doubt.instead,
        "points_if": None if scored.is_open else doubt.points,
        "total_if": None if scored.is_open else doubt.total,
        "changes_standing": doubt.changes_standing,
        "changes_winner": doubt.changes_winner,
    }


def _question_to_dict(question: Question, scored: ScoredKingdom) -> dict[str, Any]:
    doubt = question.doubt
    return {"kingdom": question.kingdom + 1, **_doubt_to_dict(doubt, scored), "verdict": doubt.verdict or None}


def _inventory_to_dict(inventory: Inventory) -> dict[str, Any]:
    return {
        "text": str(inventory),
        "right": inventory.is_possible,
        "dominoes": inventory.laid,
        "of": inventory.box_size,
        "missing": [
            {"numbers": list(one.numbers), "shows": one.shows, "count": one.count} for one in inventory.missing
        ],
        "twice": [
            {
                "numbers": list(one.numbers),
                "shows": one.shows,
                "count": one.count,
                "kingdoms": [number + 1 for number in one.kingdoms],
            }
            for one in inventory.excess
        ],
        "untold": [number + 1 for number in inventory.unnamed],
    }


def _guarantee_to_dict(calibration: "Calibration") -> dict[str, Any] | None:
    if calibration.wrong_at_most is None:
        return None
    return {
        "wrong_at_most": calibration.wrong_at_most,
        "boards": calibration.unflagged,
        "wrong": calibration.unflagged_wrong,
        "upper": calibration.upper,
        "confidence": calibration.confidence,
        "text": calibration.guarantee,
    }


def total_to_dict(total: PossibleTotal) -> dict[str, Any]:
    """A possible total as plain values."""
    return {"total": total.total, "points": total.points, "probability": round(total.probability, 4)}


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """A problem as plain values."""
    return {
        "text": problem.text,
        "squares": [square.name for square in problem.squares],
        "clause": problem.clause or None,
    }


def standing_to_dict(standing: Standing) -> dict[str, Any]:
    """A standing as plain values, kingdoms numbered from 1."""
    places = [
        {"place": place.place, "kingdom": place.index + 1, "total": place.total, "reason": place.reason or None}
        for place in standing.places
    ]
    return {"reason": standing.reason, "winners": [place.index + 1 for place in standing.winners], "places": places}
