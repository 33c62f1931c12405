"""Which Delta goes with which PySpark and which Python, and under what name its jar is published."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from engines.port import EngineUnavailable
from model.versions import parse


@dataclass(frozen=True)
class Release:
    """The Delta releases from ``first`` up to, but not including, ``before``; the PySpark lines they run on, the usual last."""

    first: tuple[int, ...]
    before: tuple[int, ...]
    spark: tuple[str, ...]
    artifact: str  # {spark} stands for the PySpark line

    def covers(self, delta: tuple[int, ...]) -> bool:
        return self.first <= delta < self.before


RELEASES = (
    Release((2, 4), (3,), ("3.4",), "delta-core_2.12"),
    Release((3,), (4,), ("3.5",), "delta-spark_2.12"),
    Release((4, 0), (4, 1), ("4.0",), "delta-spark_2.13"),
    Release((4, 1), (4, 4), ("4.0", "4.1"), "delta-spark_{spark}_2.13"),
    Release((4, 4), (5,), ("4.0", "4.1", "4.2"), "delta-spark_{spark}_2.13"),
)


@dataclass(frozen=True)
class Line:
    """A line of PySpark: the release of it that a gate runs on, and the first and the last Python that it runs on."""

    pyspark: str
    first: tuple[int, int]
    last: tuple[int, int]


LINES: Mapping[str, Line] = {
    "3.4": Line("3.4.4", (3, 7), (3, 11)),
    "3.5": Line("3.5.7", (3, 8), (3, 11)),
    "4.0": Line("4.0.1", (3, 9), (3, 13)),
    "4.1": Line("4.1.0", (3, 10), (3, 14)),
    "4.2": Line("4.2.0", (3, 10), (3, 14)),
}

#: The releases that people run, and that are judged one after another (`tox -e all-versions`).
JUDGED = (
    *("2.4.0", "3.0.0", "3.1.0", "3.2.1", "3.3.2", "3.3.3"),
    *("4.0.0", "4.0.1", "4.1.0", "4.2.0", "4.3.1", "4.4.0"),
)

GROUP = "io.delta"


@dataclass(frozen=True)
class Pair:
    """A Delta and the PySpark that it is to run on."""

    delta: str
    pyspark: str

    def __str__(self) -> str:
        return f"{self.delta}@{self.pyspark}"


def pair_of(text: str, *, python: tuple[int, ...] = sys.version_info[:2]) -> Pair:
    """``3.3.2`` with the PySpark that usually goes with it, or ``3.3.2@3.5.3``.

    Raises EngineUnavailable, with what to do, where the two do not go together, or not with this Python.
    """
    delta, named, pyspark = text.partition("@")
    if not named:
        lines = _release(delta).spark
        pyspark = LINES[lines[-1]].pyspark
    artifact_for(delta=delta, pyspark=pyspark)
    line = LINES[_line(pyspark)]
    if not line.first <= python[:2] <= line.last:
        first, last, this = (".".join(map(str, one)) for one in (line.first, line.last, python[:2]))
        raise EngineUnavailable(
            f"Delta {delta} needs PySpark {_line(pyspark)}, which runs on Python {first} to {last}, and this is Python "
            f"{this}: make the environment anew with Python {last}."
        )
    return Pair(delta, pyspark)


def artifact_for(*, delta: str, pyspark: str) -> str:
    """The name of Delta's jar for this pair. Raises EngineUnavailable where the two do not go together."""
    release, line = _release(delta), _line(pyspark)
    if line in release.spark:
        return release.artifact.format(spark=line)
    wanted = " or ".join(f"{spark}.x" for spark in release.spark)
    raise EngineUnavailable(f"Delta {delta} does not run on PySpark {pyspark}: install PySpark {wanted}.")


def _line(pyspark: str) -> str:
    return ".".join(pyspark.split(".")[:2])


def _release(delta: str) -> Release:
    for release in RELEASES:
        if release.covers(parse(delta)):
            return release
    known = f"{'.'.join(map(str, RELEASES[0].first))} or newer, below {'.'.join(map(str, RELEASES[-1].before))}"
    raise EngineUnavailable(f"Delta {delta} is not known here: install a Delta that is {known}.")
