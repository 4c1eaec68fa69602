"""The clauses of the rulebooks and of house rules, as `clauses.toml` words them."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its id such as `kingdomino/value`, its book and section, and its meaning.

    `ruling` marks how this program reads a point on which the books are silent. `house` marks a house rule, which is
    from no book, and `one_source` a clause that a single source has, which is not the book.
    """

    id: str
    book: str
    section: str
    text: str
    ruling: bool = False
    house: bool = False
    one_source: bool = False

    @property
    def source(self) -> str:
        """Book and section, with what kind of clause it is; "house rule" without a book."""
        kind = ", ruling" * self.ruling + ", from one source" * self.one_source
        return self.book if self.house else f"{self.book}, {self.section}{kind}"

    def __str__(self) -> str:
        return f"{self.id} ({self.source}): {self.text}"


@cache
def load_clauses() -> Mapping[str, Clause]:
    """Return every clause by its id, book by book."""
    return parse_clauses(Path(__file__).with_name("clauses.toml").read_text(encoding="utf-8"))


def parse_clauses(text: str) -> dict[str, Clause]:
    """Return the clauses of a text such as that of `clauses.toml` by their ids."""
    clauses_by_id = {}
    for group, sections in tomllib.loads(text).items():
        book, is_house = sections.pop("book", "house rule"), group == "house"
        for section, entries in ({"": sections} if is_house else sections).items():
            for name, entry in entries.items():
                fields = {"text": entry} if isinstance(entry, str) else entry
                id = f"{group}/{name}"
                clauses_by_id[id] = Clause(id=id, book=book, section=section, house=is_house, **fields)
    return clauses_by_id
