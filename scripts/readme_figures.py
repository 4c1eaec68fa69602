"""Write the table of figures in the README from models/results: `python -m scripts.readme_figures`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kdvision.evaluate.summary import Row, rows_of
from kdvision.files import write_atomically

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
RESULTS: Final = ROOT / "models" / "results"
START: Final = (
    "<!-- figures: written by `python -m scripts.readme_figures` from models/results; do not edit by hand -->\n"
)
END: Final = "<!-- end of figures -->"
SETS: Final = {
    "photos-seed1.csv": "photos from five rooms, as taken",
    "boards-seed1.csv": "boards, straightened by hand",
    "stress-seed1.csv": "the photos, spoiled in 24 ways (`--stress`)",
}
HEAD: Final = (
    "| `kdvision evaluate` on | photos | exact | silent errors | false alarms | coverage |\n|---|---|---|---|---|---|\n"
)


def summarise(rows: Sequence[Row]) -> str:
    """Photos, exact ones, silent errors, false alarms and coverage, as cells of the table."""
    false_alarms = sum(row.review and row.exact for row in rows)
    coverage = sum(not row.review for row in rows) / len(rows)
    exact, silent = sum(row.exact for row in rows), sum(row.silent for row in rows)
    return f"{len(rows)} | {exact} | {silent} | {false_alarms} | {100 * coverage:.1f} %"


def make_table(results: Path = RESULTS) -> str:
    """The table in Markdown, one row for each committed result."""
    tables = {name: rows_of((results / name).read_text(encoding="utf-8")) for name in SETS}
    return HEAD + "".join(f"| {SETS[name]} | {summarise(rows)} |\n" for name, rows in tables.items())


def insert_table(page: str, table: str) -> str:
    """The page with the table between its two marker comments."""
    before, rest = page.split(START)
    return f"{before}{START}{table}{END}{rest.split(END)[1]}"


def main() -> None:
    """Bring the README up to date."""
    write_atomically(README, insert_table(README.read_text(encoding="utf-8"), make_table()).encode())


if __name__ == "__main__":
    main()
