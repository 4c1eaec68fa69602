"""The rulebooks' clauses, as `clauses.toml` words them."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: `kingdomino/value`, its book and section, its meaning; a ruling where the books are silent."""

    id: str
    book: str
    section: str
    text: str
    ruling: bool = False

    def data(self) -> dict[str, str | bool]:
        """The clause as plain values, by the names of its fields."""
        return asdict(self)

    def __str__(self) -> str:
        kind = ", ruling" if self.ruling else ""
        return f"{self.id} ({self.book}, {self.section}{kind}): {self.text}"


@cache
def clauses() -> Mapping[str, Clause]:
    """Every clause by its id, book by book."""
    books = tomllib.loads(files(__package__).joinpath("clauses.toml").read_text(encoding="utf-8"))
    ids = {f"{game}/{name}": entry for game, entries in books.items() for name, entry in entries.items()}
    return {clause: Clause(id=clause, **entry) for clause, entry in ids.items()}
