"""The options of a run, which a later review reads again."""

from dataclasses import dataclass, replace
from pathlib import Path

from kdvision.batch.event import EVENT_FILE, Event, load_event
from kdvision.batch.rules import Rules
from kdvision.batch.store.folder import SETTINGS, ResultFolder
from kdvision.errors import NotationError


@dataclass(frozen=True)
class BatchOptions:
    """The options of a run. `event` is an event file, by default the one in the folder; `rules` override its rules."""

    folder: Path
    out: Path
    event: Path | None = None
    rules: Rules | None = None
    force: bool = False

    def save(self) -> None:
        """Store in `out` what a later review has to know."""
        settings = {
            "folder": str(self.folder.resolve()),
            "event": None if self.event is None else str(self.event.resolve()),
            "rules": None if self.rules is None else {"variants": self.rules.variants, "side": self.rules.side},
        }
        ResultFolder(self.out).save_json(SETTINGS, settings)

    @classmethod
    def load(cls, out: Path) -> "BatchOptions":
        """The options of the run that wrote into `out`; raises NotationError if there was none."""
        if not (out / SETTINGS).exists():
            hint = "name a folder that kdvision batch has written, as it was given to -o"
            raise NotationError(f"{out} is not a folder of results", hint=hint)
        settings = ResultFolder(out).load_json(SETTINGS)
        if settings is None or not {"folder", "event", "rules"} <= settings.keys():
            raise NotationError(f"{out / SETTINGS} is damaged", hint="run kdvision batch again")
        event, rules = settings["event"], settings["rules"]
        return cls(
            folder=Path(settings["folder"]),
            out=out,
            event=None if event is None else Path(event),
            rules=None if rules is None else Rules(tuple(rules["variants"]), rules["side"]),
        )

    def load_event(self) -> Event:
        """The event as described now; raises NotationError for an invalid event file."""
        path = self.event or self.folder / EVENT_FILE
        event = load_event(path) if self.event or path.exists() else Event()
        return replace(event, name=event.name or self.folder.resolve().name, rules=self.rules or event.rules)
