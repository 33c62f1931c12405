"""What the doctor says."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engines.deltalake.versions import DeltalakeReleases
from engines.port import EngineUnavailable
from engines.spark.jvm.java import find_java
from engines.spark.versions import LINES, DeltaReleases, artifact_for
from runner.doctor import machine
from runner.doctor.judging import Needs, brings_java, missing_python, needs_of, serve
from runner.doctor.pythons import OLDEST, FoundPython, pythons

_GB = 2**30

#: What the default gate takes: its environment, Delta's jars and the tables; a JVM and the workers.
DISK, MEMORY = 2 * _GB, 2 * _GB


@dataclass(frozen=True)
class MachineReport:
    """What the machine has. ``refused``: for each PySpark that the Java of JAVA_HOME cannot serve, a sentence."""

    pythons: tuple[FoundPython, ...]
    javas: dict[str, int | None]
    refused: dict[str, str]
    disk: int
    memory: int | None
    registry: str | None  # None: it answers
    made: bool  # the default gate's environment and jars are there
    uv: bool
    browser: str | None


def look(place: Path) -> MachineReport:
    """``place``: the directory of the environments."""
    with ThreadPoolExecutor() as asked:
        registry, javas = asked.submit(machine.registry_answers), asked.submit(machine.java_releases)
        refused = asked.submit(_refused)
        return MachineReport(
            pythons(),
            javas.result(),
            refused.result(),
            machine.free_disk(place),
            machine.free_memory(),
            registry.result(),
            machine.is_made(place / ".tox" / "gate", _jars_of(needs_of("spark"))),
            shutil.which("uv") is not None,
            machine.browser(),
        )


def _jars_of(need: Needs) -> str:
    """The names of a Delta's jars in the cache (engines.spark.jvm.jars)."""
    assert need.pyspark is not None
    delta = need.title.removeprefix("Delta ")
    return f"{artifact_for(delta=delta, pyspark=need.pyspark)}-{delta}"


def _refused() -> dict[str, str]:
    found = {}
    if "JAVA_HOME" in os.environ:
        for name, line in LINES.items():
            try:
                find_java({"JAVA_HOME": os.environ["JAVA_HOME"]}, spark=line.pyspark)
            except EngineUnavailable as refusal:
                found[name] = str(refusal)
    return found


def obstacle(found: MachineReport) -> str | None:
    """Why the default gate cannot run, in a sentence with the remedy; None if it can."""
    newest = needs_of("spark")
    if not any(serve(newest, python) for python in found.pythons):
        return missing_python([newest])
    if refusal := _java_obstacle(newest, found):
        return refusal
    if found.registry is not None and not found.made:
        return f"The package registry that pip is set to {found.registry}: check the network, or pip's index-url, proxy and cert."
    if found.disk < DISK:
        return (
            f"{_size(found.disk)} are free where the environments go, and the gate takes {_size(DISK)}: make room, or name "
            "another cache with XDG_CACHE_HOME."
        )
    if found.memory is not None and found.memory < MEMORY:
        return (
            f"{_size(found.memory)} of memory are free, and the gate takes {_size(MEMORY)}: end other programs, or use another "
            "machine."
        )
    return None


def _java_obstacle(need: Needs, found: MachineReport) -> str | None:
    if need.java is None:
        return None
    if "JAVA_HOME" in found.javas:
        return next((said for name, said in found.refused.items() if LINES[name].java == need.java), None)
    if brings_java(need) or any(
        release and need.java[0] <= release <= need.java[1] for release in found.javas.values()
    ):
        return None
    return f"{need.title} needs Java {need.java[0]} to {need.java[1]}: install it, and set JAVA_HOME."


def lines(found: MachineReport) -> list[str]:
    numbers = [python.number for python in found.pythons if python.release >= OLDEST]
    javas = [f"{release or 'one that does not run'} ({place})" for place, release in found.javas.items()]
    java = ", ".join(javas) if "JAVA_HOME" in found.javas else ", ".join([*javas, "and the one that comes with pip"])
    said = [
        f"Python    {', '.join(numbers) or 'none that is new enough'}",
        f"Java      {java}",
        f"disk      {_size(found.disk)} free where the environments go",
        f"memory    {_size(found.memory)} free" if found.memory is not None else "memory    not known",
        f"packages  the registry {found.registry or 'answers'}{'; those of the gate are there' if found.made else ''}",
        f"browser   {found.browser or 'none'} (only for the suite's own tests of its pages)",
        "",
    ]
    spark = [(version, needs_of(version)) for version in DeltaReleases.judged]
    said += _engine("Delta", spark, found)
    newer = [one.newest for one in LINES.values() if one.newest != one.pyspark]
    also = f"; newer of these lines: {', '.join(newer)}, as {DeltaReleases.judged[-1]}@{newer[-1]}" if newer else ""
    said.append(f"PySpark   {', '.join(one.pyspark for one in LINES.values())}{also}")
    said += _engine("deltalake", [(one, needs_of(f"deltalake=={one}")) for one in DeltalakeReleases.judged], found)
    return said


def _engine(name: str, needs: Sequence[tuple[str, Needs]], found: MachineReport) -> list[str]:
    why: dict[str, list[str]] = {}
    for version, need in needs:
        why.setdefault(_missing(need, found), []).append(version)
    return [f"{name:9} {', '.join(versions)}: {reason or 'can be judged here'}" for reason, versions in why.items()]


def _missing(need: Needs, found: MachineReport) -> str:
    """What a version lacks, with the remedy; empty if nothing."""
    if not any(serve(need, python) for python in found.pythons):
        last = need.pythons[1] if need.pythons else (3, 13)
        number = f"{last[0]}.{last[1]}"
        brings = f"`uv python install {number}`" if found.uv else f"`pip install uv && uv python install {number}`"
        return f"needs Python 3.10 to {number}: {brings} brings one"
    return _java_obstacle(need, found) or ""


def _size(size: int) -> str:
    return f"{size / _GB:.1f} GB"
