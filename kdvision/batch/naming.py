"""Round, table and players of a photo, read from its path: `round1/table3/ann.jpg`.

Words before a number give the round and the table, in folder names or in the file name. The rest is the player.
Several players in one photo are joined by `+`. Several photos of one kingdom are numbered, as in `ann (2).jpg`, or lie
in a folder with the player's name.
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
CAMERA_NAME: Final = re.compile(
    r"(?:img|dscn?|dscf|pxl|mvimg|photo|image|foto|scan|screenshot|signal|whatsapp image)[ _-]*\d[\w .-]*"
    r"|\d{6,}[\w .-]*|\d{4}-\d\d-\d\d[\w .-]*",
    re.IGNORECASE,
)
"""File names that cameras and programs generate. They name no player."""

COPY_NUMBER: Final = re.compile(r"\s*\(\d{1,3}\)$")


@dataclass(frozen=True, slots=True)
class Seat:
    """Round (from 1), table ("" if there is only one) and the players whose kingdoms a photo shows, in its order."""

    round: int = 1
    table: str = ""
    players: tuple[str, ...] = ()


def parse_seat(name: str) -> Seat:
    """The seat given by a photo's path below its folder, as in `round1/table3/ann+bo.jpg`.

    If no word gives the table, the photo's folder is the table.
    """
    path = PurePosixPath(name)
    round_, table, plain_folder, player_folder = 0, "", "", ""
    for folder in path.parts[:-1]:
        folder = unicodedata.normalize("NFC", folder)
        rest, round_, new_table = _take_round_and_table(folder, round_, table)
        if new_table != table or rest != folder:
            table, plain_folder, player_folder = new_table, "", ""
        elif table:
            player_folder = folder
        else:
            plain_folder = folder
    file, round_, table = _take_round_and_table(unicodedata.normalize("NFC", path.stem), round_, table)
    return Seat(round_ or 1, table or clean_name(plain_folder), _parse_players(player_folder or file))


def clean_name(text: str) -> str:
    """A player's name for display: composed Unicode letters, single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).replace("_", " ").split())


def name_key(name: str) -> str:
    """The key under which two spellings of a name are one player: without case, in composed letters."""
    return unicodedata.normalize("NFC", clean_name(name).casefold())


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts `table 9` before `table 10`."""
    parts = re.split(r"(\d+)", text)
    return tuple((1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts)


def photo_key(photo: str) -> tuple[object, ...]:
    """A sort key for photo names that puts `ann.jpg` before `ann (2).jpg`."""
    return natural_key(photo.removesuffix(PurePosixPath(photo).suffix)), photo


def _take_round_and_table(part: str, round_: int, table: str) -> tuple[str, int, str]:
    """What is left of a path part, with the round and table that it gives; by default those given."""
    if match := ROUND.match(part):
        part, round_ = part[match.end() :], int(match[1])
    if match := TABLE.match(part):
        part, table = part[match.end() :], str(int(match[1])) if match[1] else match[2].upper()
    return part, round_, table


def _parse_players(text: str) -> tuple[str, ...]:
    if not text.strip() or CAMERA_NAME.fullmatch(text.strip()):
        return ()
    return tuple(name for part in text.split("+") if (name := clean_name(COPY_NUMBER.sub("", part.strip()))))
