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
    new_readings = [reading for index, reading in enumerate(readings) if index not in matches]
    if proposal := _ask_about_other_round(game, number, new_readings, additions):
        return [], proposal
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
    return [], _make_proposal(number, readings, question, known_kingdoms, answers)


def _ask_about_other_round(
    game: TableGame, number: int, readings: Sequence[TableKingdom], additions: Sequence[AddKingdom]
) -> Proposal | None:
    """Return a question about kingdoms that another round of a Dynasty has: an old photo would count as a new round."""
    for other_number, kingdoms in enumerate(game.rounds):
        matches = match_kingdoms(kingdoms, readings) if other_number != number else {}
        if not matches:
            continue
        known_readings = {readings[index].reading for index in matches}
        others = [change for change in additions if change.reading not in known_readings]
        known_kingdoms = [kingdoms[match] for match in matches.values()]
        if len(known_kingdoms) == 1:
            shown, it = f"is {known_kingdoms[0].player}'s kingdom", "it"
        else:
            shown, it = "photo shows kingdoms", "them"
        question = f"This {shown} of round {other_number + 1}. Add {it} to round {number + 1}?"
        answers = [_make_answer("Add only the others", others)] if others else []
        answers += [_make_answer("Ignore this photo", []), _make_answer(f"Add {it} to round {number + 1}", additions)]
        return _make_proposal(number, readings, question, known_kingdoms, answers)
    return None


def _make_proposal(
    number: int,
    readings: Sequence[TableKingdom],
    question: str,
    kingdoms: Sequence[TableKingdom],
    answers: Sequence[Answer],
) -> Proposal:
    photo = next((reading.photo_info.photo for reading in readings if reading.photo_info), "")
    ids = [kingdom.id for kingdom in kingdoms]
    return Proposal(photo or secrets.token_hex(4), question, ids, [*answers], number)


def _make_answer(text: str, changes: Sequence[Change]) -> Answer:
    return Answer(text, [msgspec.to_builtins(change) for change in changes])
