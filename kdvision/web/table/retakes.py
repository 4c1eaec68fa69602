"""Kingdoms that are photographed again: recognise them, and ask what to do with the new photo."""

import secrets
from collections.abc import Sequence

import msgspec

from kdvision.web.table.changes import AddKingdom, Change, JoinReading, ReplaceKingdom
from kdvision.web.table.corrections import match_kingdoms
from kdvision.web.table.model import Answer, Proposal, TableGame, TableKingdom
from kdvision.web.table.storage import StoredReading


def find_new_readings(game: TableGame, number: int, readings: Sequence[StoredReading]) -> Sequence[StoredReading]:
    """Return the readings that the same photo has not brought to the table already: a phone may send it again.

    While a question about the photo is open, there are none.
    """
    photos = {reading.kingdom.photo_info.photo for reading in readings if reading.kingdom.photo_info} - {""}
    if any(proposal.id in photos for proposal in game.proposals):
        return []
    old_kingdoms = [entry for entry in game.list_round(number) if entry.photo_info and entry.photo_info.photo in photos]
    matches = match_kingdoms(old_kingdoms, [reading.kingdom for reading in readings])
    return [reading for index, reading in enumerate(readings) if index not in matches]


def plan_additions(
    game: TableGame, number: int, readings: Sequence[TableKingdom]
) -> tuple[Sequence[Change], Proposal | None]:
    """Return the changes that add the kingdoms of a photo; if some are at the table already, none and a question."""
    kingdoms = game.list_round(number)
    colours = [reading.colour for reading in readings]
    additions = [AddKingdom(number, reading.reading, other_colours=colours) for reading in readings]
    matches = match_kingdoms(kingdoms, readings)
    if not matches:
        return additions, None
    known_kingdoms = [kingdoms[match] for match in matches.values()]
    pairs = [(kingdoms[match], readings[index].reading) for index, match in matches.items()]
    other_additions = [change for index, change in enumerate(additions) if index not in matches]
    replacements = [*(ReplaceKingdom(kingdom.id, reading) for kingdom, reading in pairs), *other_additions]
    combinations = [*(JoinReading(kingdom.id, reading) for kingdom, reading in pairs), *other_additions]
    can_join = all(kingdom.reading for kingdom in known_kingdoms)
    name = f"{known_kingdoms[0].player}'s" if len(known_kingdoms) == 1 else ""
    join_answer = _make_answer(f"Add it to {name}" if name else "Combine both photos", combinations)
    replace_answer = _make_answer(f"Replace {name or 'it'}", replacements)
    if name:
        question = f"This is {name} kingdom again. {'Add it to' if can_join else 'Replace'} {name}?"
    else:
        question = "The same table again. Replace it?"
    ways = [join_answer, replace_answer] if name else [replace_answer, join_answer]
    answers = [*(ways if can_join else [replace_answer]), _make_answer("Keep both", additions)]
    answers.append(_make_answer("Ignore this photo", []))
    photo = next((reading.photo_info.photo for reading in readings if reading.photo_info), "")
    return [], Proposal(photo or secrets.token_hex(4), question, [kingdom.id for kingdom in known_kingdoms], answers)


def _make_answer(text: str, changes: Sequence[Change]) -> Answer:
    return Answer(text, [msgspec.to_builtins(change) for change in changes])
