"""Kingdoms that are photographed again: recognise them, and ask what to do with the new photo."""

import secrets
from collections.abc import Sequence
from itertools import product

import msgspec

from kdvision.web.table.changes import AddKingdom, Change, JoinReading, ReplaceKingdom
from kdvision.web.table.corrections import count_least_squares
from kdvision.web.table.model import Answer, Proposal, TableGame, TableKingdom
from kdvision.web.table.storage import StoredReading


def match_kingdoms(kingdoms: Sequence[TableKingdom], readings: Sequence[TableKingdom]) -> dict[int, int]:
    """The number of the kingdom that each reading shows again, for those that show one."""
    pairs = []
    for (number, kingdom), (index, reading) in product(enumerate(kingdoms), enumerate(readings)):
        count = kingdom.board.count_equal_squares(reading.board)
        if count >= count_least_squares(kingdom, reading):
            pairs.append((count, number, index))
    matches: dict[int, int] = {}
    for _, number, index in sorted(pairs, key=lambda pair: -pair[0]):
        if index not in matches and number not in matches.values():
            matches[index] = number
    return matches


def find_new_readings(game: TableGame, number: int, readings: Sequence[StoredReading]) -> Sequence[StoredReading]:
    """The readings without those that the same photo has brought to the table already: a phone may send it again.

    While a question about the photo is open, there are none.
    """
    photos = {reading.kingdom.photo_info.photo for reading in readings if reading.kingdom.photo_info} - {""}
    if any(one.id in photos for one in game.proposals):
        return []
    sent_kingdoms = [one for one in game.list_round(number) if one.photo_info and one.photo_info.photo in photos]
    matches = match_kingdoms(sent_kingdoms, [reading.kingdom for reading in readings])
    return [reading for place, reading in enumerate(readings) if place not in matches]


def plan_additions(
    game: TableGame, number: int, readings: Sequence[TableKingdom]
) -> tuple[Sequence[Change], Proposal | None]:
    """The changes that add the kingdoms of a photo; if some are at the table already, none and a question instead."""
    kingdoms = game.list_round(number)
    colours = [one.colour for one in readings]
    additions = [AddKingdom(number, one.reading, other_colours=colours) for one in readings]
    matches = match_kingdoms(kingdoms, readings)
    if not matches:
        return additions, None
    known_kingdoms = [kingdoms[index] for index in matches.values()]
    pairs = [(kingdoms[index], readings[place].reading) for place, index in matches.items()]
    other_additions = [change for place, change in enumerate(additions) if place not in matches]
    replacements = [*(ReplaceKingdom(kingdom.id, reading) for kingdom, reading in pairs), *other_additions]
    combinations = [*(JoinReading(kingdom.id, reading) for kingdom, reading in pairs), *other_additions]
    can_join = all(kingdom.reading for kingdom in known_kingdoms)
    name = f"{known_kingdoms[0].player}'s" if len(known_kingdoms) == 1 else ""
    join = [_make_answer(f"Add it to {name}" if name else "Combine both photos", combinations)] if can_join else []
    swap = [_make_answer(f"Replace {name or 'it'}", replacements)]
    if name:
        question = f"This is {name} kingdom again. {'Add it to' if can_join else 'Replace'} {name}?"
    else:
        question = "The same table again. Replace it?"
    both = _make_answer("Keep both", additions)
    answers = [*(join + swap if name else swap + join), both, _make_answer("Ignore this photo", [])]
    photo = next((one.photo_info.photo for one in readings if one.photo_info), "")
    return [], Proposal(photo or secrets.token_hex(4), question, [one.id for one in known_kingdoms], answers)


def _make_answer(text: str, changes: Sequence[Change]) -> Answer:
    return Answer(text, [msgspec.to_builtins(change) for change in changes])
