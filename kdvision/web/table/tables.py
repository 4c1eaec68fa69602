"""The tables of a server: apply changes in order, store the game, score it, and send it to everybody who watches."""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from kdvision.web.limits import JobQueue, Refusal
from kdvision.web.security import KEY_LETTERS, is_loopback
from kdvision.web.table.changes import (
    Change,
    ChangeRequest,
    Context,
    Move,
    ReplaceKingdom,
    SetRules,
    Undo,
    apply_changes,
    check_number,
)
from kdvision.web.table.live import SharedTable, StepInfo, TableState, Watcher
from kdvision.web.table.model import Player, Proposal, TableGame, TableRules
from kdvision.web.table.readings import decide_kingdoms, decode_reading
from kdvision.web.table.retakes import find_new_readings, plan_additions
from kdvision.web.table.score import score_table
from kdvision.web.table.storage import Step, Storage, StoredReading

log = logging.getLogger("kdvision.web")

TABLE_LETTER_COUNT: Final = 4

CHANGE_THREADS: Final = 4
"""Changes at once; each takes milliseconds, except for joining two photos of a kingdom."""

DECISION_THREADS: Final = 2
"""Tables whose kingdoms are decided again at once."""

MAX_TABLES: Final = 1000
"""Tables that people have joined since the server was started; each needs memory."""

MAX_WATCHERS: Final = 256
"""Live connections of the server: half of its connections at least stay free for requests."""
MAX_WATCHERS_PER_ADDRESS: Final = 32
"""Several phones may share an address, and a phone may have several tabs."""


class JoinRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The table to join: null for the latest one, which is made if there is none, or a new one."""

    table: Annotated[str, Meta(max_length=40)] | None = None
    new: bool = False


class PhotoAnswer(Struct, frozen=True):
    """What became of a photo: the ids of the kingdoms that were added, or the proposal that somebody has to answer."""

    kingdoms: list[str]
    proposal: Proposal | None
    state: TableState
    width: int = 0
    height: int = 0


class PastGame(Struct, frozen=True):
    """A game of the history; `changed` is the time of its last change in seconds since 1970."""

    table: str
    number: int
    changed: float
    rules: TableRules
    players: list[Player]
    text: str


class Tables:
    """All tables of the server. Methods run in the event loop; games are changed and scored in worker threads.

    `decisions` has threads of its own: deciding kingdoms under glare takes seconds, and changes must not wait.
    """

    def __init__(self, storage: Storage | None = None) -> None:
        self.storage = storage or Storage()
        self.jobs, self.decisions = JobQueue(CHANGE_THREADS), JobQueue(DECISION_THREADS)
        self._tables: dict[str, SharedTable] = {}

    def join(self, request: JoinRequest) -> SharedTable:
        """Return the table that a client asks for; raise Refusal."""
        if request.table is not None:
            return self.find(request.table)
        names = self.storage.list_tables()
        if names and not request.new:
            return self.find(names[0])
        if len(self._tables) >= MAX_TABLES:
            message = f"{len(self._tables)} tables are in use"
            raise Refusal(503, message, hint="join one of them, or start the server again", retry_after=60)
        name = ""
        while name in ("", *names):
            name = "".join(secrets.choice(KEY_LETTERS) for _ in range(TABLE_LETTER_COUNT))
        self.storage.save(name, 0, Step(0, "start", TableGame()))
        return self.find(name)

    def find(self, name: str) -> SharedTable:
        """Return a table by its id; raise Refusal."""
        if name not in self._tables:
            revision, step = self.storage.find_table(name)
            state = self._make_state(name, revision, step, score_table(step.game))
            self._tables[name] = SharedTable(name, step, state)
            self._start_decider(self._tables[name])
        return self._tables[name]

    async def change(self, table: SharedTable, request: ChangeRequest) -> TableState:
        """Apply changes, or move between steps; raises Refusal and NotationError, and then nothing has changed."""
        if request.revision is not None and request.revision > table.state.revision:
            raise Refusal(409, "this table has been set back since", hint="look at the table again")
        changes = [change for change in request.changes if isinstance(change, Change)]
        moves = [move for move in request.changes if isinstance(move, Move)]
        if moves and len(request.changes) > 1:
            raise Refusal(422, "undo and redo are requests of their own", hint="send one of them alone")
        async with table.lock:
            if request.id in table.request_ids:
                return table.state
            if moves:
                await self._continue_with(table, self._find_move(table, moves[0]), is_new=False)
            else:
                await self._take_step(table, changes)
            if request.id is not None:
                table.request_ids.append(request.id)
            return table.state

    async def add_photo(
        self,
        table: SharedTable,
        number: int,
        kingdom_id: str,
        readings: Sequence[StoredReading],
        asked_game: TableGame,
        photo_rules: TableRules,
    ) -> PhotoAnswer:
        """Add the kingdoms of a photo to a round, or ask about them; first its game, if that is open, and its variants.

        With a `kingdom_id`, the reading replaces that kingdom. The photo was read by the `photo_rules`: those of the
        `asked_game`, which was played when it arrived, with the game and the variants that it shows. Raises Refusal if
        another game is played now.
        """
        async with table.lock:
            old_game, rules = table.game, table.game.rules
            check_number(old_game, asked_game.number)
            proposal: Proposal | None = None
            if kingdom_id:
                additions: Sequence[Change] = [ReplaceKingdom(kingdom_id, readings[0].kingdom.reading)]
            else:
                readings = find_new_readings(old_game, number, readings)
                additions, proposal = plan_additions(old_game, number, [reading.kingdom for reading in readings])
            for reading in readings:
                self.storage.add_reading(table.id, reading)
            old_variants = {*asked_game.rules.variants, *rules.variants, *old_game.removed_variants}
            new_variants = [name for name in photo_rules.variants if name not in old_variants]
            new_game = photo_rules.game if old_game.is_open else rules.game
            new_rules = replace(rules, game=new_game, variants=[*rules.variants, *new_variants])
            changes = [SetRules(new_rules)] if new_rules != rules else []
            state = await self._take_step(table, [*changes, *additions], proposal, photo_rules)
        old_ids = {entry.id for entry in old_game.kingdoms}
        return PhotoAnswer([entry.id for entry in state.game.kingdoms if entry.id not in old_ids], proposal, state)

    def list_games(self) -> list[PastGame]:
        """Return the games of all tables, the latest first; `text` says who won."""
        games = []
        for table, change_time, game in self.storage.list_games():
            if any(game.rounds):
                score = score_table(game)
                final = score["standing"] if len(game.rounds) > 1 else None
                last_round = next(round_score for round_score in reversed(score["rounds"]) if round_score["kingdoms"])
                text = final["reason"] if final else last_round["verdict"]["text"]
                games.append(PastGame(table, game.number, change_time, game.rules, game.players, text))
        return games

    def watch(self, table: SharedTable, address: str) -> Watcher:
        """Open a live connection to a table and return it; raise Refusal if there are too many."""
        watchers = [watcher for watched_table in self._tables.values() for watcher in watched_table.watchers]
        count = 0 if is_loopback(address) else sum(watcher.address == address for watcher in watchers)
        if len(watchers) >= MAX_WATCHERS or count >= MAX_WATCHERS_PER_ADDRESS:
            hint = "close the page on a phone or in a tab that nobody needs"
            raise Refusal(503, "too many phones are watching", hint=hint, retry_after=30)
        watcher = Watcher(address)
        table.add_watcher(watcher)
        return watcher

    def close_watchers(self) -> None:
        """End all live connections, for which a server that stops would wait."""
        for watcher in [watcher for table in self._tables.values() for watcher in table.watchers]:
            watcher.close()

    def close(self) -> None:
        """Stop deciding, and close the file."""
        for table in self._tables.values():
            if table.decider is not None:
                table.decider.cancel()
        self.jobs.close()
        self.decisions.close()
        self.storage.close()

    async def _take_step(
        self,
        table: SharedTable,
        changes: Sequence[Change],
        proposal: Proposal | None = None,
        photo_rules: TableRules | None = None,
    ) -> TableState:
        """Apply changes as one step, with the lock held; a kingdom that has new facts is decided again afterwards."""
        old_game = table.game
        game = await self.jobs.start(partial(apply_changes, old_game, changes, Context(self.storage, table.id)))
        if proposal is not None:
            game = replace(game, proposals=[*game.proposals, proposal])
        if game == old_game:
            return table.state
        rounds = _find_rounds_to_decide(old_game, game, photo_rules or old_game.rules)
        game = replace(game, deciding=sorted({*game.deciding, *rounds}))
        step = Step(table.step.number + 1, changes[0].op if changes else "photo", game)
        await self._continue_with(table, step, is_new=True)
        return table.state

    async def _continue_with(self, table: SharedTable, step: Step, *, is_new: bool) -> None:
        """Store, score and publish a step."""
        score = await self.jobs.start(partial(score_table, step.game))
        revision = table.state.revision + 1
        self.storage.save(table.id, revision, step, is_new=is_new)
        table.step = step
        table.state = self._make_state(table.id, revision, step, score)
        table.publish("state", table.state, revision)
        self._start_decider(table)

    def _start_decider(self, table: SharedTable) -> None:
        if table.game.deciding and (table.decider is None or table.decider.done()):
            table.decider = asyncio.get_running_loop().create_task(self._decide(table))

    def _make_state(self, name: str, revision: int, step: Step, score: Any) -> TableState:
        previous_step, next_step = (self.storage.find_step(name, step.number + offset) for offset in (-1, 1))
        undo = None if previous_step is None else StepInfo(step.number, step.op)
        redo = None if next_step is None else StepInfo(next_step.number, next_step.op)
        notice = self.storage.notice or None
        return TableState(name, revision, undo, redo, bool(step.game.deciding), notice, step.game, score)

    def _find_move(self, table: SharedTable, move: Move) -> Step:
        """Return the step that an undo or redo leads to; raise Refusal."""
        verb, offset = str(move.__struct_config__.tag), -1 if isinstance(move, Undo) else 1
        info = table.state.undo if offset < 0 else table.state.redo
        step = self.storage.find_step(table.id, table.step.number + offset)
        if info is None or step is None:
            raise Refusal(409, f"there is nothing to {verb}", hint="look at the table again")
        if move.step not in (None, info.step):
            raise Refusal(409, "somebody has changed the game since", hint=f"look at it, and {verb} again if needed")
        return step

    async def _decide(self, table: SharedTable) -> None:
        """Decide the waiting rounds again, until nothing has changed meanwhile. The step stays the same."""
        while table.game.deciding:
            game, (number, *others) = table.game, table.game.deciding
            try:
                new_game = await self.decisions.start(partial(self._decide_round, table.id, game, number))
            except Exception:  # else the table would wait for this decision for ever
                log.exception("the kingdoms of a round were not decided again")
                new_game = game
            async with table.lock:
                if table.game is game:
                    new_game = replace(new_game, deciding=others)
                    await self._continue_with(table, table.step._replace(game=new_game), is_new=False)

    def _decide_round(self, table: str, game: TableGame, number: int) -> TableGame:
        observations = []
        for kingdom in game.list_round(number):
            if kingdom.reading:
                with suppress(Refusal):  # a kingdom whose reading is lost, or of another version, stays as it is
                    observations.append((kingdom, decode_reading(self.storage.find_reading(table, kingdom.reading))))
        for decided_kingdom in decide_kingdoms(observations, game.rules) if observations else ():
            game = game.with_kingdom(decided_kingdom)
        return game


def _find_rounds_to_decide(old_game: TableGame, new_game: TableGame, photo_rules: TableRules) -> set[int]:
    """Return the rounds whose kingdoms from photos have other readings, fixed squares or rules than before.

    The kingdoms of a round's first photo are decided already, unless a question about them was open, or the
    `photo_rules` by which they were read are not those of the game any more.
    """
    all_rules = (old_game.rules, new_game.rules, photo_rules)
    is_other_game = len({(rules.box, rules.side, frozenset(rules.facts)) for rules in all_rules}) > 1
    is_answer = len(new_game.proposals) < len(old_game.proposals)
    rounds = set()
    for number, kingdoms in enumerate(new_game.rounds):
        readings = [(kingdom.reading, kingdom.fixes) for kingdom in kingdoms if kingdom.reading]
        old_readings = [(kingdom.reading, kingdom.fixes) for kingdom in old_game.list_round(number) if kingdom.reading]
        photos = {kingdom.photo_info.photo for kingdom in kingdoms if kingdom.photo_info}
        is_decided = not old_readings and len(photos) == 1 and not is_answer
        if readings and (is_other_game or (readings != old_readings and not is_decided)):
            rounds.add(number)
    return rounds
