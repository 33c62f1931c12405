"""What can be judged on a machine, and what is missing there."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from engines.deltalake.versions import DeltalakeReleases
from engines.port import EngineUnavailable
from engines.spark.versions import DeltaReleases, pair_of
from runner.doctor import machine, report
from runner.doctor.judging import needs_of, serve
from runner.doctor.pythons import FoundPython, pythons, works
from runner.doctor.report import MachineReport, lines

ROOT = Path(__file__).parents[2]


def python(*release: int) -> FoundPython:
    return FoundPython(release[:2], Path(f"python{release[0]}.{release[1]}"))  # type: ignore[arg-type]


HEALTHY = MachineReport(
    pythons=(python(3, 12), python(3, 11)),
    javas={},
    refused={},
    disk=10 * 2**30,
    memory=8 * 2**30,
    registry=None,
    made=False,
    uv=False,
    browser=None,
)


def test_it_says_so_without_the_packages_of_the_suite() -> None:
    """Only ``packaging`` is there where the launcher is installed, which tox needs too."""
    import packaging

    site = Path(packaging.__file__).parents[1]
    asked = (
        "import sys; sys.path.insert(0, sys.argv.pop()); import packaging.specifiers, packaging.version; sys.path.pop(0); "
        "import runpy; runpy.run_module('runner.doctor', run_name='__main__', alter_sys=True)"
    )
    environ = {**os.environ, "PIP_INDEX_URL": "http://localhost:9"}
    done = subprocess.run(
        [sys.executable, "-S", "-c", asked, str(site)],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and not done.stderr, done.stderr
    assert "packages  the registry cannot be reached" in done.stdout and "localhost" not in done.stdout
    assert done.stdout.splitlines()[-1].startswith(
        "The gate cannot run here. The package registry that pip is set to cannot"
    )


# Pythons --------------------------------------------------------------------------------------------------------------


def make(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(sys.executable)
    return path


def test_pythons_are_found_on_the_path_and_those_of_pyenv_and_uv(tmp_path: Path) -> None:
    on_path = make(tmp_path / "bin" / "python3.4")
    make(tmp_path / "shims" / "python3.5")
    (tmp_path / "bin" / "python3.8").touch()  # it cannot be run
    of_pyenv = make(tmp_path / ".pyenv" / "versions" / "3.6.15" / "bin" / "python3")
    of_uv = make(tmp_path / ".local" / "share" / "uv" / "python" / "cpython-3.7.1-linux" / "bin" / "python3")
    found = pythons({"PATH": f"{tmp_path}/bin:{tmp_path}/shims:{tmp_path}/nowhere"}, tmp_path)
    own = FoundPython(sys.version_info[:2], Path(sys.executable))
    assert found == (own, FoundPython((3, 7), of_uv), FoundPython((3, 6), of_pyenv), FoundPython((3, 4), on_path))


def test_one_that_is_not_what_its_name_says_does_not_serve(tmp_path: Path) -> None:
    own = FoundPython(sys.version_info[:2], Path(sys.executable))
    assert works(own) and not works(replace(own, release=(3, 4))) and not works(replace(own, path=tmp_path / "none"))


# Versions -------------------------------------------------------------------------------------------------------------


def test_a_version_is_served_by_the_pythons_on_which_it_is_judged() -> None:
    def is_judged(version: str, minor: int) -> bool:
        try:
            return bool(pair_of(version, python=(3, minor)))
        except EngineUnavailable:
            return False

    pairs = list(product(DeltaReleases.judged, range(10, 16)))
    assert [one for one in pairs if serve(needs_of(one[0]), python(3, one[1])) != is_judged(*one)] == []


def test_delta_rs_is_served_by_any_python_of_the_suite() -> None:
    needs = [needs_of(f"deltalake=={version}") for version in DeltalakeReleases.judged]
    assert all(serve(need, python(3, 10)) and not serve(need, python(3, 9)) for need in needs)


# The machine ----------------------------------------------------------------------------------------------------------


def test_what_a_gate_has_fetched_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: tmp_path / "cache" / name)
    environment, jar, jars = tmp_path / "gate", tmp_path / "delta.jar", tmp_path / "cache" / "tombstone" / "jars"
    make(environment / "bin" / "python")
    jars.mkdir(parents=True)
    (jars / "delta-1.txt").write_text(f"{jar}\n", encoding="utf-8")
    jar.touch()
    assert not machine.is_made(environment, "delta-1"), "pip was interrupted"
    (environment / ".tox-info.json").write_text('{"PythonRun": {}}', encoding="utf-8")
    assert machine.is_made(environment, "delta-1") and not machine.is_made(environment, "delta-2")
    jar.unlink()
    assert not machine.is_made(environment, "delta-1")


def test_the_jars_are_named_as_in_the_cache() -> None:
    """By the name of their artifact (engines.spark.jvm.jars), with its version."""
    assert report._jars_of(needs_of("4.3.1")) == "delta-spark_4.1_2.13-4.3.1"


def test_spark_3_on_linux_on_arm_needs_a_java_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "brings_java", lambda need: need.java[1] >= 21)
    without, with_17 = lines(HEALTHY), lines(replace(HEALTHY, javas={"PATH": 17}))
    assert any(line.endswith(": Delta 2.4.0 needs Java 11 to 17: install it, and set JAVA_HOME.") for line in without)
    assert not any("needs Java" in line for line in with_17)


def test_pips_settings_are_those_of_its_files_and_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://a/simple\ncert = a.pem\n", encoding="utf-8")
    environ = {"PIP_CONFIG_FILE": str(tmp_path / "pip.conf"), "HOME": str(tmp_path)}
    assert machine.pip_settings(environ)["index-url"] == "https://a/simple"
    assert machine.pip_settings({**environ, "PIP_INDEX_URL": "https://b"})["index-url"] == "https://b"
    assert machine.pip_settings(environ)["cert"] == "a.pem"


def test_the_java_of_java_home_is_asked(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.9\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    assert machine.java_releases({"JAVA_HOME": str(tmp_path), "PATH": ""}) == {"JAVA_HOME": 17}
    assert machine.java_releases({"JAVA_HOME": str(tmp_path / "none"), "PATH": str(java.parent)}) == {
        "JAVA_HOME": None,
        "PATH": 17,
    }
