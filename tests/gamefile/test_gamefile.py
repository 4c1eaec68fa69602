"""Game files: their content, and the messages for mistakes."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from kdvision.errors import NotationError
from kdvision.game.board import Board, Square
from kdvision.game.kingdom import Gem
from kdvision.game.rules import make_rule_set
from kdvision.game.rules.queendomino import BUILDINGS, describe_building
from kdvision.game.scoring import score
from kdvision.game.standing import rank_kingdoms
from kdvision.gamefile.model import game_from_dict, load_game, parse_game
from kdvision.gamefile.read import find_line
from kdvision.gamefile.write import write_game_text
from kdvision.report.build import build_board_result
from kdvision.report.game import build_round_results
from tests.paths import ROOT

QUEEN = '''
game = "queendomino"
variants = ["harmony"]

[[kingdom]]
player = "Ann"
board = """
f1 f l1 t t
t  t l1 l s1
#  g w  w1 t
f  g1 w m m1
g2 g f1 t m3
"""
coins = 11
towers = 3
queen = true
knights = ["A1", "b5"]
buildings = [
    { at = "D1", name = "the sawmill" },
    { at = "E1", name = "Church" },
    { at = "A2", per_tower = 1 },
    { at = "B2", points = 2, name = "My Tavern" },
]

[[kingdom]]
player = "Bo"
board = "# t g"   # short

[[kingdom]]
board = ["# m2", ". w"]
'''

GEMS = """
game = "kingdomino"
variants = ["lost-treasures", "middle-kingdom"]
open_gems = ["ruby", "joker"]
[[kingdom]]
player = "Ann"
board = "w f / g l"
gems = [{ kind = "Ruby", between = "B1 A2", crowns = [1, 0, 2, 0], skull = "bottom left", turned = 3 }]
"""

DYNASTY = "".join(
    f"""
[[round]]
[[round.kingdom]]
player = "Ann"
board = "# w1 {"f" if number else "m"}"
[[round.kingdom]]
player = "Bo"
board = "# w w"
"""
    for number in range(3)
)

TEAMS = """
game = "royal-wedding"
teams = true
[[kingdom]]
players = ["Ann", "Bo"]
board = "# t g"
[[kingdom]]
players = ["Cy", "Di"]
board = "# w w"
[[kingdom]]
players = ["Eve", "Flo"]
board = "# m3 w"
"""


def test_a_queendomino_game_is_read() -> None:
    game = parse_game(QUEEN)
    ann, bo, third_kingdom = game.rounds[0].kingdoms
    assert (game.kind, game.side, game.variants) == ("queendomino", 5, ("harmony",))
    assert (ann.player, ann.coins, ann.towers, ann.queen) == ("Ann", 11, 3, True)
    assert ann.knights == (Square(0, 0), Square(4, 1))
    assert [building.building.name for building in ann.buildings] == ["The Sawmill", "The Church", "", "My Tavern"]
    assert str(bo.board) == "# t g"
    assert (third_kingdom.player, str(third_kingdom.board)) == ("kingdom 3", "# m2 / . w")
    assert score(ann, game.rule_set).total == 71 - 5 - 3 + 5
    assert game.standing.reason == "Ann wins on points, 68 to 2"


def test_the_documents_example_is_a_right_game() -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    game = parse_game(example)
    assert len(game.rounds[0].kingdoms) == 3
    assert game.find_problems(game.rounds[0]) == ()


def test_gems_are_read() -> None:
    game = parse_game(GEMS)
    (kingdom,) = game.rounds[0].kingdoms
    assert kingdom.gems == (Gem("ruby", Square(0, 0), (1, 0, 2, 0), 3, 3),)
    assert game.rounds[0].open_gems == ("ruby", "joker")
    assert game.rule_set.name == "Kingdomino, Middle Kingdom, The Lost Treasures"


def test_a_dynasty_is_read() -> None:
    game = parse_game(DYNASTY)
    assert len(game.rounds) == 3
    assert game.standing.reason == "Ann wins on points of 3 rounds, 3 to 0"
    assert rank_kingdoms(game.rounds[1].kingdoms, game.rule_set).reason == "Ann wins on points, 1 to 0"


def test_a_dynasty_that_is_not_over_is_read_and_has_no_result() -> None:
    """The page also saves the rounds that are still to play."""

    top, first_round, *_ = DYNASTY.split("[[round]]")
    game = parse_game(f"{top}[[round]]{first_round}[[round]]\n[[round]]\n")
    assert [len(table.kingdoms) for table in game.rounds] == [2, 0, 0]
    assert (game.has_round_result(game.rounds[0]), game.has_result) == (True, False)
    assert parse_game(write_game_text(game)) == game


def test_teams_are_read() -> None:
    game = parse_game(TEAMS)
    assert [kingdom.player for kingdom in game.rounds[0].kingdoms] == ["Ann & Bo", "Cy & Di", "Eve & Flo"]
    assert game.side == 7


@pytest.mark.parametrize(
    "text", [QUEEN, GEMS, DYNASTY, TEAMS, re.sub("players = .*", "", TEAMS), QUEEN.replace('"Ann"', r'"A\u007fnn"')]
)
def test_a_written_game_is_read_back(text: str) -> None:
    game = parse_game(text)
    assert parse_game(write_game_text(game)) == game
    assert write_game_text(parse_game(write_game_text(game))) == write_game_text(game)


@pytest.mark.parametrize("board, count, side", [("# w w", 2, 5), ("# w w w w w", 2, 7)])
def test_the_side_follows_from_the_boards(board: str, count: int, side: int) -> None:
    kingdoms = "".join(f'[[kingdom]]\nplayer = "{number}"\nboard = "{board}"\n' for number in range(count))
    assert parse_game(kingdoms).side == side
    assert parse_game(f"side = 7\n{kingdoms}").side == 7


@pytest.mark.parametrize(
    "kind, count, side",
    [("queendomino", 2, 7), ("queendomino", 3, 5), ("royal-wedding", 4, 7), ("royal-wedding", 6, 5)],
)
def test_the_side_follows_from_the_players(kind: str, count: int, side: int) -> None:
    kingdoms = "".join('[[kingdom]]\nboard = "# w w"\n' for _ in range(count))
    assert parse_game(f'game = "{kind}"\n{kingdoms}').side == side


def replace_text(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    "text, old, new, message",
    [
        (QUEEN, "coins = 11", "coins = -3", "kingdom 1, coins: coins is -3; expected a whole number from 0 to 1000"),
        (QUEEN, "coins = 11", "coins = true", "kingdom 1, coins: coins is true; expected a whole number"),
        (
            QUEEN,
            "coins = 11",
            "gold = 11",
            "kingdom 1, gold: gold is no part of a kingdom of this game; expected one of player,",
        ),
        (QUEEN, "queen = true", 'queen = "yes"', "kingdom 1, queen: queen is 'yes'; expected true or false"),
        (QUEEN, '"queendomino"', '"dominoes"', "game: game is 'dominoes'; expected one of kingdomino,"),
        (QUEEN, '["harmony"]', '["discord"]', "variants 1: variants has 'discord'; expected one of middle-kingdom"),
        (QUEEN, '"b5"', '"5b"', "kingdom 1, knights 2: '5b' is no square; expected a column letter"),
        (
            QUEEN,
            "the sawmill",
            "the mall",
            "kingdom 1, buildings 1, name: the building 'the mall' is not known; expected one of The",
        ),
        (
            QUEEN,
            "per_tower = 1",
            "per_tower = 4",
            "kingdom 1, buildings 3: a building that gives 4 points per tower; expected one",
        ),
        (
            QUEEN,
            "per_tower = 1",
            "height = 4",
            "kingdom 1, buildings 3, height: height is no part of a building; expected one of at,",
        ),
        (QUEEN, 'at = "D1", ', "", "kingdom 1, buildings 1: a building without a square; expected at ="),
        (QUEEN, "g1 w m m1", "g1 w x m1", "kingdom 1, board: row 4, column 4: 'x' is no square; expected one of w f"),
        (QUEEN, "g1 w m m1", "g1 w m", "kingdom 1, board: row 4 has 4 squares, expected 5 squares, as in row 1"),
        (QUEEN, '"# t g"', "7", "kingdom 2, board: board is 7; expected a board"),
        (QUEEN, 'board = "# t g"', "", "kingdom 2, board: board is missing; expected a board"),
        (QUEEN, '"Bo"', '"Ann"', "kingdom 2: two kingdoms of Ann; expected another name"),
        (
            QUEEN,
            'player = "Bo"',
            'players = ["B"]',
            "kingdom 2, players: only teams share a kingdom; expected player =",
        ),
        (
            QUEEN,
            '"queendomino"',
            '"kingdomino"',
            'kingdom 1, coins: coins is no part of this game; expected game = "queendomino" or',
        ),
        (GEMS, '"lost-treasures", ', "", "open_gems: gems are not part of this game; expected variants"),
        (
            GEMS,
            "B1 A2",
            "B1 A3",
            "kingdom 1, gems 1, between: B1 and A3 do not touch at a corner; expected two squares",
        ),
        (GEMS, "B1 A2", "B1", "kingdom 1, gems 1, between: a gem lies between squares; expected two squares"),
        (GEMS, "[1, 0, 2, 0]", "[1, 0, 2, -1]", "kingdom 1, gems 1, crowns: crowns is [1, 0, 2, -1]; expected four"),
        (GEMS, "[1, 0, 2, 0]", "[1, 0, 2]", "kingdom 1, gems 1, crowns: crowns is [1, 0, 2]; expected four numbers"),
        (GEMS, "bottom left", "left", "kingdom 1, gems 1, skull: skull is 'left'; expected one of top left"),
        (
            GEMS,
            "turned = 3",
            "turned = 4",
            "kingdom 1, gems 1, turned: turned is 4; expected a whole number from 0 to 3",
        ),
        (
            GEMS,
            "kingdomino",
            "queendomino",
            "variants: The Lost Treasures cannot be added to queendomino; expected game",
        ),
        (DYNASTY, "[[round]]", "[[round]]\n[[round]]", "round 4: the game has 4 rounds; expected 3 rounds"),
        (DYNASTY, '"Ann"', '"Cy"', "round 2: other players than in the first round; expected the same names"),
        (TEAMS, '"Ann", "Bo"', '"Ann"', "kingdom 1, players: a team of 1; expected two names"),
        (TEAMS, 'players = ["Ann", "Bo"]', 'player = "A"', "kingdom 1, player: a kingdom of a team has two players"),
        (TEAMS, "royal-wedding", "queendomino", "teams: teams play the Royal Wedding; expected game"),
        (
            TEAMS,
            '"Ann", "Bo"',
            '"A & B", "C"',
            "kingdom 1, players: & joins the names of a team; expected names without",
        ),
        (QUEEN, '["A1", "b5"]', "[1]", "kingdom 1, knights 1: knights has 1; expected texts in quotes"),
        (
            QUEEN,
            '["A1", "b5"]',
            '[ # A, B\n  "A1",\n  "b2", # here, ]\n "5b"]',
            "kingdom 1, knights 3: '5b' is no square; expected a column letter",
        ),
        (QUEEN, '["harmony"]', '[\n"harmony",\n"x"]', "variants 2: variants has 'x'; expected one of middle-kingdom"),
        (GEMS, "Ruby", "", "kingdom 1, gems 1, kind: kind is ''; expected some text in quotes, on one line"),
        (
            GEMS,
            'variants = ["lost-treasures", "middle-kingdom"]\nopen_gems = ["ruby", "joker"]',
            "",
            'kingdom 1, gems: gems is no part of this game; expected variants = ["lost-treasures"] at the top',
        ),
        (
            QUEEN,
            ', name = "Church"',
            "",
            "kingdom 1, buildings 2, name: a building without name or effect; expected one of The Church,",
        ),
        (
            QUEEN,
            '{ at = "E1", name = "Church" }',
            '"Church"',
            "kingdom 1, buildings 2: 'Church' is no square; expected a column letter",
        ),
        (
            QUEEN,
            '{ at = "E1", name = "Church" }',
            "7",
            "kingdom 1, buildings 2: buildings has 7; expected [[kingdom.buildings]], or tables in braces",
        ),
    ],
)
def test_a_mistake_is_reported_with_path_and_expectation(text: str, old: str, new: str, message: str) -> None:
    check_mistake(replace_text(text, old, new), message)


@pytest.mark.parametrize(
    "text, message",
    [
        (
            QUEEN + '[[kingdom]]\nboard = "#"\n[[kingdom]] # five\nboard = "#"\n',
            "kingdom 5: Queendomino, Harmony with 5 kingdoms; expected at most 4 of them",
        ),
        (
            "kingdoms = 5\n" + GEMS,
            "kingdoms: Kingdomino, Middle Kingdom, The Lost Treasures with 5 kingdoms; expected 2,",
        ),
        ("kingdoms = 0\n" + DYNASTY, "kingdoms: kingdoms is 0; expected no fewer than the 2 entered"),
        (
            "side = 5\nkingdoms = 2\n" + 'game = "queendomino"\n[[kingdom]]\nboard = "#"\n',
            "kingdoms: Queendomino with 2 kingdoms; expected 3 or 4 of",
        ),
        (
            "kingdoms = 3" + TEAMS + '[[kingdom]]\nboard = "#"\n',
            "kingdoms: kingdoms is 3; expected no fewer than the 4",
        ),
        ('[[kingdoms]]\nboard = "#"\n', "kingdoms 1: kingdoms is a list; expected [[kingdom]] for each"),
        (DYNASTY + '[[kingdom]]\nboard = "#"\n', "kingdom 1: a kingdom stands outside the rounds; expected [[round.k"),
        (
            'variants = ["lost-treasures"]\nopen_gems = ["ruby"]\n' + DYNASTY,
            "open_gems: open_gems stands outside the rounds; expected open_gems under each",
        ),
        ("[round]\n", "round: round is a single table; expected two pairs of brackets: [[round]]"),
        ("side = 5\n[extra.table]\n", "extra: extra is no part of a game file; expected one of game,"),
        ("side = 6\n", "side: side is 6; expected 5 or 7"),
        ('side = "7x7"\n', "side: side is '7x7'; expected 5 or 7"),
        ("side = true\n", "side: side is true; expected 5 or 7"),
        ("side = 5" + TEAMS, "side: side is 5; expected 7"),
        ("game = 3\n", "game: game is 3; expected one of kingdomino,"),
        ('variants = ["dynasty"]\n', "variants 1: variants has 'dynasty'; expected three [[round]] for a Dynasty"),
        ('game = "age-of-giants"', 'game: Age of Giants is added to a game; expected variants = ["age-of-giants"]'),
        (
            'variants = ["mighty-duel"]\n',
            "variants 1: variants has 'mighty-duel'; expected side = 7 for the Mighty Duel",
        ),
        ("[kingdom]\n", "kingdom: kingdom is a single table; expected two pairs of brackets: [[kingdom]]"),
        (
            "[[round]]\nside = 5\n" + "[[round]]\n" * 2,
            "round 1, side: side is no part of a round; expected one of kingdom,",
        ),
        (GEMS + "towers = 3\n", 'kingdom 1, towers: towers is no part of this game; expected game = "queendomino" or'),
        ('kingdom = "Ann"\n', "kingdom: kingdom is 'Ann'; expected a list"),
        ("kingdom = [1]\n", "kingdom 1: kingdom has 1; expected [[kingdom]]"),
        ("\n", "there is no kingdom; expected at least one, under [[kingdom]]"),
        ('[[kingdom]]\nboard = "# w w"\nside = 7\n', "kingdom 1, side: side is no part of a kingdom of this game"),
        (
            "side = 7\n" + '[[kingdom]]\nboard = "# w w"\n' * 3,
            "kingdom 3: Kingdomino, Mighty Duel with 3 kingdoms; expected at mo",
        ),
    ],
)
def test_a_file_as_a_whole_is_reported_with_path_and_expectation(text: str, message: str) -> None:
    check_mistake(text, message)


def check_mistake(text: str, message: str) -> None:
    """Check that a text is refused with a message, which begins with the path of the mistake."""
    with pytest.raises(NotationError) as error_info:
        parse_game(text, name="match.toml")
    assert re.sub(r"^match\.toml(, line \d+)?[,:] ", "", str(error_info.value)).startswith(message)
    assert error_info.value.expected


@pytest.mark.parametrize(
    "text, line",
    [
        ("game = ", 1),
        ("\n[[kingdom]\n", 2),
        ("a = 1\na = 2\n", 2),
        ("[" * 5000, 1),
        ("player = Ann", 1),
        ('[[kingdom]]\nboard = """\n# w\n', 4),
    ],
)
def test_a_text_that_is_not_toml_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(
        NotationError, match=rf"^match\.toml, line {line}: no TOML \(.+\); expected lines such as "
    ) as error_info:
        parse_game(text, name="match.toml")
    assert error_info.value.row == line


SPACED_GAME = """game = "queendomino"
[[round]]
[[round.kingdom]]
player = "Ann"
board = '''
# t
'''
[[round]]
[[ round . kingdom ]]  # the second
player = "Ann"
board = "# t"
[[round.kingdom]]
player = "Bo"
board = "# t"
knights = [
    "A1",
    "9",
]
[[round]]
"""


@pytest.mark.parametrize(
    "path, line",
    [
        (("game",), 1),
        (("round",), 2),
        (("round", 0), 2),
        (("round", 0, "kingdom", 0, "board"), 5),
        (("round", 1), 8),
        (("round", 1, "kingdom", 0), 9),
        (("round", 1, "kingdom", 1, "knights", 1), 15),
        (("round", 1, "kingdom", 1, "coins"), 12),
        (("round", 2, "kingdom", 0), 19),
        (("side",), 0),
    ],
)
def test_the_line_of_a_value_is_found(path: tuple[str | int, ...], line: int) -> None:
    assert find_line(SPACED_GAME, path) == line


def test_a_mistake_is_reported_with_its_line() -> None:
    with pytest.raises(NotationError, match=r"^match\.toml, line 15, round 2, kingdom 2, knights 2: '9' is no square"):
        parse_game(SPACED_GAME, name="match.toml")


def test_a_line_ends_only_where_it_does_in_toml() -> None:
    with pytest.raises(NotationError, match=r"^match\.toml, line 3, kingdom 1, board: "):
        parse_game('[[kingdom]]\nplayer = "A\u2028B"\nboard = "x"\n', name="match.toml")


def test_editors_that_mark_utf8_do_no_harm() -> None:
    assert parse_game("\ufeff" + QUEEN) == parse_game(QUEEN)


def test_mistakes_in_a_board_name_row_and_column() -> None:
    for board in ('[\n  "# w w",\n  "w x w",\n]', '"""\n# w w\nw x w\n"""', '"""# w w /\n\n w x w"""'):
        with pytest.raises(
            NotationError, match="the game, line 3, kingdom 1, board: row 2, column 2: 'x' is no square"
        ):
            parse_game(f'[[kingdom]]\nplayer = "A"\nboard = {board}\n')


def test_the_advice_of_a_board_stays() -> None:
    with pytest.raises(NotationError, match="row 2 has 2 squares") as error_info:
        parse_game('[[kingdom]]\nboard = "# w w / w w"\n')
    assert error_info.value.hint == "write . for a place without a tile"


def test_seven_players_need_another_box() -> None:
    text = "".join('[[kingdom]]\nboard = "# w w"\n' for _ in range(7))
    with pytest.raises(NotationError, match="kingdom 5: Kingdomino with 7 kingdoms; expected at most 4 of them"):
        parse_game(text)
    assert len(parse_game(f'game = "royal-wedding"\n{text}').rounds[0].kingdoms) == 7


@pytest.mark.parametrize(
    "top, count, note, side",
    [
        ("", 1, "1 kingdom is entered so far, and this game has at least 2", 5),
        ("kingdoms = 4", 3, "3 of 4 kingdoms are entered so far", 5),
        ('game = "queendomino"\nkingdoms = 2', 1, "1 of 2 kingdoms is entered so far", 7),
        ('game = "queendomino"\nside = 5', 2, "2 kingdoms are entered so far, and this game has at least 3", 5),
        ('game = "royal-wedding"\nkingdoms = 3', 1, "1 of 3 kingdoms is entered so far", 7),
        ('game = "royal-wedding"\nside = 5', 4, "4 kingdoms are entered so far, and this game has at least 5", 5),
        ("", 2, "", 5),
        ("kingdoms = 3", 3, "", 5),
    ],
)
def test_not_every_kingdom_has_to_be_entered(top: str, count: int, note: str, side: int) -> None:
    game = parse_game(f"{top}\n" + '[[kingdom]]\nboard = "# w w"\n' * count)
    assert (game.describe_missing_kingdoms(game.rounds[0]), game.side) == (note, side)
    assert parse_game(write_game_text(game)) == game


def test_a_kingdom_that_is_not_entered_may_host_the_queen() -> None:
    text = 'game = "queendomino"\n'
    text += '[[kingdom]]\nboard = "# t g"\ntowers = 2\nbuildings = ["B1 1 crown"]\n[[kingdom]]\nboard = "# w w"\n'
    host_problems = ["there are towers, and nobody hosts the Queen"]
    for top, expected in (("", host_problems), ("kingdoms = 2", host_problems), ("kingdoms = 3", []), ("side = 5", [])):
        game = parse_game(f"{top}\n{text}")
        assert [problem.text for problem in game.find_problems(game.rounds[0])] == expected


def test_three_kingdoms_longer_than_five_are_a_problem_not_a_duel() -> None:
    game = parse_game('[[kingdom]]\nboard = "f f f f # l l"\n' + '[[kingdom]]\nboard = "# l l"\n' * 2)
    (problem,) = game.find_problems(game.rounds[0])
    assert problem.text == "the kingdom spans 1 by 7 squares, and at most 5 by 5 are allowed"


def test_what_can_lie_on_a_table_is_a_problem_not_an_error() -> None:
    text = replace_text(replace_text(QUEEN, '"A1"', '"A3"'), "coins = 11", "coins = 500").replace(
        "# short", "\nqueen = true"
    )
    game = parse_game(text)
    texts = [problem.text for problem in game.find_problems(game.rounds[0])]
    assert "the knight on A3 stands on the castle" in texts
    assert "there are 500 coins in the game, and the box has 174" in texts
    assert "the Queen is in 2 kingdoms at once" in texts
    assert isinstance(game.rounds[0].kingdoms[0].board, Board)


def test_files_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "match.toml"
    path.write_text(QUEEN, encoding="utf-8")
    assert load_game(path) == parse_game(QUEEN)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    for name, content, message in (("none", None, "cannot be read"), ("latin", b"\xff\xfe", "is not a text in UTF-8")):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(NotationError, match=message):
            load_game(path)
    with pytest.raises(NotationError, match="cannot be read"):
        load_game(tmp_path)
    large_file = tmp_path / "big"
    large_file.write_bytes(b" " * 1_000_001)
    for path in (large_file, Path("/dev/zero")) if Path("/dev/zero").exists() else (large_file,):
        with pytest.raises(NotationError, match="too large"):
            load_game(path)


def test_plain_values_are_a_game_too() -> None:
    text = '[[kingdom]]\nplayer = "Ann"\nboard = "w1 w / # f"\n'
    assert game_from_dict({"kingdom": [{"player": "Ann", "board": ["w1 w", "# f"]}]}) == parse_game(text)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "the game: there is no kingdom; expected at least one, under [[kingdom]]"),
        ({"kingdom": [{"board": "w\nx"}]}, "the game, kingdom 1, board: row 2, column 1: 'x' is no square"),
        ({"kingdom": [{"board": "#"}, {"board": "#", "coins": 1}]}, "the game, kingdom 2, coins: coins is no part"),
        ({"kingdom": {"board": "#"}}, "the game, kingdom: kingdom is a single table"),
    ],
)
def test_mistakes_in_plain_values_are_reported_with_their_path(data: dict[str, object], message: str) -> None:
    with pytest.raises(NotationError) as error_info:
        game_from_dict(data)
    assert str(error_info.value).startswith(message)
    assert error_info.value.row is None


def test_kinds_of_open_gems_are_those_on_boards_however_they_are_written() -> None:
    game = parse_game(replace_text(GEMS, 'open_gems = ["ruby", "joker"]', 'open_gems = ["Ruby", "JOKER"]'))
    assert game.rounds[0].open_gems == ("ruby", "joker")


def test_a_question_of_the_file_is_a_problem_and_leaves_the_winner_open_until_it_is_removed() -> None:
    text = """
        [[kingdom]]
        questions = ["A1 is w1 (90 % sure), otherwise w"]
        board = "w1 w #"
        [[kingdom]]
        board = "# w1 w w w"
    """
    game = parse_game(text)
    assert parse_game(write_game_text(game)) == game
    (result,) = build_round_results(game, "x")
    assert (result.standing, result.outlook) == (None, "who wins is not known yet")
    assert result.kingdoms[0].problems[-1].text == "still to check: A1 is w1 (90 % sure), otherwise w"
    (result,) = build_round_results(parse_game(re.sub("questions = .*", "", text)), "x")
    assert result.standing is not None and result.standing.winners[0].player == "kingdom 2"


def test_nobody_has_won_while_squares_are_not_known() -> None:
    text = 'game = "kingdomino"\n' + "".join(
        f'[[kingdom]]\nplayer = "{name}"\nboard = """\n{board}\n"""\n'
        for name, board in (("Ann", "w1 l\n# ."), ("Bo", "w w\n? #"))
    )
    game = parse_game(text)
    assert game.is_open(game.rounds[0])
    known_game = parse_game(text.replace("?", "w"))
    assert not known_game.is_open(known_game.rounds[0])


def write_treasure_game(*gems: str, top: str = "") -> str:
    kingdoms = [
        f'[[kingdom]]\nplayer = "{name}"\nboard = "# w1"\n{kingdom_gems}\n'
        for name, kingdom_gems in zip("AB", gems, strict=False)
    ]
    return f'{top}\nvariants = ["lost-treasures"]\n' + "".join(kingdoms)


def write_gems(*kinds: str) -> str:
    entries = [f"{{ kind = {kind!r}, between = 'A1 B2' }}" for kind in kinds]
    return f"gems = [{', '.join(entries)}]"


FIVE_KINDS = write_gems("ruby", "opal", "topaz", "jade", "agate")


@pytest.mark.clause("lost-treasures/immediate")
def test_blanks_and_capitals_make_no_other_kind_of_gem() -> None:
    text = write_treasure_game(write_gems("ruby ", " Ruby", "opal", "topaz", "jade"), "", top='open_gems = [" JOKER "]')
    (table,) = parse_game(text).rounds
    assert [gem.kind for gem in table.kingdoms[0].gems] == ["ruby", "ruby", "opal", "topaz", "jade"]
    assert table.open_gems == ("joker",)
    assert parse_game(text).standing.reason.startswith("A and B share the victory: equal in points,")


@pytest.mark.clause("lost-treasures/immediate")
@pytest.mark.parametrize("top", ["", "kingdoms = 3"])
def test_five_kinds_of_gem_win_whatever_is_not_entered_yet(top: str) -> None:
    game = parse_game(write_treasure_game(FIVE_KINDS, 'gems = "?"', top=top).replace('"# w1"', '"# w f / . g l"'))
    (result,) = build_round_results(game, "game")
    assert result.outlook == "A wins, whatever is still missing: five kinds of gem win at once"


@pytest.mark.clause("lost-treasures/immediate")
def test_five_kinds_of_gem_win_in_a_single_kingdom_and_beside_an_unknown_square() -> None:
    (winner,) = parse_game(write_treasure_game(FIVE_KINDS)).rounds[0].kingdoms
    rule_set, reason = make_rule_set(variants=["lost-treasures"]), "five kinds of gem win at once"
    result = build_board_result([winner], rule_set)
    assert result.outlook == f"kingdom 1 wins, whatever is still missing: {reason}"
    result = build_board_result([winner, Board.parse("# w1 ?")], rule_set)
    assert result.standing is not None
    assert (result.standing.is_over, result.standing.reason) == (True, f"kingdom 1 wins: {reason}")


@pytest.mark.clause("lost-treasures/immediate")
def test_only_one_kingdom_can_have_five_kinds_of_gem() -> None:
    game = parse_game(write_treasure_game(FIVE_KINDS, FIVE_KINDS))
    problems = [
        problem for problem in game.find_problems(game.rounds[0]) if problem.clause == "lost-treasures/immediate"
    ]
    assert [problem.text for problem in problems] == [
        "A and B have 5 kinds of gem, and the first to have them ends the game"
    ]


def test_names_of_players_differ_by_more_than_blanks_and_capitals() -> None:
    with pytest.raises(NotationError, match="two kingdoms of ann"):
        parse_game(replace_text(QUEEN, '"Bo"', '" ann "'))
    game = parse_game(replace_text(DYNASTY, '"Ann"', '"ANN "'))
    assert game.standing.reason == "ANN wins on points of 3 rounds, 3 to 0"


@pytest.mark.clause("royal-wedding/teams")
def test_a_person_is_in_one_team_once() -> None:
    with pytest.raises(NotationError, match="kingdom 2: bo is in two teams; expected each person in one team"):
        parse_game(replace_text(TEAMS, '"Cy"', '"bo"'))
    with pytest.raises(NotationError, match="kingdom 2, players: Cy twice in one team; expected two different names"):
        parse_game(replace_text(TEAMS, '"Di"', '"cy "'))


@pytest.mark.clause("royal-wedding/teams")
def test_the_names_of_a_team_may_come_in_another_order_in_a_later_round() -> None:
    start = TEAMS.index("[[kingdom]]")
    kingdoms = TEAMS[start:].replace("[[kingdom]]", "[[round.kingdom]]")
    other_order = replace_text(kingdoms, '["Ann", "Bo"]', '["bo", "Ann"]')
    game = parse_game(TEAMS[:start] + "".join(f"[[round]]\n{text}" for text in (kingdoms, other_order, kingdoms)))
    assert [table.kingdoms[0].player for table in game.rounds] == ["Ann & Bo"] * 3
    assert {place.player for place in game.standing.places} == {"Ann & Bo", "Cy & Di", "Eve & Flo"}


@pytest.mark.clause("royal-wedding/seven")
@pytest.mark.parametrize("top, min_count", [("", 3), ("side = 5", 5), ("side = 7", 3)])
def test_two_kingdoms_of_a_royal_wedding_may_be_two_of_three(top: str, min_count: int) -> None:
    game = parse_game(f'{top}\ngame = "royal-wedding"\n' + '[[kingdom]]\nboard = "# t g"\n' * 2)
    assert (
        game.describe_missing_kingdoms(game.rounds[0])
        == f"2 kingdoms are entered so far, and this game has at least {min_count}"
    )


FULL_BOARD = "w g2 g f1 g / w g2 g g g / l1 l # l g1 / l l f f1 w / l l1 f f l1"
WIDE_BOARD = "# w w f f f"


@pytest.mark.clause("kingdomino/mighty-duel")
def test_a_full_five_by_five_beside_a_wide_kingdom_asks_for_the_size() -> None:
    text = f'variants = ["harmony"]\n[[kingdom]]\nboard = "{FULL_BOARD}"\n[[kingdom]]\nboard = "{WIDE_BOARD}"\n'
    game = parse_game(text)
    problems = [problem for problem in game.find_problems(game.rounds[0]) if "--size 5, or side = 5" in problem.text]
    assert [(problem.kingdom, problem.clause) for problem in problems] == [(0, "kingdomino/complete")]
    for side, points in ((5, 5), (7, 0)):
        game = parse_game(f"side = {side}\n{text}")
        assert not any("--size" in problem.text for problem in game.find_problems(game.rounds[0]))
        (harmony,) = (
            line for line in score(game.rounds[0].kingdoms[0], game.rule_set).lines if line.label == "Harmony"
        )
        assert harmony.points == points


@pytest.mark.clause("royal-wedding/five")
def test_a_full_five_by_five_asks_for_the_size_where_the_number_of_kingdoms_decides_it() -> None:
    text = f'game = "royal-wedding"\nvariants = ["harmony"]\n[[kingdom]]\nboard = "{FULL_BOARD}"\n'
    text += '[[kingdom]]\nboard = "# t g"\n' * 2
    for top, count in ("", 1), ("side = 7\n", 0), ("kingdoms = 3\n", 0):
        game = parse_game(top + text)
        problems = [
            problem for problem in game.find_problems(game.rounds[0]) if "--size 5, or side = 5" in problem.text
        ]
        assert (game.side, len(problems)) == (7, count)


@pytest.mark.parametrize(
    "entry, name, effect",
    [
        ("B1 The Statue", "The Statue", "5 points"),
        ("b1 2 points per forest territory", "", "2 points per forest territory"),
        ("B1  1 Crown", "", "1 crown"),
        (r"B1\tThe Statue", "The Statue", "5 points"),
        ("B1 ?", "?", "nothing at the end"),
    ],
)
def test_a_building_is_entered_by_what_it_shows_on_one_line(entry: str, name: str, effect: str) -> None:
    game = parse_game(f'game = "queendomino"\n[[kingdom]]\nboard = "# t g"\nbuildings = ["{entry}"]\n')
    (placed_building,) = game.rounds[0].kingdoms[0].buildings
    assert (
        str(placed_building.square.name),
        placed_building.building.name,
        describe_building(placed_building.building),
    ) == ("B1", name, effect)
    assert parse_game(write_game_text(game)) == game


def test_every_building_can_be_entered_by_what_it_shows() -> None:
    for building in BUILDINGS:
        text = f'game = "queendomino"\n[[kingdom]]\nboard = "# t g"\nbuildings = ["B1 {describe_building(building)}"]\n'
        (placed_building,) = parse_game(text).rounds[0].kingdoms[0].buildings
        assert placed_building.building == replace(building, name="")


@pytest.mark.parametrize("name", ["The Statue", "the statue", "Statue"])
def test_a_building_of_the_box_has_its_printed_name_in_any_spelling(name: str) -> None:
    building_text = f'{{at = "B1", name = "{name}", points = 5}}'
    text = f'game = "queendomino"\n[[kingdom]]\nboard = "# t g"\nbuildings = [{building_text}]\n'
    (placed_building,) = parse_game(text).rounds[0].kingdoms[0].buildings
    assert placed_building.building.name == "The Statue"


@pytest.mark.parametrize("entry", ["B1", "B1 7 points", "The Statue", "5B The Statue"])
def test_a_building_that_is_none_is_an_error(entry: str) -> None:
    with pytest.raises(NotationError, match="kingdom 1, buildings 1: "):
        parse_game(f'game = "queendomino"\n[[kingdom]]\nboard = "# t g"\nbuildings = ["{entry}"]\n')
