"""Work is done in order, by one process or several, and nothing twice."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kdvision.evaluate.workers import completed, in_order


def double(number: int) -> int:
    if number < 0:
        raise ValueError("negative")
    return 2 * number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_work(workers: int) -> None:
    assert list(in_order(double, range(20), workers=workers)) == list(range(0, 40, 2))


def test_an_error_of_one_ends_all() -> None:
    with pytest.raises(ValueError, match="negative"):
        list(in_order(double, [1, -1, 2]))


def test_what_is_known_is_not_done_again_and_all_is_saved() -> None:
    told, saved = list[tuple[int, int]](), list[dict[str, int]]()

    def save(made: Mapping[str, int]) -> None:
        saved.append(dict(made))

    work = {"b": 2, "a": 1}
    made = completed(double, work, {"a": 7, "c": 9}, save=save, progress=lambda *far: told.append(far))
    assert list(made.items()) == [("b", 4), ("a", 7), ("c", 9)]
    assert saved[-1] == made and told == [(1, 1)]


def test_what_was_done_before_an_error_is_saved() -> None:
    saved: dict[str, int] = {}
    with pytest.raises(ValueError):
        completed(double, {"a": 1, "b": -1, "c": 3}, {}, save=saved.update)
    assert saved == {"a": 2}
