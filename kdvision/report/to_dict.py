"""Results as plain values, ready for `json.dumps`; docs/json.md describes each field."""

from collections.abc import Iterable
from typing import Any

from kdvision.game.board import Square
from kdvision.game.dominoes import FaceCount, Inventory
from kdvision.game.kingdom import count_crowns, measure_largest, name_crossing
from kdvision.game.legality import Problem
from kdvision.game.standing import Standing
from kdvision.report.doubt_effects import PossibleTotal, ScoredDoubt
from kdvision.report.result import Result, ScoredKingdom
from kdvision.vision.decide.decision import Doubt


def result_to_dict(result: Result) -> dict[str, Any]:
    """Return the result as one object of plain values."""
    first, error, calibration = result.first_question, result.error, result.calibration
    promise = (
        calibration
        and calibration.wrong_at_most is not None
        and {
            "wrong_at_most": calibration.wrong_at_most,
            "boards": calibration.unflagged,
            "wrong": calibration.unflagged_wrong,
            "upper": calibration.upper,
            "confidence": calibration.confidence,
            "text": calibration.guarantee,
        }
    )
    question = first and {
        "kingdom": first.kingdom + 1,
        **scored_doubt_to_dict(first, is_open=result.kingdoms[first.kingdom].is_open),
        "verdict": first.verdict or None,
    }
    return {
        "photo": result.photo,
        "width": result.width,
        "height": result.height,
        "game": result.game,
        "kingdoms": [kingdom_to_dict(entry) for entry in result.kingdoms],
        "standing": result.standing and standing_to_dict(result.standing),
        "outlook": result.outlook or None,
        "ask_first": question,
        "box": result.inventory and _inventory_to_dict(result.inventory),
        "promise": promise or None,
        "error": error and str(error),
        "hint": (error and error.hint) or None,
        "failed": [
            {"photo": photo, "error": str(error), "hint": error.hint or None} for photo, error in result.failed_views
        ],
    }


def kingdom_to_dict(entry: ScoredKingdom) -> dict[str, Any]:
    """Return a scored kingdom as plain values."""
    reading, is_open = entry.reading, entry.is_open
    first, *other_totals = entry.possible_totals
    return {
        "board": list(entry.board.format_rows()),
        "renamed": entry.has_renamed_squares,
        "corners": reading and [[round(float(x), 1), round(float(y), 1)] for x, y in reading.grid.corners],
        "place": reading and reading.place,
        "colour": (reading and reading.colour) or None,
        "player": entry.player_name or None,
        "rules": entry.rule_set.name,
        "side": entry.rule_set.side,
        "points": None if is_open else entry.card.points,
        "total": None if is_open else entry.card.total,
        "complete": entry.point_range.is_exact,
        "least": entry.point_range.minimum,
        "most": entry.point_range.maximum,
        "missing": [
            {"item": fact.key, "squares": list_names(fact.squares), "text": fact.text}
            for fact in entry.point_range.open_facts
        ],
        "lines": [
            {
                "label": line.label,
                "points": line.points,
                "clause": line.clause,
                "squares": list_names(line.squares),
                "terrain": line.territory and line.territory.terrain.value,
            }
            for line in entry.card.lines
        ],
        "largest": measure_largest(entry.kingdom),
        "crowns": count_crowns(entry.kingdom),
        "probability": round(entry.probability, 4),
        "points_probability": None if is_open else round(min(first.probability, 1.0), 4),
        "alternatives": [total_to_dict(total) for total in other_totals],
        "review": entry.review,
        "doubts": [scored_doubt_to_dict(doubt, is_open=is_open) for doubt in entry.doubts],
        "problems": [problem_to_dict(problem) for problem in entry.problems],
        "pieces": [
            {"kind": piece.kind, "square": piece.square.name, "probability": round(piece.probability, 4)}
            for piece in (reading.pieces if reading else ())
        ],
        "gems": [
            {"between": name_crossing(gem.square), "probability": round(gem.probability, 4)}
            for gem in (reading.gems if reading else ())
        ],
    }


def list_names(squares: Iterable[Square]) -> list[str]:
    """Return the names of squares."""
    return [square.name for square in squares]


def doubt_to_dict(doubt: Doubt) -> dict[str, Any]:
    """Return a doubt as plain values."""
    probability = round(doubt.probability, 4)
    return {"square": doubt.square.name, "read": doubt.kind, "probability": probability, "instead": doubt.other_kind}


def scored_doubt_to_dict(doubt: ScoredDoubt, *, is_open: bool = False) -> dict[str, Any]:
    """Return a doubt and its effect as plain values. While facts about the kingdom are open, its points are unknown."""
    return {
        **doubt_to_dict(doubt),
        "points_if": None if is_open else doubt.points,
        "total_if": None if is_open else doubt.total,
        "changes_standing": doubt.changes_standing,
        "changes_winner": doubt.changes_winner,
    }


def _inventory_to_dict(inventory: Inventory) -> dict[str, Any]:
    def face_to_dict(face: FaceCount) -> dict[str, Any]:
        return {"numbers": list(face.numbers), "shows": face.shows, "count": face.count}

    return {
        "text": str(inventory),
        "right": inventory.is_possible,
        "dominoes": inventory.dominoes_laid,
        "of": inventory.box_size,
        "missing": [face_to_dict(face) for face in inventory.missing_dominoes],
        "twice": [
            {**face_to_dict(face), "kingdoms": [number + 1 for number in face.kingdoms]} for face in inventory.excess
        ],
        "untold": [number + 1 for number in inventory.unnamed_kingdoms],
    }


def total_to_dict(total: PossibleTotal) -> dict[str, Any]:
    """Return a possible total as plain values."""
    return {"total": total.total, "points": total.points, "probability": round(total.probability, 4)}


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain values."""
    return {"text": problem.text, "squares": list_names(problem.squares), "clause": problem.clause or None}


def standing_to_dict(standing: Standing) -> dict[str, Any]:
    """Return a standing as plain values, kingdoms numbered from 1. `winners` is empty until the game is over."""
    winners = [place.index + 1 for place in standing.winners] if standing.is_over else []
    places = [
        {"place": place.place, "kingdom": place.index + 1, "total": place.total, "reason": place.reason or None}
        for place in standing.places
    ]
    return {"reason": standing.reason, "winners": winners, "places": places}
