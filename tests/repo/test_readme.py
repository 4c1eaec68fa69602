"""The README and CONTRIBUTING agree with the program, the results and CI."""

import re
import shlex
from pathlib import Path

import pytest

from kdvision.errors import ExitCode
from kdvision.lab.card.card import insert_figures, load_tables
from tests.conftest import Run
from tests.paths import MODELS, ROOT

PAGES = sorted(page for folder in (".", "docs", "models", "samples") for page in (ROOT / folder).glob("*.md"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```\n\$ kdvision (type .*)\n((?s:.*?))^```$", README, re.MULTILINE)


def test_the_readme_has_at_most_120_lines() -> None:
    assert len(README.splitlines()) <= 120


def test_the_readme_shows_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize(("command", "output"), EXAMPLES)
def test_examples_in_the_readme_print_what_it_shows(command: str, output: str, run: Run) -> None:
    assert run(*shlex.split(command)).out.rstrip() == output.rstrip()


def test_figures_in_the_readme_are_those_of_the_results() -> None:
    assert insert_figures(README, load_tables(MODELS)) == README, "run python -m kdvision.lab.card.card"


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^kdvision (\w+) .*#", README, re.MULTILINE))))
def test_commands_in_the_readme_exist(command: str, run: Run) -> None:
    assert run(command, "--help").code == 0


def test_the_readme_lists_every_exit_code() -> None:
    codes = {int(code) for code in re.findall(r"^\| (\d) \|", README, re.MULTILINE)}
    assert codes == set(ExitCode)


def test_ci_runs_the_commands_that_contributing_names() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [line.split()[:3] for line in script.splitlines() if "make" in line.split()[:2]] == [
        ["make", "check"],
        ["exec", "make", "install-check"],
    ]
    assert "`make check` and `make install-check` are what `.ci/run` calls" in CONTRIBUTING
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\ncheck:" in makefile and "\ninstall-check:" in makefile


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_page_is_checked() -> None:
    assert {"README.md", "CONTRIBUTING.md", "design.md"} <= {page.name for page in PAGES}


def test_make_targets_in_the_pages_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", README + CONTRIBUTING, re.MULTILINE))
    assert [target for target in targets if f"\n{target}:" not in makefile] == []
