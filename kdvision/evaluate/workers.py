"""A map over processes: results in the order of the items, whatever the number of processes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from kdvision.vision.networks.onnx import use_one_thread

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int = 1
) -> Iterator[Result]:
    """Yield the function's result for each item, in order; with one worker, compute it in this process.

    With several workers, the function and the items must pickle, and each process runs on one thread. An exception in
    a worker is raised here and ends the run.
    """
    if workers == 1:
        yield from map(function, items)
        return
    with ProcessPoolExecutor(workers, get_context("spawn"), use_one_thread) as pool:
        yield from pool.map(function, items)
