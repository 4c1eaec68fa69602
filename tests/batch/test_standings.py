"""Seating and standings, from text photos."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pytest

from kdvision.batch.outcome import EventOutcome
from kdvision.batch.reading.job import Job, JobResult
from kdvision.batch.store.record import Correction, CorrectionFile
from kdvision.game.board import Board, Cell, Square
from tests.batch.text_photos import TextPhotoReader, make_photo, read_csv, read_results, run_batch, write_files

A, B, C = "w1 w w / # f f1", "w1 w / # w1", "l1 l l l / . # . ."  # 5, 6 and 4 points
LARGE_TERRITORY = "l1 l l l l / . # . . ."
"""5 points, with a larger territory than that of A."""
LARGE, OTHER_LARGE = "w m3 # / f f s / . . s1 / . . s", "l1 l l l f / . # g g f"
"""These are large enough to be recognised in another photo."""

Photos: TypeAlias = dict[str, tuple[str, ...]]
"""The boards of each photo, by its name without the suffix."""
TABLE_PHOTOS: Photos = {"table1/ann": (LARGE,), "table1/bo": (OTHER_LARGE,)}


def read_standings(out: Path, standing: str) -> list[tuple[str, ...]]:
    rows = [row for row in read_csv(out / "standings.csv") if row["standing"] == standing]
    return [(row["round"], row["table"], row["place"], row["player"], row["points"]) for row in rows]


def read_reason(out: Path, player: str, standing: str = "table") -> str:
    rows = read_csv(out / "standings.csv")
    return next(row["why"] for row in rows if row["player"] == player and row["standing"] == standing)


def read_notices(out: Path) -> list[tuple[str, str, str]]:
    return [(row["photo"], row["player"], row["why"]) for row in read_csv(out / "review.csv")]


def run_event(tmp_path: Path, files: Mapping[str, bytes | str]) -> Path:
    run_batch(write_files(tmp_path / "photos", dict(files)), tmp_path / "out")
    return tmp_path / "out"


def test_a_table_is_ranked_by_the_rulebooks_tie_breaks(tmp_path: Path) -> None:
    out = run_event(
        tmp_path, {"ann.jpg": make_photo(A), "bo.jpg": make_photo(LARGE_TERRITORY), "cy.jpg": make_photo(B)}
    )
    assert read_standings(out, "table") == [
        ("1", "", "1", "cy", "6"),
        ("1", "", "2", "bo", "5"),
        ("1", "", "3", "ann", "5"),
    ]
    assert read_reason(out, "bo") == "on the largest territory, 5 to 3"
    assert read_standings(out, "total") == read_standings(out, "round") == []


def test_equal_players_share_a_place(tmp_path: Path) -> None:
    tall_board = "l1 . / l # / l . / l . / l ."
    out = run_event(
        tmp_path, {"ann.jpg": make_photo(tall_board), "bo.jpg": make_photo(LARGE_TERRITORY), "cy.jpg": make_photo(C)}
    )
    assert [row[2] for row in read_standings(out, "table")] == ["1", "1", "3"]
    assert read_reason(out, "ann").startswith("equal to bo in points, the largest territory and crowns")


def test_rounds_tables_and_a_dynasty(tmp_path: Path) -> None:
    boards = {
        "round1/table1/ann": A, "round1/table1/bo": B, "round1/table2/cy": C, "round1/table2/di": A,
        "round2/table1/ann": A, "round2/table1/cy": B, "round2/table2/bo": C, "round2/table2/di": C,
        "round3/table1/ann": B, "round3/table1/di": A, "round3/table2/bo": A, "round3/table2/cy": C,
    }  # fmt: skip
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(board) for name, board in boards.items()}
    out = run_event(tmp_path, {**files, "event.toml": "dynasty = true"})
    assert read_standings(out, "total") == [
        ("", "", "1", "ann", "16"),
        ("", "", "2", "bo", "15"),
        ("", "", "3", "cy", "14"),
        ("", "", "3", "di", "14"),
    ]
    assert read_reason(out, "cy", "total") == "equal to di in points of 3 rounds"
    assert read_csv(out / "standings.csv")[0]["by_round"] == "5 + 5 + 6"
    assert [row[2:] for row in read_standings(out, "round")][:4] == [
        ("1", "bo", "6"), ("2", "ann", "5"), ("2", "di", "5"), ("4", "cy", "4"),
    ]  # fmt: skip
    assert read_standings(out, "table")[2:4] == [("1", "2", "1", "di", "5"), ("1", "2", "2", "cy", "4")]
    assert read_notices(out) == []


def test_teams_sum_their_players(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["Ann", "bo"]\n[[team]]\nname = "Blues"\nplayers = ["Cy"]'
    out = run_event(
        tmp_path, {"ann.jpg": make_photo(A), "bo.jpg": make_photo(C), "cy.jpg": make_photo(B), "event.toml": event_text}
    )
    assert read_standings(out, "team") == [("", "", "1", "Reds", "9"), ("", "", "2", "Blues", "6")]
    assert [row[3] for row in read_standings(out, "table")] == ["Cy", "Ann", "bo"]


def test_a_team_misses_no_photo_of_others(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["ann"]\n[[team]]\nname = "Blues"\nplayers = ["bo"]'
    team_photos: Photos = {"ann": (A,), "bo": (B,)}
    verdicts = replace_photos(tmp_path, {**team_photos, "zoe": (C,)}, team_photos, event_text)
    assert verdicts == {
        "Teams": "Blues wins on points of all players, 6 to 5",
        "Round 1": "bo leads on points, 6 to 5; zoe.jpg could not be found",
    }
    (tmp_path / "photos/ann.jpg").unlink()
    assert find_verdicts(tmp_path, {})["Teams"].endswith("; ann.jpg could not be found")


def test_photos_of_players_outside_all_teams_block_no_team(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["ann"]\n[[team]]\nname = "Blues"\nplayers = ["bo"]'
    members = {"ann": LARGE, "bo": OTHER_LARGE}
    others = {"zoe": "g1 g # / s s2 l / . l1 l", "zoe (2)": "m1 m # / g g g1 / s s f"}
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(board) for name, board in (members | others).items()}
    verdicts = find_verdicts(tmp_path, {**files, "event.toml": event_text})
    assert verdicts["Teams"] == "Reds wins on points of all players, 6 to 4"
    assert verdicts["Round 1"].endswith("; photos of zoe show different kingdoms")
    (tmp_path / "photos/event.toml").write_text(event_text.replace('"bo"', '"bo", "zoe"'))
    assert find_verdicts(tmp_path, {})["Teams"].endswith("; photos of zoe show different kingdoms")


def test_players_outside_all_teams_with_the_same_kingdom_block_no_team(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["ann"]\n[[team]]\nname = "Blues"\nplayers = ["bo"]'
    boards = {"ann": LARGE, "bo": OTHER_LARGE, "zoe": "g1 g # / s s2 l / . l1 l", "yan": "g1 g # / s s2 l / . l1 l"}
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(board) for name, board in boards.items()}
    verdicts = find_verdicts(tmp_path, {**files, "event.toml": event_text})
    assert verdicts["Teams"] == "Reds wins on points of all players, 6 to 4"
    assert verdicts["Round 1"].endswith("; yan.jpg and zoe.jpg show the same kingdom")
    (tmp_path / "photos/event.toml").write_text(event_text.replace('"bo"', '"bo", "zoe"'))
    assert find_verdicts(tmp_path, {})["Teams"].endswith("; yan.jpg and zoe.jpg show the same kingdom")


def test_nobody_wins_while_a_new_photo_may_show_listed_players_in_another_order(tmp_path: Path) -> None:
    """A photo missed Bo's kingdom, so it was typed as the last one, and event.toml names Bo last."""
    name, middle_board = "table1/ann+bo+cy.jpg", "g2 g g # / s s2 l ."
    event_text = f'[[photo]]\nfile = "{name}"\ntable = 1\nplayers = ["ann", "cy", "bo"]'
    find_verdicts(tmp_path, {name: make_photo(LARGE, OTHER_LARGE), "event.toml": event_text})
    content = read_results(tmp_path / "out")[0]["content"]
    CorrectionFile(tmp_path / "out").add([Correction(name, content, 3, board=middle_board)])
    assert find_verdicts(tmp_path, {}) == {"Round 1, table 1": "bo wins on points, 10 to 6"}
    new_photo = make_photo(LARGE, middle_board, OTHER_LARGE)
    verdicts = find_verdicts(tmp_path, {name: new_photo})
    assert verdicts == {
        "Round 1, table 1": f"cy leads on points, 10 to 6; the players of {name} may be in another order"
    }
    why = "kingdom 2 was kingdom 3 in the earlier photo of this name, so its players may be in another order"
    assert (name, "cy", why) in read_notices(tmp_path / "out")
    (tmp_path / "photos/event.toml").write_text("")  # the file's name gives the order
    assert find_verdicts(tmp_path, {"event.toml": "side = 5"}) == {"Round 1, table 1": "bo wins on points, 10 to 6"}


def test_players_of_one_photo_are_named_from_left_to_right(tmp_path: Path) -> None:
    out = run_event(tmp_path, {"round1/table7/ann+bo.jpg": make_photo(A, B)})
    assert read_standings(out, "table") == [("1", "7", "1", "bo", "6"), ("1", "7", "2", "ann", "5")]


def test_a_photo_of_a_whole_table_has_the_players_of_the_table(tmp_path: Path) -> None:
    event_text = '[[table]]\nround = 1\ntable = 7\nplayers = ["Ann", "Bo"]'
    out = run_event(
        tmp_path, {"round1/table7.jpg": make_photo(A, B), "round1/table8.jpg": make_photo(C), "event.toml": event_text}
    )
    assert [row[1:] for row in read_standings(out, "table")] == [
        ("7", "1", "Bo", "6"), ("7", "2", "Ann", "5"), ("8", "1", "round1/table8.jpg", "4"),
    ]  # fmt: skip
    assert read_notices(out) == []


def find_verdicts(tmp_path: Path, files: dict[str, bytes | str]) -> dict[str, str]:
    """Return the verdict of each ranking, by its title."""
    outcome = run_batch(write_files(tmp_path / "photos", files), tmp_path / "out")
    return {ranking.title: ranking.verdict for ranking in outcome.standings.rankings}


def test_nobody_wins_while_a_kingdom_is_missing(tmp_path: Path) -> None:
    """Four players are at the table, and the photos show two of them."""
    event_text = 'rounds = 2\n[[table]]\nround = 1\ntable = 7\nplayers = ["Ann", "Bo", "Cy", "Di"]'
    photos = {"round1/table7/ann.jpg": make_photo(A), "round1/table7/bo.jpg": make_photo(B)}
    verdicts = find_verdicts(tmp_path, {**photos, "event.toml": event_text})
    assert verdicts["Round 1, table 7"] == "Bo leads on points, 6 to 5; kingdoms of Cy and Di are missing"
    assert verdicts["All rounds"] == "Bo leads on points of 2 rounds, 6 to 5; kingdoms of Cy, Di and 2 more are missing"


@pytest.mark.parametrize("folder", ["", "table1/"])
@pytest.mark.parametrize(
    "event_text", ['[[photo]]\nfile = "IMG_9.jpg"\nplayers = ["Cy"]', 'players = ["ann", "bo", "Cy"]']
)
def test_a_player_without_a_photo_is_missing(folder: str, event_text: str, tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{folder}ann.jpg": make_photo(A), f"{folder}bo.jpg": make_photo(B)}
    (verdict,) = find_verdicts(tmp_path, {**files, "event.toml": event_text}).values()
    ending = "; IMG_9.jpg could not be found" if "IMG_9" in event_text else ""
    assert verdict == f"bo leads on points, 6 to 5; a kingdom of Cy is missing{ending}"


def test_nobody_wins_while_photos_of_a_round_are_gone(tmp_path: Path) -> None:
    """Without their lines in results.jsonl, they count as removed on purpose."""
    points = {"round1": (A, B), "round2": (A, B), "round3": ("m2 m m m m / # . . . .", C)}
    photos = {
        f"{round_}/table1/{name}.jpg": make_photo(board)
        for round_, boards in points.items()
        for name, board in zip(("ann", "bo"), boards, strict=True)
    }
    assert find_verdicts(tmp_path, dict(photos))["All rounds"] == "ann wins on points of 3 rounds, 20 to 16"
    (tmp_path / "photos/round3").rename(tmp_path / "elsewhere")
    names = [f"round3/table1/{name}.jpg" for name in ("ann", "bo")]
    verdict = find_verdicts(tmp_path, {})["All rounds"]
    assert verdict.startswith("bo leads on points of 3 rounds, 12 to 10; ")
    assert verdict.endswith(f"; {names[0]} and {names[1]} could not be found")
    rows = [row for row in read_csv(tmp_path / "out/review.csv") if row["photo"] in names]
    assert {(row["photo"], row["round"], row["changes"]) for row in rows} == {(name, "3", "who wins") for name in names}
    results = tmp_path / "out/results.jsonl"
    lines = results.read_text(encoding="utf-8").splitlines(keepends=True)
    results.write_text("".join(line for line in lines if "round3" not in line), encoding="utf-8")
    assert find_verdicts(tmp_path, {})["All rounds"] == "bo wins on points of 2 rounds, 12 to 10"


def test_a_photo_that_is_gone_is_not_missed_if_another_one_is_in_its_place(tmp_path: Path) -> None:
    photos = {"round1/table1/ann+bo.jpg": make_photo(A, B), "round1/table2.jpg": make_photo(C)}
    run_event(tmp_path, dict(photos))
    for name in photos:
        (tmp_path / "photos" / name).unlink()
    new_photos = {"round1/table1/ann.jpg": make_photo(A), "round1/table3/bo.jpg": make_photo(B)}
    run_event(tmp_path, {**new_photos, "round1/table2/IMG_1.jpg": make_photo(C)})
    assert [(row["photo"], row["changes"]) for row in read_csv(tmp_path / "out/review.csv")] == [
        ("round1/table1/ann+bo.jpg", ""),
        ("round1/table2.jpg", ""),
    ]


def replace_photos(tmp_path: Path, old_photos: Photos, new_photos: Photos, *event_texts: str) -> dict[str, str]:
    """Return the verdict of each ranking, by its title, when only the new photos are in the folder."""
    find_verdicts(tmp_path, make_files(old_photos, *event_texts[:1]))
    for name in old_photos.keys() - new_photos.keys():
        (tmp_path / "photos" / f"{name}.jpg").unlink()
    verdicts = find_verdicts(tmp_path, make_files(new_photos, *event_texts[-1:]))
    assert find_verdicts(tmp_path, {}) == verdicts
    return verdicts


def make_files(photos: Photos, event_text: str = "") -> dict[str, bytes | str]:
    return {"event.toml": event_text, **{f"{name}.jpg": make_photo(*boards) for name, boards in photos.items()}}


@pytest.mark.parametrize(
    ("old_photos", "new_photos", "event_texts"),
    [
        ({"table1/IMG_1": (A, B)}, {"table1/ann+bo": (A, C)}, ()),
        ({"IMG_1": (A, B)}, {"ann": (A,), "bo": (C,)}, ()),
        ({"table1/IMG_1": (LARGE, OTHER_LARGE), **TABLE_PHOTOS}, TABLE_PHOTOS, ()),
        ({"table1/anne": (LARGE,), "table1/bo": (OTHER_LARGE,)}, TABLE_PHOTOS, ()),
        (
            {"round1/ann": (A,), "round1/bo": (B,), "round3/ann": (LARGE,), "round3/bo": (OTHER_LARGE,)},
            {"round1/ann": (A,), "round1/bo": (B,), "round2/ann": (LARGE,), "round2/bo": (OTHER_LARGE,)},
            (),
        ),
        (
            {"IMG_1": (A,), "bo": (B,)},
            {"IMG_2": (A,), "bo": (B,)},
            ('[[photo]]\nfile = "IMG_1.jpg"\nplayers = ["Ann"]', '[[photo]]\nfile = "IMG_2.jpg"\nplayers = ["Ann"]'),
        ),
        ({"round2/ann": (A,), **TABLE_PHOTOS}, TABLE_PHOTOS, ("rounds = 1",)),
    ],
    ids=["table", "no table", "overview", "name", "round", "event file", "round too many"],
)
def test_a_photo_that_was_replaced_or_is_in_no_total_is_not_missed(
    old_photos: Photos, new_photos: Photos, event_texts: tuple[str, ...], tmp_path: Path
) -> None:
    """The first two are photos of other boards in the place of one without players."""
    verdicts = replace_photos(tmp_path, old_photos, new_photos, *event_texts)
    assert [verdict for verdict in verdicts.values() if " wins " not in verdict] == []
    assert {row["changes"] for row in read_csv(tmp_path / "out/review.csv")} == {""}


def test_a_photo_without_players_is_missed_while_its_table_has_fewer_kingdoms(tmp_path: Path) -> None:
    photos: Photos = {"table1/IMG_1": (A,), "table1/IMG_2": (B,), "table1/IMG_3": (C,)}
    others: Photos = {name: boards for name, boards in photos.items() if name != "table1/IMG_2"}
    (verdict,) = replace_photos(tmp_path, photos, others).values()
    assert verdict == "table1/IMG_1.jpg leads on points, 5 to 4; table1/IMG_2.jpg could not be found"
    (verdict,) = find_verdicts(tmp_path, make_files({"table1/IMG_4": ("w1 w w / # w1 .",)})).values()
    assert verdict == "table1/IMG_4.jpg wins on points, 8 to 5"


@pytest.mark.parametrize(
    ("name", "new_photos", "is_lost"),
    [("table1/ann", {}, True), ("table1/ann", {"ann (2)": (C,)}, False), ("table1/IMG_1", {}, False)],
)
def test_nobody_wins_while_a_photo_that_could_not_be_read_is_gone(
    name: str, new_photos: Photos, is_lost: bool, tmp_path: Path
) -> None:
    """Unless another one is in its place, or no player is named: it may have shown no kingdom."""
    files = make_files({"table1/bo": (A,), "table1/cy": (B,)})
    (verdict,) = find_verdicts(tmp_path, {**files, f"{name}.jpg": b"broken"}).values()
    assert verdict.startswith("cy leads on points, 6 to 5; ")
    (tmp_path / f"photos/{name}.jpg").unlink()
    new_files = make_files({f"table1/{new_name}": boards for new_name, boards in new_photos.items()})
    verdicts = [*find_verdicts(tmp_path, new_files).values(), *find_verdicts(tmp_path, {}).values()]
    assert verdicts == 2 * [
        f"cy leads on points, 6 to 5; {name}.jpg could not be found" if is_lost else "cy wins on points, 6 to 5"
    ]
    assert read_csv(tmp_path / "out/errors.csv") == []
    (row,) = read_csv(tmp_path / "out/review.csv")
    assert (row["photo"], row["changes"]) == (f"{name}.jpg", "who wins" if is_lost else "")
    assert row["why"] == "it is no longer in the folder, and could not be read: the photo is damaged or cut short"


def test_nobody_wins_while_a_photo_that_was_taken_again_shows_fewer_kingdoms(tmp_path: Path) -> None:
    """Unless further photos show the others. Without its line in results.jsonl, nothing is known of the old photo."""
    photos: Photos = {"table1": (A, B, C)}
    verdicts = [
        *find_verdicts(tmp_path, make_files(photos)).values(),
        *find_verdicts(tmp_path, {"table1.jpg": b"broken"}).values(),
        *find_verdicts(tmp_path, make_files({"table1": (A, C)})).values(),
        *find_verdicts(tmp_path, {}).values(),
    ]
    lead = "table1.jpg, kingdom 1 leads on points, 5 to 4; table1.jpg showed more kingdoms before"
    assert verdicts == ["table1.jpg, kingdom 2 wins on points, 6 to 5", lead, lead]
    (row,) = read_csv(tmp_path / "out/review.csv")
    assert (row["photo"], row["changes"]) == ("table1.jpg", "who wins")
    assert row["why"] == "its table had 3 kingdoms before this photo was taken again, and has 2"
    results = tmp_path / "out/results.jsonl"
    line = results.read_text(encoding="utf-8")
    results.write_text("", encoding="utf-8")
    verdict = "table1.jpg, kingdom 1 wins on points, 5 to 4"
    assert find_verdicts(tmp_path, {}) == {"Round 1, table 1": verdict}
    results.write_text(line, encoding="utf-8")
    (verdict,) = find_verdicts(tmp_path, make_files({"table1/IMG_1": (B,)})).values()
    assert verdict == "table1/IMG_1.jpg wins on points, 6 to 5"
    assert read_csv(tmp_path / "out/review.csv") == []


def test_nobody_wins_while_a_listed_photo_is_not_in_the_folder(tmp_path: Path) -> None:
    """The player of the photo is not known."""
    files = {f"table{name}.jpg": make_photo(board) for name, board in (("1/ann", A), ("1/bo", B), ("2/cy", C))}
    files["table2/di.jpg"] = make_photo(LARGE_TERRITORY)
    event_text = '[[photo]]\nfile = "IMG_9.jpg"\ntable = 1'
    verdicts = find_verdicts(tmp_path, {**files, "event.toml": event_text})
    assert verdicts["Round 1, table 1"] == "bo leads on points, 6 to 5; IMG_9.jpg could not be found"
    assert verdicts["Round 1, table 2"] == "di wins on points, 5 to 4"
    (row,) = read_csv(tmp_path / "out" / "review.csv")
    assert (row["photo"], row["table"], row["changes"]) == ("IMG_9.jpg", "1", "who wins")


@pytest.mark.parametrize("change", ["never there", "removed", "renamed", "replaced"])
def test_a_listed_photo_is_not_missed_if_its_players_have_kingdoms(change: str, tmp_path: Path) -> None:
    """It is a further photo of Ann, or her only photo under another name. One item asks to correct the event file."""
    names = ["IMG_1.jpg"] if change in ("renamed", "replaced") else ["IMG_1.jpg", "IMG_2.jpg"]
    event_text = "\n".join(f'[[photo]]\nfile = "{name}"\nplayers = ["Ann"]' for name in names)
    files = {name: make_photo(A) for name in names if change != "never there" or name == "IMG_2.jpg"}
    find_verdicts(tmp_path, {**files, "bo.jpg": make_photo(B), "event.toml": event_text})
    (tmp_path / "photos/IMG_1.jpg").unlink(missing_ok=True)
    new_files = {"renamed": {"ann.jpg": files.get("IMG_1.jpg", b"")}, "replaced": {"ann.jpg": make_photo(A)}}
    (verdict,) = find_verdicts(tmp_path, {**new_files.get(change, {})}).values()
    assert verdict == "bo wins on points, 6 to 5"
    (row,) = read_csv(tmp_path / "out/review.csv")
    reason = "event.toml lists this photo, and it is not in the folder"
    assert (row["photo"], row["changes"], row["why"]) == ("IMG_1.jpg", "points", reason)


def test_nobody_wins_while_a_photo_of_the_table_cannot_be_read(tmp_path: Path) -> None:
    """The photo has no player; for photos with players, the player is missing."""
    files = {"table1/IMG_1.jpg": make_photo(A), "table1/IMG_2.jpg": make_photo(B), "table1/IMG_3.jpg": b"broken"}
    verdicts = find_verdicts(
        tmp_path,
        {**files, "table2/cy.jpg": make_photo(A), "table2/di.jpg": make_photo(A), "table3/eve.jpg": make_photo(C)},
    )
    assert verdicts["Round 1, table 1"] == (
        "table1/IMG_2.jpg leads on points, 6 to 5; table1/IMG_3.jpg could not be read"
    )
    assert verdicts["Round 1, table 2"].startswith("cy and di share the victory")
    assert verdicts["Round 1, table 3"] == ""  # nobody to beat


def test_nobody_wins_while_folders_above_the_round_may_be_tables(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {
        "kitchen/round1/ann.jpg": make_photo(A),
        "garden/round1/bo.jpg": make_photo(B),
        "garden/round2/ann.jpg": make_photo(A),
        "garden/Runde 2/bo.jpg": make_photo(B),
    }
    verdicts = find_verdicts(tmp_path, files)
    assert verdicts["Round 1"] == "bo leads on points, 6 to 5; garden and kitchen may be rounds or tables"
    reason = "photos of one table are in several folders: garden and kitchen may be a round or a table"
    assert ("", "", reason) in read_notices(tmp_path / "out")
    assert verdicts["Round 2"] == "bo wins on points, 6 to 5"
    listed_photos = '[[photo]]\nfile = "kitchen/round1/ann.jpg"\n[[photo]]\nfile = "garden/round1/bo.jpg"'
    assert find_verdicts(tmp_path, {"event.toml": listed_photos})["Round 1"] == "bo wins on points, 6 to 5"


@pytest.mark.parametrize(
    "folders", ["R1/T1 R2/T1", "Saturday/table1 Sunday/table1", "round1A/T1 round1B/T1", "round0/T1 round1/T1"]
)
def test_nobody_wins_while_photos_of_a_table_lie_in_folders_that_may_be_rounds(folders: str, tmp_path: Path) -> None:
    """Otherwise the kingdoms of two games count as one game with one winner."""
    folder, other_folder = folders.split()
    boards = {
        f"{folder}/IMG_1.jpg": A,
        f"{folder}/IMG_2.jpg": B,
        f"{other_folder}/IMG_3.jpg": C,
        f"{other_folder}/IMG_4.jpg": LARGE_TERRITORY,
    }
    (verdict,) = find_verdicts(tmp_path, {name: make_photo(board) for name, board in boards.items()}).values()
    assert "leads on points" in verdict and verdict.endswith(
        (" may be rounds or tables", "round0 may be a round or a table")
    )


@pytest.mark.parametrize(
    ("folder", "table"),
    [("table B", "b"), ("table B", "Table B"), ("Table 03", "03"), ("03", "3"), ("Kitchen", "kitchen")],
)
@pytest.mark.parametrize("is_read", [True, False])
def test_a_table_is_one_game_in_any_spelling(folder: str, table: str, *, is_read: bool, tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{folder}/ann.jpg": make_photo(A), f"{folder}/bo.jpg": make_photo(B)}
    files["event.toml"] = f'[[photo]]\nfile = "IMG_12.jpg"\ntable = "{table}"\nplayers = ["Cy"]'
    files["IMG_12.jpg"] = make_photo("m2 m m m m / # . . . .") if is_read else b"broken"
    (verdict,) = find_verdicts(tmp_path, files).values()
    ending = "Cy wins on points, 10 to 6" if is_read else "bo leads on points, 6 to 5; a kingdom of Cy is missing"
    assert verdict == ending


def test_nobody_wins_while_a_photo_is_a_broken_link(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "photos", {"table1/ann.jpg": make_photo(A), "table1/bo.jpg": make_photo(B)})
    (folder / "table1/cy.jpg").symlink_to(tmp_path / "cy.jpg")
    assert find_verdicts(tmp_path, {}) == {"Round 1, table 1": "bo leads on points, 6 to 5; a kingdom of cy is missing"}
    (tmp_path / "cy.jpg").write_bytes(make_photo(A))
    assert find_verdicts(tmp_path, {}) == {"Round 1, table 1": "bo wins on points, 6 to 5"}


def test_no_team_wins_while_a_kingdom_is_missing(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["Ann", "Bo"]\n[[team]]\nname = "Blues"\nplayers = ["Cy"]'
    verdicts = find_verdicts(tmp_path, {"ann+bo.jpg": make_photo(A, C), "cy.jpg": b"broken", "event.toml": event_text})
    assert verdicts["Teams"] == "Reds leads on points of all players, 9 to 0; a kingdom of Cy is missing"


def test_no_team_wins_while_a_member_has_no_photo(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["Ann", "Zed"]\n[[team]]\nname = "Blues"\nplayers = ["Cy"]'
    verdicts = find_verdicts(tmp_path, {"ann.jpg": make_photo(A), "cy.jpg": make_photo(C), "event.toml": event_text})
    assert verdicts["Teams"] == "Reds leads on points of all players, 5 to 4; a kingdom of Zed is missing"


def test_nobody_wins_while_a_kingdom_of_the_ranking_has_towns(tmp_path: Path) -> None:
    event_text = '[[team]]\nname = "Reds"\nplayers = ["bo"]\n[[team]]\nname = "Blues"\nplayers = ["cy"]'
    boards = {"ann": A, "bo": B, "cy": C}
    photos = {f"round{n}/{name}.jpg": make_photo(board) for n in (1, 2) for name, board in boards.items()}
    run_event(tmp_path, {**photos, "event.toml": event_text})
    CorrectionFile(tmp_path / "out").add([Correction("round1/ann.jpg", "", 1, board="# t t")])
    gap = "; ann cannot be scored because of towns"
    assert find_verdicts(tmp_path, {}) == {
        "All rounds": f"bo leads on points of 2 rounds, 12 to 8{gap}",
        "Teams": "Reds wins on points of all players, 12 to 8",
        "Round 1": f"bo leads on points, 6 to 4{gap}",
        "Round 2": "bo wins on points, 6 to 5",
    }
    rows = read_csv(tmp_path / "out" / "standings.csv")
    notes = {row["standing"]: row["note"] for row in rows if row["player"] == "ann" and row["round"] != "2"}
    assert notes == dict.fromkeys(("total", "table"), "not scored correctly: it has towns")


def test_no_team_wins_while_towns_of_an_unknown_player_cannot_be_scored(tmp_path: Path) -> None:
    """The kingdom may be one of a team."""
    event_text = '[[team]]\nname = "Reds"\nplayers = ["Ann"]\n[[team]]\nname = "Blues"\nplayers = ["Cy"]'
    photos = {"table1/ann.jpg": make_photo(A), "table1/cy.jpg": make_photo(C), "table2.jpg": make_photo(B)}
    files: dict[str, bytes | str] = {**photos, "event.toml": event_text}
    lead, gap = "Reds leads on points of all players, 5 to 4", "the player of table2.jpg is not known"
    assert find_verdicts(tmp_path, files)["Teams"] == f"{lead}; {gap}"
    content = next(result["content"] for result in read_results(tmp_path / "out") if result["photo"] == "table2.jpg")
    CorrectionFile(tmp_path / "out").add([Correction("table2.jpg", content, 1, board="# t t")])
    assert find_verdicts(tmp_path, files)["Teams"] == f"{lead}; table2.jpg cannot be scored because of towns; {gap}"


def test_a_copy_is_reported_and_counts_once(tmp_path: Path) -> None:
    photo = make_photo(A)
    out = run_event(tmp_path, {"ann.jpg": photo, "ann (2).jpg": photo, "bo.jpg": photo, "cy.jpg": make_photo(B)})
    assert [row[2:] for row in read_standings(out, "table")] == [("1", "cy", "6"), ("2", "ann", "5"), ("", "bo", "")]
    assert read_notices(out) == [
        ("bo.jpg", "bo", "bo has no kingdom in round 1"),
        ("bo.jpg", "bo", "it is the same picture as ann.jpg, and counts once, in round 1 for ann"),
        ("ann (2).jpg", "ann", "it is the same picture as ann.jpg, and counts once"),
    ]
    assert [(row["photo"], row["counts"]) for row in read_csv(out / "results.csv")] == [
        ("ann.jpg", "yes"),
        ("cy.jpg", "yes"),
    ]


def test_nobody_wins_at_the_tables_of_one_picture(tmp_path: Path) -> None:
    """It was put at the wrong table, and the right picture is missing."""
    picture = make_photo(A)
    files: dict[str, bytes | str] = {f"table{number}/IMG_1.jpg": picture for number in (1, 2)}
    files |= {f"table{number}/IMG_{10 * number}.jpg": make_photo(B) for number in (1, 2, 3)}
    files |= {"table2/IMG_21.jpg": make_photo(C), "table3/IMG_31.jpg": make_photo(C)}
    verdicts = find_verdicts(tmp_path, files)
    ending = "; table2/IMG_1.jpg may be in the wrong place"
    assert [verdicts[f"Round 1, table {number}"].endswith(ending) for number in (1, 2, 3)] == [True, True, False]
    assert verdicts["Round 1, table 3"] == "table3/IMG_30.jpg wins on points, 6 to 4"


class ObservingReader(TextPhotoReader):
    """Stores an observation with each photo: its text without the blanks at its end."""

    def run(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, JobResult]]:
        for job, result in super().run(jobs):
            yield job, result._replace(observations=({"text": job.data.decode().strip()},))


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("name", ["ann (2).jpg", "IMG_7.jpg"])
def test_a_picture_that_is_sent_again_is_not_asked_about_again(name: str, is_gone: bool, tmp_path: Path) -> None:
    """The new file has another time, so its content differs."""
    content = make_photo(A, doubts=[("B2", "f", "f1", 0.8)], probability=0.8)
    folder, out = write_files(tmp_path / "photos", {"table1/ann.jpg": content}), tmp_path / "out"
    run_batch(folder, out, ObservingReader())
    assert read_notices(out)
    CorrectionFile(out).add([Correction("table1/ann.jpg", sha256(content).hexdigest(), 1, board=A)])
    write_files(folder, {f"table1/{name}": content + b" "})
    if is_gone:
        (folder / "table1/ann.jpg").unlink()
    outcome = run_batch(folder, out, ObservingReader())
    assert not outcome.decisive_items
    assert [(row["player"], row["counts"]) for row in read_csv(out / "results.csv")] == [
        ("" if (is_gone and name == "IMG_7.jpg") else "ann", "yes")
    ]


def test_two_photos_of_one_kingdom_count_once(tmp_path: Path) -> None:
    files = {"ann.jpg": make_photo(A, probability=0.9), "ann (2).jpg": make_photo("w w w / # f f1 / . l l")}
    out = run_event(tmp_path, {**files, "bo.jpg": make_photo(B), "bo (2).jpg": make_photo("w1 # / w w1")})
    assert [row[2:] for row in read_standings(out, "table")] == [("1", "bo", "6"), ("2", "ann", "2")]
    (notice,) = read_notices(out)
    assert notice[2] == "another photo of this kingdom, ann.jpg, was read differently: 2 and 5 points"
    counts = {row["photo"]: row["counts"] for row in read_csv(out / "results.csv")}
    assert counts == {"ann (2).jpg": "yes", "ann.jpg": "no", "bo (2).jpg": "no", "bo.jpg": "yes"}


def test_a_board_that_a_person_has_given_is_not_compared_with_another_photo_again(tmp_path: Path) -> None:
    content = make_photo(A, probability=0.9)
    out = run_event(tmp_path, {"ann.jpg": content, "ann (2).jpg": make_photo("w w w / # f f1 / . l l")})
    assert len(read_notices(out)) == 1
    CorrectionFile(out).add([Correction("ann.jpg", sha256(content).hexdigest(), 1, board=A)])
    run_batch(tmp_path / "photos", out)
    assert (read_notices(out), read_standings(out, "table")) == ([], [("1", "", "1", "ann", "5")])


def test_a_correction_of_another_photo_than_the_confirmed_one_is_reported(tmp_path: Path) -> None:
    content, other_content = make_photo(A), make_photo(A)
    out = run_event(tmp_path, {"ann.jpg": content, "ann (2).jpg": other_content})
    confirmation = Correction("ann.jpg", sha256(content).hexdigest(), 1, board=A)
    correction = Correction("ann (2).jpg", sha256(other_content).hexdigest(), 1, square="B2", cell="f1")
    CorrectionFile(out).add([confirmation, correction])
    run_batch(tmp_path / "photos", out)
    (notice,) = read_notices(out)
    assert notice[2] == "another photo of this kingdom, ann (2).jpg, was read differently: 5 and 7 points"


def test_a_second_board_waits_for_the_first(tmp_path: Path) -> None:
    """Alone it would become the first kingdom, which is another player's."""
    out = run_event(tmp_path, {"ann+bo.jpg": b"broken"})
    for number, board, players in ((2, B, []), (1, A, ["ann", "bo"])):
        CorrectionFile(out).add([Correction("ann+bo.jpg", "", number, board=board)])
        run_batch(tmp_path / "photos", out)
        assert [row["player"] for row in read_csv(out / "results.csv")] == players
    assert [row[2:] for row in read_standings(out, "table")] == [("1", "bo", "6"), ("2", "ann", "5")]


def test_a_corrected_photo_counts_before_a_more_probable_one(tmp_path: Path) -> None:
    content = make_photo(A, probability=0.9)
    out = run_event(tmp_path, {"ann.jpg": make_photo(A), "ann (2).jpg": content})
    CorrectionFile(out).add([Correction("ann (2).jpg", sha256(content).hexdigest(), 1, square="C1", cell="w1")])
    run_batch(tmp_path / "photos", out)
    assert read_standings(out, "table") == [("1", "", "1", "ann", "8")]


def test_a_player_at_two_tables_is_reported(tmp_path: Path) -> None:
    """The first one counts, also if the other is more probable."""
    photos = {"table1/ann.jpg": make_photo(A, probability=0.9), "table2/ann.jpg": make_photo(B)}
    out = run_event(tmp_path, {**photos, "table2/bo.jpg": make_photo(C)})
    assert [row[1:] for row in read_standings(out, "table")] == [("1", "1", "ann", "5"), ("2", "1", "bo", "4")]
    assert "ann has a kingdom at table 1 (table1/ann.jpg) and one at table 2" in read_notices(out)[0][2]
    assert "as in round2/table3/ann.jpg; the first counts" in read_csv(out / "review.csv")[0]["advice"]


TABLES = "".join(
    f"[[table]]\nround = 1\ntable = {number}\nplayers = {players}\n"
    for number, players in ((1, '["Ann", "Bo"]'), (2, '["Cy", "Di"]'))
)


def test_nobody_wins_at_tables_with_other_players_than_event_toml_lists(tmp_path: Path) -> None:
    """Bo and Di have changed tables, and a stranger is at table 2."""
    boards = {"table1/ann": A, "table1/di": B, "table2/bo": C, "table2/cy": LARGE_TERRITORY, "table2/zoe": "# w1"}
    files = {f"{name}.jpg": make_photo(board) for name, board in boards.items()}
    verdicts = find_verdicts(tmp_path, {**files, "event.toml": TABLES})
    names = "table1/di.jpg, table2/bo.jpg"
    assert verdicts["Round 1, table 1"].startswith("Di leads on points, 6 to 5; table1/di.jpg and table2/bo.jpg may be")
    assert verdicts["Round 1, table 2"].endswith(f"; {names} and table2/zoe.jpg may be in the wrong place")
    assert read_notices(tmp_path / "out") == [
        ("table1/di.jpg", "Di", "event.toml seats Di at table 2, and this photo is at table 1"),
        ("table2/bo.jpg", "Bo", "event.toml seats Bo at table 1, and this photo is at table 2"),
        ("table2/zoe.jpg", "zoe", "event.toml does not list zoe at table 2"),
    ]


@pytest.mark.parametrize("names", ["camera/ann camera/bo", "table1/ann table1/bo", "ann bo zoe", "table1/ann IMG_1"])
def test_a_table_without_a_name_contradicts_no_photo(names: str, tmp_path: Path) -> None:
    event_text = '[[table]]\nplayers = ["ann", "bo"]\n'
    if "IMG_1" in names:
        event_text += '[[photo]]\nfile = "IMG_1.jpg"\ntable = 1\nplayers = ["bo"]'
    photos: Photos = dict(zip(names.split(), ((A,), (B,), (C,)), strict=False))
    (verdict,) = find_verdicts(tmp_path, make_files(photos, event_text)).values()
    assert verdict == "bo wins on points, 6 to 5"
    assert read_notices(tmp_path / "out") == []


def test_event_toml_gives_the_table_of_a_photo_without_one(tmp_path: Path) -> None:
    boards = {"ann": A, "bo": B, "round1/cy": C, "IMG_1": LARGE_TERRITORY}
    files = {f"{name}.jpg": make_photo(board) for name, board in boards.items()}
    event_text = TABLES + '[[photo]]\nfile = "IMG_1.jpg"\nplayers = ["Di"]'
    assert find_verdicts(tmp_path, {**files, "event.toml": event_text}) == {
        "Round 1": "Bo wins on points, 6 to 5",
        "Round 1, table 1": "Bo wins on points, 6 to 5",
        "Round 1, table 2": "Di wins on points, 5 to 4",
    }


def test_a_player_without_a_kingdom_is_in_every_standing(tmp_path: Path) -> None:
    files = {
        "round1/ann.jpg": make_photo(A),
        "round1/bo.jpg": make_photo(B),
        "round2/ann.jpg": make_photo(A),
        "round2/bo.jpg": b"?",
    }
    out = run_event(tmp_path, files)
    assert read_standings(out, "total") == [("", "", "1", "ann", "10"), ("", "", "2", "bo", "6")]
    rows = read_csv(out / "standings.csv")
    assert [(row["place"], row["note"]) for row in rows if row["player"] == "bo"] == [
        ("2", "no kingdom in round 2"),
        ("1", ""),
        ("", "no kingdom"),
    ]
    assert read_notices(out)[0] == (
        "round2/bo.jpg",
        "bo",
        "bo has no kingdom in round 2: the photo is damaged or cut short",
    )


def test_listed_players_without_kingdoms_are_reported(tmp_path: Path) -> None:
    event_text = 'players = ["Ann", "Bo"]\nrounds = 2'
    out = run_event(
        tmp_path, {"round1/ann.jpg": make_photo(A), "round3/ann.jpg": make_photo(B), "event.toml": event_text}
    )
    assert read_standings(out, "total") == [("", "", "1", "Ann", "5"), ("", "", "", "Bo", "")]
    assert [(player, text) for _, player, text in read_notices(out)][:2] == [
        ("Ann", "event.toml has 2 rounds: round 3 is in no total"),
        ("Ann", "Ann has no kingdom in round 2"),
    ] or {text for _, _, text in read_notices(out)} >= {
        "event.toml has 2 rounds: round 3 is in no total",
        "Bo has no kingdom in round 1",
    }


def test_a_note_names_all_rounds_without_a_kingdom(tmp_path: Path) -> None:
    out = run_event(tmp_path, {"round1/ann.jpg": make_photo(A), "event.toml": "rounds = 4"})
    assert read_csv(out / "standings.csv")[0]["note"] == "no kingdom in rounds 2, 3 and 4"


def test_a_photo_of_a_round_too_many_is_reported(tmp_path: Path) -> None:
    out = run_event(tmp_path, {"round2/ann.jpg": make_photo(A), "event.toml": "rounds = 1"})
    assert "event.toml has 1 round: round 2 is in no total" in [text for _, _, text in read_notices(out)]


def test_unknown_names_are_reported(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {"an.jpg": make_photo(A), "IMG_1234.jpg": make_photo(B)}
    out = run_event(tmp_path, {**files, "event.toml": 'players = ["Ann"]\n[[photo]]\nfile = "gone.jpg"'})
    assert {(name, text) for name, _, text in read_notices(out)} == {
        ("an.jpg", "an is not among the players of event.toml; is it Ann?"),
        ("IMG_1234.jpg", "the player of this kingdom is not known"),
        ("", "Ann has no kingdom in round 1"),
        ("gone.jpg", "event.toml lists this photo, and it is not in the folder"),
    }


@pytest.mark.parametrize(
    ("name", "boards", "message", "table"),
    [
        ("ann", (B, A), "it shows 2 kingdoms, and ann has one: kingdom 2 counts", [("1", "ann", "5")]),
        (
            "ann",
            (A, A),
            "it shows 2 kingdoms, and these players should be in it: ann",
            [("1", "ann.jpg, kingdom 1", "5"), ("1", "ann.jpg, kingdom 2", "5"), ("", "ann", "")],
        ),
        (
            "ann+bo",
            (A,),
            "it shows 1 kingdom, and these players should be in it: ann, bo",
            [("1", "ann+bo.jpg", "5"), ("", "ann", ""), ("", "bo", "")],
        ),
    ],
)
def test_more_or_fewer_kingdoms_than_names_are_reported(
    name: str, boards: tuple[str, ...], message: str, table: list[tuple[str, ...]], tmp_path: Path
) -> None:
    out = run_event(tmp_path, {f"{name}.jpg": make_photo(*boards)})
    assert [row[2:] for row in read_standings(out, "table")] == table
    assert message in [text for _, _, text in read_notices(out)]


@pytest.mark.parametrize(("size", "is_complete"), [(23, True), (15, False)])
def test_nobody_wins_while_a_photo_of_one_player_shows_another_complete_kingdom(
    size: int, *, is_complete: bool, tmp_path: Path
) -> None:
    """Either of them may be that of the player. A neighbour's kingdom that the photo cuts is smaller."""
    kingdoms = (["#", "l1", *["l"] * 23], ["#", "f1", *["f"] * (size - 2), *["."] * (25 - size)])
    boards = [" / ".join(" ".join(cells[start : start + 5]) for start in range(0, 25, 5)) for cells in kingdoms]
    files: dict[str, bytes | str] = {"ann.jpg": make_photo(*boards), "bo.jpg": make_photo(B)}
    assert [*find_verdicts(tmp_path, files).values()] == [
        "ann.jpg, kingdom 1 leads on points, 24 to 22; a kingdom of ann is missing"
        if is_complete
        else "ann wins on points, 24 to 6"
    ]


@pytest.mark.parametrize(
    ("other_photo", "verdict"),
    [
        ("bo.jpg", "ann wins on points, 5 to 3"),
        ("IMG_0001.jpg", "ann.jpg, kingdom 2 leads on points, 5 to 3; a kingdom of ann is missing; IMG_0001.jpg and"),
    ],
)
def test_a_kingdom_that_another_photo_shows_is_not_that_of_its_neighbour(
    other_photo: str, verdict: str, tmp_path: Path
) -> None:
    """Ann's photo shows Bo's kingdom, too. Without Bo's photo its player is not known."""
    ann, bo = "w1 w w / # f f1 / w w w", "l1 l l / # g g / l l l"
    verdicts = find_verdicts(tmp_path, {"ann.jpg": make_photo(bo, ann), other_photo: make_photo(bo)})
    assert verdicts["Round 1"].startswith(verdict)
    text = "it shows 2 kingdoms, and ann has one: kingdom 2 counts"
    assert (("ann.jpg", "ann", text) in read_notices(tmp_path / "out")) == (other_photo == "bo.jpg")


def test_a_domino_in_two_kingdoms_of_a_table_is_reported(tmp_path: Path) -> None:
    board = "# m3 w"
    files = {
        "table1/ann.jpg": make_photo(board),
        "table1/bo.jpg": make_photo(f"{board} / . . ."),
        "table2/cy.jpg": make_photo(board),
    }
    out = run_event(tmp_path, files)
    messages = [text for _, _, text in read_notices(out)]
    assert len([text for text in messages if text.startswith("over all kingdoms of the table")]) == 1


def test_many_kingdoms_without_a_table_are_ranked_as_a_round(tmp_path: Path) -> None:
    out = run_event(tmp_path, {f"p{number}.jpg": make_photo("w1 " * number + "#") for number in range(1, 7)})
    assert read_standings(out, "table") == []
    assert [row[3] for row in read_standings(out, "round")] == ["p6", "p5", "p4", "p3", "p2", "p1"]


def test_too_many_kingdoms_at_a_table_are_reported(tmp_path: Path) -> None:
    out = run_event(tmp_path, {f"table1/p{number}.jpg": make_photo("w1 " * number + "#") for number in range(1, 6)})
    assert "5 kingdoms at one table, where at most 4 play" in [text for _, _, text in read_notices(out)]
    assert read_csv(out / "review.csv")[0]["changes"] == "who wins"


def test_one_board_read_too_long_does_not_change_the_bonus_of_all(tmp_path: Path) -> None:
    full_board = "w1 w w w w / w w w w w / w w # w w / w w w w w / w w w w w"
    boards = {"ann": full_board, "bo": f"{full_board} / f . . . .", "cy": C}
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(board) for name, board in boards.items()}
    out = run_event(tmp_path, {**files, "event.toml": 'variants = ["harmony"]'})
    assert [row[3:] for row in read_standings(out, "table")] == [("ann", "29"), ("bo", "24"), ("cy", "4")]


def test_a_duel_is_scored_by_its_own_side(tmp_path: Path) -> None:
    full_board = "w1 w w w w / w w w w w / w w # w w / w w w w w / w w w w w"
    files: dict[str, bytes | str] = {"ann.jpg": make_photo(full_board), "bo.jpg": make_photo("# l l l l l l1")}
    out = run_event(tmp_path, {**files, "event.toml": 'variants = ["harmony"]'})
    assert [row[3:] for row in read_standings(out, "table")] == [("ann", "24"), ("bo", "6")]
    assert "with the side of the other kingdoms here" in read_csv(out / "standings.csv")[0]["note"]
    rows = read_csv(out / "results.csv")
    assert [(row["player"], row["total"], row["total_read"]) for row in rows] == [("ann", "24", "29"), ("bo", "6", "6")]


def test_kingdoms_beside_the_only_table_of_a_round_are_ranked(tmp_path: Path) -> None:
    """They have no table, and are too many for one game."""
    files: dict[str, bytes | str] = {f"p{number}.jpg": make_photo("w1 " * number + "#") for number in range(1, 6)}
    out = run_event(tmp_path, {**files, "table1/ann.jpg": make_photo(A), "table1/bo.jpg": make_photo(B)})
    assert [row[3] for row in read_standings(out, "round")] == ["p5", "p4", "p3", "bo", "ann", "p2", "p1"]
    assert [row[3] for row in read_standings(out, "table")] == ["bo", "ann"]


def test_kingdoms_without_a_table_beside_tables_have_a_title_of_their_own(tmp_path: Path) -> None:
    files: dict[str, bytes | str] = {f"{name}.jpg": make_photo(A) for name in ("ann", "table1/bo", "table1/cy")}
    assert [*find_verdicts(tmp_path, files)] == ["Round 1", "Round 1, no table", "Round 1, table 1"]


def list_verdicts(outcome: EventOutcome) -> dict[str, str]:
    return {ranking.title: ranking.verdict for ranking in outcome.standings.rankings}


def test_nobody_wins_while_something_is_unknown(tmp_path: Path) -> None:
    """A kingdom without a player or table, or with unknown squares or pieces, could win."""
    files: dict[str, bytes | str] = {
        "round1/table1/ann.jpg": make_photo(A),
        "round1/table1/bo.jpg": make_photo(B),
        "round1/table2/ann.jpg": make_photo("s2 s s s"),
        "round1/table2/ann (2).jpg": make_photo("s2 s s s"),
        "round1/table2/cy.jpg": make_photo(C),
        "round1/table2/di.jpg": make_photo(A),
        "round2/IMG_1.jpg": make_photo("s2 s s s"),
        "round3/IMG_2.jpg": make_photo(A),
    }
    outcome = run_batch(write_files(tmp_path / "photos", files), tmp_path / "out")
    verdicts = list_verdicts(outcome)
    assert verdicts["All rounds"].endswith("; the player of round2/IMG_1.jpg and round3/IMG_2.jpg is not known")
    assert verdicts["Round 1, table 1"] == "bo leads on points, 6 to 5; kingdoms of ann lie at two tables"
    assert verdicts["Round 1, table 2"] == "di leads on points, 5 to 4; kingdoms of ann lie at two tables"
    reasons = [item.why for item in outcome.review_items if item.photo == "round2/IMG_1.jpg"]
    assert reasons == ["the player of this kingdom is not known"]


def test_nobody_wins_at_a_table_that_is_not_known_in_full(tmp_path: Path) -> None:
    files = {f"table1/{name}.jpg": make_photo(A) for name in ("ann", "bo", "cy", "di")}
    files |= {"table1/ed.jpg": make_photo(B), "table2/fi.jpg": make_photo(A), "table2/gi.jpg": make_photo(B)}
    (tmp_path / "out").mkdir()
    content = sha256(files["table2/gi.jpg"]).hexdigest()
    CorrectionFile(tmp_path / "out").add([Correction("table2/gi.jpg", content, 1, board="w1 w / # ?")])
    outcome = run_batch(write_files(tmp_path / "photos", {**files}), tmp_path / "out")
    verdicts = list_verdicts(outcome)
    assert [item.changes for item in outcome.review_items if item.player == "gi"] == ["who wins"]
    assert verdicts["Round 1, table 1"] == "ed leads on points, 6 to 5; at most 4 kingdoms play at one table"
    assert verdicts["Round 1, table 2"] == "fi leads on points, 5 to 2; squares of gi are not known"
    court: dict[str, bytes | str] = {
        "event.toml": 'variants = ["the-court"]',
        "ann.jpg": make_photo(A),
        "bo.jpg": make_photo(B),
    }
    verdicts = list_verdicts(run_batch(write_files(tmp_path / "court", court), tmp_path / "court-out"))
    assert verdicts["Round 1"] == "bo leads on points, 6 to 5; pieces of ann and bo are not listed"


@pytest.mark.parametrize("first_square", ["w", "g"])
def test_nobody_wins_while_two_photos_show_the_same_kingdom(first_square: str, tmp_path: Path) -> None:
    """Without players, both are ranked, and would share the victory. One square of eight may be misread."""
    board = Board.parse("w m3 # / f f s / . . s1 / . . s")
    other_board = board.with_cells({Square(0, 0): Cell.parse(first_square)})
    files: dict[str, bytes | str] = {
        "table1/IMG_1.jpg": make_photo(str(board)),
        "table1/IMG_2.jpg": make_photo(str(other_board.rotate())),
        "table1/IMG_3.jpg": make_photo(C),
    }
    verdict = list_verdicts(run_batch(write_files(tmp_path / "photos", files), tmp_path / "out"))["Round 1, table 1"]
    assert "share the lead" in verdict
    text = "table1/IMG_1.jpg and table1/IMG_2.jpg show the same kingdom"
    assert verdict.endswith(f"; {text}") and text in [reason for _, _, reason in read_notices(tmp_path / "out")]


@pytest.mark.parametrize("place", ["round2/table1/ann.jpg", "round1/table2/cy.jpg"])
def test_nobody_wins_while_a_kingdom_is_in_two_rounds_or_at_two_tables(place: str, tmp_path: Path) -> None:
    """A photo that is sent through a chat is another picture, so Ann's kingdom could count twice, or for Cy, too."""
    board = "w1 w w / # f f1 / w m s"
    photos = {"round1/table1/ann.jpg": board, "round1/table1/bo.jpg": C, place: board}
    files: dict[str, bytes | str] = {name: make_photo(photo_board) for name, photo_board in photos.items()}
    if place.startswith("round2"):
        files["round2/table1/bo.jpg"] = make_photo(C)
    verdicts = find_verdicts(tmp_path, files)
    text = f"round1/table1/ann.jpg and {place} show the same kingdom"
    assert next(iter(verdicts.values())).endswith(text)
    assert verdicts["Round 1, table 1"].endswith(text)


def test_nobody_wins_while_a_round_between_two_others_has_no_photo(tmp_path: Path) -> None:
    """The sum of the other rounds is not the final result."""
    boards = {"ann": A, "bo": B}
    files = {f"round{number}/{name}.jpg": make_photo(board) for number in (1, 4) for name, board in boards.items()}
    folder, out = write_files(tmp_path / "photos", {**files}), tmp_path / "out"
    text = "bo leads on points of 2 rounds, 12 to 10; there is no photo of round 2 and 3"
    assert list_verdicts(run_batch(folder, out))["All rounds"] == text
    assert read_notices(out) == [("", "", "there are photos of later rounds, and none of round 2")]
    write_files(folder, {"event.toml": "rounds = 2"})  # then round 4 is in no total
    assert "there is no photo" not in " ".join(list_verdicts(run_batch(folder, out)).values())


def test_nobody_wins_while_folders_may_be_rounds(tmp_path: Path) -> None:
    """Otherwise tables that may be rounds count as one round with a winner."""
    files: dict[str, bytes | str] = {"Round one/ann.jpg": make_photo(A), "2nd round/bo.jpg": make_photo(B)}
    verdicts = find_verdicts(tmp_path, files)
    assert verdicts["Round 1"] == "bo leads on points, 6 to 5; 2nd round and Round one may be rounds"
    assert [reason for _, _, reason in read_notices(tmp_path / "out")] == [
        "2nd round may be a round",
        "Round one may be a round",
    ]
    verdicts = find_verdicts(tmp_path / "letters", {"round1a/ann.jpg": make_photo(A), "bar/bo.jpg": make_photo(B)})
    assert verdicts["Round 1"] == "bo leads on points, 6 to 5; round1a may be a round"


def test_a_table_called_round_table_is_no_round_in_the_folder_of_a_round(tmp_path: Path) -> None:
    """Its name does not leave the winner open."""
    files: dict[str, bytes | str] = {"round1/Round table/ann.jpg": make_photo(A), "round1/Bar/bo.jpg": make_photo(B)}
    assert find_verdicts(tmp_path, files)["Round 1"] == "bo wins on points, 6 to 5"


def test_nobody_wins_while_photos_of_a_player_show_different_kingdoms(tmp_path: Path) -> None:
    """No folder name says that these are two rounds, so either kingdom may count."""
    files = {name: make_photo(board) for name, board in (("ann.jpg", A), ("ann (2).jpg", "l g g1 / s # s1 / m1 . ."))}
    photos: dict[str, bytes | str] = {**files, "bo.jpg": make_photo(B)}
    folder, out = write_files(tmp_path / "photos" / "table1", photos).parent, tmp_path / "out"
    assert list_verdicts(run_batch(folder, out))["Round 1, table 1"] == (
        "bo leads on points, 6 to 5; photos of ann show different kingdoms"
    )
    reason = "table1/ann (2).jpg shows another kingdom of ann, which does not count"
    assert read_notices(out) == [("table1/ann.jpg", "ann", reason)]
    content = sha256(files["ann.jpg"]).hexdigest()
    CorrectionFile(out).add([Correction("table1/ann.jpg", content, 1, board=A)])
    assert list_verdicts(run_batch(folder, out))["Round 1, table 1"] == "bo wins on points, 6 to 5"
