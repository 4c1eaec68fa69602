"""Joint decisions: the kingdoms of a table share a box, so each limits what the others can hold.

Each photo is read on its own, and that reading is stored. The kingdoms of a table are decided again, jointly:

- If the joint board equals the board as read, its probabilities replace those of the photo alone, and decide about
  review.
- If it has the same size, differs and is certain, it counts, unless a person has confirmed the kingdom.
- Otherwise the board stays as read.

A kingdom whose joint board differs has to be reviewed. A kingdom that a person has changed, or that has problems, stays
as it is.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import kdvision
from kdvision.batch.event import GAME
from kdvision.batch.kingdoms import KingdomResult, score_typed_board
from kdvision.batch.reading.job import Observation, unpack_observation
from kdvision.batch.standings import Standings
from kdvision.batch.store.folder import Data
from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.rules import name_box
from kdvision.game.scoring import score
from kdvision.report.doubt_effects import ScoredDoubt, compute_totals
from kdvision.report.to_dict import scored_doubt_to_dict, total_to_dict
from kdvision.vision.decide.decision import BoardFrame, Decision

CORRECTED_CONFIDENCE: Final = 0.9999
"""The probability of each square of a board that a person has corrected."""

PHOTO_FIELDS: Final = ("corners", "place", "colour", "player", "pieces", "gems")
"""The fields of a kingdom's object that do not depend on its board."""


class TableVerdict(NamedTuple):
    """One kingdom decided jointly: its board, the probability, and the probability of each doubted square.

    Boards are trimmed, and squares named accordingly. `others` are other boards with their probabilities.
    """

    board: str
    probability: float
    is_certain: bool
    doubts: Mapping[str, float]
    others: tuple[tuple[str, float], ...]

    @classmethod
    def parse(cls, value: Any) -> "TableVerdict":
        """Return the verdict that was stored; raise ValueError or TypeError if it is not valid."""
        board, probability, is_certain, doubts, others = value
        other_boards = tuple((str(Board.parse(other)), float(p)) for other, p in others)
        return cls(str(Board.parse(board)), float(probability), bool(is_certain), {**doubts}, other_boards)


def decide_tables(standings: Standings, stored_verdicts: Data) -> tuple[Standings, dict[str, tuple[TableVerdict, ...]]]:
    """Return the standings with the joint decisions on the tables, and these verdicts, each by a key of its inputs.

    The verdicts on a table are empty if its kingdoms cannot be compared. A valid verdict that is stored under its key
    is not computed again.
    """
    rules = standings.event.rules
    max_kingdoms, box = rules.choose_game_rule_set([]).max_kingdoms, name_box(GAME, rules.variants)
    verdicts: dict[str, tuple[TableVerdict, ...]] = {}
    results = {kingdom.id: kingdom for kingdom in standings.kingdoms}
    for kingdoms in standings.games.values():
        if not 2 <= len(kingdoms) <= max_kingdoms or all(kingdom.is_known for kingdom in kingdoms):
            continue
        # The dominoes of a kingdom with towns are from another box.
        if any(kingdom.has_towns or not (kingdom.is_typed or kingdom.observation) for kingdom in kingdoms):
            continue
        texts = [
            str(kingdom.board) if kingdom.is_typed else json.dumps(kingdom.observation, sort_keys=True)
            for kingdom in kingdoms
        ]
        inputs = [kdvision.__version__, rules.side, box, texts]
        key = hashlib.sha256(json.dumps(inputs).encode()).hexdigest()[:32]
        try:
            verdicts[key] = tuple(map(TableVerdict.parse, stored_verdicts[key]))
            if len(verdicts[key]) not in (0, len(kingdoms)):
                raise ValueError
        except (KeyError, TypeError, ValueError, NotationError):
            verdicts[key] = _decide(kingdoms, rules.side, box)
        for kingdom, verdict in zip(kingdoms, verdicts[key], strict=False):
            if not kingdom.is_known and not kingdom.data["problems"]:
                results[kingdom.id] = _apply_verdict(kingdom, verdict)
    return replace(standings, kingdoms=tuple(results.values())), dict(sorted(verdicts.items()))


def _decide(kingdoms: Sequence[KingdomResult], side: int | None, box: str) -> tuple[TableVerdict, ...]:
    """Return the verdicts on kingdoms, of which at least one is observed and not known."""
    from kdvision.vision.classify.probabilities import ClassProbabilities
    from kdvision.vision.decide.decide import decide
    from kdvision.vision.decide.game_set import collect_deck

    observations = [
        unpack_observation(kingdom.observation) if kingdom.observation and not kingdom.is_typed else None
        for kingdom in kingdoms
    ]
    first_observation = next(filter(None, observations))
    deck = collect_deck(box)
    kinds = first_observation.probabilities.select_kinds(deck).kinds
    try:
        decisions = decide(
            [
                observation.probabilities.select_kinds(deck)
                if observation
                else ClassProbabilities.of(kingdom.board, confidence=CORRECTED_CONFIDENCE, kinds=kinds)
                for kingdom, observation in zip(kingdoms, observations, strict=True)
            ],
            deck,
            side=side,
            border_log_odds=[observation and observation.border_log_odds for observation in observations],
            temperature=first_observation.calibration.temperature,
        )
    except ValueError:  # a board with kinds that the networks do not know, or networks of two versions
        return ()
    return tuple(map(_make_verdict, decisions, [observation or first_observation for observation in observations]))


def _make_verdict(decision: Decision, observation: Observation) -> TableVerdict:
    from kdvision.vision.assess.calibration import clip_complement

    calibration, board = observation.calibration, decision.board
    frame = BoardFrame.of(board)
    doubts = {frame.to_board(doubt.square).name: float(doubt.probability) for doubt in decision.doubts}
    p_board = calibration.calibrate_board(
        decision.probability,
        correction_cost=decision.correction_cost,
        side_pixels=observation.side,
        breaks_rule=decision.breaks_rule,
    )
    probability = p_board * observation.p_whole
    is_certain = probability >= calibration.review_threshold and decision.is_consistent
    scale = observation.p_whole * (1 - p_board) / clip_complement(decision.probability)
    others = [(str(other.trim()), round(scale * share, 4)) for other, share in decision.runners_up]
    return TableVerdict(str(board.trim()), probability, is_certain, doubts, tuple(pair for pair in others if pair[1]))


def _apply_verdict(kingdom: KingdomResult, verdict: TableVerdict) -> KingdomResult:
    """Return the kingdom after the joint decision (see the top of this file)."""
    data, board, joint_board = kingdom.data, kingdom.board, Board.parse(verdict.board)
    if joint_board == board:
        doubts = [
            {**doubt, "probability": round(verdict.doubts[doubt["square"]], 4)}
            for doubt in data["doubts"]
            if doubt["square"] in verdict.doubts  # the others are gone
        ]
        doubts.sort(key=lambda doubt: doubt["probability"])
        is_improbable = kingdom.observation is not None and verdict.probability < kingdom.observation["sure"]
        review = is_improbable or (data["review"] and not verdict.is_certain)
        data = {**data, "review": review, "doubts": doubts}
        return replace(kingdom, data=_set_probability(kingdom, data, verdict.probability, verdict.others))
    has_same_shape = (joint_board.height, joint_board.width) == (board.height, board.width)
    all_squares = sorted({*board, *joint_board}) if has_same_shape else []
    squares = [square for square in all_squares if board.get(square) != joint_board.get(square)]
    names = sorted(square.name for square in squares)
    is_confirmed = any(correction.kingdom == kingdom.number for correction in kingdom.photo.corrections.corrections)
    joint_counts = has_same_shape and verdict.is_certain and not is_confirmed
    if joint_counts:
        text = "the photo was read as another board, but no box holds its dominoes and those of the other kingdoms"
        photo_data = {name: data[name] for name in PHOTO_FIELDS}
        data = {**score_typed_board(joint_board, kingdom.number, kingdom.photo.rules), **photo_data}
        doubts = _list_doubts(kingdom, squares, joint_board, board, verdict.probability)
        probability, others = verdict.probability, list(verdict.others)
    else:
        text = "another board is more probable, because no box holds these dominoes and those of the other kingdoms"
        doubts = _list_doubts(kingdom, squares, board, joint_board, 1 - verdict.probability)
        doubts += [doubt for doubt in data["doubts"] if doubt["square"] not in names]
        all_boards = [(verdict.board, verdict.probability), *verdict.others]
        remaining_probability = max(0.0, 1 - sum(p for _, p in all_boards))
        probability = dict(all_boards).get(str(board.trim()), remaining_probability)
        others = [(other, p) for other, p in all_boards if other != str(board.trim())]
    problem = {"text": text, "squares": names, "clause": "kingdomino/box" if names else None}
    data = {**data, "review": True, "doubts": doubts, "problems": [*data["problems"], problem]}
    return replace(kingdom, data=_set_probability(kingdom, data, probability, others), changed_by_table=joint_counts)


def _set_probability(
    kingdom: KingdomResult, data: Data, probability: float, others: Sequence[tuple[str, float]]
) -> dict[str, Any]:
    """Return the data with these probabilities of its board and its totals."""
    board = Board.parse(data["board"])
    rule_set = replace(kingdom.photo.rules, side=data["side"]).choose_photo_rule_set([])
    boards = [(board, probability), *((Board.parse(other), p) for other, p in others)]
    main_total, *other_totals = compute_totals(replace(kingdom.kingdom, board=board), boards, rule_set)
    return {
        **data,
        "probability": round(probability, 4),
        "points_probability": round(min(main_total.probability, 1.0), 4),
        "alternatives": [total_to_dict(total) for total in other_totals],
    }


def _list_doubts(
    kingdom: KingdomResult, squares: Sequence[Square], board: Board, other_board: Board, probability: float
) -> list[dict[str, Any]]:
    """Return doubts about squares as JSON objects: `board` is right there with this probability, else `other_board`."""
    doubts = []
    for square in squares:
        new_board = board.with_cells({square: other_board.get(square)})
        card = score(replace(kingdom.kingdom, board=new_board), kingdom.photo.rules.choose_photo_rule_set([new_board]))
        content = (square, str(board.get(square) or "."), probability, str(other_board.get(square) or "."), new_board)
        doubts.append(scored_doubt_to_dict(ScoredDoubt(*content, kingdom.number - 1, card.points, card.total, 0)))
    return doubts
