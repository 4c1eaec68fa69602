"""A whole game: its rules, the kingdoms of its rounds, and the problems of a table."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

from kdvision.game.board import Board
from kdvision.game.deck import Deck, index_deck
from kdvision.game.dominoes import MAX_READINGS, filter_readings
from kdvision.game.kingdom import TOWNS, Kingdom, Table, find_complete_square
from kdvision.game.legality import Problem, find_overused_cells, find_problems
from kdvision.game.open_facts import compute_range, has_one_queen, list_open_facts
from kdvision.game.rules import SIDES, infer_board_side, make_rule_set
from kdvision.game.scoring import RuleSet, score
from kdvision.game.standing import Standing, rank_dynasty, rank_kingdoms
from kdvision.game.tiling import Puzzle, Undecided, find_legal_tilings, find_overused_faces, find_tilings, make_puzzle
from kdvision.text import count_noun

DYNASTY_ROUNDS: Final = 3
"""The rounds of a Dynasty (kingdomino/dynasty)."""
WINNER_UNKNOWN: Final = "who wins is not known yet"


@dataclass(frozen=True)
class Game:
    """A game of one round, or a Dynasty. `kind` and `variants` are ids of `rules.GAMES` and `rules.VARIANTS`.

    `is_side_inferred` is true if the side follows from the boards or from the number of those that are entered.
    """

    kind: str
    side: int
    rounds: tuple[Table, ...]
    variants: tuple[str, ...] = ()
    teams: bool = False
    is_side_inferred: bool = field(default=False, compare=False)

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules of this game."""
        rule_set = make_rule_set(self.kind, side=self.side, variants=self.variants, teams=self.teams)
        return replace(rule_set, checks=(*rule_set.checks, check_side)) if self.is_side_inferred else rule_set

    def find_problems(self, table: Table) -> tuple[Problem, ...]:
        """Return the problems of a round. The dominoes of a board with open towns are not checked."""
        return drop_uncheckable(find_table_problems(table, self.rule_set), table.kingdoms)

    def is_open(self, table: Table) -> bool:
        """Return whether facts or squares of a round are unknown, so that it has no winner yet."""
        return any(map(list_open_facts, table.kingdoms))

    def has_round_result(self, table: Table) -> bool:
        """Return whether it is known who has won a round."""
        is_checked = has_one_queen(table.kingdoms) and not any(kingdom.questions for kingdom in table.kingdoms)
        return is_checked and self.rule_set.has_all_kingdoms(table) and not self.is_open(table)

    @property
    def has_result(self) -> bool:
        """Whether it is known who has won the whole game."""
        return all(map(self.has_round_result, self.rounds))

    @property
    def outlook(self) -> str:
        """A sentence on who has won a Dynasty outright while facts are open (lost-treasures/dynasty), else empty."""
        if len(self.rounds) > 1 and not self.has_result:
            for table in self.rounds:
                winners = [kingdom for kingdom in table.kingdoms if self.rule_set.outright_win(kingdom)]
                if winners or not self.has_round_result(table):
                    return describe_outlook(table, self.rule_set) if winners else ""
        return ""

    def describe_missing_kingdoms(self, table: Table) -> str:
        """Return a sentence if kingdoms of a round are missing, else an empty text."""
        if self.rule_set.has_all_kingdoms(table):
            return ""
        count, sides = len(table.kingdoms), SIDES if self.is_side_inferred else (self.side,)
        rule_sets = [make_rule_set(self.kind, side=side, variants=self.variants, teams=self.teams) for side in sides]
        fewest = min(rule_set.count_seats(table) for rule_set in rule_sets)
        verb = "is" if count == 1 else "are"
        if table.seats:
            return f"{count} of {fewest} kingdoms {verb} entered so far"
        return f"{count_noun(count, 'kingdom')} {verb} entered so far, and this game has at least {fewest}"

    @property
    def standing(self) -> Standing:
        """The standing of the whole game, by the facts that are known."""
        if len(self.rounds) == 1:
            return rank_kingdoms(self.rounds[0].kingdoms, self.rule_set)
        return rank_dynasty([table.kingdoms for table in self.rounds], self.rule_set)


def find_table_problems(table: Table | Sequence[Kingdom], rule_set: RuleSet) -> tuple[Problem, ...]:
    """Return the problems of a table; `Problem.kingdom` is the kingdom that one is about, None for the whole table."""
    full_table = table if isinstance(table, Table) else Table(tuple(table))
    boards = [kingdom.board for kingdom in full_table.kingdoms]
    ends_early = any(map(rule_set.outright_win, full_table.kingdoms))
    problems: list[Problem] = []
    for number, kingdom in enumerate(full_table.kingdoms):
        board_problems = find_problems(kingdom.board, rule_set.deck, side=rule_set.side)
        kingdom_problems = (*board_problems, *_check_claims(kingdom, rule_set, ends_early=ends_early))
        problems += [replace(problem, kingdom=number) for problem in kingdom_problems]
    faulty_kingdoms = {problem.kingdom for problem in problems}
    misfits = {problem.kingdom for problem in problems if problem.clause == "kingdomino/box"}
    problems += _check_number(boards, full_table.seats, rule_set)
    checkable_numbers = [number for number, board in enumerate(boards) if number not in misfits and not board.unknown]
    if len(checkable_numbers) > 1:
        is_faulty = [number in faulty_kingdoms for number in checkable_numbers]
        problems += _check_shared_box([boards[number] for number in checkable_numbers], is_faulty, rule_set.deck)
    problems += rule_set.check_pieces(full_table)
    for number, kingdom in enumerate(full_table.kingdoms):
        problems += [Problem((), f"still to check: {question}", kingdom=number) for question in kingdom.questions]
    clauses = rule_set.own_clauses
    return tuple(replace(problem, clause=clauses.get(problem.clause, problem.clause)) for problem in problems)


def _check_claims(kingdom: Kingdom, rule_set: RuleSet, *, ends_early: bool) -> Iterator[Problem]:
    """Yield the problems of claims that are not earned, and of a wrong number of discarded dominoes.

    A kingdom gets fewer dominoes in a game that `ends_early` (lost-treasures/immediate).
    """
    for claim in kingdom.claims:
        line = next((line for line in score(kingdom, rule_set).lines if line.label == claim), None)
        if line is None:
            yield Problem((), f"{claim} is claimed, and it is not played", "kingdomino/mix")
        elif not line.points and not list_open_facts(kingdom):
            yield Problem((), f"{claim} is claimed, and the board does not earn it", line.clause)
    castles = len(kingdom.board.find_castles()) or bool(kingdom.board.unknown)
    dominoes_laid = (len(kingdom.board) + len(kingdom.board.unknown) - castles) / 2
    drawn_count = (rule_set.side**2 - 1) // 2
    least_count = 0 if ends_early else drawn_count
    if kingdom.discarded is not None and not least_count <= dominoes_laid + kingdom.discarded <= drawn_count:
        text = f"dominoes laid here: {dominoes_laid:g}, discarded: {kingdom.discarded}; a kingdom gets {drawn_count}"
        yield Problem((), text, "kingdomino/complete")


def _check_number(boards: Sequence[Board], seats: int, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the problems of more or fewer kingdoms than play together, and of more dominoes than they draw.

    Fewer than play together are a problem only if that many `seats` are given; otherwise some are missing.
    """
    min_kingdoms = min(rule_set.dominoes_drawn, default=1)
    if 0 < seats < min_kingdoms:
        text = f"the number of kingdoms is {seats}, and {rule_set.name} is played with at least {min_kingdoms}"
        yield Problem((), text, "kingdomino/in-play")
    seats = seats or len(boards)
    if seats > rule_set.max_kingdoms:
        text = f"there are {seats} kingdoms, and {rule_set.name} is played with at most {rule_set.max_kingdoms}"
        yield Problem((), text, "kingdomino/in-play")
    drawn_count = rule_set.dominoes_drawn.get(seats)
    dominoes_laid = sum(len(board) - len(board.find_castles()) for board in boards) // 2
    if drawn_count is not None and dominoes_laid > drawn_count:
        text = f"{dominoes_laid} dominoes lie in the kingdoms, and {seats} kingdoms get {drawn_count}"
        yield Problem((), text, "kingdomino/in-play")


def _check_shared_box(boards: Sequence[Board], is_faulty: Sequence[bool], deck: Deck) -> Iterator[Problem]:
    """Yield why kingdoms that the box can lay one by one cannot have been laid from the same box.

    Kingdoms with a problem of their own (`is_faulty`) need not have been laid in any order.
    """
    overused_cells = [*find_overused_cells(boards, deck)]
    for cell, count, supply in overused_cells:
        text = f"the kingdoms together have {count_noun(count, 'square')} {cell}, and the box has {supply}"
        yield Problem((), text, "kingdomino/box")
    puzzles, box = [make_puzzle(board, deck) for board in boards], index_deck(deck)
    try:
        if overused_cells or _can_share_box(puzzles, is_faulty):
            return
        overused_faces = [*find_overused_faces(puzzles)]
    except Undecided:
        text = "there are too many ways to lay these kingdoms from one box to look at them all"
        yield Problem((), text, "kingdomino/box")
        return
    for face, demand in overused_faces:
        first, second = box.faces[face]
        text = f"the kingdoms need {demand} dominoes {first} {second}, and the box has {box.supply[face]}"
        yield Problem((), text, "kingdomino/box")
    if not overused_faces:
        yield Problem((), "the kingdoms cannot all have been laid from one box", "kingdomino/box")


def _can_share_box(puzzles: Sequence[Puzzle], is_faulty: Sequence[bool]) -> bool:
    pairs = zip(puzzles, is_faulty, strict=True)
    tilings = [find_tilings(puzzle) if has_problems else find_legal_tilings(puzzle) for puzzle, has_problems in pairs]
    ways = [[*islice(kingdom_tilings, MAX_READINGS)] for kingdom_tilings in tilings]
    can_share = any(filter_readings(puzzles, ways))
    if not can_share and max(map(len, ways)) == MAX_READINGS:
        raise Undecided
    return can_share


def drop_uncheckable(problems: Iterable[Problem], kingdoms: Sequence[Kingdom]) -> tuple[Problem, ...]:
    """Return the problems without those about the dominoes of boards whose towns are open."""
    open_numbers = {number for number, kingdom in enumerate(kingdoms) if TOWNS in kingdom.open_facts}
    uncheckable_numbers = {*open_numbers, None} if open_numbers else set()
    return tuple(
        problem
        for problem in problems
        if problem.kingdom not in uncheckable_numbers or not problem.clause.endswith(("/box", "/connection"))
    )


def describe_outlook(table: Table, rule_set: RuleSet) -> str:
    """Return a sentence on who wins while facts are open; empty for a single kingdom without an outright win.

    Missing kingdoms may have any number of points, and of too many kingdoms nobody knows which play. An outright win
    ends the game at once, so no other kingdom can have one.
    """
    kingdoms = table.kingdoms
    winners = [kingdom for kingdom in kingdoms if rule_set.outright_win(kingdom)]
    if len(winners) == 1:
        reason = rule_set.outright_win(winners[0])
        return f"{winners[0].player} wins, whatever is still missing: {reason}"
    if len(kingdoms) < 2:
        return ""
    ranges = [compute_range(kingdom, rule_set) for kingdom in kingdoms]
    is_doubtful = bool(winners) or not has_one_queen(kingdoms) or any(kingdom.questions for kingdom in kingdoms)
    if rule_set.has_all_kingdoms(table) and len(kingdoms) <= rule_set.max_kingdoms and not is_doubtful:
        for kingdom, point_range in zip(kingdoms, ranges, strict=True):
            other_maxima = [other.maximum for other in ranges if other is not point_range]
            if all(maximum is not None and maximum < point_range.minimum for maximum in other_maxima):
                return f"{kingdom.player} wins, whatever is still missing"
    return WINNER_UNKNOWN


def make_game(
    kind: str, rounds: Sequence[Table], *, side: int | None = None, variants: Collection[str] = (), teams: bool = False
) -> Game:
    """Return a game. Without a `side` the number of kingdoms decides it, or the boards if the number leaves it open."""
    if side is None and teams:
        side = SIDES[-1]
    is_side_inferred = False
    if side is None:
        count = max((max(table.seats, len(table.kingdoms)) for table in rounds), default=0)
        sides = [side for side in SIDES if count in make_rule_set(kind, side=side, variants=variants).dominoes_drawn]
        is_side_inferred = len(sides) != 1 or not all(table.seats for table in rounds)
        side = sides[0] if len(sides) == 1 else None if count <= 2 else SIDES[0]
    from_boards = infer_board_side(kingdom.board for table in rounds for kingdom in table.kingdoms)
    return Game(kind, side or from_boards, tuple(rounds), tuple(variants), teams, is_side_inferred)


def choose_rule_set(
    kind: str | None, boards: Sequence[Board], *, side: int | None = None, variants: Collection[str] = ()
) -> RuleSet:
    """Return the rules to score the boards of one game by. Without a `kind` it is Kingdomino."""
    table = Table(tuple(map(Kingdom, boards)))
    return make_game(kind or "kingdomino", [table], side=side, variants=variants).rule_set


def check_side(table: Table, rule_set: RuleSet) -> Iterator[Problem]:
    """Yield the kingdoms that fill the smaller grid, where the side was not given and is taken for the larger one."""
    min_side, side = SIDES[0], rule_set.side
    for number, kingdom in enumerate(table.kingdoms):
        if side > min_side and find_complete_square(kingdom, min_side):
            text = (
                f"this kingdom is a full {min_side} by {min_side}, but by its boards or their number the game is scored"
                f" as {side} by {side}: choose side {min_side} (--size {min_side}, or side = {min_side} in a game"
                " or event file) if that was played"
            )
            yield Problem((), text, "kingdomino/complete", number)
