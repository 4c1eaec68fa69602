"""The photos in a folder, and the round, table and players in their paths: `round1/table3/ann.jpg`.

Words before a number give the round and the table, in folder names or in the file name. The rest is the player.
Several players in one photo are joined by `+`. Several photos of one kingdom are numbered, as in `ann (2).jpg`, or lie
in a folder with the player's name.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from kdvision.batch.store.folder import SETTINGS
from kdvision.errors import KdvisionError
from kdvision.files import PHOTO_SUFFIXES

ROUND_WORD: Final = "(?:round|runde|ronde|manche|ronda)"
TABLE_WORD: Final = "(?:table|tisch|tafel|mesa)"
WORD_START: Final = r"[ _.,–—-]*(?<![^\W\d_])"
"""What separates a word from the one before, and its start, as of both in `Round2Table3`."""
WORD_END: Final = rf"(?:(?![^\W_])|(?={ROUND_WORD}|{TABLE_WORD}))[ _.,–—-]*"
"""The end of a number or letter, as of both in `Round2Table3`; and what separates it from the next word."""

ROUND: Final = re.compile(rf"{WORD_START}{ROUND_WORD}[ _#–—-]*(0*[1-9]\d{{0,3}}){WORD_END}", re.IGNORECASE)
TABLE: Final = re.compile(
    rf"{WORD_START}{TABLE_WORD}(?:[ _#–—-]*(\d{{1,4}}){WORD_END}|[ _–—-]+([a-z])(?![^\W_])[ _.,–—-]*)", re.IGNORECASE
)
NAMES_ROUND: Final = re.compile(rf"(?<![^\W_]){ROUND_WORD}(?![^\W\d_])", re.IGNORECASE)
"""The word for a round in the name of a folder, with or without a number."""

CAMERA_NAME: Final = re.compile(
    r"(?:(?:fb_)?img(?:_e)?|_?dsc[fn]?|pxl|mvimg|gopr|dji|pano|burst|photo(?: on)?|image|foto|bild|scan"
    r"|screenshot|signal|received|snapchat|whatsapp \w+)[ _-]*\d[\w .,~()-]*"
    r"|image|photo|bild|p?\d{6,}[\w .~()-]*|\d{4}-\d\d-\d\d[\w .~()-]*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}"
    r"|(?-i:[A-Z0-9_]{4}\d{4})[\w .~()-]*",  # as the Design rule for Camera File system names photos
    re.IGNORECASE,
)
"""File names that cameras and programs generate. They name no player."""

RAW_SUFFIXES: Final = frozenset({".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".pef"})
"""The suffixes of raw photos, which cannot be read, in small letters. Cameras often save a JPEG beside them."""

JOINERS: Final = "\u200c\u200d"
"""Invisible characters that decide how letters of some scripts join. Two names do not differ by them alone."""

COPY_NUMBER: Final = re.compile(r"(?:\s*\(\d{1,3}\))+$")


class Failure(NamedTuple):
    """A file or folder that could not be read, why, and what to do."""

    name: str
    reason: str
    advice: str


class FolderContents(NamedTuple):
    """The photos by their names below the folder, with `/`; what cannot be read; and the names of other files."""

    photos: Mapping[str, Path]
    failures: tuple[Failure, ...]
    others: tuple[str, ...]


def list_photos(folder: Path) -> FolderContents:
    """Return the photos below a folder, sorted, without hidden files and the results of runs.

    Links are followed, and each folder is listed once, so a cycle of links ends. Raises KdvisionError if the folder
    itself cannot be read or holds the results of a run.
    """
    check_folder(folder)
    photos: dict[str, Path] = {}
    failures: list[Failure] = []
    others: list[str] = []
    errors: list[OSError] = []
    for path in _walk(folder, errors.append):
        name = make_path_printable(os.path.relpath(path, folder))
        if path.suffix.lower() not in PHOTO_SUFFIXES:
            others.append(name)
        elif name in photos:
            failures.append(Failure(name, "another photo has the same name", "rename one of them"))
        elif os.path.isfile(path):
            photos[name] = path
        else:
            failures.append(Failure(name, "it is not a file, or a broken link", "copy the photo here"))
    for error in errors:
        name, reason = make_path_printable(os.path.relpath(error.filename, folder)), error.strerror
        failures.append(Failure(name, f"the folder cannot be read: {reason}", "make it readable, and run again"))
    stems = {PurePosixPath(name).with_suffix("") for name in photos}
    failures += [
        Failure(str(path), "a raw photo cannot be read", "export it as JPEG")
        for path in map(PurePosixPath, others)
        if path.suffix.lower() in RAW_SUFFIXES and path.with_suffix("") not in stems  # perhaps a kingdom's only photo
    ]
    sorted_photos = {name: photos[name] for name in sorted(photos, key=make_photo_key)}
    return FolderContents(sorted_photos, tuple(sorted(failures)), tuple(sorted(others, key=make_natural_key)))


def check_folder(folder: Path) -> None:
    """Raise KdvisionError if the path is not a folder, cannot be read or holds the results of a run."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        hint = "name a folder of photos that you may read"
        raise KdvisionError(f"the folder {folder} cannot be read: {error.strerror}", hint=hint) from error
    if os.path.exists(folder / SETTINGS):
        hint = "name a folder of photos, and give the results a folder of their own"
        raise KdvisionError(f"the folder {folder} holds the results of a run", hint=hint)


def make_path_printable(path: str) -> str:
    """Return a path with `/` in composed Unicode letters: undecodable bytes become escapes such as `\\xe9`."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace").replace(os.sep, "/")
    return unicodedata.normalize("NFC", text)


def _walk(folder: Path, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield all visible files. Links to folders come last, so that linked folders keep their own names."""
    visited_folders = set[Path]()
    roots = [folder]
    for root in roots:  # grows by the links
        for parent, folders, files in os.walk(root, onerror=on_error):
            path, real_path = Path(parent), Path(parent).resolve()
            if real_path in visited_folders or SETTINGS in files:
                folders.clear()
                continue
            visited_folders.add(real_path)
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            # os.walk does not follow links.
            roots += [path / name for name in folders if os.path.islink(path / name)]
            yield from (path / name for name in sorted(files) if not name.startswith("."))


# Names


@dataclass(frozen=True, slots=True)
class Seat:
    """Round (from 1), table ("" if there is only one) and the players whose kingdoms a photo shows, in its order.

    `group` are the folders of the photo that give none of these. They may be rounds or tables of a name of their own.
    `has_listed_players` is true if [[photo]] of the event file gives the players.
    """

    round: int = 1
    table: str = ""
    players: tuple[str, ...] = ()
    group: str = field(default="", compare=False)
    has_listed_players: bool = field(default=False, compare=False)


def parse_seat(name: str) -> Seat:
    """Return the seat given by a photo's path below its folder, as in `round1/table3/ann+bo.jpg`.

    If no word gives the table, the rest of the round's folder name is the table, or else the photo's folder.
    """
    path = PurePosixPath(name)
    round_, table, plain_folder, player_folder = 0, "", "", ""
    group_folders: list[str] = []
    for folder in map(_drop_invisible, path.parts[:-1]):
        old_table = table
        remaining_name, round_, table = _take_round_and_table(folder, round_, table)
        if remaining_name != folder:
            group_folders += [old_table if old_table != table else "", plain_folder, player_folder]
            table, plain_folder, player_folder = table or parse_table(remaining_name), "", ""
        elif table:
            group_folders.append(player_folder)
            player_folder = folder
        else:
            group_folders.append(plain_folder)
            plain_folder = folder
    file, round_, table = _take_round_and_table(_drop_invisible(path.stem), round_, table)
    group_folders += [plain_folder] * bool(table)
    text = COPY_NUMBER.sub("", (player_folder or file).strip())
    names = [] if CAMERA_NAME.fullmatch(text) else [COPY_NUMBER.sub("", word.strip()) for word in text.split("+")]
    players = tuple(filter(None, map(clean_name, names)))
    return Seat(round_ or 1, table or parse_table(plain_folder), players, "/".join(filter(None, group_folders)))


def parse_table(text: str) -> str:
    """Return the table that a text gives, with or without the word: "Table 03" and "03" are 3, "b" is B."""
    name = clean_name(text)
    match = TABLE.fullmatch(name) or TABLE.fullmatch(f"table {name}")
    return _name_table(match) if match else name


def clean_name(text: str) -> str:
    """Return a player's name for display: composed Unicode letters, single blanks, nothing invisible but joiners."""
    return " ".join(unicodedata.normalize("NFC", _drop_invisible(text)).replace("_", " ").split())


def make_name_key(name: str) -> str:
    """Return the key under which spellings of a name are one player: without case and joiners, in composed letters."""
    return unicodedata.normalize("NFC", clean_name(_drop_invisible(name, exceptions="")).casefold())


def make_natural_key(text: str) -> tuple[tuple[int, str, str], ...]:
    """Return a sort key that puts `table 9` before `table 10`."""
    parts = re.split(r"(\d+)", text)
    numbers = (part.lstrip("0") if part.isdecimal() else "" for part in parts)
    return tuple((len(number), number, part) for number, part in zip(numbers, parts, strict=True))


def make_photo_key(photo: str) -> tuple[object, ...]:
    """Return a sort key for photo names that puts `ann.jpg` before `ann (2).jpg`."""
    return make_natural_key(photo.removesuffix(PurePosixPath(photo).suffix)), photo


def _drop_invisible(text: str, *, exceptions: str = JOINERS) -> str:
    """Return the text without the format characters that a chat or a web page adds, except those in `exceptions`."""
    return "".join(char for char in text if char in exceptions or unicodedata.category(char) != "Cf")


def _take_round_and_table(part: str, round_: int, table: str) -> tuple[str, int, str]:
    """Return the rest of a path part, and the round and table that it names, by default `round_` and `table`."""
    if match := ROUND.search(part):
        part, round_ = ROUND.sub(" ", part, count=1).strip(), int(match[1])
    if match := TABLE.search(part):
        part, table = TABLE.sub(" ", part, count=1).strip(), _name_table(match)
    return part, round_, table


def _name_table(match: re.Match[str]) -> str:
    return str(int(match[1])) if match[1] else match[2].upper()
