"""Kingdoms of photos with the pieces that a person tells beside them, and what is odd about those."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kdvision.game.board import Terrain
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem
from kdvision.game.record import settled
from kdvision.game.scoring import RuleSet
from kdvision.game.told import Told
from kdvision.game.untold import hosted

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomRead


def with_pieces(kingdoms: Sequence[Kingdom], reads: Sequence["KingdomRead"], told: Told, before: int) -> list[Kingdom]:
    """The kingdoms of a photo with what is told of them and what is not, after so many `before` in other photos."""
    pairs = enumerate(zip(kingdoms, reads, strict=True), start=before)
    return [*hosted([told.of(number, kingdom, towns_seen=_towns_seen(seen)) for number, (kingdom, seen) in pairs])]


def pieces_checked(
    kingdoms: Sequence[Kingdom], problems: Sequence[Sequence[Problem]], rule_set: RuleSet
) -> list[tuple[Problem, ...]]:
    """The problems of each kingdom with those of the pieces; what is about no kingdom alone stands with each."""
    found = [replace(problem, kingdom=number) for number, own in enumerate(problems) for problem in own]
    table = rule_set.seated(Table(tuple(kingdoms)))
    found += [problem for check in rule_set.checks for problem in check(table)]
    known = settled(found, kingdoms)
    return [tuple(p for p in known if p.kingdom in (None, number)) for number in range(len(kingdoms))]


def _towns_seen(seen: "KingdomRead") -> bool:
    """Whether the networks that read this kingdom know towns."""
    return any(kind.startswith(Terrain.TOWN.value) for kind in seen.reading.kinds)
