"""What a person should review of an event, and what other boards would change."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from kdvision.batch.kingdoms import KingdomResult
from kdvision.batch.review import Impact, ReviewItem, Spot, make_item
from kdvision.batch.rules import SCORE_ELSEWHERE
from kdvision.batch.standings import EventStandings, rank_places
from kdvision.batch.store.folder import Data
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.standing import Contender, make_contender
from kdvision.game.table_check import find_table_problems
from kdvision.text import count_noun, join_words

COMPARE: Final = "compare it with the photo: kdvision review"


def list_board_items(standings: EventStandings) -> Iterator[ReviewItem]:
    """Yield items for boards and tables. A board that a person has given needs no review, unless it has towns."""
    yield from _find_table_problems(standings)
    yield from _check_tokens(standings)
    calculator = ImpactCalculator(standings)
    for kingdom in standings.seating.counting:
        if kingdom.has_towns or kingdom.photo.corrections.boards.get(kingdom.number) != kingdom.board:
            yield from calculator.review_items(kingdom)


class ImpactCalculator:
    """Calculates what another board of one kingdom would change in the standings."""

    def __init__(self, standings: EventStandings) -> None:
        self.standings = standings
        self.totals = standings.totals()
        self.total_places = rank_places(self.totals)
        self.contenders = {key: [standings.contenders[one.id] for one in own] for key, own in standings.games.items()}

    def review_items(self, kingdom: KingdomResult) -> Iterator[ReviewItem]:
        """Yield the item of a kingdom, with all its reasons, if it has to be reviewed."""
        data = kingdom.data
        effects = [(*self.impact_of(kingdom, _doubted_board(kingdom, doubt)), doubt) for doubt in data["doubts"]]
        effects.sort(key=lambda effect: (-effect[0], effect[2]["probability"]))
        impact, changes = effects[0][:2] if effects else (Impact.NOTHING, "")
        if data["problems"] and impact < Impact.PLACES:
            impact, changes = Impact.PLACES, "points"
        if kingdom.has_towns:
            impact, changes = Impact.WINNER_UNKNOWN, "who wins"
        if not data["review"] and impact < Impact.TABLE_WINNER:
            return
        doubts = [doubt for *_, doubt in effects]
        reasons = [_describe_doubt(doubt) for doubt in doubts] + [problem["text"] for problem in data["problems"]]
        yield ReviewItem(
            impact=impact,
            changes=changes,
            why="; ".join(reasons) or f"the probability of the whole board is only {100 * data['probability']:.1f} %",
            advice=_advice(kingdom),
            spot=Spot.of_kingdom(kingdom),
            kingdom=kingdom,
            stake=max((_stake(data, doubt) for doubt in doubts), default=0.0),
            points=data["total"],
            fixes=tuple(f"{kingdom.number}:{doubt['square']}={doubt['instead']}" for doubt in doubts),
        )

    def impact_of(self, kingdom: KingdomResult, board: Board) -> tuple[Impact, str]:
        """What changes if the kingdom has another board, with words for it."""
        rule_set = self.standings.rule_set(kingdom, board)
        new = make_contender(replace(kingdom.kingdom, board=board), rule_set, kingdom.number)
        game = self.contenders.get((kingdom.round, kingdom.table), [])
        before = rank_places(game)
        after = rank_places([new if one.player == kingdom.label else one for one in game])
        total_places = self._total_places_with(kingdom, new)
        if _winners(self.total_places) != _winners(total_places):
            return Impact.EVENT_WINNER, "who wins the event"
        if _winners(before) != _winners(after):
            where = f"table {kingdom.table} of round {kingdom.round}" if kingdom.table else f"round {kingdom.round}"
            return Impact.TABLE_WINNER, f"who wins {where}"
        if before != after or self.total_places != total_places:
            return Impact.PLACES, "places"
        if new.total != self.standings.contenders[kingdom.id].total:
            return Impact.POINTS, "points"
        return Impact.NOTHING, ""

    def _total_places_with(self, kingdom: KingdomResult, new: Contender) -> Mapping[str, int]:
        """The places over all rounds if the kingdom had the points of another contender."""
        if kingdom.round not in self.standings.rounds:
            return self.total_places
        if len(self.standings.rounds) > 1:
            total = new.total - self.standings.contenders[kingdom.id].total
            total += next((one.total for one in self.totals if one.player == kingdom.label), 0)
            new = Contender(kingdom.label, (total,), total)
        return rank_places([new if one.player == kingdom.label else one for one in self.totals])


def _find_table_problems(standings: EventStandings) -> Iterator[ReviewItem]:
    """Yield the problems of whole tables: a domino in two kingdoms, or more of a terrain than the box holds."""
    for (round_, table), kingdoms in standings.games.items():
        spot = Spot(round_, table, photo=kingdoms[0].photo.name)
        rule_set = standings.rule_set(kingdoms[0])
        if len(kingdoms) > rule_set.max_kingdoms:
            why = f"{len(kingdoms)} kingdoms at one table, where at most {rule_set.max_kingdoms} play"
            yield make_item(Impact.PLACES, why, "put the photos into folders of their tables", spot)
            continue
        for problem in find_table_problems([one.kingdom for one in kingdoms], rule_set):
            if problem.kingdom is None:
                why = f"over all kingdoms of the table: {problem.text}"
                yield make_item(Impact.PLACES, why, "compare its photos", spot)


def _check_tokens(standings: EventStandings) -> Iterator[ReviewItem]:
    """Yield an item for each kingdom whose tokens the event file does not list, and for lists of too many kingdoms.

    A kingdom without a list is scored without tokens.
    """
    kinds = standings.event.rules.token_kinds
    for kingdom in standings.seating.counting if kinds else ():
        if kingdom.number > len(kingdom.photo.rules.tokens):
            words = join_words([f"{kind.word}s" for kind in kinds])
            why = f"event.toml does not say where its {words} are, so it is scored without any"
            advice = f"list {join_words([kind.key for kind in kinds])} in a [[photo.kingdom]] for it, [] for none"
            yield make_item(Impact.WINNER_UNKNOWN, why, advice, Spot.of_kingdom(kingdom))
    for photo in standings.seating.photos:
        listed, shown = len(photo.rules.tokens), len(photo.kingdoms)
        if listed > shown > 0:
            why = f"event.toml lists tokens of {listed} kingdoms, and this photo shows {count_noun(shown, 'kingdom')}"
            advice = "compare the photo with its [[photo.kingdom]]"
            yield make_item(Impact.PLACES, why, advice, Spot(photo.seat.round, photo.seat.table, photo=photo.name))


def _advice(kingdom: KingdomResult) -> str:
    if kingdom.has_towns:
        return SCORE_ELSEWHERE
    if kingdom.data["pieces"] or kingdom.data["gems"]:
        return f"{COMPARE}; if another game was played, {SCORE_ELSEWHERE}"
    return COMPARE


def _doubted_board(kingdom: KingdomResult, doubt: Data) -> Board:
    """The board if the doubted square shows the alternative."""
    return kingdom.board.with_cells({Square.parse(doubt["square"]): parse_cell(doubt["instead"])})


def _stake(data: Data, doubt: Data) -> float:
    return float(round(abs(doubt["total_if"] - data["total"]) * (1 - doubt["probability"]), 6))


def _describe_doubt(doubt: Data) -> str:
    read, other = ("nothing" if word == "." else word for word in (doubt["read"], doubt["instead"]))
    sure = f"{100 * doubt['probability']:.0f} % sure"
    return f"{doubt['square']} is read as {read} ({sure}); as {other} the total is {doubt['total_if']}"


def _winners(places: Mapping[str, int]) -> list[str]:
    return sorted(player for player, place in places.items() if place == 1)
