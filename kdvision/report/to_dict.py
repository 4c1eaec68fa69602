"""The JSON object of a result; docs/json.md describes it field by field."""

from typing import TYPE_CHECKING, Any

from kdvision.game.inventory import Inventory
from kdvision.game.kingdom import crowns, largest
from kdvision.game.legality import Problem
from kdvision.game.open_facts import Missing, crossing_name
from kdvision.game.scoring import Line
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import PossibleTotal, Question, ScoredDoubt
from kdvision.report.result import Result, ScoredKingdom

if TYPE_CHECKING:
    from kdvision.vision.assess.calibration import Calibration
    from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece

    pass


def result_to_dict(result: Result) -> dict[str, Any]:
    """The result as one object of plain values, ready for `json.dumps`."""
    return {
        "photo": result.photo,
        "width": result.width,
        "height": result.height,
        "game": result.game,
        "kingdoms": [_kingdom(scored) for scored in result.kingdoms],
        "standing": None if result.standing is None else standing_to_dict(result.standing),
        "outlook": result.outlook or None,
        "ask_first": next((_ask(ask, result.kingdoms[ask.kingdom]) for ask in result.questions), None),
        "box": None if result.inventory is None else _box(result.inventory),
        "promise": None if result.calibration is None else _promise(result.calibration),
        "error": None if result.error is None else str(result.error),
        "hint": None if result.error is None else result.error.hint or None,
        "failed": [
            {"photo": photo, "error": str(error), "hint": error.hint or None} for photo, error in result.failed_views
        ],
    }


def _kingdom(scored: ScoredKingdom) -> dict[str, Any]:
    seen = scored.reading
    return {
        "board": list(scored.board.rows()),
        "corners": None if seen is None else [[round(float(x), 1), round(float(y), 1)] for x, y in seen.grid.corners],
        "place": None if seen is None else seen.place,
        "colour": None if seen is None else seen.colour or None,
        "player": scored.player_name or None,
        "rules": scored.rule_set.name,
        "side": scored.rule_set.side,
        "points": None if scored.is_open else scored.card.points,
        "total": None if scored.is_open else scored.card.total,
        "complete": scored.extent.complete,
        "least": scored.extent.least,
        "most": scored.extent.most,
        "missing": [_missing(gap) for gap in scored.extent.missing],
        "lines": [_line(line) for line in scored.card.lines],
        "largest": largest(scored.kingdom),
        "crowns": crowns(scored.kingdom),
        "probability": round(scored.probability, 4),
        "points_probability": None if scored.is_open else round(min(scored.points_probability, 1.0), 4),
        "alternatives": [total_to_dict(chance) for chance in scored.possible_totals[1:]],
        "review": scored.review,
        "doubts": [_doubt(doubt, scored) for doubt in scored.doubts],
        "problems": [problem_to_dict(problem) for problem in scored.problems],
        "pieces": [] if seen is None else [_piece(piece) for piece in seen.pieces],
        "gems": [] if seen is None else [_gem(gem) for gem in seen.gems],
    }


def _piece(piece: "DetectedPiece") -> dict[str, Any]:
    return {"kind": piece.kind, "square": piece.square.name, "probability": round(piece.probability, 4)}


def _gem(gem: "DetectedGem") -> dict[str, Any]:
    return {"between": crossing_name(gem.corner), "probability": round(gem.probability, 4)}


def _line(line: Line) -> dict[str, Any]:
    squares = [square.name for square in line.squares]
    terrain = None if line.territory is None else line.territory.terrain.value
    return {"label": line.label, "points": line.points, "clause": line.clause, "squares": squares, "terrain": terrain}


def _missing(gap: Missing) -> dict[str, Any]:
    return {"item": gap.item, "squares": [square.name for square in gap.squares], "text": gap.text}


def _doubt(doubt: ScoredDoubt, scored: ScoredKingdom) -> dict[str, Any]:
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


def _ask(ask: Question, scored: ScoredKingdom) -> dict[str, Any]:
    doubt = ask.doubt
    return {"kingdom": ask.kingdom + 1, **_doubt(doubt, scored), "verdict": doubt.verdict or None}


def _box(box: Inventory) -> dict[str, Any]:
    return {
        "text": str(box),
        "right": box.right,
        "dominoes": box.laid,
        "of": box.held,
        "missing": [{"numbers": list(one.numbers), "shows": one.shows, "count": one.count} for one in box.missing],
        "twice": [
            {
                "numbers": list(one.numbers),
                "shows": one.shows,
                "count": one.count,
                "kingdoms": [number + 1 for number in one.kingdoms],
            }
            for one in box.twice
        ],
        "untold": [number + 1 for number in box.untold],
    }


def _promise(calibration: "Calibration") -> dict[str, Any] | None:
    if calibration.wrong_at_most is None:
        return None
    return {
        "wrong_at_most": calibration.wrong_at_most,
        "boards": calibration.unflagged,
        "wrong": calibration.unflagged_wrong,
        "upper": calibration.upper,
        "confidence": calibration.confidence,
        "text": calibration.promise,
    }


def total_to_dict(chance: PossibleTotal) -> dict[str, Any]:
    """A total that a kingdom may have, as plain values."""
    return {"total": chance.total, "points": chance.points, "probability": round(chance.probability, 4)}


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """One problem as plain values."""
    return {
        "text": problem.text,
        "squares": [square.name for square in problem.squares],
        "clause": problem.clause or None,
    }


def standing_to_dict(standing: Standing) -> dict[str, Any]:
    """A standing as plain values."""
    places = [
        {"place": place.place, "kingdom": place.index + 1, "total": place.total, "reason": place.reason or None}
        for place in standing.places
    ]
    return {"reason": standing.reason, "winners": [place.index + 1 for place in standing.winners], "places": places}
