"""A variant that is added to the registry is offered at every entry point, and its points count.

The tests import kdvision again with a house rule in the registry: 3 points if the castle lies in a corner.
"""

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.datastructures import QueryParams

from tests.paths import ROOT, SAMPLES

ID = "castle-in-corner"
KEY = "castle_in_corner"
NAME = "Castle in the Corner"
CLAUSE = "house/castle-in-corner"
HELP = "Add 3 points for a castle in a corner."
CORNER_BOARD, MIDDLE_BOARD = "# w1 / f f", "w1 # w / f f ."
LINE = {"label": NAME, "points": 3, "clause": CLAUSE, "squares": ["A1"]}

GAME_FILE = f"""
variants = ["{ID}"]

[[kingdom]]
player = "Ann"
board = "{CORNER_BOARD}"

[[kingdom]]
player = "Bo"
board = "{MIDDLE_BOARD}"
claims = ["{ID}"]
"""

Main = Callable[..., str]
Script = Callable[[str], Any]


def find_corner_castle(kingdom: Any, _side: int) -> list[tuple[Any, ...]]:
    """Return the castle's square if it is the top left corner of the board, else nothing."""
    top, left, _, _ = kingdom.board.bounds
    return [(square,) for square in kingdom.board.find_castles() if square == (top, left)]


@pytest.fixture(scope="module", autouse=True)
def fresh_kdvision() -> Iterator[None]:
    """Import kdvision again with the house rule registered, and restore the modules afterwards."""
    original_modules = {
        name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] == "kdvision"
    }
    try:
        rules: Any = import_module("kdvision.game.rules")
        house_rule = rules.Variant(ID, NAME, HELP, CLAUSE, points=3, find_groups=find_corner_castle)
        rules.VARIANTS = (*rules.VARIANTS, house_rule)
        text = f'[house.{ID}]\ntext = "3 more points for a castle in a corner."'
        rules.load_clauses().update(import_module("kdvision.game.rules.clauses").parse_clauses(text))
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == "kdvision"]:
            del sys.modules[name]
        sys.modules.update(original_modules)


@pytest.fixture
def main(capsys: pytest.CaptureFixture[str]) -> Main:
    """Run the program and return its output."""

    def run(*args: object, code: int = 0) -> str:
        with pytest.raises(SystemExit) as exit_info:
            import_module("kdvision.cli").main([str(arg) for arg in args])
        assert (exit_info.value.code or 0) == code, capsys.readouterr().err
        return capsys.readouterr().out

    return run


def list_bonus_lines(kingdom: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the scorecard's lines of the house rule."""
    return [{key: line[key] for key in LINE} for line in kingdom["lines"] if line["label"] == NAME]


def test_type_has_the_option(main: Main) -> None:
    result = json.loads(main("type", CORNER_BOARD, MIDDLE_BOARD, f"--{ID}", "--json"))
    assert [kingdom["total"] for kingdom in result["kingdoms"]] == [1 + 3, 1]
    assert [list_bonus_lines(kingdom) for kingdom in result["kingdoms"]] == [
        [LINE],
        [LINE | {"points": 0, "squares": []}],
    ]
    assert result["kingdoms"][0]["rules"] == f"Kingdomino, {NAME}"
    assert NAME in main("type", CORNER_BOARD, f"--{ID}", "--clauses")


def test_score_has_the_option(main: Main) -> None:
    result = json.loads(main("score", SAMPLES / "demo.jpg", f"--{ID}", "--json"))
    assert [list_bonus_lines(kingdom) for kingdom in result["kingdoms"]] == [[LINE | {"points": 0, "squares": []}]]


@pytest.mark.parametrize("command", ["type", "score", "batch"])
def test_help_lists_the_option(main: Main, command: str) -> None:
    words = " ".join(main(command, "--help").split())
    assert f"--{ID}" in words
    assert HELP in words


def test_game_files_have_the_variant_and_its_claim(main: Main, tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text(GAME_FILE, encoding="utf-8")
    result = json.loads(main("game", path, "--json"))
    ann, bo = result["rounds"][0]["kingdoms"]
    assert (ann["total"], bo["total"], result["winners"]) == (4, 1, ["Ann"])
    assert list_bonus_lines(ann) == [LINE]
    assert [problem["clause"] for problem in bo["problems"] if NAME in problem["text"]] == [CLAUSE]


def test_a_written_game_file_keeps_the_variant() -> None:
    model, write = import_module("kdvision.gamefile.model"), import_module("kdvision.gamefile.write")
    game = model.parse_game(GAME_FILE)
    assert game.variants == (ID,)
    assert model.parse_game(write.write_game_text(game)) == game
    with pytest.raises(ValueError, match=ID):
        model.parse_game('variants = ["discord"]\n[[kingdom]]\nboard = "#"')


def test_score_writes_the_variant_into_a_game_file(main: Main, tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    main("score", SAMPLES / "demo.jpg", f"--{ID}", "--game-file", path)
    assert f'variants = ["{ID}"]' in path.read_text(encoding="utf-8")


def test_batch_has_the_option(main: Main, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    recorded_variants: list[Any] = []

    def record_variants(variants: tuple[str, ...], side: int | None) -> None:
        recorded_variants.append(variants)
        sys.exit(0)

    import_module("kdvision.batch.run")
    monkeypatch.setattr(import_module("kdvision.batch.event"), "Rules", record_variants)
    main("batch", tmp_path, "-o", tmp_path / "out", f"--{ID}")
    assert recorded_variants == [(ID,)]


def test_a_review_of_a_batch_scores_and_explains_the_variant(main: Main, tmp_path: Path) -> None:
    """A person gives the board, because the processes that read photos do not know the house rule."""
    photos, results = tmp_path / "photos", tmp_path / "results"
    photos.mkdir()
    (photos / "ann.jpg").write_bytes(b"no photo")
    main("batch", photos, "-o", results, f"--{ID}", code=7)
    for _ in range(2):  # the second review reads what the first one stored
        main("review", results, "--board", f"ann.jpg:1={CORNER_BOARD}")
        record = json.loads((results / "results.jsonl").read_text(encoding="utf-8"))
        assert record["counted"]["kingdoms"][0]["total"] == 4
        report = (results / "report.html").read_text(encoding="utf-8")
        assert f"Kingdomino, {NAME}" in report
        assert "3 more points for a castle in a corner. <small>house rule</small>" in report


def test_event_files_have_the_variant() -> None:
    event = import_module("kdvision.batch.event").parse_event(f'variants = ["{ID}"]')
    board = import_module("kdvision.game.board").Board.parse(CORNER_BOARD)
    rule_set = event.rules.choose_game_rule_set([board])
    assert import_module("kdvision.game.scoring").score(board, rule_set).total == 4


def test_the_server_takes_the_variant_in_queries_and_bodies() -> None:
    http = import_module("kdvision.web.http")
    query = http.parse_query(QueryParams(f"{KEY}=true&harmony=true"), http.ReadQuery)
    assert http.list_variants(query) == ["harmony", ID]
    assert http.list_variants(http.parse_query(QueryParams(""), http.ReadQuery)) == []
    with pytest.raises(Exception, match=KEY):
        http.parse_query(QueryParams(f"{KEY}=1"), http.ReadQuery)
    with pytest.raises(Exception, match=ID):
        http.parse_query(QueryParams(f"{ID}=true"), http.ReadQuery)


def test_the_server_scores_photos_with_the_variant() -> None:
    service = import_module("kdvision.web.service")
    content = (SAMPLES / "demo.jpg").read_bytes()
    options = import_module("kdvision.web.http").ReadQuery(**{KEY: True})
    response = service.Service(None, None).read(content, options, ())
    assert [len(list_bonus_lines(kingdom)) for kingdom in json.loads(response.body)["kingdoms"]] == [1]


def test_tables_keep_and_score_the_variant() -> None:
    changes, model, score = (import_module(f"kdvision.web.table.{name}") for name in ("changes", "model", "score"))
    new_kingdom = changes.AddKingdom(0, board=CORNER_BOARD.split(" / "))
    game = changes.SetRules(model.TableRules(variants=[ID])).apply(model.TableGame(), None)
    assert game.rules.variants == [ID]
    game = new_kingdom.apply(game, None)
    assert score.score_table(game)["rounds"][0]["kingdoms"][0]["total"] == 4


def test_the_server_describes_the_variant() -> None:
    openapi = import_module("kdvision.web.openapi")
    schemas = openapi.make_component_schemas()
    assert ID in schemas["Game"]["properties"]["variants"]["items"]["enum"]
    assert ID in schemas["GivenKingdom"]["properties"]["claims"]["items"]["enum"]
    assert KEY in {
        parameter["name"] for parameter in openapi.describe_api()["paths"]["/api/read"]["post"]["parameters"]
    }


def test_the_page_gets_the_variant_with_its_name() -> None:
    info = msgspec.to_builtins(import_module("kdvision.web.games").describe_rules(keeps=False))
    entry: dict[str, Any] = {"id": ID, "name": NAME, "help": HELP, "clause": CLAUSE, "group": "", "seats": {}}
    entry |= {"facts": [], "tokens": [], "cells": [], "colours": []}
    assert entry in info["variants"]
    assert all(ID in game["variants"] for game in info["games"])
    assert info["clauses"][CLAUSE]["house"]


def test_the_page_spells_no_bonus() -> None:
    scripts = (ROOT / "kdvision" / "web" / "static").glob("*.js")
    text = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    assert "rules.variants" in text
    assert not {"harmony", "middle-kingdom", "Middle Kingdom"} & set(text.split('"'))


def test_rules_show_the_house_rule(main: Main) -> None:
    assert main("rules", "--clause", CLAUSE) == f"{CLAUSE} (house rule): 3 more points for a castle in a corner.\n"
    assert json.loads(main("rules", "--clause", CLAUSE, "--json"))["house"] is True
