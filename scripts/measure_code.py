"""Print how large the code is, beside the aims: `python -m scripts.measure_code`, or `make aims`.

`--list` names the functions and lines that are counted.
"""

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PHOTO_TO_SCORE: Final = ("pipeline.py", "vision", "game", "gamefile", "errors.py", "files.py")
VARIANT_NAMES: Final = re.compile(r"middle[-_ ]?kingdom|harmony", re.IGNORECASE)
BARE_WORDS: Final = """
above absent afresh again ahead alike alone among anywhere apart around aside away bare begun below beside bent built
certain complete dealt doubtful elsewhere everywhere exact false far few foreign found full further good grown halfway
held here huge kept known laid large largest last later least left likely lit lone lonely lost loud made maybe met
missing most natural near nearby nearest nobody none nowhere odd on once only own plain possible precise quiet quick
ready right said same scarce shone short shown shrunk small soft some sought steady strange sure surer surest swept
there thick thin tidy together told touching true twice typical undone unlike unlikely upright void whole wholly wide
without worth worthless wrong
"""
"""Adjectives, adverbs, prepositions and irregular participles, beside those in -ed and -en."""
NOT_BARE: Final = """
bed children darken deed feed garden hundred kitchen lighten linen men need
open queen reed screen seed sharpen speed
"""
"""Nouns and verbs in -ed and -en."""
AIMS: Final = ("6500", "13000", "7500", "12", "40", "0", "0", "12", "12000")


def count_lines(paths: Iterable[Path]) -> int:
    """Return the number of lines of some Python files and of those below some folders."""
    files = [file for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path]) if file.exists()]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def find_largest_folder(root: Path, pattern: str) -> str:
    """Return the number of files in the folder that holds the most, and its name."""
    folder, count = Counter(path.parent for path in root.rglob(pattern)).most_common(1)[0]
    return f"{count} ({folder.relative_to(root.parent).as_posix()})"


def list_constants(path: Path) -> list[str]:
    """Return the upper-case names that a module assigns at its top level."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    targets += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    return [target.id for target in targets if isinstance(target, ast.Name) and target.id.isupper()]


def is_bare_word(name: str) -> bool:
    """Return True for a single word that ends in -ed or -en and is not in `NOT_BARE`, or that is in `BARE_WORDS`."""
    word = name.lstrip("_")
    ends_like_participle = word.endswith(("ed", "en")) and "_" not in word
    return word in BARE_WORDS.split() or (ends_like_participle and word not in NOT_BARE.split())


def list_bare_functions(package: Path) -> Iterator[str]:
    """Yield file and name of every function and property that is named by a bare participle or adjective."""
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_bare_word(node.name):
                yield f"{path.relative_to(package)}:{node.lineno}: {node.name}"


def list_variant_mentions(package: Path) -> Iterator[str]:
    """Yield every line of code, outside game/rules and the lab, that spells the name of a variant."""
    for path in sorted(path for suffix in ("py", "js", "html", "jinja") for path in package.rglob(f"*.{suffix}")):
        if not path.is_relative_to(package / "game" / "rules") and not path.is_relative_to(package / "lab"):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                if VARIANT_NAMES.search(line):
                    yield f"{path.relative_to(package)}:{number}: {line.strip()}"


def count_words(root: Path) -> int:
    """Return the number of words in the README, the pages of docs/ and the model card."""
    pages = [root / "README.md", *(root / "docs").glob("*.md"), root / "models" / "README.md"]
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def measure(root: Path) -> dict[str, str]:
    """Return the present value of each quantity for the checkout at `root`."""
    package = root / "kdvision"
    lab_lines = count_lines([package / "lab"])
    mentions = list(list_variant_mentions(package))
    mention_files = {line.split(":")[0] for line in mentions}
    return {
        "photo to score, lines": str(count_lines(package / name for name in PHOTO_TO_SCORE)),
        "package without lab, lines": str(count_lines([package]) - lab_lines),
        "lab, lines": str(lab_lines),
        "files in the largest folder": find_largest_folder(package, "*.py"),
        "module constants in vision/": str(
            sum(len(list_constants(path)) for path in (package / "vision").rglob("*.py"))
        ),
        "lines that spell a variant's name": f"{len(mentions)} in {len(mention_files)} files",
        "functions named by a participle or adjective": str(len(list(list_bare_functions(package)))),
        "test files in the largest folder": find_largest_folder(root / "tests", "test_*.py"),
        "words of prose": str(count_words(root)),
    }


def main() -> None:
    """Print the table and, with --list, what is counted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    print("| quantity | aim | now |\n|---|---|---|")
    for (quantity, value), aim in zip(measure(ROOT).items(), AIMS, strict=True):
        print(f"| {quantity} | {aim} | {value} |")
    if options.list:
        package = ROOT / "kdvision"
        print("", *list_bare_functions(package), "", *list_variant_mentions(package), sep="\n")


if __name__ == "__main__":
    main()
