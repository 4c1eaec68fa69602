"""Why nobody has won yet: kingdoms that are missing, or that these rules do not score."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kdvision.game.standing import Standing

MOST_NAMED: Final = 3
"""So many of those that something is missing of are named in one sentence."""


class Gaps(NamedTuple):
    """What stands between a standing and its winner.

    `missing` are players without a kingdom, `unread` photos of nobody knows whose kingdoms that could not be read,
    `foreign` who plays another game.
    """

    missing: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    @property
    def none(self) -> bool:
        """True where it is known who has won."""
        return not any(self)

    def verdict(self, standing: Standing) -> str:
        """Who wins; or who leads, and what is missing for anybody to win."""
        first = {place.player for place in standing.winners}
        # one kingdom alone has nobody to beat, and one that cannot be scored leads nobody
        parts = [standing.reason] if len(standing.places) > 1 and first.isdisjoint(self.foreign) else []
        if self.missing:
            what, are = ("a kingdom", "is") if len(self.missing) == 1 else ("kingdoms", "are")
            parts.append(f"{what} of {_few(self.missing)} {are} missing")
        if self.unread:
            parts.append(f"{_few(self.unread)} could not be read")
        if self.foreign:
            parts.append(f"{_few(self.foreign)} cannot be scored, for towns lie there")
        return "; ".join(parts)


def _few(names: Sequence[str]) -> str:
    """The names, of many only the first."""
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
