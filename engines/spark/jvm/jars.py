"""Downloads Delta's jars from Maven Central with the Ivy that PySpark ships, once per version and user."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pyspark
from filelock import FileLock

from engines.port import EngineUnavailable
from engines.spark.versions import GROUP


def spark_jars() -> Path:
    """The directory of the jars that PySpark ships."""
    return Path(pyspark.__file__).parent / "jars"


def scala_version() -> str:
    """The version of Scala that Spark's jars are for: 2.13, say."""
    (core,) = spark_jars().glob("spark-core_*.jar")
    return core.name.removeprefix("spark-core_").partition("-")[0]


@dataclass(frozen=True)
class Dependency:
    """A module of Maven Central. ``alone``: without what it depends on."""

    group: str
    artifact: str
    version: str
    alone: bool = False

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


def delta_jars(
    artifact: str, version: str, *, java: Path, ivy_settings: str | None = None, tell: Callable[[str], object]
) -> tuple[Path, ...]:
    """Delta's jar and its dependencies that Spark does not ship: see ``downloaded_jars``."""
    return downloaded_jars((Dependency(GROUP, artifact, version),), java=java, ivy_settings=ivy_settings, tell=tell)


def downloaded_jars(
    wanted: Sequence[Dependency],
    *,
    java: Path,
    ivy_settings: str | None = None,
    tell: Callable[[str], object] = lambda sentence: None,
) -> tuple[Path, ...]:
    """The jars of these modules and of their dependencies that Spark does not ship, downloaded unless cached.

    ``ivy_settings`` is the value of ``spark.jars.ivySettings``, for a mirror of Maven Central. ``tell`` is called with what is
    waited for. Raises EngineUnavailable.
    """
    index = platformdirs.user_cache_path("tombstone") / "jars" / f"{wanted[0].artifact}-{wanted[0].version}.txt"
    with _lock(index.parent / "ivy.lock"):
        if index.is_file():
            jars = tuple(Path(line) for line in index.read_text(encoding="utf-8").splitlines())
            if jars and all(jar.is_file() for jar in jars):
                return jars
        tell(f"Waiting for the jars of {', '.join(map(str, wanted))}, which are not in the cache.")
        jars = tuple(_missing_in_spark(_resolve(wanted, java=java, ivy_settings=ivy_settings)))
        _write_index(index, jars)
        return jars


@contextmanager
def _lock(lock: Path) -> Iterator[None]:
    """Two Ivy processes must not write to the same cache at the same time."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock)
        held.acquire()
    except OSError:  # the home directory is read-only, so there is no cache either
        yield
        return
    try:
        yield
    finally:
        held.release()


def _resolve(wanted: Sequence[Dependency], *, java: Path, ivy_settings: str | None) -> Sequence[Path]:
    """The jars of these modules. Raises EngineUnavailable.

    The Java on PATH is tried first: in a network with its own certificates, it is the one that an administrator has told of them.
    """
    found = shutil.which("java")
    cause = ""
    for one in dict.fromkeys([*([Path(found)] if found else []), java]):
        jars, cause = _downloaded(one, wanted, ivy_settings)
        if jars:
            return jars
    names = ", ".join(map(str, wanted))
    if "module not found" in cause:
        raise EngineUnavailable(
            f"Maven has no {names}: a release can be in the package index before its jars. Judge an earlier release, or give the "
            "jars with --jars; if your network needs a mirror, name it with --spark-conf spark.jars.ivySettings=FILE."
        )
    raise EngineUnavailable(
        f"The jars of {names} could not be downloaded ({cause}): check the network or "
        "name a mirror with --spark-conf spark.jars.ivySettings=FILE, or give the jars with --jars."
    )


def _downloaded(java: Path, wanted: Sequence[Dependency], ivy_settings: str | None) -> tuple[Sequence[Path], str]:
    """The jars that Ivy downloads with this Java; if there are none, why."""
    ivy = next(iter(sorted(spark_jars().glob("ivy-*.jar"))))
    with tempfile.TemporaryDirectory(prefix="tombstone-ivy-") as scratch:
        classpath, module = Path(scratch) / "classpath", Path(scratch) / "ivy.xml"
        module.write_text(_module(wanted), encoding="utf-8")
        # Java reads the home directory from the user database; CI may set another $HOME.
        command = [str(java), f"-Duser.home={Path.home()}", "-cp", str(ivy), "org.apache.ivy.Main"]
        command += ["-ivy", str(module), "-confs", "default", "-cachepath", str(classpath)]
        command += ["-settings", ivy_settings] if ivy_settings else []
        result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if result.returncode != 0 or not classpath.is_file() or not classpath.read_text().strip():
            return (), _cause(result.stdout + result.stderr)
        return [Path(entry) for entry in classpath.read_text(encoding="utf-8").strip().split(os.pathsep)], ""


def _module(wanted: Sequence[Dependency]) -> str:
    """A module of Ivy's with these dependencies."""
    lines = (
        f'<dependency org="{one.group}" name="{one.artifact}" rev="{one.version}" conf="default" '
        f'transitive="{str(not one.alone).lower()}"/>'
        for one in wanted
    )
    head = '<ivy-module version="2.0"><info organisation="tombstone" module="tombstone"/>'
    conf = '<configurations><conf name="default"/></configurations>'
    return f"{head}{conf}<dependencies>{''.join(lines)}</dependencies></ivy-module>"


def _cause(output: str) -> str:
    """The first line of Ivy's output that looks like an error."""
    errors = [line for line in output.splitlines() if re.search(r"not found|Exception|failed|refused", line)]
    return errors[0].strip(" \t:")[:160] if errors else "Ivy reported no error"


def _missing_in_spark(jars: Sequence[Path]) -> list[Path]:
    """The jars without those that Spark ships in any version: Spark's are used, as with spark.jars.packages."""
    shipped = {_stem(jar) for jar in spark_jars().glob("*.jar")}
    return [jar for jar in jars if _stem(jar) not in shipped]


def _stem(jar: Path) -> str:
    return re.sub(r"-\d.*", "", jar.name)


def _write_index(file: Path, jars: Sequence[Path]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_suffix(f".{os.getpid()}")
        scratch.write_text("".join(f"{jar}\n" for jar in jars), encoding="utf-8")
        scratch.replace(file)
    except OSError:
        return  # read-only home: the next run resolves the jars again
