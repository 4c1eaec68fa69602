"""Photos in folders: sorted, each once, with a failure for what cannot be read."""

import os
import sys
from pathlib import Path

import pytest

from kdvision.batch.photos import list_photos, make_path_printable
from kdvision.batch.store.folder import ResultFolder, make_picture_name
from kdvision.errors import KdvisionError
from tests.batch.text_photos import write_files

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links and such names are not for everybody there")


def list_names(folder: Path) -> list[str]:
    return list(list_photos(folder).photos)


def test_photos_are_listed_in_natural_order(tmp_path: Path) -> None:
    files = ["table10/b.jpg", "table9/a.HEIC", "a.jpeg", "notes.txt", ".hidden.jpg", ".git/x.jpg", "table9/._a.jpg"]
    write_files(tmp_path, dict.fromkeys(files, b""))
    assert list_names(tmp_path) == ["a.jpeg", "table9/a.HEIC", "table10/b.jpg"]
    assert list_photos(tmp_path).others == ("notes.txt",)


def test_a_raw_photo_is_a_failure_unless_a_photo_has_its_name(tmp_path: Path) -> None:
    """Without a failure, another kingdom could win although this one is not read."""
    write_files(tmp_path, dict.fromkeys(["table1/ann.JPG", "table1/ann.DNG", "table1/bo.DNG"], b""))
    assert [failure.name for failure in list_photos(tmp_path).failures] == ["table1/bo.DNG"]


def test_the_results_of_runs_are_skipped(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.jpg": b"", "out/.run.json": b"", "out/overlays/a.jpg-score.jpg": b""})
    assert list_names(tmp_path) == ["a.jpg"]
    with pytest.raises(KdvisionError, match="holds the results of a run"):
        list_photos(tmp_path / "out")


@POSIX
def test_links_are_followed_once_and_cycles_end(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "photos", {"round1/ann.jpg": b"", "round2/bo.jpg": b""})
    other_folder = write_files(tmp_path / "other", {"cy.jpg": b""})
    (folder / "round1" / "up").symlink_to(folder)
    (folder / "aaa").symlink_to(folder / "round2")
    (folder / "zzz").symlink_to(other_folder)
    assert list_names(folder) == ["round1/ann.jpg", "round2/bo.jpg", "zzz/cy.jpg"]


@POSIX
def test_a_path_that_is_not_a_file_is_a_failure(tmp_path: Path) -> None:
    write_files(tmp_path, {"ann.jpg": b""})
    (tmp_path / "bo.jpg").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.png")
    listing = list_photos(tmp_path)
    assert list(listing.photos) == ["ann.jpg"]
    assert [failure.name for failure in listing.failures] == ["bo.jpg", "pipe.png"]


@POSIX
def test_a_link_with_an_impossible_target_is_a_failure(tmp_path: Path) -> None:
    write_files(tmp_path, {"ann.jpg": b""})
    (tmp_path / "bo.jpg").symlink_to("x" * 300)
    listing = list_photos(tmp_path)
    assert (list(listing.photos), [failure.name for failure in listing.failures]) == (["ann.jpg"], ["bo.jpg"])


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_a_failure(tmp_path: Path) -> None:
    write_files(tmp_path, {"open/ann.jpg": b"", "closed/bo.jpg": b""})
    (tmp_path / "closed").chmod(0)
    listing = list_photos(tmp_path)
    (tmp_path / "closed").chmod(0o700)
    assert list(listing.photos) == ["open/ann.jpg"]
    assert listing.failures[0][0] == "closed"
    assert "cannot be read" in listing.failures[0].reason


def test_a_folder_that_cannot_be_listed_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, {"open/ann.jpg": b"", "closed/bo.jpg": b""})
    original_scandir = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return original_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    listing = list_photos(tmp_path)
    assert list(listing.photos) == ["open/ann.jpg"]
    assert [tuple(failure)[:2] for failure in listing.failures] == [
        ("closed", "the folder cannot be read: Permission denied")
    ]


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KdvisionError, match="cannot be read"):
        list_photos(tmp_path / "nowhere")


@pytest.mark.skipif(sys.platform != "linux", reason="only here names may be any bytes")
def test_names_of_any_bytes_can_be_printed(tmp_path: Path) -> None:
    name = os.fsdecode(b"j\xf6rg.jpg")
    try:
        write_files(tmp_path, {name: b"", "दनु/李雷.jpg": b"", "a\nb.jpg": b""})
    except OSError:
        pytest.skip("this file system takes no such names")
    assert list_names(tmp_path) == ["a\nb.jpg", "j\\xf6rg.jpg", "दनु/李雷.jpg"]
    assert make_path_printable(name).encode()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere both names are one file")
def test_names_are_composed_and_one_that_is_taken_is_a_failure(tmp_path: Path) -> None:
    listing = list_photos(write_files(tmp_path, {"zoe\u0308.jpg": b"", "zo\u00eb.jpg": b"", "jo\u0308rg.jpg": b""}))
    assert list(listing.photos) == ["j\u00f6rg.jpg", "zo\u00eb.jpg"]
    assert [(failure.name, failure.reason) for failure in listing.failures] == [
        ("zo\u00eb.jpg", "another photo has the same name")
    ]


@pytest.mark.parametrize("name", ["a/../b.jpg", "a:b?.jpg", "x" * 250 + ".jpg", "con./b .jpg", "a\nb.jpg", "ж" * 200])
def test_picture_names_are_valid_on_any_disk(name: str, tmp_path: Path) -> None:
    picture = make_picture_name(name)
    ResultFolder(tmp_path).write(picture, b"x")
    assert (tmp_path / picture).resolve().is_relative_to(tmp_path / "overlays")
    assert not set('<>:"|?*\n') & set(picture)
    assert picture != make_picture_name(name + " ")


def test_partial_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    write_files(tmp_path, {".report.html.77.part": b"x", "overlays/a/.b-score.jpg.5.part": b"x", "my.part": b"x"})
    with ResultFolder(tmp_path).lock():
        assert sorted(path.name for path in tmp_path.rglob("*") if path.is_file()) == [".lock", "my.part"]
