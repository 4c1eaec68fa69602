"""Who wins, by which tie-break, who shares, and the reason in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from kdvision.game.kingdom import Kingdom
from kdvision.game.scoring import RuleSet, score

POINTS = "points"


@dataclass(frozen=True, slots=True)
class Place:
    """One player's place: 1 is first, equal places are shared. `index` is the place in the order given."""

    place: int
    player: str
    total: int
    reason: str
    index: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The places from first to last, and one sentence on who wins and why."""

    places: tuple[Place, ...]
    reason: str

    @property
    def winners(self) -> tuple[Place, ...]:
        """The first place, or all who share it."""
        return tuple(place for place in self.places if place.place == 1)


@dataclass(frozen=True, slots=True)
class Contender:
    """A player with the numbers that decide, the most important first; `outright` says why the player has won whatever the numbers."""

    player: str
    keys: tuple[int, ...]
    total: int
    outright: str = ""

    @property
    def order(self) -> tuple[bool | int, ...]:
        """What contenders are compared by: kingdomino/winner, then the tie-breaks in order."""
        return (bool(self.outright), *(() if self.outright else self.keys))


def rank_kingdoms(kingdoms: Sequence[Kingdom], rule_set: RuleSet) -> Standing:
    """The standing of the kingdoms of one game; players without a name are called by their number."""
    contenders = [make_contender(kingdom, rule_set, number) for number, kingdom in enumerate(kingdoms, start=1)]
    return rank_contenders(contenders, (POINTS, *(step.words for step in rule_set.tie_breaks)))


def make_contender(kingdom: Kingdom, rule_set: RuleSet, number: int) -> Contender:
    """The numbers of one kingdom that decide: points, then the rule set's tie-breaks."""
    total = score(kingdom, rule_set).total
    keys = (total, *(step.measure(kingdom) for step in rule_set.tie_breaks))
    outright = rule_set.outright.words if rule_set.outright and rule_set.is_outright_win(kingdom) else ""
    return Contender(kingdom.player or f"kingdom {number}", keys, total, outright)


def rank_dynasty(rounds: Sequence[Sequence[Kingdom]], rule_set: RuleSet) -> Standing:
    """The standing after several rounds (kingdomino/dynasty): the sum of each player's points decides.

    Players are told apart by name. Equal sums share (kingdomino/dynasty-tie); who won a round outright has won it all
    (lost-treasures/dynasty).
    """
    seats = [make_contender(kingdom, rule_set, number) for played in rounds for number, kingdom in enumerate(played, 1)]
    totals = {
        player: [seat for seat in seats if seat.player == player] for player in dict.fromkeys(s.player for s in seats)
    }
    summed = [
        Contender(
            player,
            (sum(seat.total for seat in own),),
            sum(s.total for s in own),
            next((s.outright for s in own if s.outright), ""),
        )
        for player, own in totals.items()
    ]
    return rank_contenders(summed, (f"points of {len(rounds)} rounds",))


def rank_contenders(contenders: Sequence[Contender], steps: Sequence[str], *, over: bool = True) -> Standing:
    """The standing of contenders by their keys; `steps` name the keys: "points", "the largest territory", …

    Players equal in every step share the place (kingdomino/shared). Where it is not `over`, because some contenders
    are missing, nobody has won: the sentence says who leads.
    """
    order = sorted(range(len(contenders)), key=lambda i: contenders[i].order, reverse=True)
    places: list[Place] = []
    for seat, index in enumerate(order):
        who = contenders[index]
        tied = bool(seat) and contenders[order[seat - 1]].order == who.order
        rivals = [other for place, other in enumerate(contenders) if place != index]
        number = places[-1].place if tied else seat + 1
        places.append(Place(number, who.player, who.total, _reason(who, rivals, steps), index))
    outright = any(contender.outright for contender in contenders)
    return Standing(tuple(places), _verdict(places, over=over, outright=outright))


def _reason(who: Contender, rivals: Sequence[Contender], steps: Sequence[str]) -> str:
    """Why this player stands ahead of the next one, or shares: the step that decided, with both numbers."""
    equal = [rival.player for rival in rivals if rival.order == who.order]
    if who.outright:
        return who.outright + (f", shared with {_names(equal)}" if equal else "")
    if equal:
        return f"equal to {_names(equal)} in {_names(list(steps))}"
    behind = max((rival for rival in rivals if rival.order < who.order), key=lambda r: r.order, default=None)
    if behind is None:
        return ""
    step = next(i for i, (mine, other) in enumerate(zip(who.keys, behind.keys, strict=True)) if mine != other)
    return f"on {steps[step]}, {who.keys[step]} to {behind.keys[step]}"


def _verdict(places: Sequence[Place], *, over: bool, outright: bool) -> str:
    winners = [place for place in places if place.place == 1]
    if not winners:
        return ""
    if len(winners) > 1:
        what = "victory" if over else "lead"
        return f"{_names([place.player for place in winners])} share the {what}: {winners[0].reason}"
    reason = winners[0].reason
    joint = ": " if outright else " "
    return f"{winners[0].player} {'wins' if over else 'leads'}{joint if reason else ''}{reason}"


def _names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
