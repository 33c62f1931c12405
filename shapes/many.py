"""Many tables, in several processes: no more of them are waiting than there is work for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from shapes.reading import ReadTable, RefusedTable, Wanted, read_table
from shapes.refusals import RefusalReason
from shapes.store import root_of

_WAITING = 4  # tables of each process


def read_all(tables: Sequence[str], wanted: Wanted, jobs: int) -> Iterator[ReadTable | RefusedTable]:
    """Yields results in the order of ``tables``, whose paths ``root_of`` has already checked."""
    if jobs == 1 or len(tables) == 1:
        for table in tables:
            yield _read(table, wanted)
        return
    left = deque(tables)
    while left:  # again, if a process was killed
        yield from _in_pool(left, wanted, jobs)


def _read(table: str, wanted: Wanted) -> ReadTable | RefusedTable:
    return read_table(table, root_of(table), wanted)


def _in_pool(left: deque[str], wanted: Wanted, jobs: int) -> Iterator[ReadTable | RefusedTable]:
    """Takes from ``left``. Ends early if a process was killed: the table that waited longest is to blame."""
    running: deque[tuple[str, Future[ReadTable | RefusedTable]]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        while left or running:
            while left and len(running) < jobs * _WAITING:
                table = left.popleft()
                running.append((table, pool.submit(_read, table, wanted)))
            table, future = running.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                left.extendleft(other for other, _ in reversed(running))
                yield RefusedTable(
                    table, RefusalReason.NOT_REACHABLE, "the process that read it was killed; is there memory for it?"
                )
                return
