"""The score of the game at a table: each kingdom has its points, whatever is wrong with the game.

The winner is announced when nothing has to be checked or decided any more; until then the verdict says who leads.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from kdvision.errors import KdvisionError
from kdvision.game.board import parse_cell
from kdvision.game.game import WINNER_UNKNOWN, make_game
from kdvision.game.game import Game as PlayedGame
from kdvision.game.kingdom import Kingdom as PlayedKingdom
from kdvision.game.kingdom import Table
from kdvision.game.legality import Problem, check_extent
from kdvision.game.open_facts import close_queen, has_one_queen, has_open_facts
from kdvision.game.players import make_names_unique
from kdvision.game.standing import rank_dynasty, rank_kingdoms
from kdvision.gamefile.model import game_from_dict
from kdvision.report.doubt_effects import Alternative, score_doubts
from kdvision.report.game import build_round_result
from kdvision.report.to_dict import kingdom_to_dict, problem_to_dict, scored_doubt_to_dict, standing_to_dict
from kdvision.text import count_noun, join_words
from kdvision.web.limits import MAX_KINGDOM_SIDE
from kdvision.web.table.model import SquareDoubt, TableGame, TableKingdom, format_place, name_squares, parse_place

BOARD_FACTS: Final = ("discarded", "claims")
"""Facts of every game."""


def score_table(game: TableGame) -> dict[str, Any]:
    """Return the score as plain values (models.TableScore)."""
    game = _leave_out_unplayed_pieces(game)
    parsed_rounds = [[_parse_kingdom(kingdom, game) for kingdom in kingdoms] for kingdoms in game.rounds]
    played_game = _make_game(game, [[kingdom for kingdom, _ in kingdoms] for kingdoms in parsed_rounds])
    errors = [[error for _, error in kingdoms] for kingdoms in parsed_rounds]
    rounds = [_score_round(game, played_game, number, round_errors) for number, round_errors in enumerate(errors)]
    standing = rounds[0]["standing"]
    if len(rounds) > 1:
        for number, score in enumerate(rounds, start=1):
            if text := score["verdict"]["text"]:  # shared and listed without the number of its round
                score["verdict"]["text"] = f"round {number}: {text}"
        standing = _rank_dynasty(game, played_game, rounds) if played_game.has_result else None
    return {
        "rules": played_game.rule_set.name,
        "side": played_game.side,
        "rounds": rounds,
        "standing": standing,
        "messages": [{"text": text, "hint": hint} for text, hint in find_messages(game)],
    }


def _leave_out_unplayed_pieces(game: TableGame) -> TableGame:
    """Return the game without questions about pieces that are no part of it: the page does not ask them."""
    facts = game.rules.facts
    for kingdom in game.kingdoms:
        if (info := kingdom.photo_info) is not None and info.pieces:
            pieces = [piece for piece in info.pieces if facts & {piece.kind, f"{piece.kind}s"}]
            game = game.with_kingdom(structs.replace(kingdom, photo_info=structs.replace(info, pieces=pieces)))
    return game


def _rank_dynasty(game: TableGame, played_game: PlayedGame, rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the standing of a Dynasty as plain values (models.Standing), from the scores of its rounds."""
    to_check = [f"round {number}" for number, score in enumerate(rounds, start=1) if not score["verdict"]["certain"]]
    notes = [f"still to check: {join_words(to_check)}"] if to_check else []
    for number, kingdoms in enumerate(game.rounds, start=1):
        names = {kingdom.player.casefold() for kingdom in kingdoms}
        if len(names) < len(kingdoms):
            notes.append(f"round {number} has two kingdoms of one player")
        missing_players = [player.player for player in game.players if player.player.casefold() not in names]
        if missing_players:
            notes.append(f"round {number} has no kingdom of {join_words(missing_players)}")
    played_rounds = [table.kingdoms for table in played_game.rounds]
    standing = rank_dynasty(played_rounds, played_game.rule_set, is_over=not notes)
    return standing_to_dict(replace(standing, reason="; ".join([standing.reason, *notes])))


def _list_pending(game: TableGame, played_game: PlayedGame, number: int) -> Iterator[str]:
    """Yield what may still change a round in which no square has to be checked."""
    kingdoms, limit = game.rounds[number], played_game.rule_set.max_kingdoms
    if number in game.deciding:
        yield "squares are being decided again"
    if any(proposal.round == number for proposal in game.proposals):
        yield "a question about a photo is open"
    if len(kingdoms) > min(game.rules.seats or limit, limit):
        yield "there are too many kingdoms"
    if not has_one_queen(played_game.rounds[number].kingdoms):
        yield "the Queen is in several kingdoms"


def _score_round(game: TableGame, played_game: PlayedGame, number: int, errors: Sequence[str | None]) -> dict[str, Any]:
    """Return the score of a round as plain values (models.RoundScore); `errors` are those of its kingdoms."""
    kingdoms, table = game.rounds[number], played_game.rounds[number]
    result = build_round_result(played_game, table, "")
    questions = [*_list_questions(kingdoms, table, played_game)]
    scores, side = [], played_game.rule_set.side
    pairs = zip(kingdoms, errors, strict=True)
    in_doubt = {kingdom.id: kingdom for kingdom, error in pairs if error or _is_in_doubt(kingdom, side)}
    for kingdom, scored_kingdom, error in zip(kingdoms, result.kingdoms, errors, strict=True):
        values, info = kingdom_to_dict(scored_kingdom), kingdom.unconfirmed_info
        if info.reading:  # the total is right at least where the board is
            names = ("probability", "points_probability")
            values |= {name: values[name] and min(values[name], info.probability) for name in names}
        texts = {problem["text"] for problem in values["problems"]}
        warnings = [text for text in info.problems if text not in texts]
        values["problems"] += [problem_to_dict(Problem((), text)) for text in warnings]
        scores.append(
            values
            | {
                "id": kingdom.id,
                "player": kingdom.player,
                "error": error,
                "review": kingdom.id in in_doubt or (not (kingdom.photo_info or kingdom.checked) and values["review"]),
                "doubts": [question for question in questions if question["kingdom"] == kingdom.id],
            }
        )
    round_score: dict[str, Any] = {
        "kingdoms": scores,
        "standing": None if result.standing is None else standing_to_dict(result.standing),
        "outlook": result.outlook or None,
        "problems": [problem_to_dict(problem) for problem in result.shared_problems],
        "note": played_game.describe_missing_kingdoms(table) or None,
        "questions": questions,
    }
    verdict = _describe_round(game, played_game, number, in_doubt, round_score)
    if round_score["standing"] is not None:
        round_score["standing"]["reason"] = verdict["text"]  # which names no winner before it is certain
    return round_score | {"verdict": verdict}


def _is_in_doubt(kingdom: TableKingdom, side: int) -> bool:
    """Return True if a person should check a kingdom: its photo leaves questions, or its board exceeds `side`."""
    info = kingdom.unconfirmed_info
    has_questions = info.review and (info.reading or info.doubts or info.pieces or info.problems)
    return bool(has_questions or (info.reading and any(check_extent(kingdom.board, side))))


def _describe_round(
    game: TableGame, played_game: PlayedGame, number: int, in_doubt: Mapping[str, TableKingdom], score: dict[str, Any]
) -> dict[str, Any]:
    """Return who wins a round with this `score`, or who leads and what is still to check (models.Verdict)."""
    kingdoms, table = game.rounds[number], played_game.rounds[number]
    pending = [*_list_pending(game, played_game, number)]
    count = sum(len(entry.unconfirmed_info.doubts) + len(entry.unconfirmed_info.pieces) for entry in in_doubt.values())
    standing = rank_kingdoms(table.kingdoms, played_game.rule_set, is_over=False)
    is_certain = len(kingdoms) > 1 and not (in_doubt or pending) and played_game.has_round_result(table)
    if len(kingdoms) < 2:
        text = ""
    elif is_certain:
        text = score["standing"]["reason"]
    elif played_game.is_open(table):
        text = WINNER_UNKNOWN if in_doubt or pending else score["outlook"]
    else:
        phrases = [standing.reason]
        if count:
            phrases.append(f"{count_noun(count, 'square')} to check")
        elif in_doubt:
            phrases.append(f"still to check: {join_words([kingdom.player for kingdom in in_doubt.values()])}")
        for question in score["questions"]:
            if question["changes_winner"] and question["kingdom"] in in_doubt:
                phrases.append(f"{question['square']} of {in_doubt[question['kingdom']].player} decides it")
                break
        text = "; ".join([*phrases, *pending])
    first = [kingdoms[place.index].id for place in standing.winners] if len(kingdoms) > 1 else []
    return {"text": text, "certain": is_certain, "to_check": count, "first": first}


def _list_questions(
    kingdoms: Sequence[TableKingdom], table: Table, played_game: PlayedGame
) -> Iterator[dict[str, Any]]:
    """Yield the doubts of a round as plain values (models.TableDoubt), the most decisive first.

    There are none while facts are open, or too many or too large kingdoms are at the table to rank: that could take
    many seconds.
    """
    is_too_large = any(max(kingdom.board.extent) > MAX_KINGDOM_SIDE for kingdom in table.kingdoms)
    if is_too_large or any(map(has_open_facts, table.kingdoms)) or len(kingdoms) > played_game.rule_set.max_kingdoms:
        return
    alternatives = [[_make_alternative(doubt, entry) for doubt in entry.unconfirmed_info.doubts] for entry in kingdoms]
    for doubt in score_doubts(table.kingdoms, alternatives, played_game.rule_set):
        kingdom = kingdoms[doubt.kingdom]
        yield {
            **scored_doubt_to_dict(doubt),
            "kingdom": kingdom.id,
            "at": format_place(doubt.square, kingdom.top_left),
            "square": doubt.square.name if min(doubt.square) >= 0 else "",
            "verdict": doubt.verdict or None,
        }


def _make_alternative(doubt: SquareDoubt, kingdom: TableKingdom) -> Alternative:
    """Return the doubt with the board in that case. Tiles beyond the board's frame are left out."""
    top_left, board = kingdom.top_left, kingdom.board
    cells = {parse_place(place, top_left): parse_cell(cell) for place, cell in doubt.changes.items()}
    inside_cells = {at: cell for at, cell in cells.items() if 0 <= at.row < board.height and 0 <= at.col < board.width}
    square = parse_place(doubt.at, top_left)
    return Alternative(square, doubt.read, doubt.probability, doubt.instead, board.with_cells(inside_cells))


def _parse_kingdom(kingdom: TableKingdom, game: TableGame) -> tuple[PlayedKingdom, str | None]:
    """Return the kingdom and what is wrong with its facts; with wrong facts it is scored by its board alone."""
    rules = game.rules
    keys = rules.facts.union(BOARD_FACTS)
    given_facts = {key: value for key, value in name_squares(kingdom.facts, kingdom).items() if key in keys}
    data = {
        "game": rules.game,
        "variants": rules.variants,
        "kingdom": [given_facts | {"board": [*kingdom.board.format_rows()]}],
    }
    try:
        (table,) = game_from_dict(data, name=kingdom.player).rounds
    except KdvisionError as error:
        return PlayedKingdom(kingdom.board, kingdom.player), str(error)
    return replace(table.kingdoms[0], player=kingdom.player), None


def _make_game(game: TableGame, rounds: Sequence[Sequence[PlayedKingdom]]) -> PlayedGame:
    """Return the game by its rules. Equal names get a number, so that each kingdom has its own place."""
    rules, tables = game.rules, []
    gems = tuple(name.casefold() for name in rules.open_gems) if "lost-treasures" in rules.variants else ()
    for kingdoms in rounds:
        numbers = [f"kingdom {number}" for number in range(1, len(kingdoms) + 1)]
        names = make_names_unique([kingdom.player for kingdom in kingdoms], numbers)
        named_kingdoms = [replace(kingdom, player=name) for kingdom, name in zip(kingdoms, names, strict=True)]
        seats = max(rules.seats, len(named_kingdoms)) if rules.seats else 0
        tables.append(Table(close_queen(named_kingdoms), gems, seats))
    teams = rules.teams and rules.game == "royal-wedding"
    return make_game(rules.game, tables, side=7 if teams else rules.side, variants=rules.variants, teams=teams)


def find_messages(game: TableGame) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the names and the number of kingdoms, and what to do about it.

    Other problems of the whole game are those of its rounds.
    """
    for kingdoms in game.rounds:
        count = Counter(kingdom.player.casefold() for kingdom in kingdoms)
        for name, player in {kingdom.player.casefold(): kingdom.player for kingdom in reversed(kingdoms)}.items():
            if count[name] > 1:
                number = "Two" if count[name] == 2 else str(count[name])
                yield f"{number} kingdoms are called {player}.", "Give each its own name."
        if game.rules.seats and len(kingdoms) > game.rules.seats:
            text = f"{len(kingdoms)} kingdoms are at the table, and the rules say {game.rules.seats}."
            yield text, "Remove a kingdom, or change the number of kingdoms in the rules."
