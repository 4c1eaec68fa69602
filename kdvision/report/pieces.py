"""The pieces of kingdoms in photos: those that the photo shows, those that the user gives, and problems with both."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from kdvision.game.board import Terrain
from kdvision.game.game import drop_uncheckable
from kdvision.game.kingdom import (
    GEM,
    TOWNS,
    UNKNOWN,
    UNKNOWN_BUILDING,
    Gem,
    Kingdom,
    PlacedBuilding,
    Table,
    TokensByKey,
    find_crossings,
    join_tokens,
)
from kdvision.game.legality import Problem, check_extent, join_names
from kdvision.game.rules import VARIANTS
from kdvision.game.rules.lost_treasures import LOST_TREASURES
from kdvision.game.scoring import RuleSet

if TYPE_CHECKING:
    from kdvision.pipeline import KingdomReading
    from kdvision.vision.classify.pieces import DetectedPiece

KNIGHT: Final = "knight"
QUEEN: Final = "queen"
BUILDING: Final = "building"
VISIBLE_KINDS: Final = {"knights": KNIGHT, "buildings": BUILDING, "gems": GEM}
"""Facts that a photo can answer in full: the key in game files, and the kind of piece."""
COUNTED_KINDS: Final = {"knights": KNIGHT, "towers": "tower"}
"""Facts of which the user gives the number: the key in game files, and the kind of piece."""
TOKENS_ARE_ELSEWHERE: Final = Problem(
    (), "a correction added a first row or column, so the squares that were given for its pieces have new names"
)


@dataclass(frozen=True)
class GivenFacts:
    """What the user says about pieces.

    `counts` holds coins, towers, knights (placed or not) and towns by kingdom, numbered from 0 over all photos, and
    `tokens` the tokens by kingdom and key. `queen` is the kingdom that hosts the Queen, -1 for none, None if it is not
    given.
    """

    counts: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    queen: int | None = None
    tokens: Mapping[int, TokensByKey] = field(default_factory=dict)

    @property
    def last_kingdom(self) -> int:
        """The highest number of a kingdom with a given fact; -1 without any."""
        return max((*self.counts, *self.tokens, -1 if self.queen is None else self.queen))


NO_FACTS: Final = GivenFacts()


def find_played_variants(readings: Sequence["KingdomReading"], game: str, variants: Collection[str]) -> tuple[str, ...]:
    """Return the variants that a game is played with; `game` and `variants` are names as in game files.

    A certain gem where The Lost Treasures allow one adds that variant. Variants that cannot be added to the game are
    left out.
    """
    has_gem = any(
        not gem.is_uncertain and gem.square in find_crossings(Kingdom(reading.board))
        for reading in readings
        for gem in reading.gems
    )
    names = {*variants, *([LOST_TREASURES.id] if has_gem else [])}
    return tuple(variant.id for variant in VARIANTS if variant.id in names and variant.fits(game))


def read_kingdom(reading: "KingdomReading", player: str, rule_set: RuleSet, facts: GivenFacts, number: int) -> Kingdom:
    """Return the kingdom with the pieces that its photo shows, the facts that the user gave, and those still missing.

    `number` is its number, counted from 0 over all photos. Where photo and user contradict each other, the user counts.
    A kind of piece that the photo shows in full is not asked for.
    """
    counts, tokens = dict(facts.counts.get(number, {})), facts.tokens.get(number, {})
    open_facts = {*rule_set.facts}.difference(counts, tokens)
    open_facts -= {TOWNS} if Terrain.TOWN.value in reading.probabilities.kinds else set()
    open_facts -= set() if facts.queen is None else {"queen"}
    open_facts -= {"spare_knights"} if "knights" in counts else set()
    uncertain_kinds = {piece.kind for piece in reading.uncertain_pieces}
    open_facts -= {key for key, kind in VISIBLE_KINDS.items() if kind not in uncertain_kinds}
    pieces = reading.pieces if "knights" in rule_set.facts else ()
    count = counts.pop("knights", None)
    candidates = sorted((piece for piece in pieces if piece.kind == KNIGHT), key=lambda piece: -piece.probability)
    knights = tuple(sorted(piece.square for piece in candidates[:count]))
    # Her host puts her on the largest territory at the end of the game (queendomino/queen).
    has_queen = any(piece.kind == QUEEN and not piece.is_uncertain for piece in pieces)
    sites = [piece.square for piece in pieces if piece.kind == BUILDING]
    values = {
        "gems": tuple(Gem(UNKNOWN, gem.square) for gem in reading.gems) if "gems" in rule_set.facts else (),
        "knights": knights,
        "spare_knights": max((count or 0) - len(knights), 0),
        "buildings": tuple(PlacedBuilding(square, UNKNOWN_BUILDING) for square in sites),
        "queen": has_queen if facts.queen is None else facts.queen == number,
        "tokens": join_tokens(tokens),
        "open_facts": frozenset(open_facts),
    }
    return Kingdom(reading.board, player, **values | counts)  # type: ignore[arg-type]


def check_pieces(
    kingdoms: Sequence[Kingdom],
    readings: Sequence["KingdomReading"],
    rule_set: RuleSet,
    facts: GivenFacts,
    first_number: int,
) -> tuple[Problem, ...]:
    """Return the problems of the kingdoms' readings and pieces; `kingdom` is None for a problem of the whole game."""
    problems, clauses, side = [], rule_set.own_clauses, rule_set.side
    host = -1 if facts.queen is None else facts.queen
    is_host_elsewhere = host >= 0 and host - first_number not in range(len(kingdoms))
    table = Table(tuple(kingdoms), seats=len(kingdoms) + 1 if is_host_elsewhere else 0)
    for number, reading in enumerate(readings):
        reading_problems = [*reading.problems, *find_unplayed_pieces(reading, rule_set)]
        reading_problems += _find_uncertain_pieces(reading, rule_set)
        reading_problems += _find_contradictions(reading, facts, first_number + number)
        # The number of kingdoms may limit the side, which no kingdom shows by itself.
        texts = {problem.text for problem in reading_problems}
        reading_problems += [problem for problem in check_extent(reading.board, side) if problem.text not in texts]
        problems += [
            replace(problem, kingdom=number, clause=clauses.get(problem.clause, problem.clause))
            for problem in reading_problems
        ]
    return drop_uncheckable([*problems, *rule_set.check_pieces(table)], kingdoms)


def find_unplayed_pieces(reading: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """Yield pieces in the photo that no game by these rules has."""
    for piece in list_pieces(reading):
        if not _has_pieces(rule_set, piece.kind):
            gems_box = f"{LOST_TREASURES.name} (--{LOST_TREASURES.id})"
            queendomino_box = "Queendomino (--game queendomino)"
            box, verb = (gems_box, "lies") if piece.kind == GEM else (queendomino_box, "stands")
            advice = "" if _has_pieces(rule_set, KNIGHT) else f": choose {box} if that was played"
            game = rule_set.name.partition(",")[0]
            yield Problem(piece.squares, f"a {piece.kind} {verb} {piece.location}, and {game} has none{advice}")


def _has_pieces(rule_set: RuleSet, kind: str) -> bool:
    return ("gems" if kind == GEM else "knights") in rule_set.facts


def _find_uncertain_pieces(reading: "KingdomReading", rule_set: RuleSet) -> Iterator[Problem]:
    """Yield pieces of these rules that may be there."""
    for piece in reading.uncertain_pieces:
        if _has_pieces(rule_set, piece.kind):
            verb, percent = "lie" if piece.kind == GEM else "stand", f"{100 * piece.probability:.0f} % sure"
            yield Problem(piece.squares, f"a {piece.kind} may {verb} {piece.location} ({percent}): look")


def _find_contradictions(reading: "KingdomReading", facts: GivenFacts, number: int) -> Iterator[Problem]:
    """Yield pieces in the photo that contradict what the user gave, which counts, and given squares with new names."""
    if reading.has_renamed_squares and any(facts.tokens.get(number, {}).values()):
        yield TOKENS_ARE_ELSEWHERE
    for key, kind in COUNTED_KINDS.items():
        squares = tuple(piece.square for piece in reading.pieces if piece.kind == kind)
        count = facts.counts.get(number, {}).get(key)
        if count is not None and count < len(squares):
            statement = f"1 {kind} was given" if count == 1 else f"{count} {key} were given"
            text = f"{statement}, but the photo shows {len(squares)} (on {join_names(squares)})"
            yield Problem(squares, f"{text}: the given number counts")
    if facts.queen not in (None, number):
        for piece in reading.pieces:
            if piece.kind == QUEEN and not piece.is_uncertain:
                location = f"in kingdom {facts.queen + 1}" if facts.queen >= 0 else "in no kingdom"
                text = f"the Queen was given as being {location}, but the photo shows her {piece.location}"
                yield Problem(piece.squares, f"{text}: the given kingdom counts")


def describe_pieces(reading: "KingdomReading | None") -> str:
    """Return the pieces that a photo shows, such as "knight on B2, gem between C1 D2 (70 %)"; "" without any."""
    pieces = [] if reading is None else list_pieces(reading)
    return ", ".join(
        f"{piece.kind} {piece.location}" + f" ({100 * piece.probability:.0f} %)" * piece.is_uncertain
        for piece in pieces
    )


def list_pieces(reading: "KingdomReading") -> "list[DetectedPiece]":
    """Return the pieces on squares and the gems that a photo shows."""
    return [*reading.pieces, *reading.gems]
