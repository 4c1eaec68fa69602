"""`kdvision game` and `kdvision rules`: output and exit codes."""

import json
from pathlib import Path

import pytest

from kdvision.game.rules import load_clauses
from tests.conftest import Run

GAME = """
[[kingdom]]
player = "Ann"
board = "# m3 w / . . w / . . f"

[[kingdom]]
player = "Bo"
board = "w w # f f"
"""

PROBLEM_GAME = GAME + '[[kingdom]]\nplayer = "Cy"\nboard = "# m3 w"\n'

DYNASTY = "".join(
    f'[[round]]\n[[round.kingdom]]\nplayer = "Ann"\nboard = "# w1 {land}"\n'
    f'[[round.kingdom]]\nplayer = "Bo"\nboard = "# f f"\n'
    for land in "mfw"
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "match.toml"
    path.write_text(GAME, encoding="utf-8")
    return path


def test_a_game_is_scored_with_its_winner(run: Run, file: Path) -> None:
    result = run("game", file)
    assert (result.code, result.err) == (0, "")
    assert "2 kingdoms · Kingdomino" in " ".join(result.out.split())
    assert "\n Ann\n" in result.out
    assert "Ann wins on points, 3 to 0" in result.out
    assert "dominoes" not in result.out


@pytest.mark.parametrize("command", [("game", "-"), ("type", "# m3 w / . . w / . . f")])
def test_the_clause_of_every_line_is_named_when_asked_for(command: tuple[str, ...], run: Run) -> None:
    text = GAME.replace('"Ann"', '"kingdom 1"').encode()
    result = run(*command, "--clauses", "--harmony" if command[0] == "type" else "--dominoes", stdin=text)
    (heading,) = [number for number, line in enumerate(result.out.splitlines()) if line == " kingdom 1, line by line"]
    lines = [line.split() for line in result.out.splitlines()[heading + 1 :]]
    assert " ".join(lines[0]) == "3 mine: 1 square × 3 crowns kingdomino/value"
    assert " ".join(lines[1]) == "0 wheat: 2 squares × 0 crowns kingdomino/value"
    assert ["3", "total"] in lines
    assert (["0", "Harmony", "kingdomino/harmony"] in lines) is (command[0] == "type")
    assert "line by line" not in run(*command, stdin=text).out


def test_dominoes_are_named_when_asked_for(run: Run, file: Path) -> None:
    result = run("game", file, "--dominoes")
    assert "Ann's dominoes: B1-C1: 48" in result.out
    assert "Bo's dominoes: A1-B1: 1 or 2, D1-E1: 3 or 4 or 5 or 6" in result.out


def test_dominoes_are_narrowed_by_those_of_the_other_kingdoms(run: Run) -> None:
    ambiguous_kingdom = '[[kingdom]]\nplayer = "Ann"\nboard = ". f l . / # f w . / w w w w"\n'
    rival_kingdom = '[[kingdom]]\nplayer = "Bo"\nboard = "# w f"\n'
    assert "Ann's dominoes (2 readings fit): " in run("game", "-", "--dominoes", stdin=ambiguous_kingdom.encode()).out
    game = (ambiguous_kingdom + rival_kingdom).encode()
    assert "Ann's dominoes (1 of 2 readings fits beside the" in run("game", "-", "--dominoes", stdin=game).out
    ann, bo = json.loads(run("game", "-", "--json", stdin=game).out)["rounds"][0]["kingdoms"]
    assert [(kingdom["readings"], kingdom["readings_alone"]) for kingdom in (ann, bo)] == [(1, 2), (1, 1)]
    assert all(domino["sure"] for domino in ann["dominoes"])


def test_a_game_can_come_from_stdin(run: Run) -> None:
    assert "Ann wins on points, 3 to 0" in run("game", "-", stdin=GAME.encode()).out


def test_json_has_the_whole_game(run: Run, file: Path) -> None:
    output = json.loads(run("game", file, "--json").out)
    assert (output["file"], output["rules"], output["side"], output["winners"]) == (str(file), "Kingdomino", 5, ["Ann"])
    (table,) = output["rounds"]
    ann = table["kingdoms"][0]
    assert (ann["player"], ann["points"], ann["total"], ann["readings"]) == ("Ann", 3, 3, 1)
    assert ann["dominoes"][0] == {"squares": ["B1", "C1"], "numbers": [48], "sure": True}
    assert ann["lines"][0]["clause"] == "kingdomino/value"
    assert table["problems"] == []
    assert output["standing"]["reason"] == "Ann wins on points, 3 to 0"


def test_a_dynasty_shows_its_rounds_and_its_sum(run: Run) -> None:
    result = run("game", "-", stdin=DYNASTY.encode())
    assert all(f"round {number} · 2 kingdoms" in result.out for number in (1, 2, 3))
    assert "Ann wins on points of 3 rounds, 4 to 0" in result.out
    output = json.loads(run("game", "-", "--json", stdin=DYNASTY.encode()).out)
    assert [table["standing"]["places"][0]["total"] for table in output["rounds"]] == [1, 1, 2]
    text = f"{DYNASTY[: DYNASTY.rindex('[[round]]')]}[[round]]\n"
    result = run("game", "-", "--strict", stdin=text.encode())
    assert (result.code, result.err) == (6, "kdvision: the game on stdin: some kingdoms are missing.\n")


def test_problems_are_shown_and_strict_exits_with_6(run: Run) -> None:
    sentence = "the kingdoms together have 2 squares m3, and the box has 1"
    result = run("game", "-", stdin=PROBLEM_GAME.encode())
    assert (result.code, result.out.count(sentence)) == (0, 1)
    output = json.loads(run("game", "-", "--json", stdin=PROBLEM_GAME.encode()).out)
    assert [problem["text"] for problem in output["rounds"][0]["problems"]] == [sentence]
    assert not output["rounds"][0]["kingdoms"][0]["review"]
    strict_result = run("game", "-", "--strict", stdin=PROBLEM_GAME.encode())
    assert (strict_result.code, strict_result.err) == (6, "kdvision: the game on stdin: there are problems.\n")
    assert run("game", "-", "--strict", stdin=GAME.encode()).code == 0


def test_a_game_with_missing_kingdoms_has_a_note(run: Run) -> None:
    note = "2 of 3 kingdoms are entered so far"
    text = f"kingdoms = 3\n{GAME}".encode()
    result = run("game", "-", "--strict", stdin=text)
    assert (result.code, result.err) == (6, "kdvision: the game on stdin: some kingdoms are missing.\n")
    assert f"\n {note}\n" in result.out
    single_kingdom = text[: text.rindex(b"[[kingdom]]")]
    assert run("game", "-", "--strict", stdin=single_kingdom).code == 0  # a single kingdom is scored by itself
    assert json.loads(run("game", "-", "--json", stdin=text).out)["rounds"][0]["note"] == note
    assert json.loads(run("game", "-", "--json", stdin=GAME.encode()).out)["rounds"][0]["note"] is None


def test_nobody_wins_while_kingdoms_are_missing(run: Run) -> None:
    text = f"kingdoms = 4\n{GAME}".encode()
    text_output = run("game", "-", stdin=text).out
    assert "wins on" not in text_output and "Who wins is not known yet" in text_output
    output = json.loads(run("game", "-", "--json", stdin=text).out)
    assert (output["standing"], output["winners"], output["rounds"][0]["standing"]) == (None, [], None)
    assert output["rounds"][0]["outlook"] == "who wins is not known yet"
    assert "wins on" in run("game", "-", stdin=GAME.encode()).out


def test_mistakes_name_file_and_path_and_exit_with_5(run: Run, file: Path) -> None:
    file.write_text(GAME.replace('"w w # f f"', '"w w # f"\ncoins = 3'), encoding="utf-8")
    result = run("game", file)
    assert (result.code, result.out) == (5, "")
    assert result.err.startswith(
        f'kdvision: {file}, line 9, kingdom 2, coins: coins is no part of this game; expected game = "queendomino"'
    )
    missing_file_result = run("game", file.parent / "none.toml")
    assert missing_file_result.code == 5
    assert "none.toml cannot be read" in missing_file_result.err


def test_stdin_is_utf8_whatever_the_terminal_says(run: Run) -> None:
    game = GAME.replace("Ann", "Jörg").encode("utf-8-sig")
    assert "Jörg wins on points, 3 to 0" in run("game", "-", stdin=game).out
    for command in ("game", "type"):
        result = run(command, "-", stdin=b"\xff\xfe")
        assert (result.code, result.err.count("\n")) == (5, 1)
        assert result.err.startswith("kdvision: the text on stdin is not UTF-8.")


def test_typed_boards_of_one_game_share_its_box(run: Run) -> None:
    assert "the kingdoms together have 2 squares m3" in run("type", "# m3 w", "# m3 w").out


def test_every_clause_has_its_line(run: Run) -> None:
    result = run("rules")
    assert [line.split(" (")[0] for line in result.out.splitlines()] == list(load_clauses())
    assert len(run("rules", "--json").out.splitlines()) == len(load_clauses())


def test_one_clause_is_shown(run: Run) -> None:
    result = run("rules", "--clause", "queendomino/wealth")
    assert result.out.startswith("queendomino/wealth (Queendomino, End of the game): Every three coins")
    assert len(result.out.splitlines()) == 1
    output = json.loads(run("rules", "--clause", "queendomino/queen-choice", "--json").out)
    assert output["ruling"] is True


def test_an_unknown_clause_is_a_usage_error_with_a_guess(run: Run) -> None:
    result = run("rules", "--clause", "queendomino/welth")
    assert (result.code, result.out) == (2, "")
    assert "queendomino/wealth" in result.err


OPEN = """
game = "queendomino"
side = 5
[[kingdom]]
player = "Ann"
board = "# t t / w1 w g"
coins = "?"
[[kingdom]]
player = "Bo"
board = "# g1 g"
buildings = [{ at = "B1", name = "?" }]
"""


def test_an_unfinished_game_is_a_range_and_names_no_winner(run: Run) -> None:
    result = run("game", "-", "--clauses", stdin=OPEN.encode())
    assert (result.code, result.err) == (0, "")
    assert "2 to 60" in result.out
    assert "? still missing: coins\n" in result.out
    assert "? still missing: which building stands on B1" in result.out
    assert "Who wins is not known yet" in result.out
    assert "wins on" not in result.out
    output = json.loads(run("game", "-", "--json", stdin=OPEN.encode()).out)
    assert (output["complete"], output["standing"], output["winners"]) == (False, None, [])
    (table,) = output["rounds"]
    assert (table["standing"], table["outlook"]) == (None, "who wins is not known yet")
    ann = table["kingdoms"][0]
    assert (ann["complete"], ann["least"], ann["most"], ann["total"]) == (False, 2, 60, None)
    assert ann["review"]
    assert ann["missing"] == [{"item": "coins", "squares": [], "text": "coins"}]
    strict_result = run("game", "-", "--strict", stdin=OPEN.encode())
    assert (strict_result.code, strict_result.err) == (6, "kdvision: the game on stdin: some facts are missing.\n")


def test_a_dynasty_with_an_open_round_has_no_sum(run: Run) -> None:
    text = 'variants = ["lost-treasures"]\n' + DYNASTY.replace('"# w1 f"', '"# w1 f / m l g"\ngems = "?"')
    result = run("game", "-", stdin=text.encode())
    assert "0 or more" in result.out
    assert "of 3 rounds" not in result.out
    assert "round 1 · 2 kingdoms" in result.out and "Ann wins on points, 1 to 0" in result.out
    output = json.loads(run("game", "-", "--json", stdin=text.encode()).out)
    assert [table["standing"] is None for table in output["rounds"]] == [False, True, False]
    assert output["standing"] is None


def test_unknown_squares_are_listed_as_missing(run: Run) -> None:
    text = GAME.replace('"w w # f f"', '"w w # f ?"').encode()
    bo = json.loads(run("game", "-", "--json", stdin=text).out)["rounds"][0]["kingdoms"][1]
    assert (bo["total"], bo["complete"], bo["least"], bo["most"]) == (0, False, 0, None)
    assert bo["missing"] == [{"item": "board", "squares": ["E1"], "text": "what lies on E1"}]
