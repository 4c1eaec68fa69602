"""The names of `kdvision` itself: lazy, complete, and used as its docstring says."""

import ast
import doctest
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

import kdvision

SOURCE = Path(kdvision.__file__).read_text(encoding="utf-8")
NAMES = {*chain(*kdvision._NAMES.values())}


def test_type_checkers_see_the_same_names_as_programs() -> None:
    guard = next(node for node in ast.parse(SOURCE).body if isinstance(node, ast.If))
    typed_names = {str(alias.asname) for node in guard.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert typed_names == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_can_be_imported(name: str) -> None:
    assert getattr(kdvision, name).__name__ == name
    assert name in dir(kdvision)


def test_other_names_raise() -> None:
    with pytest.raises(AttributeError, match="no attribute 'wheat'"):
        kdvision.wheat  # noqa: B018


def test_the_example_in_the_docstring_works() -> None:
    assert doctest.testmod(kdvision) == (0, 2)


def test_scoring_a_board_does_not_load_numpy() -> None:
    code = "import sys, kdvision; kdvision.score(kdvision.Board.parse('w1 #')); sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=Path(kdvision.__file__).parents[1]).returncode == 0
