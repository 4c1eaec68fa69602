"""What a run is asked to do, and what it leaves behind for a later review to know."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from kdvision.batch import event as events
from kdvision.batch.event import Event, Rules


@dataclass(frozen=True)
class Plan:
    """What a run is to do. `event` is an event file, None for the one in the folder, if any; `rules` overrule it."""

    folder: Path
    out: Path
    event: Path | None = None
    rules: Rules | None = None
    force: bool = False

    def memo(self) -> dict[str, Any]:
        """What a later review has to know of this run."""
        event = None if self.event is None else str(self.event.resolve())
        return {
            "folder": str(self.folder.resolve()),
            "event": event,
            "rules": None if self.rules is None else asdict(self.rules),
        }

    @classmethod
    def of_memo(cls, out: Path, memo: Mapping[str, Any]) -> "Plan":
        """The plan that was kept in a folder of results."""
        event, rules = memo["event"], memo["rules"]
        return cls(
            folder=Path(memo["folder"]),
            out=out,
            event=None if event is None else Path(event),
            rules=None if rules is None else Rules(tuple(rules["variants"]), rules["side"]),
        )

    def told(self) -> Event:
        """The event as it is told now; raises NotationError for an event file with a mistake."""
        path = self.event or self.folder / events.FILE
        told = events.load(path) if self.event or path.exists() else Event()
        told = told if told.name else replace(told, name=self.folder.resolve().name)
        return told if self.rules is None else replace(told, rules=self.rules)
