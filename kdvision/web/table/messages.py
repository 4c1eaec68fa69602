"""What clients send to a table and get from it."""

from typing import Annotated

from msgspec import Meta, Struct

from kdvision.web.models import TableScore
from kdvision.web.table.changes import MAX_CHANGES, AnyChange
from kdvision.web.table.model import Player, Proposal, TableGame, TableRules


class Move(Struct, frozen=True, tag_field="op"):
    """A move between steps; `step` is the one that the client saw, null for whichever it is."""

    step: int | None = None


class Undo(Move, frozen=True, tag="undo"):
    """Return to the step before."""


class Redo(Move, frozen=True, tag="redo"):
    """Return to the step that was undone last."""


class ChangeRequest(Struct, frozen=True):
    """Changes that make one step, or one move between steps; `revision` is the last one that the client saw."""

    changes: Annotated[list[AnyChange | Undo | Redo], Meta(min_length=1, max_length=MAX_CHANGES)]
    revision: int | None = None


class JoinRequest(Struct, frozen=True):
    """The table to join: null for the latest one, which is made if there is none, or a new one."""

    table: Annotated[str, Meta(max_length=40)] | None = None
    new: bool = False


class StepInfo(Struct, frozen=True):
    """A step that undo or redo would take back or repeat: its number, and the name of its change."""

    step: int
    op: str


class TableState(Struct, frozen=True):
    """Everything that a client shows of a table."""

    table: str
    revision: int
    undo: StepInfo | None
    redo: StepInfo | None
    deciding: bool
    notice: str | None
    game: TableGame
    score: TableScore


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
