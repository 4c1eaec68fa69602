"""The changes of a game: each is a small operation that takes a game and returns another one.

They are applied in the order in which they reach the server, so of two that set one square the later counts.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Struct
from msgspec.structs import asdict, replace

from kdvision.game.board import MAX_BOARD_SIDE, Board, parse_cell
from kdvision.game.kingdom import TOWNS, UNKNOWN
from kdvision.game.players import COLOURS
from kdvision.game.rules import GAMES, SIDES, VARIANTS
from kdvision.text import join_words, replace_controls
from kdvision.web.games import Board as BoardText
from kdvision.web.limits import Refusal
from kdvision.web.table.corrections import keep_corrections, match_kingdoms
from kdvision.web.table.facts import FACT_KEYS, add_piece, check_facts, remove_piece, replace_pieces
from kdvision.web.table.model import (
    ID,
    MAX_KINGDOMS_PER_ROUND,
    MAX_ROUNDS,
    PLACE,
    Answer,
    CellText,
    Facts,
    KingdomId,
    PartialRules,
    PhotoInfo,
    PieceDoubt,
    Place,
    Player,
    PlayerName,
    Proposal,
    SquareDoubt,
    TableGame,
    TableKingdom,
    TableRules,
    list_cells,
    parse_place,
)
from kdvision.web.table.readings import join_readings, list_views
from kdvision.web.table.storage import Storage

MAX_DOUBTS: Final = 100

MAX_CHANGES: Final = 32
"""Changes in one request: enough to replace every kingdom of a round."""

RoundNumber = Annotated[int, Meta(ge=0, lt=MAX_ROUNDS, description="of a Dynasty, from 0")]
GameNumber = Annotated[int, Meta(ge=1, lt=2**31)]
ReadingId = Annotated[str, Meta(max_length=40, description="from a proposal, or of the kingdom that was seen")]


class Context(NamedTuple):
    """What changes need beside the game: the earlier games of the table, and the readings of its photos."""

    storage: Storage
    table: str

    @property
    def next_number(self) -> int:
        return self.storage.find_last_game_number(self.table) + 1


class Change(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="op"):
    """A change of a game."""

    @property
    def op(self) -> str:
        return str(self.__struct_config__.tag)

    def apply(self, game: TableGame, context: Context) -> TableGame:
        """Return the changed game; raise Refusal and NotationError."""
        raise NotImplementedError


class AddKingdom(Change, frozen=True, tag="add_kingdom"):
    """Add a kingdom from a reading, or with a board. A missing name or colour is chosen.

    `doubts`, `pieces` and `problems` are still to check, such as those of a shared link. `other_colours` of the same
    photo are not chosen. `game` is the number of the game that the client saw.
    """

    round: RoundNumber = 0
    reading: ReadingId | None = None
    board: BoardText = []
    facts: Facts = {}
    doubts: Annotated[list[SquareDoubt], Meta(max_length=MAX_DOUBTS)] = []
    pieces: Annotated[list[PieceDoubt], Meta(max_length=MAX_DOUBTS)] = []
    problems: Annotated[list[str], Meta(max_length=MAX_DOUBTS)] = []
    player: PlayerName = ""
    colour: PlayerName = ""
    id: KingdomId | None = None
    other_colours: Annotated[list[PlayerName], Meta(max_length=MAX_KINGDOMS_PER_ROUND)] = []
    game: GameNumber | None = None

    def apply(self, game: TableGame, context: Context) -> TableGame:
        if self.id in [other_kingdom.id for other_kingdom in game.kingdoms]:
            return game  # a phone that has lost the answer sends it again
        check_number(game, self.game)
        check_round(game, self.round)
        kingdoms = game.rounds[self.round]
        if len(kingdoms) >= MAX_KINGDOMS_PER_ROUND:
            message = f"there are already {len(kingdoms)} kingdoms at this table"
            raise Refusal(422, message, hint="remove those that are not part of this game")
        for cell in [cell for doubt in self.doubts for cell in doubt.changes.values()]:
            parse_cell(cell)  # scoring does so only once the doubts of this table are ranked
        if self.reading is None:
            cells = list_cells(Board.parse(self.board)) if self.board else {}
            info = PhotoInfo(review=True, doubts=self.doubts, pieces=self.pieces, problems=self.problems)
            photo_info = info if self.doubts or self.pieces or self.problems else None
            kingdom = TableKingdom("", "", "", cells, check_facts(self.facts), photo_info=photo_info)
        else:
            kingdom = context.storage.find_reading(context.table, self.reading).kingdom
        kingdom_id = self.id or secrets.token_hex(4)
        colour = clean_name(self.colour) or kingdom.colour
        player, colour = choose_player(game, self.round, clean_name(self.player), colour, self.other_colours)
        return game.with_round(self.round, [*kingdoms, replace(kingdom, id=kingdom_id, player=player, colour=colour)])


class ReplaceKingdom(Change, frozen=True, tag="replace_kingdom"):
    """Replace what a kingdom shows by a reading. Its name, and what people have set, stay."""

    kingdom: KingdomId
    reading: ReadingId

    def apply(self, game: TableGame, context: Context) -> TableGame:
        old_kingdom, old_reading = game.find(self.kingdom), None
        reading = context.storage.find_reading(context.table, self.reading).kingdom
        with suppress(Refusal):  # of a reading that is lost, all facts may be those of a person
            old_reading = context.storage.find_reading(context.table, old_kingdom.reading).kingdom
            if old_reading.id:  # an older version stored combined photos with facts that people had set before
                old_reading = replace(old_reading, facts={})
        names = {"id": old_kingdom.id, "player": old_kingdom.player, "colour": old_kingdom.colour}
        return game.with_kingdom(replace(keep_corrections(old_kingdom, reading, old_reading), **names))


class JoinReading(Change, frozen=True, tag="join_reading"):
    """Combine a kingdom with a further photo of it, taken from another side."""

    kingdom: KingdomId
    reading: ReadingId

    def apply(self, game: TableGame, context: Context) -> TableGame:
        kingdom, (storage, table) = game.find(self.kingdom), context
        if not kingdom.reading:
            raise Refusal(422, f"{kingdom.player}'s kingdom is not from a photo", hint="replace it instead")
        readings = storage.find_reading(table, kingdom.reading), storage.find_reading(table, self.reading)
        if {*list_views(readings[0])}.intersection(list_views(readings[1])):
            return game  # the same picture again is no further evidence
        kingdom, reading = join_readings(kingdom, *readings, game.rules)
        storage.add_reading(table, reading)
        return game.with_kingdom(kingdom)


class RemoveKingdom(Change, frozen=True, tag="remove_kingdom"):
    """Remove a kingdom."""

    kingdom: KingdomId

    def apply(self, game: TableGame, _: Context) -> TableGame:
        game.find(self.kingdom)
        rounds = [[kingdom for kingdom in kingdoms if kingdom.id != self.kingdom] for kingdoms in game.rounds]
        return replace(game, rounds=rounds)


class SetSquare(Change, frozen=True, tag="set_square"):
    """Set a square; "." is no tile, "?" an unknown one. Places are those of the `reading`."""

    kingdom: KingdomId
    at: Place
    cell: CellText
    reading: ReadingId | None = None

    def apply(self, game: TableGame, _: Context) -> TableGame:
        kingdom, cell = game.find(self.kingdom, self.reading), self.cell.lower()
        cells = {place: old_cell for place, old_cell in kingdom.cells.items() if place != self.at}
        cells |= {} if cell == "." else {self.at: cell}
        rows, cols = zip(*map(parse_place, cells), strict=True) if cells else ((0,), (0,))
        if max(max(rows) - min(rows), max(cols) - min(cols)) >= MAX_BOARD_SIDE:
            message = f"a board has at most {MAX_BOARD_SIDE} rows and columns"
            raise Refusal(422, message, hint="set a square beside a tile")
        facts, reading_info = kingdom.facts, kingdom.photo_info
        if not cell.startswith("t") and isinstance(facts.get("buildings"), list):
            facts = remove_piece(facts, "building", self.at)
        if reading_info is not None:
            reading_info = replace(reading_info, doubts=[doubt for doubt in reading_info.doubts if doubt.at != self.at])
        fixes, first = kingdom.fixes | {self.at: cell}, kingdom.top_left
        kingdom = replace(kingdom, cells=cells, fixes=fixes, facts=facts, photo_info=reading_info)
        return game.with_kingdom(kingdom.with_names_from(first))


class SetKingdom(Change, frozen=True, tag="set_kingdom"):
    """Set the name, the colour, some facts (null removes one), or that a person has confirmed the kingdom.

    `reading` and `board` are those that were confirmed; lists of pieces among the facts belong to the `reading`. A
    Queen who is set leaves the other kingdoms.
    """

    kingdom: KingdomId
    player: PlayerName | None = None
    colour: PlayerName | None = None
    facts: Facts = {}
    checked: bool | None = None
    reading: ReadingId | None = None
    board: BoardText = []

    def apply(self, game: TableGame, _: Context) -> TableGame:
        old_kingdom = game.find(self.kingdom, self.reading)
        if self.board and Board.parse(self.board) != old_kingdom.board:
            raise Refusal(409, f"{old_kingdom.player}'s kingdom has changed since", hint="look at its board again")
        facts = {key: value for key, value in (old_kingdom.facts | self.facts).items() if value is not None}
        kingdom = replace(
            old_kingdom,
            facts=check_facts(facts),
            player=old_kingdom.player if self.player is None else clean_name(self.player) or old_kingdom.player,
            colour=old_kingdom.colour if self.colour is None else clean_name(self.colour),
            checked=old_kingdom.checked if self.checked is None else self.checked,
        )
        if self.facts.get("queen") is True:
            game = remove_other_queens(game, self.kingdom)
        if len(game.rounds) == 1:
            return game.with_kingdom(kingdom)
        owners, numbers = {old_kingdom.player: Player(kingdom.player, kingdom.colour)}, range(len(game.rounds))
        two_names = {old_kingdom.player.casefold(), kingdom.player.casefold()}
        names_by_round = [{entry.player.casefold() for entry in kingdoms} for kingdoms in game.rounds]
        if len(two_names) == 2 and any(two_names <= names for names in names_by_round):
            number = next(number for number, kingdoms in enumerate(game.rounds) if old_kingdom in kingdoms)
            if number == 0:
                text = f"{kingdom.player} is another player of this Dynasty"
                raise Refusal(422, text, hint="choose another name")
            # A photo may have mixed them up: they change places in this round.
            players = {player.player.casefold(): player for player in game.players}
            owner, other_owner = (players[version.player.casefold()] for version in (kingdom, old_kingdom))
            owners = {old_kingdom.player: owner, owner.player: other_owner}
            numbers = range(number, number + 1)
        game = game.with_kingdom(replace(kingdom, player=old_kingdom.player, colour=old_kingdom.colour))
        for number in numbers:
            kingdoms = [
                replace(entry, **asdict(owners[entry.player])) if entry.player in owners else entry
                for entry in game.rounds[number]
            ]
            game = game.with_round(number, kingdoms)
        return game


class SetPieces(Change, frozen=True, tag="set_pieces"):
    """Set the pieces of a kind on one place; "?" stands for those that are not listed. All other ones stay.

    If there are no others, the questions about them are answered. Two phones may enter pieces of a kingdom at once.
    Places are those of the `reading`.
    """

    kingdom: KingdomId
    key: PlayerName
    at: Annotated[str, Meta(pattern=rf"^(?:{PLACE}|\?)$(?!\n)")]
    pieces: list[Any] = []
    reading: ReadingId | None = None

    def apply(self, game: TableGame, _: Context) -> TableGame:
        kingdom = game.find(self.kingdom, self.reading)
        facts = check_facts(replace_pieces(kingdom.facts, self.key, self.at, self.pieces))
        info = kingdom.photo_info
        if info is not None and self.at == UNKNOWN and not self.pieces:  # there are no others
            pieces = [
                piece
                for piece in info.pieces
                if FACT_KEYS.get(piece.kind) != self.key or remove_piece(facts, piece.kind, piece.at) != facts
            ]
            info = replace(info, pieces=pieces)
        return game.with_kingdom(replace(kingdom, facts=facts, photo_info=info))


class AnswerPiece(Change, frozen=True, tag="answer_piece"):
    """Answer whether a piece stands, or a gem lies, where a photo left that open."""

    kingdom: KingdomId
    kind: PlayerName
    at: Place
    present: bool
    reading: ReadingId | None = None

    def apply(self, game: TableGame, _: Context) -> TableGame:
        kingdom = game.find(self.kingdom, self.reading)
        info = kingdom.photo_info
        if info is None:
            return game
        other_pieces = [piece for piece in info.pieces if (piece.kind, piece.at) != (self.kind, self.at)]
        facts = (add_piece if self.present else remove_piece)(kingdom.facts, self.kind, self.at)
        key = FACT_KEYS.get(self.kind, "")
        if isinstance(kingdom.facts.get(key), list) and all(piece.kind != self.kind for piece in other_pieces):
            facts = facts | {key: [piece for piece in facts[key] if piece != UNKNOWN]}
        if self.kind == "queen" and self.present:
            game = remove_other_queens(game, self.kingdom)
        return game.with_kingdom(replace(kingdom, facts=facts, photo_info=replace(info, pieces=other_pieces)))


class SetRules(Change, frozen=True, tag="set_rules"):
    """Set the rules. Known variants that cannot be added to the game are left out.

    `before` are the rules that the client saw: what it has not changed stays as somebody else may have set it, and so
    do rules that are not given.
    """

    rules: PartialRules
    before: TableRules | None = None

    def apply(self, game: TableGame, _: Context) -> TableGame:
        before = self.before or game.rules
        given_rules = {name: value for name, value in asdict(self.rules).items() if value is not UNSET}
        rules = merge_rules(game.rules, before, replace(before, **given_rules))
        if rules.game not in GAMES or rules.side not in (None, *SIDES):
            message = f"this version has no game {rules.game[:20]!r} with side {rules.side}"
            raise Refusal(422, message, hint=f"choose one of {join_words([*GAMES], 'or')}")
        for name in {*rules.variants} - {variant.id for variant in VARIANTS}:
            raise Refusal(422, f"this version has no variant {name[:20]!r}", hint="see the variants in /api/rules")
        variants = [variant.id for variant in VARIANTS if variant.id in rules.variants and variant.fits(rules.game)]
        gems = [clean_name(name) for name in rules.open_gems]
        old_variants = {*game.rules.variants, *game.removed_variants}
        removed_variants = sorted(old_variants.difference(rules.variants))
        game = replace(game, rules=replace(rules, variants=variants, open_gems=gems), removed_variants=removed_variants)
        if rules.dynasty:
            return replace(game, rounds=[*game.rounds, [], []][:MAX_ROUNDS])
        return keep_first_round(game) if len(game.rounds) > 1 else game


class NewGame(Change, frozen=True, tag="new_game"):
    """Start the next game by the same rules. The old one, whose number is `game`, stays in the history."""

    id: KingdomId | None = None
    game: GameNumber | None = None

    def apply(self, game: TableGame, context: Context) -> TableGame:
        if self.id == game.id:
            return game  # a phone that has lost the answer sends it again
        check_number(game, self.game)
        rules, players = replace(game.rules, seats=None, open_gems=[]), game.players or game.last_players
        return TableGame(context.next_number, rules, [[] for _ in game.rounds], players, id=self.id or "")


class OpenGame(Change, frozen=True, tag="open_game"):
    """Return to an earlier game of this table."""

    number: GameNumber

    def apply(self, _: TableGame, context: Context) -> TableGame:
        return context.storage.find_game(context.table, self.number)


class LoadGame(Change, frozen=True, tag="load_game"):
    """Start a game with given rules and rounds, such as those of a link. Its kingdoms get new ids."""

    rules: TableRules
    rounds: Annotated[list[Annotated[list[AddKingdom], Meta(max_length=MAX_KINGDOMS_PER_ROUND)]], Meta(max_length=3)]
    id: KingdomId | None = None

    def apply(self, game: TableGame, context: Context) -> TableGame:
        if self.id == game.id:
            return game
        rules = SetRules(replace(self.rules, dynasty=len(self.rounds) > 1))
        kingdoms = [
            replace(entry, round=number, id=None) for number, additions in enumerate(self.rounds) for entry in additions
        ]
        return apply_changes(TableGame(context.next_number, id=self.id or ""), [rules, *kingdoms], context)


class AnswerProposal(Change, frozen=True, tag="answer_proposal"):
    """Answer a proposal: `answer` is the number of one of its answers, from 0."""

    proposal: KingdomId
    answer: Annotated[int, Meta(ge=0)]

    def apply(self, game: TableGame, context: Context) -> TableGame:
        proposal = next((entry for entry in game.proposals if entry.id == self.proposal), None)
        if proposal is None or self.answer >= len(proposal.answers):
            raise Refusal(404, "this question has been answered", hint="look at the table again")
        game = replace(game, proposals=[entry for entry in game.proposals if entry.id != self.proposal])
        changes = [*update_answer(game, proposal, proposal.answers[self.answer])]
        for change in [entry for entry in changes if isinstance(entry, AddKingdom)]:
            reading = context.storage.find_reading(context.table, change.reading or "").kingdom
            kingdoms = [entry for entry in game.list_round(change.round) if entry.id not in proposal.kingdoms]
            if match_kingdoms(kingdoms, [reading]):  # another photo has brought it since the question
                changes.remove(change)
        return apply_changes(game, changes, context)


AnyChange = (
    AddKingdom
    | ReplaceKingdom
    | JoinReading
    | RemoveKingdom
    | SetSquare
    | SetKingdom
    | SetPieces
    | AnswerPiece
    | AnswerProposal
    | SetRules
    | NewGame
    | OpenGame
    | LoadGame
)


class Move(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op"):
    """A move between steps; `step` is the one that the client saw, null for whichever it is."""

    step: int | None = None


class Undo(Move, frozen=True, tag="undo"):
    """Return to the step before."""


class Redo(Move, frozen=True, tag="redo"):
    """Return to the step that was undone last."""


class ChangeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Changes that make one step, or one move between steps; `revision` is the last one that the client saw.

    A request that is sent again with the same `id`, because its answer was lost, counts once.
    """

    changes: Annotated[list[AnyChange | Undo | Redo], Meta(min_length=1, max_length=MAX_CHANGES)]
    revision: int | None = None
    id: Annotated[str, Meta(pattern=ID)] | None = None


def apply_changes(game: TableGame, changes: Sequence[Change], context: Context) -> TableGame:
    """Return the game after all changes; raise Refusal and NotationError, and then none of them counts."""
    for change in changes:
        game = change.apply(game, context)
    return open_missing_facts(game)


def update_answer(game: TableGame, proposal: Proposal, answer: Answer) -> Iterator[Change]:
    """Yield the changes of an answer, for the round and the kingdoms that are left since the question.

    Kingdoms that were removed stay away. If all of them were, the photo is a new one.
    """
    ids = {kingdom.id for kingdom in game.kingdoms}
    is_new = ids.isdisjoint(proposal.kingdoms)
    all_changes = [change for entry in proposal.answers for change in _convert_changes(entry)]
    additions = {
        change.reading: replace(change, round=proposal.round)
        for change in all_changes
        if isinstance(change, AddKingdom)
    }
    for change in _convert_changes(answer):
        if is_new or isinstance(change, AddKingdom):
            yield additions[change.reading]
        elif change.kingdom in ids:
            yield change


def _convert_changes(answer: Answer) -> list[AddKingdom | ReplaceKingdom | JoinReading]:
    return msgspec.convert(answer.changes, list[AddKingdom | ReplaceKingdom | JoinReading])


def check_round(game: TableGame, number: int) -> None:
    """Raise Refusal if a game has no round of this number, from 0."""
    if number >= len(game.rounds):
        raise Refusal(422, f"this game has no round {number + 1}", hint="choose a Dynasty in the rules first")


def check_number(game: TableGame, number: int | None) -> None:
    """Raise Refusal if a given number is not that of the game: somebody has started another one."""
    if number not in (None, game.number):
        raise Refusal(409, "another game is played at the table now", hint="try again if you mean that one")


def open_missing_facts(game: TableGame) -> TableGame:
    """Return the game with "?" for each fact that a kingdom from a photo lacks: its rules may have changed since."""
    open_facts = dict.fromkeys(sorted(game.rules.facts - {TOWNS}), UNKNOWN)
    for kingdom in game.kingdoms:
        if kingdom.reading:
            game = game.with_kingdom(replace(kingdom, facts=open_facts | kingdom.facts))
    return game


def keep_first_round(game: TableGame) -> TableGame:
    """Return the game with its first round that has a kingdom, and the questions about photos of this round."""
    number = next((number for number, kingdoms in enumerate(game.rounds) if kingdoms), 0)
    proposals = [replace(proposal, round=0) for proposal in game.proposals if proposal.round == number]
    return replace(game, rounds=[game.rounds[number]], proposals=proposals, deciding=[0] if game.deciding else [])


def merge_rules(rules: TableRules, before: TableRules, after: TableRules) -> TableRules:
    """Return the rules with what changes from `before` to `after`: of a list, the items that were added and removed."""
    changes: dict[str, Any] = {}
    for name, value in asdict(after).items():
        current_value, old_value = getattr(rules, name), getattr(before, name)
        if isinstance(value, list):
            kept_items = [item for item in current_value if item in value or item not in old_value]
            changes[name] = [*kept_items, *(item for item in value if item not in {*old_value, *kept_items})]
        elif value != old_value:
            changes[name] = value
    return replace(rules, **changes)


def remove_other_queens(game: TableGame, kingdom_id: str) -> TableGame:
    """Return the game without the Queen in the other kingdoms of the round: two phones may place her at once."""
    kingdoms = next(kingdoms for kingdoms in game.rounds if kingdom_id in [kingdom.id for kingdom in kingdoms])
    for kingdom in kingdoms:
        if kingdom.id != kingdom_id and kingdom.facts.get("queen") is True:
            game = game.with_kingdom(replace(kingdom, facts=kingdom.facts | {"queen": False}))
    return game


def choose_player(
    game: TableGame, number: int, player: str, colour: str, other_colours: Sequence[str] = ()
) -> tuple[str, str]:
    """Return the name and colour of a new kingdom of a round.

    Without a name it is a player of the first round, or of the game before, who has no kingdom yet: the one of this
    colour, or the next one if no photo shows the colour.
    """
    kingdoms = game.rounds[number]
    names, colours = {entry.player for entry in kingdoms}, {entry.colour for entry in kingdoms}.union(other_colours)
    known_players = game.rounds[0] if number else game.last_players
    players = [entry for entry in known_players if entry.player not in names]
    matches = [entry for entry in players if (entry.colour == colour if colour else entry.colour not in other_colours)]
    if not player and matches:
        return matches[0].player, matches[0].colour
    new_names = (f"Player {count}" for count in range(1, MAX_KINGDOMS_PER_ROUND + 2))
    free_colours = [free_colour for free_colour in COLOURS if free_colour not in colours]
    return player or next(name for name in new_names if name not in names), colour or (free_colours or COLOURS)[0]


def clean_name(text: str) -> str:
    """Return a name on one line, without control characters."""
    return " ".join(replace_controls(text).split())
