"""Brings Delta's jars from Maven Central, with the Ivy that PySpark ships; once per version and user."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import platformdirs
import pyspark
from filelock import FileLock

from engines.port import EngineUnavailable
from engines.versions import GROUP


def spark_jars() -> Path:
    """The directory of the jars that PySpark ships."""
    return Path(pyspark.__file__).parent / "jars"


def delta_jars(artifact: str, version: str, *, java: Path, ivy_settings: str | None = None) -> tuple[Path, ...]:
    """Delta's jar and those of its dependencies that Spark does not ship, downloaded where they are not cached.

    ``ivy_settings`` is the value of ``spark.jars.ivySettings`` (a mirror of Maven Central, say). Raises
    EngineUnavailable where they cannot be had.
    """
    remembered = platformdirs.user_cache_path("tombstone") / "jars" / f"{artifact}-{version}.txt"
    with _one_at_a_time(remembered.parent / "ivy.lock"):
        if remembered.is_file():
            jars = tuple(Path(line) for line in remembered.read_text(encoding="utf-8").splitlines())
            if jars and all(jar.is_file() for jar in jars):
                return jars
        jars = tuple(_missing_in_spark(_resolve(artifact, version, java=java, ivy_settings=ivy_settings)))
        _remember(remembered, jars)
        return jars


@contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    """Two Ivys that fill one cache at the same time stumble over each other's files."""
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        held = FileLock(lock)
        held.acquire()
    except OSError:  # a home that cannot be written: then there is no cache to fill either
        yield
        return
    try:
        yield
    finally:
        held.release()


def _resolve(artifact: str, version: str, *, java: Path, ivy_settings: str | None) -> Sequence[Path]:
    ivy = next(iter(sorted(spark_jars().glob("ivy-*.jar"))))
    with tempfile.TemporaryDirectory(prefix="tombstone-ivy-") as scratch:
        classpath = Path(scratch) / "classpath"
        # Java takes its home directory from the user database; people and CI mean $HOME.
        command = [str(java), f"-Duser.home={Path.home()}", "-cp", str(ivy), "org.apache.ivy.Main"]
        command += ["-dependency", GROUP, artifact, version, "-confs", "default", "-cachepath", str(classpath)]
        command += ["-settings", ivy_settings] if ivy_settings else []
        result = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if result.returncode != 0 or not classpath.is_file() or not classpath.read_text().strip():
            cause = _cause(result.stdout + result.stderr)
            raise EngineUnavailable(
                f"The jars of {GROUP}:{artifact}:{version} could not be downloaded ({cause}): check the network or "
                "name a mirror with --spark-conf spark.jars.ivySettings=FILE, or give the jars with --jars."
            )
        return [Path(entry) for entry in classpath.read_text(encoding="utf-8").strip().split(os.pathsep)]


def _cause(output: str) -> str:
    """The line of Ivy's output that says most."""
    telling = [
        line.strip(" \t:") for line in output.splitlines() if re.search(r"not found|Exception|failed|refused", line)
    ]
    return telling[0][:160] if telling else "Ivy said nothing"


def _missing_in_spark(jars: Sequence[Path]) -> list[Path]:
    """Without the jars that Spark has itself, in whatever version: Spark's go first, as with spark.jars.packages."""
    shipped = {_stem(jar) for jar in spark_jars().glob("*.jar")}
    return [jar for jar in jars if _stem(jar) not in shipped]


def _stem(jar: Path) -> str:
    return re.sub(r"-\d.*", "", jar.name)


def _remember(file: Path, jars: Sequence[Path]) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        scratch = file.with_suffix(f".{os.getpid()}")
        scratch.write_text("".join(f"{jar}\n" for jar in jars), encoding="utf-8")
        scratch.replace(file)
    except OSError:
        # A home that cannot be written costs the next run a second of Ivy's time, and nothing else.
        return
