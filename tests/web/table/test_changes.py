"""Changes of a game, applied without a server."""

from typing import Any

import pytest
from msgspec.structs import replace

from kdvision.errors import NotationError
from kdvision.game.board import Board
from kdvision.web.limits import Refusal
from kdvision.web.table.changes import (
    AddKingdom,
    AnswerPiece,
    Change,
    Context,
    LoadGame,
    ReplaceKingdom,
    SetKingdom,
    SetPieces,
    SetRules,
    SetSquare,
    apply_changes,
    choose_player,
)
from kdvision.web.table.facts import add_piece, remove_piece
from kdvision.web.table.model import (
    PartialRules,
    PhotoInfo,
    PieceDoubt,
    Player,
    SquareDoubt,
    TableGame,
    TableKingdom,
    TableRules,
    list_cells,
)
from kdvision.web.table.storage import Storage, StoredReading

PIECES: dict[str, Any] = {
    "knight": "2,3",
    "building": {"at": "2,3", "name": "?"},
    "gem": {"kind": "?", "between": "2,3 3,4"},
}


@pytest.mark.parametrize(("kind", "key"), [("knight", "knights"), ("building", "buildings"), ("gem", "gems")])
def test_a_piece_is_added_once_and_removed(kind: str, key: str) -> None:
    before = {key: ["?"], "coins": 3}
    facts = add_piece(before, kind, "2,3")
    assert facts == {key: [PIECES[kind], "?"], "coins": 3}
    assert add_piece(facts, kind, "2,3") == facts
    assert remove_piece(facts, kind, "2,3") == before
    assert remove_piece(facts, kind, "2,4") == facts


def test_the_queen_comes_and_goes() -> None:
    assert add_piece({"queen": "?"}, "queen", "2,3") == {"queen": True}
    assert remove_piece({"queen": True, "coins": "?"}, "queen", "2,3") == {"queen": False, "coins": "?"}
    assert remove_piece({"": []}, "tower", "2,3") == {"": []}
    assert remove_piece({}, "tower", "2,3") == add_piece({}, "tower", "2,3") == {}


@pytest.mark.parametrize("change", [SetKingdom("k1", facts={"queen": True}), AnswerPiece("k1", "queen", "0,0", True)])
def test_the_queen_leaves_the_other_kingdoms_of_her_round(change: Change) -> None:
    """Two phones that place her at once do not know of each other."""
    queens: dict[str, Any] = {"k1": "?", "k2": True, "k3": "?"}
    kingdoms = [
        TableKingdom(name, name, "blue", {"0,0": "#"}, {"queen": queen}, photo_info=PhotoInfo())
        for name, queen in queens.items()
    ]
    other_round = [TableKingdom("k4", "k2", "blue", {"0,0": "#"}, {"queen": True})]
    game = TableGame(rules=TableRules("queendomino"), rounds=[kingdoms, other_round, []])
    game = apply_changes(game, [change], Context(Storage(), "T"))
    assert [kingdom.facts["queen"] for kingdom in game.kingdoms] == [True, False, "?", True]


def test_rules_that_two_phones_change_at_once_are_merged() -> None:
    before = TableRules(variants=["middle-kingdom", "harmony"], seats=3, open_gems=["red"])
    rules = [
        replace(before, variants=["middle-kingdom"], side=7, open_gems=["red", "blue"]),
        replace(before, variants=["middle-kingdom", "harmony", "lost-treasures"], seats=None, open_gems=["blue"]),
    ]
    game, context = TableGame(rules=before), Context(Storage(), "T")
    game = apply_changes(game, [SetRules(new_rules, before=before) for new_rules in rules], context)
    variants = ["middle-kingdom", "lost-treasures"]
    assert game.rules == TableRules(variants=variants, side=7, open_gems=["blue"])
    assert apply_changes(game, [SetRules(before)], context).rules == before


@pytest.mark.parametrize(("before", "after"), [("?", ["2,3", "?"]), (["?"], ["2,3"])])
def test_one_answer_closes_a_fact_only_if_the_photo_had_listed_the_others(before: Any, after: list[str]) -> None:
    info = PhotoInfo(pieces=[PieceDoubt("knight", "2,3", 0.6)])
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, {"knights": before}, photo_info=info)
    game = TableGame(rules=TableRules("queendomino"), rounds=[[kingdom]])
    (changed_kingdom,) = apply_changes(
        game, [AnswerPiece("k1", "knight", "2,3", True)], Context(Storage(), "T")
    ).kingdoms
    assert changed_kingdom.facts["knights"] == after


def test_a_fact_is_open_until_the_last_question_about_it_is_answered() -> None:
    info = PhotoInfo(pieces=[PieceDoubt("knight", "2,3", 0.6), PieceDoubt("knight", "0,1", 0.6)])
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, {"knights": ["?"]}, photo_info=info)
    game = TableGame(rules=TableRules("queendomino"), rounds=[[kingdom]])
    for place, knights in (("2,3", ["2,3", "?"]), ("0,1", ["0,1", "2,3"])):
        game = apply_changes(game, [AnswerPiece("k1", "knight", place, True)], Context(Storage(), "T"))
        assert game.kingdoms[0].facts["knights"] == knights


@pytest.mark.parametrize(
    ("key", "before", "at", "pieces", "after"),
    [
        ("knights", ["0,1", "?"], "2,3", ["2,3"], ["2,3", "0,1", "?"]),
        ("knights", ["0,1", "2,3", "?"], "2,3", [], ["0,1", "?"]),
        ("knights", ["0,1", "?"], "?", [], ["0,1"]),
        ("knights", "?", "2,3", ["2,3"], ["2,3", "?"]),
        ("court", ["2,3 Farmer", "2,3"], "2,3", ["2,3 Knight"], ["2,3 Knight"]),
        ("gems", [{"kind": "red", "between": "2,4 3,3"}, "?"], "2,3", [], ["?"]),
        ("buildings", ["2,3 Farm", {"at": "2,4", "points": 3}], "2,3", [], [{"at": "2,4", "points": 3}]),
    ],
)
def test_pieces_are_set_on_one_place_and_stay_on_the_others(
    key: str, before: Any, at: str, pieces: list[str], after: list[Any]
) -> None:
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, {key: before, "coins": 3})
    game, change = TableGame(rounds=[[kingdom]]), SetPieces("k1", key, at, pieces)
    (changed_kingdom,) = apply_changes(game, [change], Context(Storage(), "T")).kingdoms
    assert changed_kingdom.facts == {key: after, "coins": 3}


def test_no_more_pieces_answers_the_questions_about_pieces_that_are_not_listed() -> None:
    """A knight that is listed may still be none, and a building is another kind."""
    questions = [PieceDoubt(*values, 0.5) for values in (("knight", "0,0"), ("knight", "0,1"), ("building", "0,1"))]
    facts = {"knights": ["0,0", "?"], "buildings": ["?"]}
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, facts, photo_info=PhotoInfo(pieces=questions))
    change = SetPieces("k1", "knights", "?", [])
    (changed_kingdom,) = apply_changes(TableGame(rounds=[[kingdom]]), [change], Context(Storage(), "T")).kingdoms
    assert changed_kingdom.facts == {"knights": ["0,0"], "buildings": ["?"]}
    assert changed_kingdom.unconfirmed_info.pieces == [questions[0], questions[2]]


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("buildings", [[{"at": 3}], [5], [{}], {}, "farm", [{"at": "0,0", "name": 1}]]),
        ("gems", [[{}], [5], ["red"], {}, "red", [{"kind": 1, "between": 7}]]),
        ("gems", [[{"between": "0,0 1,1", "crowns": [1, 0, 0, -1]}], [{"between": "0,0 1,1", "turned": None}]]),
        ("court", [[5], [{"a": 1}], {"a": 1}, 5]),
        ("giants", [{"a": 1}]),
        ("knights", [[{"at": "0,0"}]]),
    ],
)
def test_pieces_that_the_page_cannot_show_are_refused(key: str, values: list[Any]) -> None:
    """Otherwise one link blanks the page of everybody at the table."""
    game = TableGame(rounds=[[TableKingdom("k1", "Ann", "blue", {"0,0": "#"})]])
    for facts in [{key: value} for value in values]:
        changes: list[Change] = [SetPieces("k1", key, "0,0", facts[key])] if isinstance(facts[key], list) else []
        added_kingdom = AddKingdom(facts=facts)
        changes += [added_kingdom, SetKingdom("k1", facts=facts), LoadGame(TableRules(), [[added_kingdom]])]
        for change in changes:
            with pytest.raises(Refusal, match=f"the {key} of this kingdom are no list of pieces") as error:
                apply_changes(game, [change], Context(Storage(), "T"))
            assert (error.value.status, error.value.hint) == (422, "send the keys of a kingdom in game files")


def test_a_doubt_of_a_square_that_does_not_exist_is_refused_also_while_doubts_are_not_ranked() -> None:
    """If it were accepted while facts are open, the program would refuse each change that closes them."""
    doubt = SquareDoubt("0,0", "w1", "w", 0.9, {"0,0": "x9"})
    kingdom = AddKingdom(board="w1 w / # f", facts={"coins": "?"}, doubts=[doubt])
    with pytest.raises(NotationError, match="'x9' is no square"):
        apply_changes(TableGame(rules=TableRules("queendomino")), [kingdom], Context(Storage(), "T"))


def test_the_colour_of_a_new_kingdom_has_no_control_characters() -> None:
    change = AddKingdom(board="#", colour="re\nd\x07")
    (kingdom,) = apply_changes(TableGame(), [change], Context(Storage(), "T")).kingdoms
    assert kingdom.colour == "re d\ufffd"


def test_a_new_photo_counts_for_what_it_shows_and_the_rest_stays() -> None:
    storage, cells = Storage(), {"0,0": "#"}
    old_facts, new_facts = {"queen": False, "knights": ["0,1"]}, {"queen": True, "knights": []}
    for name, photo_facts in {"r1": old_facts, "r2": new_facts}.items():
        reading = TableKingdom("", "", "", cells, photo_facts, photo_info=PhotoInfo(name))
        storage.add_reading("T", StoredReading(reading, b""))
    facts = old_facts | {"coins": 3}
    old_game = TableGame(
        rules=TableRules("queendomino"),
        rounds=[[TableKingdom("k1", "Ann", "blue", cells, facts, photo_info=PhotoInfo("r1"))]],
    )
    (kingdom,) = apply_changes(old_game, [ReplaceKingdom("k1", "r2")], Context(storage, "T")).kingdoms
    keys = ("queen", "coins", "knights", "towers")
    assert [kingdom.facts[key] for key in keys] == [True, 3, [], "?"]


def test_pieces_that_a_person_has_set_turn_with_the_kingdom_in_a_new_photo() -> None:
    """The board is turned clockwise by a quarter. A person had removed a knight that the photo shows."""
    storage, board = Storage(), Board.parse("# w1 f / g l s / m w2 g1")
    photo_facts: dict[str, Any] = {"knights": ["0,0", "1,1"], "gems": ["?"], "buildings": [{"at": "2,2", "name": "?"}]}
    gem = {"kind": "red", "between": "0,1 1,2", "crowns": [1, 0, 0, 0], "turned": 3}
    facts: dict[str, Any] = {
        "knights": ["0,0", "2,0", "?"],
        "gems": [gem],
        "buildings": ["2,2 Farm"],
        "claims": ["harmony"],
        "queen": False,
    }
    old_kingdom = TableKingdom("k1", "Ann", "blue", list_cells(board), facts, photo_info=PhotoInfo("r1"))
    storage.add_reading("T", StoredReading(replace(old_kingdom, id="", facts=photo_facts), b""))
    info = PhotoInfo("r2", squares=[[[]] * 3] * 3, pieces=[PieceDoubt("knight", "0,0", 0.6)])
    new_facts: dict[str, Any] = {"knights": ["0,2", "1,1"], "gems": [], "buildings": [{"at": "2,0", "name": "?"}]}
    reading = TableKingdom("", "", "", list_cells(board.rotate()), new_facts, photo_info=info)
    storage.add_reading("T", StoredReading(reading, b""))
    (kingdom,) = apply_changes(
        TableGame(rounds=[[old_kingdom]]), [ReplaceKingdom("k1", "r2")], Context(storage, "T")
    ).kingdoms
    assert kingdom.facts == facts | {
        "knights": ["?", "0,0", "0,2"],
        "gems": [gem | {"between": "1,1 2,2", "turned": 0}],
        "buildings": ["2,0 Farm"],
    }
    assert kingdom.photo_info == replace(info, pieces=[])


@pytest.mark.parametrize(
    ("present", "old_questions", "new_questions", "open_questions", "knights"),
    [
        (False, ["0,0"], ["0,2"], [], ["1,1"]),
        (True, ["0,0"], ["0,2"], [], ["0,2", "1,1"]),
        (False, ["0,0"], ["0,2", "2,2"], ["2,2"], ["1,1", "?"]),
        (True, ["0,0"], ["2,2"], ["2,2"], ["0,2", "1,1", "?"]),
        (False, ["0,0", "0,2"], ["0,2"], [], ["1,1"]),
        (False, ["0,0", "0,2"], ["0,2", "2,2"], ["2,2"], ["1,1", "?"]),
    ],
)
def test_an_answer_counts_for_its_question_about_a_new_photo_and_for_no_other_one(
    present: bool, old_questions: list[str], new_questions: list[str], open_questions: list[str], knights: list[str]
) -> None:
    """The board is turned clockwise by a quarter. A person answers the question about 0,0, which is then 0,2."""
    storage, board = Storage(), Board.parse("# w1 f / g l s / m w2 g1")
    kingdoms = []
    for name, questions in {"r1": old_questions, "r2": new_questions}.items():
        pieces = [*(PieceDoubt("knight", at, 0.4) for at in questions), PieceDoubt("queen", "1,1", 0.4)]
        info = PhotoInfo(name, squares=[[[]] * 3] * 3, pieces=pieces)
        cells = list_cells(board if name == "r1" else board.rotate())
        kingdoms.append(TableKingdom("", "", "", cells, {"knights": ["1,1", "?"]}, photo_info=info))
        storage.add_reading("T", StoredReading(kingdoms[-1], b""))
    game = TableGame(rules=TableRules("queendomino"), rounds=[[replace(kingdoms[0], id="k1")]])
    answers = [AnswerPiece("k1", "knight", "0,0", present), AnswerPiece("k1", "queen", "1,1", False)]
    changes: list[Change] = [*answers, ReplaceKingdom("k1", "r2"), ReplaceKingdom("k1", "r2")]
    (kingdom,) = apply_changes(game, changes, Context(storage, "T")).kingdoms
    assert kingdom.photo_info is not None
    assert [(piece.kind, piece.at) for piece in kingdom.photo_info.pieces] == [("knight", at) for at in open_questions]
    assert (sorted(kingdom.facts["knights"]), kingdom.facts["queen"]) == (knights, False)


@pytest.mark.parametrize("knights", [[], ["0,1", "0,2"]])
def test_pieces_of_a_kingdom_that_a_new_photo_does_not_show_are_to_check(knights: list[str]) -> None:
    """A person has removed a knight that the photo shows, or added one."""
    storage, photo_facts = Storage(), {"knights": ["0,1"]}
    for name in ("r1", "r2"):
        reading = TableKingdom("", "", "", {"0,0": "#"}, photo_facts, photo_info=PhotoInfo(name))
        storage.add_reading("T", StoredReading(reading, b""))
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, {"knights": knights}, photo_info=PhotoInfo("r1"))
    game, context = TableGame(rounds=[[kingdom]]), Context(storage, "T")
    (kingdom,) = apply_changes(game, [ReplaceKingdom("k1", "r2")], context).kingdoms
    assert kingdom.photo_info is not None and kingdom.photo_info.review
    assert kingdom.photo_info.problems == ["a new reading had no place for what a person had set: knights"]


@pytest.mark.parametrize(
    "change",
    [
        SetKingdom("k1", checked=True, reading="r1"),
        SetPieces("k1", "gems", "0,1", reading="r1"),
        SetSquare("k1", "0,1", "w", reading="r1"),
        AnswerPiece("k1", "knight", "0,1", True, reading="r1"),
    ],
)
def test_what_was_said_of_a_reading_does_not_count_for_another_one(change: Change) -> None:
    """A phone without a connection cannot confirm a board that its player has not seen."""
    storage, kingdom = Storage(), TableKingdom("k1", "Ann", "blue", {"0,0": "#"}, photo_info=PhotoInfo("r1"))
    context, game = Context(storage, "T"), TableGame(rounds=[[kingdom]])
    storage.add_reading("T", StoredReading(TableKingdom("", "", "", {}, photo_info=PhotoInfo("r2")), b""))
    assert change.apply(game, context) != game
    with pytest.raises(Refusal, match="Ann's kingdom has been read again since") as error:
        apply_changes(game, [ReplaceKingdom("k1", "r2"), change], context)
    assert error.value.status == 409


def test_a_board_that_has_changed_since_is_not_confirmed() -> None:
    """A phone without a connection does not show which squares a correction by another phone has changed."""
    context, cells = Context(Storage(), "T"), {"1,1": "#", "1,2": "w1", "2,1": "?"}
    game = TableGame(rounds=[[TableKingdom("k1", "Ann", "blue", cells, photo_info=PhotoInfo("r1", review=True))]])
    confirmation = SetKingdom("k1", checked=True, reading="r1", board=["# w1", "? ."])
    assert apply_changes(game, [confirmation], context).kingdoms[0].checked
    with pytest.raises(Refusal, match="Ann's kingdom has changed since") as error:
        apply_changes(game, [SetSquare("k1", "1,2", "w"), confirmation], context)
    assert error.value.status == 409


def test_a_round_that_is_left_of_a_dynasty_is_still_to_decide() -> None:
    kingdom = TableKingdom("k1", "Ann", "blue", {"0,0": "#"})
    game = TableGame(rules=TableRules(dynasty=True), rounds=[[], [kingdom], []], deciding=[1])
    game = apply_changes(game, [SetRules(PartialRules(dynasty=False))], Context(Storage(), "T"))
    assert (game.rounds, game.deciding) == ([[kingdom]], [0])


def test_a_colour_that_another_kingdom_of_the_photo_has_is_not_chosen() -> None:
    assert choose_player(TableGame(), 0, "", "", ("blue", "green")) == ("Player 1", "pink")
    assert choose_player(TableGame(), 0, "", "blue", ("blue", "green")) == ("Player 1", "blue")


def test_a_kingdom_without_a_colour_is_not_that_of_a_player_whose_colour_another_one_shows() -> None:
    """Otherwise the first kingdom of the photo becomes Ann's, and her own gets a new name."""
    game = TableGame(last_players=[Player("Ann", "blue"), Player("Bo", "green")])
    assert choose_player(game, 0, "", "", ("", "blue")) == ("Bo", "green")
    assert choose_player(game, 0, "", "blue", ("", "blue")) == ("Ann", "blue")
