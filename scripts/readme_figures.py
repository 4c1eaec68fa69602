"""Write the table of figures in the README from models/results: `python -m scripts.readme_figures`."""

from pathlib import Path
from typing import Final

from kdvision.files import write_atomically
from kdvision.lab.card.card import format_photos, load_tables

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"
START: Final = (
    "<!-- figures: written by `python -m scripts.readme_figures` from models/results; do not edit by hand -->\n"
)
END: Final = "<!-- end of figures -->"


def make_table() -> str:
    """The table in Markdown, one row for each set of labelled photos."""
    return f"{format_photos(load_tables(ROOT / 'models'))}\n"


def insert_table(page: str, table: str) -> str:
    """The page with the table between its two marker comments."""
    before, rest = page.split(START)
    return f"{before}{START}{table}{END}{rest.split(END)[1]}"


def main() -> None:
    """Bring the README up to date."""
    write_atomically(README, insert_table(README.read_text(encoding="utf-8"), make_table()).encode())


if __name__ == "__main__":
    main()
