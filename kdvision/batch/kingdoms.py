"""The kingdoms of an event, each with its player, round and table.

Nothing is left out silently: `review.py` lists kingdoms that do not count or have no player.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Final

import numpy as np

from kdvision.batch.event import Rules, find_towns_problem
from kdvision.batch.store.folder import Data
from kdvision.batch.store.record import PhotoRecord
from kdvision.game.board import Board, Cell
from kdvision.game.kingdom import Kingdom, find_towns
from kdvision.report.build import MAX_MISREAD_SHARE, build_board_result, show_same_kingdom
from kdvision.report.to_dict import kingdom_to_dict

MIN_COMPLETE_SHARE: Final = 0.75
"""Share of the squares of a photo's largest kingdom from which another one may be complete, too: players of one game
place equally many dominoes, less those that they discard. A neighbour's kingdom at the edge shows less."""


@dataclass(frozen=True)
class KingdomResult:
    """One kingdom of a photo. `number` counts from 1; `player` is "" if not known.

    `data` is its JSON object after corrections and joint decisions, `data_read` the object as read, None for a kingdom
    that only a person has typed. `observation` is what the networks observed, packed, None if that is not known.
    `changed_by_table` is true if the joint decision of its table changed its board.
    """

    photo: PhotoRecord
    number: int
    data: Data
    data_read: Data | None
    observation: Data | None
    player: str = ""
    counts: bool = True
    changed_by_table: bool = False

    @property
    def id(self) -> tuple[str, int]:
        return self.photo.name, self.number

    @property
    def round(self) -> int:
        return self.photo.seat.round

    @property
    def table(self) -> str:
        return self.photo.seat.table

    @cached_property
    def board(self) -> Board:
        return Board.parse(self.data["board"])

    @property
    def source(self) -> str:
        """The photo, and the kingdom's number if it shows several."""
        return self.photo.name if len(self.photo.kingdoms) == 1 else f"{self.photo.name}, kingdom {self.number}"

    @property
    def label(self) -> str:
        """The player, or else the photo and the kingdom's number in it."""
        return self.player or self.source

    @cached_property
    def kingdom(self) -> Kingdom:
        """The kingdom with its tokens, and with the label as its player."""
        return self.photo.rules.build_kingdom(self.board, self.number, self.label)

    @property
    def has_towns(self) -> bool:
        """True for a kingdom of another game, which Kingdomino's rules cannot score."""
        return bool(find_towns(self.board))

    @property
    def lacks_tokens(self) -> bool:
        """True if the event is played with tokens, and its file does not list those on this kingdom."""
        return bool(self.photo.rules.token_kinds) and self.number > len(self.photo.rules.tokens)

    @property
    def is_corrected(self) -> bool:
        """True if a person has changed what was read."""
        return self.data_read is None or (not self.changed_by_table and self.data_read["board"] != self.data["board"])

    @property
    def has_given_board(self) -> bool:
        """True if a person has given or confirmed the whole board."""
        return self.number in self.photo.corrections.boards

    @property
    def needs_review(self) -> bool:
        """True if a person should look at the board: not if one has given it, unless it has towns or a "?"."""
        return self.data["review"] and (not self.has_given_board or self.has_towns or bool(self.board.unknown))

    @property
    def is_known(self) -> bool:
        """True if a person has corrected the board, or has given all of it, even as it was read."""
        return self.is_corrected or self.has_given_board

    @property
    def differs_from_new_photo(self) -> bool:
        """True if a person has given the board before the photo could be read, and the photo shows another one."""
        corrections = [entry for entry in self.photo.corrections.corrections if entry.kingdom == self.number]
        was_given_before = self.has_given_board and all(correction.belongs_to_name for correction in corrections)
        read_board = self.data_read and Board.parse(self.data_read["board"])
        return bool(self.photo.content and was_given_before and read_board and not read_board.equals_turned(self.board))

    @property
    def is_typed(self) -> bool:
        """True if a person has given the whole board, or changed it without the photo.

        A photo that was decided again with fixed squares is still doubtful on its other squares. A second reading that
        has a new first row or column names the squares differently, so it does not count as one.
        """
        second, first = self.photo.second_reading, self.data_read
        was_decided_again = (
            second is not None
            and first is not None
            and self.data in second.kingdoms
            and self.data["corners"][:1] == first["corners"][:1]  # no first row or column was added
        )
        return self.has_given_board or (self.is_corrected and not was_decided_again)


def score_typed_board(board: Board, number: int, rules: Rules) -> Data:
    """Return the JSON object of a photo's kingdom with this number, from 1, whose board was typed."""
    (entry,) = build_board_result([rules.build_kingdom(board, number)], rules.choose_photo_rule_set([board])).kingdoms
    problem = find_towns_problem(board)
    if problem is not None:  # the only one worth reporting: no domino of Kingdomino has towns
        entry = replace(entry, problems=(problem,))
    return kingdom_to_dict(entry)


def assign_players(photo: PhotoRecord, game: Iterable[KingdomResult] = ()) -> list[KingdomResult]:
    """Return the kingdoms of a photo, each with its player if that is clear. For one player, only the largest counts.

    If another one is about as large, nobody knows which of them is the player's, unless the kingdoms of its `game` show
    whose the others are. If a kingdom of several was only typed, its place among the others is not known, so the
    players have their kingdoms in order only if [[photo]] of the event file names them.
    """
    players, rows = photo.seat.players, zip_longest(photo.kingdoms, photo.reading.kingdoms, photo.last_reading.seen)
    kingdoms = [KingdomResult(photo, number, *row) for number, row in enumerate(rows, start=1) if row[0] is not None]
    # The boards of a photo that cannot be read are typed for the first players.
    if photo.error is not None or (len(players) == len(kingdoms) and has_known_order(photo)):
        return [replace(kingdom, player=player) for kingdom, player in zip(kingdoms, players, strict=False)]
    max_size = max((len(kingdom.board) for kingdom in kingdoms), default=0)
    candidates = [kingdom for kingdom in kingdoms if len(kingdom.board) >= MIN_COMPLETE_SHARE * max_size]
    if len(candidates) > 1:
        boards = [kingdom.board for kingdom in game if kingdom.player not in (*players, "")]
        candidates = [
            kingdom for kingdom in candidates if not any(show_same_kingdom(kingdom.board, board) for board in boards)
        ]
    if len(players) != 1 or len(candidates) != 1:
        return kingdoms
    return [
        replace(kingdom, player=players[0]) if kingdom is candidates[0] else replace(kingdom, counts=False)
        for kingdom in kingdoms
    ]


def has_known_order(photo: PhotoRecord) -> bool:
    """Return whether the kingdoms of a photo are in the order of its players.

    A kingdom that was typed beside others that were read comes last, wherever it lies.
    """
    read_count = len(photo.last_reading.kingdoms)
    return photo.seat.has_listed_players or not 0 < read_count < len(photo.kingdoms)


def find_same_kingdoms(kingdoms: Sequence[KingdomResult]) -> Iterator[tuple[KingdomResult, KingdomResult]]:
    """Yield each two kingdoms that must be one. Counts of equal cells exclude nearly all pairs of a large event."""
    counters = [Counter(kingdom.board.values()) for kingdom in kingdoms]
    cells = set[Cell]().union(*counters)
    counts = np.array([[counter[cell] for cell in cells] for counter in counters])
    for index, first in enumerate(kingdoms):
        equal_cells = np.minimum(counts[index], counts[index + 1 :]).sum(axis=1)
        similar_indices = np.flatnonzero(equal_cells >= (1 - MAX_MISREAD_SHARE) * len(first.board)) + index + 1
        similar_kingdoms = [kingdoms[similar_index] for similar_index in similar_indices.tolist()]
        yield from ((first, second) for second in similar_kingdoms if show_same_kingdom(first.board, second.board))


def find_second_kingdoms(kingdoms: Iterable[KingdomResult]) -> Iterator[tuple[KingdomResult, KingdomResult]]:
    """Yield each further kingdom of a player in a round, after the kingdom that counts.

    One at the player's first table counts: a board that a person has given or corrected, else one with listed tokens,
    else the most probable one.
    """
    groups: dict[tuple[int, str], list[KingdomResult]] = defaultdict(list)
    for kingdom in kingdoms:
        if kingdom.player:
            groups[kingdom.round, kingdom.player].append(kingdom)
    for group in groups.values():
        candidates = [kingdom for kingdom in group if kingdom.table == group[0].table]
        # Of equal ones, the first is best.
        best_kingdom = max(
            candidates, key=lambda kingdom: (kingdom.is_known, not kingdom.lacks_tokens, kingdom.data["probability"])
        )
        yield from ((best_kingdom, kingdom) for kingdom in group if kingdom is not best_kingdom)


def differ_too_much(first: KingdomResult, second: KingdomResult) -> bool:
    """Return whether two kingdoms of a player differ so much that they are hardly one kingdom, read twice.

    A board that a person has given is not compared with one that was read.
    """
    if first.has_given_board and not second.has_given_board:
        return False
    return 2 * first.board.count_equal_squares(second.board) < min(len(first.board), len(second.board))
