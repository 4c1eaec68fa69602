"""The package's own names: lazy, complete, and as its docstring says."""

import ast
import doctest
import subprocess
import sys
from pathlib import Path

import pytest

import kdvision

SOURCE = Path(kdvision.__file__).read_text(encoding="utf-8")


def test_type_checkers_and_programs_see_the_same_names() -> None:
    guarded = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    typed = {str(alias.asname) for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed == set(kdvision._HOME)


@pytest.mark.parametrize("name", sorted(kdvision._HOME))
def test_every_name_is_there(name: str) -> None:
    assert getattr(kdvision, name).__name__ == name
    assert name in dir(kdvision)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'wheat'"):
        kdvision.wheat  # noqa: B018


def test_the_docstring_is_true() -> None:
    assert doctest.testmod(kdvision) == (0, 2)


def test_the_rules_alone_need_no_eyes() -> None:
    code = "import sys, kdvision; kdvision.score(kdvision.Board.parse('w1 #')); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(kdvision.__file__).parents[1]).returncode == 0
