"""What a person should review, sorted by what it may change."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import IntEnum
from typing import Any, Final

from kdvision.batch.event import SCORE_ELSEWHERE, find_towns_problem
from kdvision.batch.kingdoms import (
    KingdomResult,
    assign_players,
    differ_too_much,
    find_second_kingdoms,
    has_known_order,
)
from kdvision.batch.photos import make_name_key, make_natural_key
from kdvision.batch.standings import Standings
from kdvision.batch.store.folder import CORRECTIONS, RESULTS, Data
from kdvision.batch.store.record import Correction, CorrectionFile, PhotoRecord
from kdvision.errors import NotationError
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.game import find_table_problems
from kdvision.game.kingdom import UNKNOWN
from kdvision.game.scoring import score
from kdvision.game.standing import make_contender
from kdvision.text import count_noun, join_words

GIVE_PLAYERS: Final = "name its players in event.toml, under [[photo]], or in its file name, as in ann+bo.jpg"
GIVE_ORDER: Final = (
    "name its players in event.toml, under [[photo]], in the order of the kingdoms; typed ones come last"
)
CORRECT: Final = "correct it if it is wrong: kdvision review"
COMPARE: Final = "compare it with the photo: kdvision review"
CORRECT_PATH: Final = "correct round, table or player in the path of one, as in round2/table3/ann.jpg"
CORRECT_LISTING: Final = "correct the photo's folder or event.toml"
COMPARE_TABLE: Final = "compare its photos, and correct a board with kdvision review RESULTS --fix PHOTO:1:C3=w1"
CORRECT_AGAIN: Final = "correct it again if it still holds: kdvision review"
SIDE_CLAUSES: Final = ("kingdomino/grid", "kingdomino/complete")
"""Clauses about the side. Without a side in the event file only the number of kingdoms at a table limits it,
so no photo breaks them by itself."""
RETAKE: Final = "take the photo again"
TYPE_BOARD: Final = "or type the board: kdvision review"


class Impact(IntEnum):
    """How much something may change. Review items are sorted by it."""

    WINNER_UNKNOWN = 5
    """A kingdom is missing, or its player is not known."""
    EVENT_WINNER = 4
    TABLE_WINNER = 3
    PLACES = 2
    POINTS = 1
    NOTHING = 0


CHANGES: Final = {Impact.WINNER_UNKNOWN: "who wins", Impact.EVENT_WINNER: "points", Impact.PLACES: "points"}
"""What an item that is not about a single board may change."""


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review: why, and advice. `changes` says in words what depends on it.

    `photo`, `number` (of the kingdom in it), `round`, `table` and `player` say what it is about, as far as that is
    known. The other fields are those of an uncertain board. `stake` orders items of equal impact: the points in
    question times the probability of an error. `fixes` are possible corrections, such as `1:C3=w1`, by impact.
    """

    impact: Impact
    changes: str
    why: str
    advice: str
    photo: str = ""
    number: int = 0
    round: int = 0
    table: str = ""
    player: str = ""
    kingdom: KingdomResult | None = None
    stake: float = 0.0
    fixes: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[Any, ...]:
        names = make_natural_key(self.table), make_natural_key(self.photo)
        return -self.impact, -self.stake, self.round, *names, self.number, self.why

    @property
    def seat_words(self) -> list[str]:
        """The round and the table in words, as far as they are known."""
        return [f"round {self.round}"] * bool(self.round) + [f"table {self.table}"] * bool(self.table)


def _make_item(
    impact: Impact, why: str, advice: str, subject: PhotoRecord | KingdomResult | None = None, **fields: Any
) -> ReviewItem:
    """Return an item about a kingdom or a photo. The `fields` override what follows from that."""
    if isinstance(subject, KingdomResult):
        fields = {"number": subject.number, "player": subject.player, **fields}
        subject = subject.photo
    if subject is not None:
        fields = {"photo": subject.name, "round": subject.seat.round, "table": subject.seat.table, **fields}
    return ReviewItem(**{"impact": impact, "changes": CHANGES.get(impact, ""), "why": why, "advice": advice, **fields})


def check_seating(standings: Standings) -> Iterator[ReviewItem]:
    """Yield items for kingdoms that do not count, have no player or are missing, and for photos without a kingdom."""
    yield from _check_photos(standings)
    yield from _check_listing(standings)
    for best_kingdom, second_kingdom in find_second_kingdoms(standings.kingdoms):
        if second_kingdom.table != best_kingdom.table:
            place, other_place = (
                f"{f'table {kingdom.table}' if kingdom.table else 'no table'} ({kingdom.photo.name})"
                for kingdom in (best_kingdom, second_kingdom)
            )
            why = f"{best_kingdom.player} has a kingdom at {place} and one at {other_place}"
            yield _make_item(Impact.WINNER_UNKNOWN, why, f"{CORRECT_PATH}; the first counts", best_kingdom)
        elif best_kingdom.board.equals_turned(second_kingdom.board):
            rule_set = standings.get_rule_set(best_kingdom)
            total, other_total = (score(entry.kingdom, rule_set).total for entry in (best_kingdom, second_kingdom))
            if total != other_total and not second_kingdom.lacks_tokens:
                pieces = f"the pieces that event.toml lists for {second_kingdom.photo.name}"
                why = f"it has {total} points, and {other_total} with {pieces}"
                yield _make_item(Impact.EVENT_WINNER, why, "correct event.toml", best_kingdom)
        elif differ_too_much(best_kingdom, second_kingdom):
            why = f"{second_kingdom.photo.name} shows another kingdom of {best_kingdom.player}, which does not count"
            advice = f"{CORRECT_PATH} (a folder in that of a table is a player), or remove it"
            yield _make_item(Impact.WINNER_UNKNOWN, why, advice, best_kingdom)
        elif best_kingdom.data_read is None and not second_kingdom.is_known:
            points = count_noun(best_kingdom.data["total"], "point")
            why = (
                f"the board typed for {best_kingdom.photo.name} counts, with {points}; this photo was read differently"
            )
            yield _make_item(Impact.EVENT_WINNER, why, COMPARE, second_kingdom, kingdom=second_kingdom)
        elif second_kingdom.is_known or not best_kingdom.has_given_board:
            points = f"{best_kingdom.data['total']} and {second_kingdom.data['total']} points"
            why = f"another photo of this kingdom, {second_kingdom.photo.name}, was read differently: {points}"
            advice = f"compare both: {best_kingdom.photo.name} counts; {CORRECT}"
            yield _make_item(Impact.EVENT_WINNER, why, advice, best_kingdom, kingdom=best_kingdom)
    for kingdom, other_kingdom in standings.equal_pairs:
        why = f"{kingdom.source} and {other_kingdom.source} show the same kingdom"
        advice = "put the right photo in the place of one; or remove it, or give both the same player"
        yield _make_item(Impact.WINNER_UNKNOWN, why, advice, kingdom)
    for round_, table, player in standings.missing_players:
        photos = [photo for photo in standings.photos if photo.seat.round == round_ and player in photo.seat.players]
        failures = [(photo.error, photo.reading.hint) for photo in photos if photo.error is not None]
        error, hint = failures[0] if failures else (None, None)
        why = f"{player} has no kingdom in round {round_}{f': {error}' if error else ''}"
        advice = f"{hint or RETAKE}; {TYPE_BOARD}" if photos else "find the photo, or take it"
        photo = photos[0] if photos else None
        number = 0 if photo is None or photo.error is None else photo.seat.players.index(player) + 1
        if any(photo.error is None for photo in photos):
            advice = f"{GIVE_PLAYERS if all(map(has_known_order, photos)) else GIVE_ORDER}; or {RETAKE}"
        elif photo is not None and number in photo.corrections.boards:
            advice = f"{player}'s board is typed, and counts once those before it in the photo are typed, too"
        fields: dict[str, Any] = {"number": number, "round": round_, "table": table, "player": player}
        yield _make_item(Impact.WINNER_UNKNOWN, why, advice, photo, **fields)


def _check_photos(standings: Standings) -> Iterator[ReviewItem]:
    """Yield items for unreadable photos, for copies, and for photos in which a kingdom has no player."""
    event = standings.event
    for photo in standings.photos:
        players, count = photo.seat.players, len(photo.kingdoms)
        if photo.name in standings.original_by_copy:
            original = standings.original_by_copy[photo.name]
            why, impact = f"it is the same picture as {original.name}, and counts once", Impact.NOTHING
            advice = "nothing to do"
            if standings.is_misplaced(photo):
                owners = f" for {', '.join(original.seat.players)}" if original.seat.players else ""
                why, impact = f"{why}, in round {original.seat.round}{owners}", Impact.WINNER_UNKNOWN
                advice = "put the right photo in its place"
            elif photo.rules.tokens not in ((), original.rules.tokens):
                why, impact = f"{why}, and event.toml lists other pieces for it", Impact.EVENT_WINNER
                advice = "correct event.toml"
            yield _make_item(impact, why, advice, photo, player=", ".join(players))
        elif photo.error is not None and not players:
            advice = f"{photo.reading.hint or RETAKE}; {TYPE_BOARD}"
            yield _make_item(Impact.WINNER_UNKNOWN, photo.error, advice, photo)
        elif photo.error is None and players and not has_known_order(photo) and len(players) == count > 1:
            why = f"a board was typed beside {count_noun(len(photo.reading.kingdoms), 'kingdom')} that the photo shows"
            yield _make_item(Impact.WINNER_UNKNOWN, f"{why}, so nobody knows whose each of them is", GIVE_ORDER, photo)
        elif photo.error is None and players and len(players) != count:
            kingdom = next((result for result in standings.kingdoms if result.photo is photo and result.player), None)
            sentence = f"it shows {count_noun(count, 'kingdom')}"
            if kingdom is not None and not kingdom.has_given_board:
                why = f"{sentence}, and {players[0]} has one: kingdom {kingdom.number} counts"
                advice = f"{GIVE_PLAYERS}; or {COMPARE}"
                yield _make_item(Impact.EVENT_WINNER, why, advice, kingdom, kingdom=kingdom)
            elif kingdom is None:
                why = f"{sentence}, and these players should be in it: {', '.join(players)}"
                yield _make_item(Impact.WINNER_UNKNOWN, why, GIVE_PLAYERS, photo)
        elif count and not players and (event.players or event.teams or len(standings.all_rounds) > 1):
            yield _make_item(Impact.WINNER_UNKNOWN, "the player of this kingdom is not known", GIVE_PLAYERS, photo)


def _check_listing(standings: Standings) -> Iterator[ReviewItem]:
    """Yield items for rounds and players that the event file does not list."""
    rounds, players = standings.event.rounds, {make_name_key(name): name for name in standings.event.players}
    if standings.absent_rounds:
        why = f"there are photos of later rounds, and none of round {standings.absent_rounds[0]}"
        yield _make_item(Impact.WINNER_UNKNOWN, why, "find its photos, or correct the names of the others")
    for table in standings.unclear_rounds:
        advice = "write its number, as in round2; or move it into a folder such as round1, if it is a table"
        yield _make_item(Impact.WINNER_UNKNOWN, f"{table} may be a round", advice, table=table)
    for (round_, table), groups in standings.unclear_groups.items():
        why = f"photos of one table are in several folders: {join_words(groups)} may be a round or a table"
        advice = "put them into one folder, or write round and table, as in round2/table3"
        yield _make_item(Impact.WINNER_UNKNOWN, why, advice, round=round_, table=table)
    for kingdom in standings.kingdoms:
        if rounds and kingdom.round > rounds:
            why = f"event.toml has {count_noun(rounds, 'round')}: round {kingdom.round} is in no total"
            yield _make_item(Impact.WINNER_UNKNOWN, why, CORRECT_LISTING, kingdom, number=0)
        if players and kingdom.player and make_name_key(kingdom.player) not in players:
            matches = get_close_matches(make_name_key(kingdom.player), players, n=1)
            question = f"; is it {players[matches[0]]}?" if matches else ""
            why = f"{kingdom.player} is not among the players of event.toml{question}"
            yield _make_item(Impact.WINNER_UNKNOWN, why, "correct the photo's name or event.toml", kingdom, number=0)
    for photo, player, listed_table in standings.unlisted_seats:
        place = f"table {photo.seat.table}" if photo.seat.table else "no table"
        why = f"event.toml does not list {player} at {place}"
        if listed_table is not None:
            why = f"event.toml seats {player} at table {listed_table}, and this photo is at {place}"
        yield _make_item(Impact.WINNER_UNKNOWN, why, CORRECT_LISTING, photo, player=player)


def check_unmatched(standings: Standings, corrections: CorrectionFile) -> Iterator[ReviewItem]:
    """Yield items for photos that are gone or were replaced, and for corrections that cannot be applied."""
    for photo in standings.gone_photos:
        if photo.name in standings.event.photos:
            continue
        why = f"it is no longer in the folder; its result is kept in {RESULTS} and does not count"
        if photo.error is not None:
            why = f"it is no longer in the folder, and could not be read: {photo.error}"
        if photo in standings.lost_photos:
            advice = f"put it back, or {RETAKE}; or remove its line from {RESULTS} if it should not count"
            yield _make_item(Impact.WINNER_UNKNOWN, why, advice, photo, player=", ".join(photo.seat.players))
        elif _is_correction_lost(standings, photo):
            advice = f"put it back; or compare the photo in its place, or remove its line from {RESULTS}"
            yield _make_item(Impact.EVENT_WINNER, f"{why}, nor does its correction", advice, photo)
        else:
            yield _make_item(Impact.NOTHING, why, "put it back if it should count", photo=photo.name)
    for photo in standings.shrunk_photos:
        counts = f"{photo.earlier_table_kingdoms} kingdoms before this photo was taken again"
        why = f"its table had {counts}, and has {standings.count_table_kingdoms(photo)}"
        advice = f"take a photo of the others; or remove its line from {RESULTS} if none is missing"
        yield _make_item(Impact.WINNER_UNKNOWN, why, advice, photo)
    absent_names = {name for _, _, name in standings.absent_photos}
    for name in sorted(standings.event.photos.keys() - {photo.name for photo in standings.photos}):
        seat, impact = standings.event.find_seat(name), Impact.WINNER_UNKNOWN if name in absent_names else Impact.PLACES
        why, advice = "event.toml lists this photo, and it is not in the folder", "add it, or correct its name there"
        yield _make_item(impact, why, advice, photo=name, round=seat.round, table=standings.find_table(seat))
    for error in corrections.errors:
        why = f"a correction is not valid: {error}"
        yield _make_item(Impact.PLACES, why, "correct that line or remove it", photo=CORRECTIONS)
    for photo in standings.photos:
        for correction in photo.corrections.outdated_corrections:
            if correction.player:  # whoever has no kingdom now is reported as missing
                why = f"the board typed for {correction.player} does not count: {photo.name} has other players now"
                yield _make_item(Impact.NOTHING, why, "correct the players if it should count", photo=CORRECTIONS)
                continue
            why = f"the correction {correction} does not count: the squares of its kingdom have other names now"
            yield _make_item(Impact.PLACES, why, CORRECT_AGAIN, photo, number=correction.kingdom)
    for kingdom, correction in standings.moved_kingdoms:
        why = f"kingdom {kingdom.number} was kingdom {correction.kingdom} in the earlier photo of this name"
        advice = "compare the order of its players with the photo, and correct it in event.toml or the photo's name"
        advice += f"; then remove the correction {correction} from {CORRECTIONS}"
        yield _make_item(Impact.WINNER_UNKNOWN, f"{why}, so its players may be in another order", advice, kingdom)
    for correction in standings.unmatched_corrections:
        why = f"the correction {correction} is about another photo of this name, or one that is not in the folder"
        yield _make_item(Impact.NOTHING, why, CORRECT_AGAIN, photo=correction.photo)


def _is_correction_lost(standings: Standings, photo: PhotoRecord) -> bool:
    """Return whether a gone photo has a corrected kingdom, and no kingdom that counts equals it or was corrected."""
    for kingdom in assign_players(photo):
        key = kingdom.round, make_name_key(kingdom.label)
        if kingdom.is_known and not any(
            other.board.equals_turned(kingdom.board)
            or (other.is_known and key == (other.round, make_name_key(other.label)))
            for other in standings.counted_kingdoms
        ):
            return True
    return False


def check_boards(standings: Standings) -> Iterator[ReviewItem]:
    """Yield items for boards and tables. A board that a person has given needs none unless it has towns or a "?"."""
    for (round_, table), kingdoms in standings.games.items():
        fields: dict[str, Any] = {"round": round_, "table": table, "photo": kingdoms[0].photo.name}
        rule_set = standings.get_rule_set(kingdoms[0])
        if len(kingdoms) > rule_set.max_kingdoms:
            why = f"{len(kingdoms)} kingdoms at one table, where at most {rule_set.max_kingdoms} play"
            yield _make_item(Impact.WINNER_UNKNOWN, why, "put the photos into folders of their tables", **fields)
            continue
        if all(kingdom.has_given_board for kingdom in kingdoms):
            continue
        for problem in find_table_problems([kingdom.kingdom for kingdom in kingdoms], rule_set):
            kingdom = None if problem.kingdom is None else kingdoms[problem.kingdom]
            if kingdom is None:
                why = f"over all kingdoms of the table: {problem.text}"
                yield _make_item(Impact.PLACES, why, COMPARE_TABLE, **fields)
            elif standings.event.rules.side is None and problem.clause in SIDE_CLAUSES and not kingdom.has_given_board:
                yield _make_item(Impact.PLACES, problem.text, COMPARE, kingdom)
    yield from _check_tokens(standings)
    for kingdom in standings.counted_kingdoms:
        if kingdom.data_read is not None and kingdom.differs_from_new_photo:
            points = f"{kingdom.data['total']} and {kingdom.data_read['total']} points"
            why = f"its board was typed before the photo could be read, and the photo was read differently: {points}"
            yield _make_item(Impact.EVENT_WINNER, why, COMPARE, kingdom, kingdom=kingdom)
        if kingdom.has_towns or kingdom.board.unknown or not kingdom.has_given_board:
            yield from _check_board(standings, kingdom)


def _check_tokens(standings: Standings) -> Iterator[ReviewItem]:
    """Yield an item for each kingdom whose tokens the event file does not list, and for lists of too many kingdoms.

    A kingdom without a list is scored without tokens.
    """
    kinds = standings.event.rules.token_kinds
    for kingdom in standings.counted_kingdoms:
        if kingdom.lacks_tokens:
            words = join_words([f"{kind.word}s" for kind in kinds])
            why = f"event.toml does not say where its {words} are, so it is scored without any"
            advice = f"list {join_words([kind.key for kind in kinds])} in a [[photo.kingdom]] for it, [] for none"
            yield _make_item(Impact.WINNER_UNKNOWN, why, advice, kingdom)
    for photo in standings.photos:
        lists, kingdoms = len(photo.rules.tokens), len(photo.kingdoms)
        if lists > kingdoms > 0:
            why = f"event.toml lists tokens of {lists} kingdoms, and this photo shows {count_noun(kingdoms, 'kingdom')}"
            yield _make_item(Impact.PLACES, why, "compare the photo with its [[photo.kingdom]]", photo)


def _check_board(standings: Standings, kingdom: KingdomResult) -> Iterator[ReviewItem]:
    """Yield the item of a kingdom, with all its reasons, if it has to be reviewed."""
    data = kingdom.data
    effects = []
    for doubt in data["doubts"]:
        board = kingdom.board.with_cells({Square.parse(doubt["square"]): parse_cell(doubt["instead"])})
        effects.append((*find_impact(standings, kingdom, board), doubt))
    effects.sort(key=lambda effect: (-effect[0], effect[2]["probability"]))
    impact, changes = effects[0][:2] if effects else (Impact.NOTHING, "")
    if data["problems"] and impact < Impact.PLACES:
        impact, changes = Impact.PLACES, "points"
    if kingdom.has_towns or kingdom.board.unknown:
        impact, changes = Impact.WINNER_UNKNOWN, "who wins"
    if not data["review"] and impact < Impact.TABLE_WINNER:
        return
    doubts, towns = [doubt for *_, doubt in effects], find_towns_problem(kingdom.board)
    reasons, advice = [*map(_describe_doubt, doubts), *(problem["text"] for problem in data["problems"])], COMPARE
    if towns is not None:  # Kingdomino's rules judge nothing else in another game
        reasons, advice = [towns.text], SCORE_ELSEWHERE
    elif data["pieces"] or data["gems"]:
        advice += f"; if another game was played, {SCORE_ELSEWHERE}"
    stakes = [abs(doubt["total_if"] - data["total"]) * (1 - doubt["probability"]) for doubt in doubts]
    yield _make_item(
        impact,
        "; ".join(reasons) or f"the probability of the whole board is only {100 * data['probability']:.1f} %",
        advice,
        kingdom,
        changes=changes,
        kingdom=kingdom,
        stake=round(max(stakes, default=0.0), 6),
        fixes=tuple(_list_fixes(kingdom, doubts)),
    )


def _list_fixes(kingdom: KingdomResult, doubts: Iterable[Data]) -> Iterator[str]:
    """Yield the corrections of doubtful squares that would be accepted, such as `1:C3=w1`."""
    for doubt in doubts:
        correction = Correction(kingdom.photo.name, "", kingdom.number, doubt["square"], doubt["instead"])
        with suppress(NotationError):
            yield str(correction.attach(kingdom.photo))


def _describe_doubt(doubt: Data) -> str:
    read_word, other_word = ("nothing" if word == "." else word for word in (doubt["read"], doubt["instead"]))
    if read_word == UNKNOWN:
        return f"if {doubt['square']} is {other_word}, the total is {doubt['total_if']}"
    confidence = f"{100 * doubt['probability']:.0f} % sure"
    return f"{doubt['square']} is read as {read_word} ({confidence}); as {other_word} the total is {doubt['total_if']}"


def find_impact(standings: Standings, kingdom: KingdomResult, board: Board) -> tuple[Impact, str]:
    """Return what changes in the standings if a kingdom has another board, as an impact and in words."""
    other_kingdom, rule_set = replace(kingdom.kingdom, board=board), standings.get_rule_set(kingdom, board)
    key, before = (kingdom.round, kingdom.table), standings.contenders
    after = {**before, kingdom.id: make_contender(other_kingdom, rule_set, kingdom.number)}
    if rule_set.side != standings.get_rule_set(kingdom).side:  # it counts for the others of the game, too
        others = (result for result in standings.games.get(key, ()) if result is not kingdom)
        after |= {result.id: make_contender(result.kingdom, rule_set, result.number) for result in others}
    old_places, new_places = standings.places[key], standings.rank_all(*key, after)
    round_words = f"round {kingdom.round}"
    table_words = f"table {kingdom.table} of {round_words}" if kingdom.table else round_words
    for old, new, impact, words in zip(
        old_places,
        new_places,
        (Impact.EVENT_WINNER, Impact.EVENT_WINNER, Impact.TABLE_WINNER, Impact.TABLE_WINNER),
        ("who wins the event", "which team wins", f"who wins {table_words}", f"who wins {round_words}"),
        strict=True,
    ):
        if _find_winners(old) != _find_winners(new):
            return impact, words
    if old_places != new_places:
        return Impact.PLACES, "places"
    is_same = before[kingdom.id].total == after[kingdom.id].total
    return (Impact.NOTHING, "") if is_same else (Impact.POINTS, "points")


def _find_winners(places: Mapping[str, int]) -> list[str]:
    return sorted(player for player, place in places.items() if place == 1)
