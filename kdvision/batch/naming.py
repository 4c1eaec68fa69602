"""Where a photo belongs in an event, by its name: `round1/table3/ann.jpg`.

Words before a number tell round and table, in folders or in the file's own name; what is left is the player. Several
players in one photo are joined by `+`, and several photos of one kingdom are numbered, `ann (2).jpg`, or lie in a
folder of the player's name.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

ROUND: Final = re.compile(r"(?:round|runde|ronde|manche|ronda)[ _-]*(\d{1,4})(?![^\W_])[ _.-]*", re.IGNORECASE)
TABLE: Final = re.compile(
    r"(?:table|tisch|tafel|mesa)(?:[ _-]*(\d{1,4})(?![^\W_])|[ _-]+([a-z])(?![^\W_]))[ _.-]*", re.IGNORECASE
)
CAMERA: Final = re.compile(
    r"(?:img|dscn?|dscf|pxl|mvimg|photo|image|foto|scan|screenshot|signal|whatsapp image)[ _-]*\d[\w .-]*"
    r"|\d{6,}[\w .-]*|\d{4}-\d\d-\d\d[\w .-]*",
    re.IGNORECASE,
)
"""Names that cameras and programs give: they tell no player."""

NUMBERED: Final = re.compile(r"\s*\(\d{1,3}\)$")


@dataclass(frozen=True, slots=True)
class Seat:
    """Round (from 1), table ("" where there is only one) and the players whose kingdoms a photo shows, in its order."""

    round: int = 1
    table: str = ""
    players: tuple[str, ...] = ()


def seat_of(name: str) -> Seat:
    """The seat that a photo's path below its folder tells, as `round1/table3/ann+bo.jpg`.

    Where no word tells the table, the photo's folder is taken for it: photos that lie together were played together.
    """
    path = PurePosixPath(name)
    round_, table, before, inner = 0, "", "", ""
    for folder in path.parts[:-1]:
        folder = unicodedata.normalize("NFC", folder)
        rest, round_, found = _read(folder, round_, table)
        if found != table or rest != folder:
            table, before, inner = found, "", ""
        elif table:
            inner = folder
        else:
            before = folder
    file, round_, table = _read(unicodedata.normalize("NFC", path.stem), round_, table)
    return Seat(round_ or 1, table or name_of(before), _players(inner or file))


def name_of(text: str) -> str:
    """A player's name as it is shown: composed letters, single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def key_of(name: str) -> str:
    """What makes two spellings of a name one player: case and the bytes of its letters do not matter."""
    return unicodedata.normalize("NFC", name_of(name).casefold())


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts texts as people do: `table 9` before `table 10`."""
    parts = re.split(r"(\d+)", text)
    return tuple((1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts)


def in_order(photo: str) -> tuple[object, ...]:
    """A key that sorts photos by their names, `ann.jpg` before `ann (2).jpg`."""
    return natural(photo.removesuffix(PurePosixPath(photo).suffix)), photo


def _read(part: str, round_: int, table: str) -> tuple[str, int, str]:
    """What is left of a part of the path, with the round and the table that it tells, or those known before."""
    if found := ROUND.match(part):
        part, round_ = part[found.end() :], int(found[1])
    if found := TABLE.match(part):
        part, table = part[found.end() :], str(int(found[1])) if found[1] else found[2].upper()
    return part, round_, table


def _players(text: str) -> tuple[str, ...]:
    if not text.strip() or CAMERA.fullmatch(text.strip()):
        return ()
    return tuple(name for part in text.split("+") if (name := name_of(NUMBERED.sub("", part.strip()))))
