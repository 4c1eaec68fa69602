"""The clauses in the table, in the rules' code and in the tests are the same set."""

import ast
import re
from collections.abc import Iterator

from kdvision.game.rules import VARIANTS, load_clauses
from kdvision.game.rules.clauses import parse_clauses
from tests.paths import ROOT

BOOKS = {clause.split("/")[0] for clause in load_clauses()}
CLAUSE_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(BOOKS))})/[a-z0-9-]+")


def find_code_clauses(folder: str) -> set[str]:
    sources = (ROOT / folder).rglob("*.py")
    return {clause for path in sources for clause in CLAUSE_PATTERN.findall(path.read_text(encoding="utf-8"))}


def list_clause_marks(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        for mark in getattr(node, "decorator_list", []):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) in ("clause", "pytest.mark.clause"):
                yield ast.literal_eval(mark.args[0])


def find_test_clauses() -> set[str]:
    sources = (ROOT / "tests").rglob("test_*.py")
    return {clause for path in sources for clause in list_clause_marks(ast.parse(path.read_text(encoding="utf-8")))}


def test_every_clause_is_in_the_rules_and_no_code_cites_another() -> None:
    assert find_code_clauses("kdvision/game") == find_code_clauses("kdvision") == set(load_clauses())


def test_every_clause_has_a_test() -> None:
    assert find_test_clauses() == set(load_clauses())


def test_a_house_rule_needs_only_its_text() -> None:
    (clause,) = parse_clauses('[house.corner]\ntext = "3 points for a castle in a corner."').values()
    assert (clause.id, clause.house, clause.ruling) == ("house/corner", True, False)
    assert str(clause) == "house/corner (house rule): 3 points for a castle in a corner."


def test_clauses_have_a_full_text() -> None:
    for clause in load_clauses().values():
        assert clause.book
        assert clause.section or clause.house
        assert clause.text.endswith(".")
        assert clause.id in str(clause)


def test_every_variant_has_its_clause_and_its_row_in_the_documentation() -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    table = page.partition("| variant |")[2].partition("\n\n")[0].splitlines()[2:]
    assert table == [
        f"| {variant.name} | `{variant.id}` | {variant.help} | {', '.join(variant.games) or 'all'} |"
        for variant in VARIANTS
        if not variant.group
    ]
    assert all(f"`{variant.id}`" in page for variant in VARIANTS)
    assert {variant.clause for variant in VARIANTS} <= set(load_clauses())
