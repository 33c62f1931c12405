"""Which Delta goes with which PySpark, and under what name its jar is published (facts/spark-speed.md)."""

from __future__ import annotations

from dataclasses import dataclass

from engines.port import EngineUnavailable
from model.versions import parse


@dataclass(frozen=True)
class Release:
    """The Delta releases from ``first`` up to, but not including, ``before``; the PySpark lines they run on."""

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

GROUP = "io.delta"


def artifact_for(*, delta: str, pyspark: str) -> str:
    """The name of Delta's jar for this pair. Raises EngineUnavailable where the two do not go together."""
    line = ".".join(pyspark.split(".")[:2])
    for release in RELEASES:
        if release.covers(parse(delta)):
            if line in release.spark:
                return release.artifact.format(spark=line)
            wanted = " or ".join(f"{spark}.x" for spark in release.spark)
            raise EngineUnavailable(f"Delta {delta} does not run on PySpark {pyspark}: install PySpark {wanted}.")
    known = f"{'.'.join(map(str, RELEASES[0].first))} or newer, below {'.'.join(map(str, RELEASES[-1].before))}"
    raise EngineUnavailable(f"Delta {delta} is not known here: install a Delta that is {known}.")
