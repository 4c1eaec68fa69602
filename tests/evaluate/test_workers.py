"""Work is shared between processes, and the results keep their order."""

import pytest

from kdvision.evaluate.workers import map_in_processes


def double(number: int) -> int:
    if number < 0:
        raise ValueError("negative")
    return 2 * number


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_items(workers: int) -> None:
    assert list(map_in_processes(double, range(20), workers=workers)) == list(range(0, 40, 2))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_in_a_worker_ends_the_run(workers: int) -> None:
    with pytest.raises(ValueError, match="negative"):
        list(map_in_processes(double, [1, -1, 2], workers=workers))
