"""What the README shows is what the program prints, and what CI runs is what it says."""

import re
import shlex
from pathlib import Path

import pytest

from kdvision.errors import ExitCode
from tests.conftest import Run
from tests.paths import ROOT

PAGES = sorted(page for folder in (".", "docs", "models", "samples") for page in (ROOT / folder).glob("*.md"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```\n\$ kdvision (type .*)\n((?s:.*?))^```$", README, re.MULTILINE)


def test_something_is_shown() -> None:
    assert SHOWN


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_the_readme_shows_what_is_printed(command: str, output: str, run: Run) -> None:
    ran = run(*shlex.split(command))
    assert ran.out.rstrip() == output.rstrip()


def test_the_readme_lists_every_exit_code() -> None:
    listed = {int(code) for code in re.findall(r"^\| (\d) \|", README, re.MULTILINE)}
    assert listed == set(ExitCode)


def test_ci_runs_what_the_readme_says() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [line.split()[:3] for line in script.splitlines() if "make" in line.split()[:2]] == [
        ["make", "check"],
        ["exec", "make", "install-check"],
    ]
    assert "`make check` and `make install-check` are what `.ci/run` calls" in README
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\ncheck:" in makefile and "\ninstall-check:" in makefile


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_pages_are_looked_at() -> None:
    assert len(PAGES) >= 5
