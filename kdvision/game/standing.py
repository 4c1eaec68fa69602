"""Who wins, by which tie-break, and the reason in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from kdvision.game.kingdom import Kingdom
from kdvision.game.scoring import RuleSet, score
from kdvision.text import join_words

POINTS = "points"


@dataclass(frozen=True, slots=True)
class Place:
    """One player's place: 1 is first, equal places are shared. `index` is the player's position in the input."""

    place: int
    player: str
    total: int
    reason: str
    index: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The places from first to last, and one sentence on who wins and why; unless the game `is_over`, on who leads."""

    places: tuple[Place, ...]
    reason: str
    is_over: bool = True

    @property
    def winners(self) -> tuple[Place, ...]:
        """The first place, or all who share it."""
        return tuple(place for place in self.places if place.place == 1)


@dataclass(frozen=True, slots=True)
class Contender:
    """A player with the numbers to compare, the total first, and the reason of an outright win, else ""."""

    player: str
    keys: tuple[int, ...]
    outright_reason: str = ""

    @property
    def total(self) -> int:
        """The points, which count before all tie-breaks."""
        return self.keys[0]

    @property
    def order(self) -> tuple[bool | int, ...]:
        """The sort key: an outright win first, then points (kingdomino/winner) and tie-breaks."""
        return (bool(self.outright_reason), *(() if self.outright_reason else self.keys))


def rank_kingdoms(kingdoms: Sequence[Kingdom], rule_set: RuleSet, *, is_over: bool = True) -> Standing:
    """Return the standing of the kingdoms of one game. A player without a name is called by the kingdom's number.

    Unless the game `is_over`, the sentence says who leads.
    """
    contenders = [make_contender(kingdom, rule_set, number) for number, kingdom in enumerate(kingdoms, start=1)]
    return rank_contenders(contenders, (POINTS, *(step.words for step in rule_set.tie_breaks)), is_over=is_over)


def make_contender(kingdom: Kingdom, rule_set: RuleSet, number: int) -> Contender:
    """Return the points and tie-breaks of one kingdom."""
    keys = (score(kingdom, rule_set).total, *(step.measure(kingdom) for step in rule_set.tie_breaks))
    return Contender(kingdom.player or f"kingdom {number}", keys, rule_set.outright_win(kingdom))


def rank_dynasty(rounds: Sequence[Sequence[Kingdom]], rule_set: RuleSet, *, is_over: bool = True) -> Standing:
    """Return the standing after several rounds: the sum of each player's points decides (kingdomino/dynasty).

    Players are identified by name, in any case. Equal sums share the place (kingdomino/dynasty-tie). The first outright
    win of a round wins the Dynasty (lost-treasures/dynasty).
    """
    by_player: dict[str, list[Contender]] = {}
    reasons: dict[str, str] = {}
    for kingdoms in rounds:
        contenders = [make_contender(kingdom, rule_set, number) for number, kingdom in enumerate(kingdoms, start=1)]
        for contender in contenders:
            by_player.setdefault(contender.player.casefold(), []).append(contender)
        winners = [contender for contender in contenders if contender.outright_reason]
        reasons = reasons or {winner.player.casefold(): winner.outright_reason for winner in winners}
    sums = [
        Contender(entries[0].player, (sum(entry.total for entry in entries),), reasons.get(key, ""))
        for key, entries in by_player.items()
    ]
    return rank_contenders(sums, (f"points of {len(rounds)} rounds",), is_over=is_over)


def rank_contenders(contenders: Sequence[Contender], steps: Sequence[str], *, is_over: bool = True) -> Standing:
    """Return the standing of contenders by their keys; `steps` name the keys: "points", "the largest territory", …

    Players with equal keys share the place (kingdomino/shared). The sentence says who leads unless the game
    `is_over`, with no contender missing.
    """
    places: list[Place] = []
    for index in sorted(range(len(contenders)), key=lambda i: contenders[i].order, reverse=True):
        contender = contenders[index]
        rivals = [other for number, other in enumerate(contenders) if number != index]
        place = 1 + sum(rival.order > contender.order for rival in rivals)
        places.append(Place(place, contender.player, contender.total, _explain_place(contender, rivals, steps), index))
    winners = [contenders[place.index] for place in places if place.place == 1]
    verdict = _write_verdict(winners, places[0].reason, steps, is_over=is_over) if winners else ""
    return Standing(tuple(places), verdict, is_over)


def _explain_place(contender: Contender, rivals: Sequence[Contender], steps: Sequence[str]) -> str:
    """Return why a player is ahead of the next one or shares a place, and why it is behind a place that is shared."""
    tied_players = [rival.player for rival in rivals if rival.order == contender.order]
    if contender.outright_reason:
        return contender.outright_reason + (f", shared with {join_words(tied_players)}" if tied_players else "")
    lower_rivals = [rival for rival in rivals if rival.order < contender.order]
    higher_rivals = [rival for rival in rivals if rival.order > contender.order]
    next_rivals = [rival for rival in higher_rivals if rival.order == min(other.order for other in higher_rivals)]
    phrases = []
    if tied_players:
        phrases.append(f"equal to {join_words(tied_players)} in {join_words(steps)}")
    elif lower_rivals:
        phrases.append(_compare_keys(contender, max(lower_rivals, key=lambda rival: rival.order), steps))
    if len(next_rivals) > 1 and not next_rivals[0].outright_reason:
        names = join_words([rival.player for rival in next_rivals])
        phrases.append(f"behind {names} {_compare_keys(contender, next_rivals[0], steps)}")
    return "; ".join(phrases)


def _compare_keys(contender: Contender, other: Contender, steps: Sequence[str]) -> str:
    """Return the first step in which two contenders differ, with both numbers."""
    step = next(i for i, (mine, theirs) in enumerate(zip(contender.keys, other.keys, strict=True)) if mine != theirs)
    return f"on {steps[step]}, {contender.keys[step]} to {other.keys[step]}"


def _write_verdict(winners: Sequence[Contender], reason: str, steps: Sequence[str], *, is_over: bool) -> str:
    if len(winners) > 1:
        reason = winners[0].outright_reason or f"equal in {join_words(steps)}"
        names = join_words([winner.player for winner in winners])
        return f"{names} share the {'victory' if is_over else 'lead'}: {reason}"
    separator = ": " if winners[0].outright_reason else " "
    return f"{winners[0].player} {'wins' if is_over else 'leads'}{separator if reason else ''}{reason}"
