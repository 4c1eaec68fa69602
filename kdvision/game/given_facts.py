"""What a person tells of a game beside its photos, kingdom by kingdom."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kdvision.game.kingdom import Kingdom
from kdvision.game.pieces import TOWNS

NO_HOST = -1
"""As `Told.queen`: no kingdom has the Queen."""


@dataclass(frozen=True)
class GivenFacts:
    """The facts (`keys`) that a game's score needs and its photos do not show, and those a person has told already.

    `counts` holds coins, towers, knights (placed or not) and towns by kingdom, numbered from 0 over all photos. `queen`
    is the kingdom that hosts her, NOBODY_HOSTS for none, None where nobody has said.
    """

    keys: tuple[str, ...] = ()
    counts: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    queen: int | None = None

    @property
    def highest(self) -> int:
        """The highest number of a kingdom that something was told of; -1 for none."""
        return max((*self.counts, -1 if self.queen is None else self.queen), default=-1)

    def of(self, number: int, kingdom: Kingdom, *, towns_seen: bool) -> Kingdom:
        """A kingdom that was read, with what is told of it and what is not; `towns_seen` if the reader knows towns."""
        known = dict(self.counts.get(number, {}))
        answered = {*known, *(["spare_knights"] if "knights" in known else [])}
        answered |= {TOWNS} if towns_seen else set()
        answered |= {"queen"} if self.queen is not None else set()
        if "knights" in known:
            known["spare_knights"] = known.pop("knights")  # which squares they stand on changes no score
        made = replace(kingdom, queen=self.queen == number, open_facts=frozenset(self.keys) - answered)
        return replace(made, **known)  # type: ignore[arg-type]
