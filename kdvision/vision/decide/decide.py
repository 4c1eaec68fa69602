"""Maximum a posteriori decision: the most probable boards that the box can tile, and what is uncertain about them.

`decide` maximises one objective, the sum of log-probabilities over all squares of all kingdoms in a photo, plus the
evidence at borders, minus penalties for deviations from the rules: no castle, too large, detached, foreign dominoes.
The boards use each domino at most as often as the box has it. `ilp.py` solves it; runners-up forbid the decided kind of
one square.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from kdvision.game.board import Board, Square
from kdvision.game.deck import Deck
from kdvision.game.legality import Problem, find_problems, join_names
from kdvision.game.rules import SIDES
from kdvision.vision.classify.observation import BorderLogOdds
from kdvision.vision.classify.probabilities import MIN_PROBABILITY, ClassProbabilities, make_board
from kdvision.vision.decide.decision import Decision, Doubt, PlacedDomino
from kdvision.vision.decide.ilp import BoardProgramme, Solution
from kdvision.vision.decide.placements import Placements, list_placements
from kdvision.vision.geometry import Floats, Ints


def decide(
    kingdoms: Sequence[ClassProbabilities],
    deck: Deck,
    *,
    side: int | None = None,
    fixed_squares: Mapping[tuple[int, Square], str] | None = None,
    border_log_odds: Sequence[BorderLogOdds | None] | None = None,
    temperature: float = 1.0,
) -> list[Decision]:
    """Return the most probable boards of all `kingdoms` in a photo, decided jointly because they share one box.

    `side` limits rows and columns; None means 5, or 7 where that is more probable in spite of its penalty.
    `fixed_squares` are named by a person: `{(0, Square(2, 1)): "w1"}`. `border_log_odds` is the evidence that
    neighbours are one domino. `temperature` divides losses before they become probabilities. Runners-up less probable
    than `min_ratio`, relative to the best, are not sought.
    """
    min_ratio = 0.002
    if not kingdoms:
        return []
    if any(kingdom.kinds != kingdoms[0].kinds for kingdom in kingdoms):
        raise ValueError("the kingdoms of one photo have the same kinds")
    fixed_squares = fixed_squares or {}
    kinds = tuple(dict.fromkeys((*kingdoms[0].kinds, *fixed_squares.values())))
    losses = [_compute_losses(kingdom, number, kinds, fixed_squares) for number, kingdom in enumerate(kingdoms)]
    placements = list_placements(losses, border_log_odds or [None] * len(kingdoms), deck, kinds)
    limit = -float(np.log(min_ratio)) * temperature
    ranked_solutions, unfinished_kingdoms = BoardProgramme(placements, side).solve(limit=limit)
    best = ranked_solutions[0]
    solutions = [(solution, float(np.exp((best.loss - solution.loss) / temperature))) for solution in ranked_solutions]
    decisions = [
        _make_decision(
            placements, number, solutions, deck, side, is_proved=best.is_proved and number not in unfinished_kingdoms
        )
        for number in range(len(kingdoms))
    ]
    is_wide = [max(decision.board.extent) > SIDES[0] for decision in decisions]
    if side is None and sum(is_wide) == 1:  # two wide kingdoms confirm that the game was one of 7x7
        number = is_wide.index(True)
        decisions[number] = _question_spare_squares(decisions[number])
    return decisions


def _compute_losses(
    class_probabilities: ClassProbabilities,
    number: int,
    kinds: tuple[str, ...],
    fixed_squares: Mapping[tuple[int, Square], str],
) -> Floats:
    """Return negative log-probabilities (rows, cols, kinds) with a floor on the probability and fixed squares."""
    fixed_square_loss_nats = 60.0
    probabilities = np.full((class_probabilities.rows, class_probabilities.cols, len(kinds)), MIN_PROBABILITY)
    probabilities[..., : len(class_probabilities.kinds)] += np.exp(class_probabilities.log_probs)
    losses = np.asarray(-np.log(probabilities))
    for (kingdom, square), kind in fixed_squares.items():
        if kingdom == number:
            losses[square] = fixed_square_loss_nats
            losses[square][kinds.index(kind)] = 0.0
    return losses


def _make_decision(
    p: Placements,
    number: int,
    solutions: Sequence[tuple[Solution, float]],
    deck: Deck,
    side: int | None,
    *,
    is_proved: bool,
) -> Decision:
    """Return the decision of one kingdom from the solutions for all kingdoms with their weights, the best one first."""
    grid, distinct_labels = p.grids[number], dict[bytes, tuple[Ints, float]]()
    for solution, weight in solutions:
        labels = solution.labels[grid.ravel()]
        distinct_labels.setdefault(labels.tobytes(), (labels, weight))
    ranked_labels = list(distinct_labels.values())
    total = sum(weight for _, weight in ranked_labels)
    boards = [(make_board(p.kinds, labels.reshape(grid.shape)), weight / total) for labels, weight in ranked_labels]
    losses = p.losses[grid.ravel()]
    doubts, overruled_squares = _find_doubts(losses, p.kinds, ranked_labels, grid.shape[1])
    placement_ids = [n for n in solutions[0][0].placement_ids.tolist() if grid[0, 0] <= p.first[n] <= grid[-1, -1]]
    squares = {int(square): Square(*place) for place, square in np.ndenumerate(grid)}
    foreign_ids = [n for n in placement_ids if p.face[n] < 0 and not p.is_castle[n]]
    foreign_squares = sorted(squares[at] for n in foreign_ids for at in (p.first[n], p.second[n]) if at >= 0)
    dominoes = [
        PlacedDomino(p.numbers[p.face[n]], (squares[p.first[n]], squares[p.second[n]]))
        for n in placement_ids
        if p.face[n] >= 0
    ]
    return Decision(
        board=boards[0][0],
        dominoes=tuple(sorted(dominoes, key=lambda domino: domino.squares)),
        probability=boards[0][1],
        doubts=doubts,
        problems=_find_problems(boards[0][0], foreign_squares, deck, side),
        runners_up=tuple(boards[1:]),
        overruled_squares=overruled_squares,
        is_proved=is_proved,
        correction_cost=float((losses[np.arange(len(losses)), ranked_labels[0][0]] - losses.min(axis=1)).sum()),
        side=side,
    )


def _find_doubts(
    losses: Floats, kinds: tuple[str, ...], ranked_labels: Sequence[tuple[Ints, float]], cols: int
) -> tuple[tuple[Doubt, ...], tuple[Square, ...]]:
    """Return the uncertain squares, least probable first, and those decided against a confident classification."""
    p_confident, p_doubt = 0.98, 0.01
    labellings, read_labels = np.stack([labels for labels, _ in ranked_labels]), losses.argmin(axis=1)
    doubts, overruled_squares = [], []
    for index in np.flatnonzero((labellings != read_labels).any(axis=0)).tolist():
        square, label, read_label = Square(*divmod(index, cols)), int(labellings[0, index]), int(read_labels[index])
        weights: dict[int, float] = {}
        for labels, weight in ranked_labels:
            weights.setdefault(int(labels[index]), weight)
        probability = weights[label] / sum(weights.values())
        contradicts = read_label != label and np.exp(-losses[index, read_label]) > p_confident
        if contradicts or probability < 1 - p_doubt:
            del weights[label]
            alternative = read_label if contradicts else max(weights, key=lambda kind: weights[kind])
            doubts.append(Doubt(square, kinds[label], probability, kinds[alternative]))
        overruled_squares += [square] if contradicts else []
    return tuple(sorted(doubts, key=lambda doubt: doubt.probability)), tuple(overruled_squares)


def _find_problems(
    board: Board, foreign_squares: Sequence[Square], deck: Deck, side: int | None
) -> tuple[Problem, ...]:
    """Return the problems of the board itself, else of its dominoes, which other kingdoms may also have."""
    problems = find_problems(board, deck, side=side or SIDES[-1])
    if problems or not foreign_squares:
        return problems
    names = join_names(foreign_squares)
    text = f"the box has not enough of the dominoes that seem to lie on {names}: compare them with the table"
    return (Problem(tuple(foreign_squares), text, "kingdomino/box", warning="contents"),)


def _question_spare_squares(decision: Decision) -> Decision:
    """Return the decision, with a problem if one domino of the larger board may only lie beside a kingdom of 5x5.

    All other dominoes then lie in a nearly full 5x5 window. Games of 7x7 seldom pass through such a board.
    """
    board, side, min_inside, max_outside = decision.board, SIDES[0], 21, 2  # a castle and ten dominoes; one domino
    top, left, bottom, right = board.bounds
    windows = product(range(top, max(top, bottom - side + 1) + 1), range(left, max(left, right - side + 1) + 1))
    outside = (
        [square for square in board if not (row <= square.row < row + side and col <= square.col < col + side)]
        for row, col in windows
    )
    spare_squares = min(outside, key=len)
    if len(spare_squares) > max_outside or len(board) - len(spare_squares) < min_inside:
        return decision
    text = f"{join_names(spare_squares)} may lie beside a kingdom of 5 by 5: say which size was played, 5 or 7"
    return replace(decision, problems=(*decision.problems, Problem(tuple(spare_squares), text, warning="spare")))
