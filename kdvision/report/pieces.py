"""Kingdoms of photos with the pieces that were seen and those that a person tells, and what is odd about them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kdvision.game.board import Square, Terrain
from kdvision.game.deck import KINGDOMINO
from kdvision.game.game import settled
from kdvision.game.given_facts import Told
from kdvision.game.kingdom import Kingdom, Table
from kdvision.game.legality import Problem, names
from kdvision.game.open_facts import crossings, hosted
from kdvision.game.pieces import UNREAD, UNTOLD, Built, Gem
from kdvision.game.scoring import RuleSet

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece

KNIGHT: Final = "knight"
TOWER: Final = "tower"
QUEEN: Final = "queen"
BUILDING: Final = "building"
GEM: Final = "gem"
_ON_SQUARES: Final = {"knights": KNIGHT, "buildings": BUILDING}
"""What photos can tell all of, as game files call it, and the piece they show."""
_COUNTED: Final = {"knights": KNIGHT, "towers": TOWER}
"""What a person tells the number of, and the piece that photos show some of."""


def with_pieces(
    kingdoms: Sequence[Kingdom], reads: Sequence["KingdomReading"], told: Told, before: int
) -> list[Kingdom]:
    """The kingdoms of a photo with what was seen and told of them and what is not, after so many `before` in others."""
    pairs = enumerate(zip(kingdoms, reads, strict=True), start=before)
    named = [(told.of(number, kingdom, towns_seen=_towns_seen(seen)), seen) for number, (kingdom, seen) in pairs]
    return [*hosted([_with_seen(kingdom, seen, told, before + at) for at, (kingdom, seen) in enumerate(named)])]


def treasures_seen(reads: Sequence["KingdomReading"]) -> bool:
    """Whether a gem surely lies where The Lost Treasures let one lie: then they were played with."""
    for seen in reads:
        allowed = set(crossings(Kingdom(seen.board))) if seen.gems else ()
        if any(gem.corner in allowed and not gem.doubtful for gem in seen.gems):
            return True
    return False


def left_open(
    reads: Sequence["KingdomReading"], game: str, *, lost_treasures: bool = False
) -> tuple[bool, Told | None]:
    """Whether gems are played with, as was asked or as a photo shows, and what no photo tells; None where it tells all.

    `game` as game files call it.
    """
    gems = lost_treasures or (game == "kingdomino" and treasures_seen(reads))
    keys = Told.keys_of(game, lost_treasures=gems)
    return gems, Told(keys) if keys else None


def pieces_checked(
    kingdoms: Sequence[Kingdom],
    problems: Sequence[Sequence[Problem]],
    rule_set: RuleSet,
    reads: Sequence["KingdomReading"],
    told: Told | None = None,
    before: int = 0,
) -> list[tuple[Problem, ...]]:
    """The problems of each kingdom with those of the pieces; what is about no kingdom alone stands with each."""
    found = [replace(problem, kingdom=number) for number, own in enumerate(problems) for problem in own]
    for number, seen in enumerate(reads):
        odd = [*_strange(seen, rule_set), *_unsure(seen, rule_set)]
        odd += [] if told is None else _denied(seen, told, before + number)
        found += [replace(problem, kingdom=number) for problem in odd]
    table = rule_set.seated(Table(tuple(kingdoms)))
    found += [problem for check in rule_set.checks for problem in check(table)]
    known = settled(found, kingdoms)
    return [tuple(p for p in known if p.kingdom in (None, number)) for number in range(len(kingdoms))]


def seen_words(seen: "KingdomReading | None") -> str:
    """What was seen on a board in some words: "knight on B2, gem between C1 D2 (70 %)"; nothing where nothing was."""
    everything: list[DetectedPiece | DetectedGem] = [] if seen is None else [*seen.pieces, *seen.gems]
    parts = [f"{one.kind} {one.where}" + f" ({100 * one.probability:.0f} %)" * one.doubtful for one in everything]
    return ", ".join(parts)


def _with_seen(kingdom: Kingdom, seen: "KingdomReading", told: Told, number: int) -> Kingdom:
    """The kingdom with the pieces that were seen, of those that the game is played with, as far as nobody denies them.

    Where all squares were looked at and none left open what stands there, nobody is asked for more of the kind.
    """
    if "gems" in told.keys:
        gems = tuple(Gem(UNTOLD, gem.corner) for gem in seen.gems)
        kingdom = replace(kingdom, gems=gems, untold=kingdom.untold - _answered(seen, {"gems": GEM}))
    if "knights" not in told.keys:
        return kingdom
    on = {kind: tuple(piece.square for piece in seen.pieces if piece.kind == kind) for kind in (KNIGHT, BUILDING)}
    if (counted := told.counts.get(number, {}).get("knights")) is not None:
        on[KNIGHT] = _surest(seen, counted)
    queens = [piece for piece in seen.pieces if piece.kind == QUEEN and not piece.doubtful]
    return replace(
        kingdom,
        knights=on[KNIGHT],
        spare_knights=max(kingdom.spare_knights - len(on[KNIGHT]), 0),
        buildings=tuple(Built(square, UNREAD) for square in on[BUILDING]),
        # Her host sets her on the largest territory in the end (queendomino/queen).
        queen=kingdom.queen or (told.queen is None and bool(queens)),
        untold=kingdom.untold - _answered(seen, _ON_SQUARES),
    )


def _surest(seen: "KingdomReading", most: int) -> tuple[Square, ...]:
    """Where the knights stand that are most probable, no more than a person has told, from the top left."""
    knights = sorted((piece for piece in seen.pieces if piece.kind == KNIGHT), key=lambda piece: -piece.probability)
    return tuple(sorted(piece.square for piece in knights[:most]))


def _answered(seen: "KingdomReading", kinds: dict[str, str]) -> set[str]:
    """The keys of game files of which this photo tells all."""
    if seen.observation is None or seen.observation.pieces is None:
        return set()
    open_kinds = {one.kind for one in seen.unsure}
    return {key for key, kind in kinds.items() if kind not in open_kinds}


def _plays(kind: str, rule_set: RuleSet) -> bool:
    """Whether a game by these rules has such pieces."""
    return rule_set.outright is not None if kind == GEM else rule_set.deck != KINGDOMINO


def _strange(seen: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """What was seen that no game by these rules has."""
    everything: list[DetectedPiece | DetectedGem] = [*seen.pieces, *seen.gems]
    for one in everything:
        if not _plays(one.kind, rule_set):
            option = "--lost-treasures" if one.kind == GEM else "--game queendomino"
            say = f": say {option} if that was played" if rule_set.deck == KINGDOMINO else ""
            game = rule_set.name.partition(",")[0]
            text = f"a {one.kind} {'lies' if one.kind == GEM else 'stands'} {one.where}, and {game} has none"
            yield Problem(one.squares, text + say)


def _unsure(seen: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """What may have been seen: a person should say. What the game does not have could change nothing."""
    for one in seen.unsure:
        if _plays(one.kind, rule_set):
            may = f"a {one.kind} may {'lie' if one.kind == GEM else 'stand'} {one.where}"
            yield Problem(one.squares, f"{may} ({100 * one.probability:.0f} % sure): look")


def _denied(seen: "KingdomReading", told: Told, number: int) -> Iterator[Problem]:
    """What was seen and a person has told otherwise, whose word counts: one of both is mistaken."""
    for key, kind in _COUNTED.items():
        squares = tuple(piece.square for piece in seen.pieces if piece.kind == kind)
        count = told.counts.get(number, {}).get(key)
        if count is not None and count < len(squares):
            text = f"{f'1 {kind} is' if count == 1 else f'{count} {key} are'} told, and the photo shows {len(squares)}"
            yield Problem(squares, f"{text} (on {names(squares)}): what was told counts")
    if told.queen not in (None, number):
        for piece in seen.pieces:
            if piece.kind == QUEEN and not piece.doubtful:
                where = f"with kingdom {told.queen + 1}" if told.queen >= 0 else "in no kingdom"
                text = f"the Queen is told to be {where}, and the photo shows her {piece.where}: what was told counts"
                yield Problem(piece.squares, text)


def _towns_seen(seen: "KingdomReading") -> bool:
    """Whether the networks that read this kingdom know towns."""
    return any(kind.startswith(Terrain.TOWN.value) for kind in seen.reading.kinds)
