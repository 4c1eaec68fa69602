"""Facts about kingdoms that the user gives because no photo shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from kdvision.game.kingdom import Kingdom
from kdvision.game.pieces import TOWNS

NO_HOST: Final = -1
"""As `GivenFacts.queen`: no kingdom hosts the Queen."""


@dataclass(frozen=True)
class GivenFacts:
    """The keys of the facts that a game's score needs and photos do not show, and the facts that are given.

    `counts` holds coins, towers, knights (placed or not) and towns by kingdom, numbered from 0 over all photos. `queen`
    is the kingdom that hosts the Queen, NO_HOST for none, None if it is not given.
    """

    keys: tuple[str, ...] = ()
    counts: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    queen: int | None = None

    @property
    def highest(self) -> int:
        """The highest number of a kingdom that a fact is given for; -1 for none."""
        return max((*self.counts, -1 if self.queen is None else self.queen), default=-1)

    def add_to(self, number: int, kingdom: Kingdom, *, knows_towns: bool) -> Kingdom:
        """Return a kingdom with its given facts and with the others open. `knows_towns` is whether towns were read."""
        counts = dict(self.counts.get(number, {}))
        known = {*counts, *([TOWNS] if knows_towns else []), *([] if self.queen is None else ["queen"])}
        if "knights" in counts:
            known.add("spare_knights")
            counts["spare_knights"] = counts.pop("knights")  # the squares on which they stand do not change the score
        changed = replace(kingdom, queen=self.queen == number, open_facts=frozenset(self.keys) - known)
        return replace(changed, **counts)  # type: ignore[arg-type]
