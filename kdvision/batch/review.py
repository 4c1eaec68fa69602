"""What a person should review, by impact: first what may change who wins, then places, then points."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kdvision.batch.naming import natural_key
from kdvision.batch.notices import Impact, Notice, Spot
from kdvision.batch.rules import SCORE_ELSEWHERE
from kdvision.batch.seating import KingdomResult
from kdvision.batch.standings import EventStandings, iterate_places
from kdvision.batch.storage import Data
from kdvision.game.board import Board, Square, parse_cell
from kdvision.game.kingdom import Kingdom
from kdvision.game.standing import Contender, make_contender
from kdvision.game.table_check import find_table_problems

COMPARE: Final = "compare it with the photo: kdvision review"
NOTICE_CHANGES: Final = {Impact.WINNER_UNKNOWN: "who wins", Impact.EVENT_WINNER: "points", Impact.PLACES: "points"}
"""What a notice says that it may change."""


@dataclass(frozen=True)
class ReviewItem:
    """One thing to review. `changes` says in words what depends on it.

    `stake` orders items of equal impact: the points in question times the probability of an error. `fixes` are possible
    corrections, such as `1:C3=w1`, by impact.
    """

    impact: Impact
    changes: str
    why: str
    advice: str
    stake: float = 0.0
    spot: Spot = field(default_factory=Spot)
    points: int | None = None
    fixes: tuple[str, ...] = ()
    kingdom: KingdomResult | None = None

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key."""
        spot, photo = self.spot, natural_key(self.spot.photo)
        return -self.impact, -self.stake, spot.round, natural_key(spot.table), photo, spot.kingdom, self.why


def list_review_items(standings: EventStandings, confirmed: Mapping[tuple[str, int], str]) -> list[ReviewItem]:
    """All that should be reviewed. `confirmed` are the boards that a person has given, by photo and kingdom."""
    calculator = ImpactCalculator(standings)
    notices = (*standings.seating.notices, *_find_table_problems(standings))
    items = [
        ReviewItem(one.impact, NOTICE_CHANGES.get(one.impact, ""), one.why, one.advice, spot=one.spot)
        for one in notices
    ]
    for kingdom in standings.seating.counting:
        if kingdom.has_towns or confirmed.get(kingdom.id) != str(kingdom.board):
            items += calculator.review_items(kingdom)
    return sorted(items, key=lambda item: item.order)


def select_with_impact(items: Sequence[ReviewItem]) -> list[ReviewItem]:
    """The items that may change something, as far as is known."""
    return [item for item in items if item.impact > Impact.NOTHING]


class ImpactCalculator:
    """Calculates what another board of one kingdom would change in the standings."""

    def __init__(self, standings: EventStandings) -> None:
        self.standings = standings
        self.totals = standings.totals()
        self.total_places = dict(iterate_places(self.totals))
        self.contenders = {key: [standings.contender(one) for one in own] for key, own in standings.games.items()}

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
            stake=max((_stake(data, doubt) for doubt in doubts), default=0.0),
            spot=Spot(kingdom.round, kingdom.table, kingdom.player, *kingdom.id),
            points=data["total"],
            fixes=tuple(f"{kingdom.number}:{doubt['square']}={doubt['instead']}" for doubt in doubts),
            kingdom=kingdom,
        )

    def impact_of(self, kingdom: KingdomResult, board: Board) -> tuple[Impact, str]:
        """What changes if the kingdom has another board, with words for it."""
        new = make_contender(
            Kingdom(board, player=kingdom.label), self.standings.rule_set(kingdom, board), kingdom.number
        )
        game = self.contenders.get((kingdom.round, kingdom.table), [])
        before = dict(iterate_places(game))
        after = dict(iterate_places(new if one.player == kingdom.label else one for one in game))
        total_places = self._total_places_with(kingdom, new)
        if _winners(self.total_places) != _winners(total_places):
            return Impact.EVENT_WINNER, "who wins the event"
        if _winners(before) != _winners(after):
            where = f"table {kingdom.table} of round {kingdom.round}" if kingdom.table else f"round {kingdom.round}"
            return Impact.TABLE_WINNER, f"who wins {where}"
        if before != after or self.total_places != total_places:
            return Impact.PLACES, "places"
        if new.total != self.standings.contender(kingdom).total:
            return Impact.POINTS, "points"
        return Impact.NOTHING, ""

    def _total_places_with(self, kingdom: KingdomResult, new: Contender) -> dict[str, int]:
        """The places over all rounds if the kingdom had the points of another contender."""
        if kingdom.round not in self.standings.rounds:
            return self.total_places
        if len(self.standings.rounds) > 1:
            old = next((one for one in self.totals if one.player == kingdom.label), new)
            total = old.total + new.total - self.standings.contender(kingdom).total
            new = replace(old, keys=(total,), total=total)
        return dict(iterate_places(new if one.player == kingdom.label else one for one in self.totals))


def _find_table_problems(standings: EventStandings) -> Iterator[Notice]:
    """Yield the problems of whole tables: a domino in two kingdoms, or more of a terrain than the box holds."""
    for (round_, table), kingdoms in standings.games.items():
        spot = Spot(round_, table, photo=kingdoms[0].photo)
        rule_set = standings.rule_set(kingdoms[0])
        if len(kingdoms) > rule_set.max_kingdoms:
            why = f"{len(kingdoms)} kingdoms at one table, where at most {rule_set.max_kingdoms} play"
            yield Notice(Impact.PLACES, why, "put the photos into folders of their tables", spot)
            continue
        for problem in find_table_problems([one.kingdom for one in kingdoms], rule_set):
            if problem.kingdom is None:
                why = f"over all kingdoms of the table: {problem.text}"
                yield Notice(Impact.PLACES, why, "compare its photos", spot)


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
