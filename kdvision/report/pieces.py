"""The pieces of kingdoms in photos: those that the photo shows, those that the user gives, and problems with both."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kdvision.game.board import Square, Terrain
from kdvision.game.game import drop_uncheckable
from kdvision.game.kingdom import Kingdom, Table, find_crossings
from kdvision.game.legality import Problem, join_names
from kdvision.game.open_facts import close_queen
from kdvision.game.pieces import TOWNS, UNKNOWN, UNKNOWN_BUILDING, Built, Gem, TokensByKey, join_tokens
from kdvision.game.rules import VARIANTS, make_rule_set
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.scoring import RuleSet

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.classify.pieces import DetectedGem, DetectedPiece

KNIGHT: Final = "knight"
TOWER: Final = "tower"
QUEEN: Final = "queen"
BUILDING: Final = "building"
GEM: Final = "gem"
_VISIBLE: Final = {"knights": KNIGHT, "buildings": BUILDING}
"""Facts that a photo can answer in full: the key in game files, and the kind of piece."""
_COUNTABLE: Final = {"knights": KNIGHT, "towers": TOWER}
"""Facts of which the user gives the number: the key in game files, and the kind of piece."""


NO_HOST: Final = -1
"""As `GivenFacts.queen`: no kingdom hosts the Queen."""


@dataclass(frozen=True)
class GivenFacts:
    """The keys of the facts that a game's score needs and photos do not show, and the facts that are given.

    `counts` holds coins, towers, knights (placed or not) and towns by kingdom, numbered from 0 over all photos, and
    `tokens` the tokens by kingdom and key. `queen` is the kingdom that hosts the Queen, NO_HOST for none, None if it is
    not given.
    """

    keys: tuple[str, ...] = ()
    counts: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    queen: int | None = None
    tokens: Mapping[int, TokensByKey] = field(default_factory=dict)

    @property
    def highest(self) -> int:
        """The highest number of a kingdom that a fact is given for; -1 for none."""
        return max((*self.counts, *self.tokens, -1 if self.queen is None else self.queen))

    def add_to(self, number: int, kingdom: Kingdom, *, knows_towns: bool) -> Kingdom:
        """Return a kingdom with its given facts and with the others open. `knows_towns` is whether towns were read."""
        counts, tokens = dict(self.counts.get(number, {})), self.tokens.get(number, {})
        known = {*counts, *tokens, *([TOWNS] if knows_towns else []), *([] if self.queen is None else ["queen"])}
        if "knights" in counts:
            known.add("spare_knights")
            counts["spare_knights"] = counts.pop("knights")  # the squares on which they stand do not change the score
        changed = replace(
            kingdom,
            queen=self.queen == number,
            tokens=join_tokens(tokens),
            open_facts=frozenset(self.keys) - known,
        )
        return replace(changed, **counts)  # type: ignore[arg-type]


def add_pieces(
    kingdoms: Sequence[Kingdom], readings: Sequence["KingdomReading"], facts: GivenFacts, first_number: int
) -> list[Kingdom]:
    """The kingdoms of a photo with the pieces that it shows, the facts that the user gave, and those still missing.

    `first_number` is the number of the first kingdom, counted from 0 over all photos.
    """
    made = []
    for number, (kingdom, reading) in enumerate(zip(kingdoms, readings, strict=True), start=first_number):
        given = facts.add_to(number, kingdom, knows_towns=_knows_towns(reading))
        made.append(_add_visible_pieces(given, reading, facts, number))
    return [*close_queen(made)]


def has_certain_gem(readings: Sequence["KingdomReading"]) -> bool:
    """True if a gem surely lies where The Lost Treasures allow one, so that they were played with."""
    for reading in readings:
        allowed = set(find_crossings(Kingdom(reading.board))) if reading.gems else ()
        if any(gem.corner in allowed and not gem.is_uncertain for gem in reading.gems):
            return True
    return False


def find_open_facts(
    readings: Sequence["KingdomReading"], game: str, variants: Collection[str] = ()
) -> tuple[tuple[str, ...], GivenFacts | None]:
    """The variants that are played with, and the facts that no photo of this game shows, None without any.

    A gem in a photo adds The Lost Treasures. Variants that cannot be added to the game are left out. `game` and
    `variants` are names as in game files.
    """
    chosen = {*variants, *([LOST_TREASURES.id] if has_certain_gem(readings) else [])}
    played = tuple(variant.id for variant in VARIANTS if variant.id in chosen and variant.fits(game))
    facts = make_rule_set(game, variants=played).facts
    return played, GivenFacts(facts) if facts else None


def check_pieces(
    kingdoms: Sequence[Kingdom],
    readings: Sequence["KingdomReading"],
    rule_set: RuleSet,
    facts: GivenFacts | None,
    first_number: int,
) -> list[tuple[Problem, ...]]:
    """The problems of each kingdom's reading and pieces; a problem of the whole game is listed with each kingdom."""
    found = []
    for number, reading in enumerate(readings):
        problems = [*reading.problems, *_list_foreign_pieces(reading, rule_set)]
        problems += _list_doubtful_pieces(reading, rule_set)
        problems += [] if facts is None else _list_contradictions(reading, facts, first_number + number)
        found.append([replace(problem, kingdom=number) for problem in problems])
    shared = rule_set.check_pieces(Table(tuple(kingdoms)))
    kept = drop_uncheckable([*(problem for problems in found for problem in problems), *shared], kingdoms)
    return [tuple(p for p in kept if p.kingdom in (None, number)) for number in range(len(kingdoms))]


def describe_pieces(reading: "KingdomReading | None") -> str:
    """The pieces that a photo shows, such as "knight on B2, gem between C1 D2 (70 %)"; "" without any."""
    pieces: list[DetectedPiece | DetectedGem] = [] if reading is None else [*reading.pieces, *reading.gems]
    parts = [f"{one.kind} {one.location}" + f" ({100 * one.probability:.0f} %)" * one.is_uncertain for one in pieces]
    return ", ".join(parts)


def _add_visible_pieces(kingdom: Kingdom, reading: "KingdomReading", facts: GivenFacts, number: int) -> Kingdom:
    """The kingdom with the visible pieces that its game has, as far as the user does not contradict.

    A kind of piece that the photo shows in full is not asked for.
    """
    if "gems" in facts.keys:
        gems = tuple(Gem(UNKNOWN, gem.corner) for gem in reading.gems)
        kingdom = replace(kingdom, gems=gems, open_facts=kingdom.open_facts - _list_answered(reading, {"gems": GEM}))
    if "knights" not in facts.keys:
        return kingdom
    on = {kind: tuple(piece.square for piece in reading.pieces if piece.kind == kind) for kind in (KNIGHT, BUILDING)}
    if (count := facts.counts.get(number, {}).get("knights")) is not None:
        on[KNIGHT] = _find_likeliest_knights(reading, count)
    queens = [piece for piece in reading.pieces if piece.kind == QUEEN and not piece.is_uncertain]
    return replace(
        kingdom,
        knights=on[KNIGHT],
        spare_knights=max(kingdom.spare_knights - len(on[KNIGHT]), 0),
        buildings=tuple(Built(square, UNKNOWN_BUILDING) for square in on[BUILDING]),
        # Her host puts her on the largest territory at the end of the game (queendomino/queen).
        queen=kingdom.queen or (facts.queen is None and bool(queens)),
        open_facts=kingdom.open_facts - _list_answered(reading, _VISIBLE),
    )


def _find_likeliest_knights(reading: "KingdomReading", count: int) -> tuple[Square, ...]:
    """The squares of the `count` most probable knights, from the top left."""
    knights = sorted((piece for piece in reading.pieces if piece.kind == KNIGHT), key=lambda piece: -piece.probability)
    return tuple(sorted(piece.square for piece in knights[:count]))


def _list_answered(reading: "KingdomReading", kinds: dict[str, str]) -> set[str]:
    """The keys of game files that this photo answers in full."""
    if reading.observation is None or reading.observation.pieces is None:
        return set()
    doubtful = {one.kind for one in reading.uncertain}
    return {key for key, kind in kinds.items() if kind not in doubtful}


def _has_pieces(kind: str, rule_set: RuleSet) -> bool:
    """True if a game by these rules has this kind of piece."""
    return "gems" in rule_set.facts if kind == GEM else "knights" in rule_set.facts


def _list_foreign_pieces(reading: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """Pieces in the photo that no game by these rules has."""
    pieces: list[DetectedPiece | DetectedGem] = [*reading.pieces, *reading.gems]
    for one in pieces:
        if not _has_pieces(one.kind, rule_set):
            option = f"--{LOST_TREASURES.id}" if one.kind == GEM else "--game queendomino"
            advice = f": say {option} if that was played" if "knights" not in rule_set.facts else ""
            game = rule_set.name.partition(",")[0]
            text = f"a {one.kind} {'lies' if one.kind == GEM else 'stands'} {one.location}, and {game} has none"
            yield Problem(one.squares, text + advice)


def _list_doubtful_pieces(reading: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """Pieces that may be there, of the kinds that the game has."""
    for one in reading.uncertain:
        if _has_pieces(one.kind, rule_set):
            text = f"a {one.kind} may {'lie' if one.kind == GEM else 'stand'} {one.location}"
            yield Problem(one.squares, f"{text} ({100 * one.probability:.0f} % sure): look")


def _list_contradictions(reading: "KingdomReading", facts: GivenFacts, number: int) -> Iterator[Problem]:
    """Pieces in the photo that contradict what the user gave, which counts."""
    for key, kind in _COUNTABLE.items():
        squares = tuple(piece.square for piece in reading.pieces if piece.kind == kind)
        count = facts.counts.get(number, {}).get(key)
        if count is not None and count < len(squares):
            given = f"1 {kind} was given" if count == 1 else f"{count} {key} were given"
            text = f"{given}, but the photo shows {len(squares)} (on {join_names(squares)}): the given number counts"
            yield Problem(squares, text)
    if facts.queen not in (None, number):
        for piece in reading.pieces:
            if piece.kind == QUEEN and not piece.is_uncertain:
                where = f"in kingdom {facts.queen + 1}" if facts.queen >= 0 else "in no kingdom"
                text = f"the Queen was given as being {where}, but the photo shows her {piece.location}"
                yield Problem(piece.squares, f"{text}: the given kingdom counts")


def _knows_towns(reading: "KingdomReading") -> bool:
    """True if the networks that read this kingdom know towns."""
    return any(kind.startswith(Terrain.TOWN.value) for kind in reading.reading.kinds)
