"""Only an engine that was found wrong ends a command with 1: no trouble of the machine, and no mistake, does."""

from __future__ import annotations

import builtins
import errno
import importlib.metadata
import io
import os
import re
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable
from configparser import ConfigParser
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from reports.stream.writing import RunWriter
from runner import gate_version
from runner.command_line.commands import in_a_sentence
from runner.doctor import machine
from runner.processes import child_process
from selfcheck.__main__ import CHECKS
from tests.runner.in_process import run_suite
from tombstone import __main__ as launcher
from tombstone import tree
from tombstone.commands import COMMANDS

ROOT = Path(__file__).parents[2]

Trouble = Callable[[pytest.MonkeyPatch, Path], object]

# Troubles: what stands for each, with the directory that a report would go to -----------------------------------------


def no_network(patched: pytest.MonkeyPatch, _: Path) -> None:
    """Neither tox nor pip can install anything: both end with 1."""

    def failed(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "ERROR: (from versions: none)")

    for module in (child_process, gate_version, tree):
        patched.setattr(module, "exit_code_of", lambda *_, **__: 1)
    patched.setattr(subprocess, "run", failed)
    patched.setattr(machine, "registry_answers", lambda: "cannot be reached")
    patched.setattr(machine, "is_made", lambda *_: False)


def _refused(number: int) -> Trouble:
    """Nothing can be made or written in the directory: a test may run as root, who may do all."""

    def trouble(patched: pytest.MonkeyPatch, place: Path) -> None:
        opened, made = io.open, os.mkdir

        def refuse(path: Any) -> None:
            if isinstance(path, (str, os.PathLike)) and Path(path).is_relative_to(place):
                raise OSError(number, os.strerror(number), str(path))

        def open_(path: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
            if set(mode) & set("wax+"):
                refuse(path)
            return opened(path, mode, *rest, **named)

        def mkdir(path: Any, *rest: Any, **named: Any) -> None:
            refuse(path)
            made(path, *rest, **named)

        patched.setattr(builtins, "open", open_)
        patched.setattr(io, "open", open_)
        patched.setattr(os, "mkdir", mkdir)
        no_network(patched, place)  # so that no environment is made

    return trouble


def wrong_java_home(patched: pytest.MonkeyPatch, place: Path) -> None:
    patched.setenv("JAVA_HOME", "/nowhere")
    for module in (child_process, gate_version):
        patched.setattr(module, "exit_code_of", lambda *_, **__: pytest.fail("it makes an environment"))


TROUBLES: dict[str, Trouble] = {
    "no network": no_network,
    "no rights": _refused(errno.EACCES),
    "full disk": _refused(errno.ENOSPC),
}

# Modules: what tox's environments and ``tombstone`` run ---------------------------------------------------------------

OUT = ("--out", "OUT/report")

#: With arguments that ask for work. OUT is the directory of the trouble, BAD a file that nothing can read.
MODULES = {
    "runner.gate_version": ["3.3.2", "--report-dir", "OUT/report"],
    "runner.upgrade": ["3.3.2", "4.4.0", *OUT],
    "runner.together": ["4.3.1", "4.4.0", *OUT],
    "runner.all_versions": ["3.3.2", *OUT],
    "runner.upgrade_table": ["4.3.1", "4.4.0", "--run", "--from", "OUT/none", *OUT],
    "runner.turn_table": ["4.4.0", "deltalake==1.6.6", "--run", *OUT],
    "runner.surface": ["deltalake==1.0.2"],
    "runner.demo": [*OUT],
    "runner.explain": ["VAC-SAFE-2"],
    "runner.finding": ["null_condition"],
    "runner.doctor": [],
    "rehearsal": ["docs", "4.4.0", *OUT],
    "shapes": ["docs", *OUT],
    "reports": ["merge", "BAD", *OUT],
}

#: The project's own checks: what is in ``in_a_sentence`` ends with 2 (a test below).
OWN = {"examples.trino_engine.install", "tests.rigs.own_bucket", "tests.rigs.own_server", "tests.rigs.versitygw"} | {
    *("selfcheck", *CHECKS.values()),
}


def ended(module: str, arguments: list[str]) -> int:
    """The exit code of ``python -m MODULE``, in this process."""
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        patched.setattr(sys, "argv", [module, *arguments])
        warnings.simplefilter("ignore")  # of modules that are imported already
        with pytest.raises(SystemExit) as exit:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    code = exit.value.code
    return code if isinstance(code, int) else 0 if code is None else 1


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "out").mkdir()
    (tmp_path / "bad").write_text("no report", encoding="utf-8")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


def words(line: list[str], files: Path) -> list[str]:
    return [word.replace("OUT", str(files / "out")).replace("BAD", str(files / "bad")) for word in line]


def test_each_environment_runs_what_is_tried_here() -> None:
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini", encoding="utf-8")
    lines = "\n".join(tox[name].get(key, "") for name in tox.sections() for key in ("commands", "commands_pre"))
    run = set(re.findall(r"python -m (\S+)", lines)) - {"{posargs}", "pytest"}
    assert run - {"tools.quick"} <= {*MODULES, *OWN}, "try it here"


@pytest.mark.parametrize("module", sorted(OWN))
def test_the_projects_own_checks_end_with_2(module: str) -> None:
    (file,) = (one for end in (".py", "/__main__.py") if (one := ROOT / f"{module.replace('.', '/')}{end}").is_file())
    assert "    ended(main)" in file.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.process
@pytest.mark.parametrize(
    ("module", "trouble"), [pair for pair in product(MODULES, TROUBLES) if pair != ("runner.demo", "no network")]
)
def test_no_trouble_of_the_machine_is_a_verdict(
    module: str, trouble: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    TROUBLES[trouble](monkeypatch, files / "out")
    code = ended(module, words(MODULES[module], files))
    said = capsys.readouterr().err
    assert code == (0 if module in ("runner.explain", "runner.finding") else 2) and "Traceback" not in said, said


def test_an_environment_that_cannot_be_made_is_said(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    no_network(monkeypatch, files)
    assert ended("runner.gate_version", ["3.3.2"]) == 2
    assert capsys.readouterr().err.startswith(
        "The environment of Delta 3.3.2 on PySpark 3.5.7 cannot be made, as is said above, and nothing was judged: "
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "module", ["runner.gate_version", "runner.upgrade", "runner.together", "runner.all_versions", "runner.doctor"]
)
def test_a_wrong_java_home_is_refused_before_an_environment_is_made(
    module: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong_java_home(monkeypatch, files)
    assert ended(module, words(MODULES[module], files)) == 2
    said = "".join(capsys.readouterr())
    assert "JAVA_HOME is /nowhere, where there is no bin/java: set it right, or unset it." in said


def test_a_package_that_is_missing_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "reports.command", None)  # as if what it imports were not installed
    assert ended("reports", ["compare", "a", "b"]) == 2
    assert capsys.readouterr().err.endswith(": `tox -e command -- reports compare a b` brings it.\n")


def test_an_error_of_the_suite_is_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    @in_a_sentence
    def wrong(arguments: list[str]) -> int:
        raise ValueError(arguments)

    assert wrong([]) == 2 and "Traceback" in capsys.readouterr().err


# The gate -------------------------------------------------------------------------------------------------------------


def full_later(patched: pytest.MonkeyPatch, _: Path) -> None:
    """The header was written, and then there is no room."""
    append, lines = RunWriter._append, list[bytes]()

    def refuse(writer: RunWriter, line: bytes) -> Any:
        lines.append(line)
        if len(lines) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return append(writer, line)

    patched.setattr(RunWriter, "_append", refuse)


def without_deltalake(patched: pytest.MonkeyPatch, _: Path) -> None:
    version = importlib.metadata.version

    def missing(name: str) -> str:
        if name == "deltalake":
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    patched.setattr(importlib.metadata, "version", missing)


@pytest.mark.long
@pytest.mark.process
@pytest.mark.parametrize(
    ("trouble", "engine", "sentence"),
    [
        (TROUBLES["no rights"], "deltalake", "cannot be written (Permission denied): name another."),
        (TROUBLES["full disk"], "deltalake", "cannot be written (No space left on device): name another."),
        (
            full_later,
            "deltalake",
            "The report cannot be read or written (No space left on device): see that there is room",
        ),
        (without_deltalake, "deltalake", "The package deltalake is not installed here: "),
        (wrong_java_home, "spark", "JAVA_HOME is /nowhere, where there is no bin/java: "),
    ],
)
def test_no_trouble_of_a_gate_is_a_verdict(
    trouble: Trouble, engine: str, sentence: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trouble(monkeypatch, files / "out")
    gate = run_suite(files / "out" / "report", "--profile=smoke", "--budget=0.02", engine=engine)
    assert gate.code == 2 and sentence in gate.said.replace("\n", " ") and "Traceback" not in gate.said, gate.said


# The launcher ---------------------------------------------------------------------------------------------------------

#: A line for each of its commands.
LINES = {
    "gate": "gate",
    "upgrade": "upgrade 3.3.2 4.4.0",
    "together": "together 3.3.2 4.4.0",
    "versions": "versions",
    "replay": "replay BAD",
    "merge": "merge BAD",
    "compare": "compare BAD BAD",
    "demo": "demo",
    "shape": "shape BAD",
    "rehearse": "rehearse BAD",
    "explain": "explain VAC-SAFE-2",
    "finding": "finding null_condition",
    "surface": "surface deltalake==1.0.2",
}  # doctor makes none


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"doctor"}))
def test_a_launcher_that_makes_no_environment_ends_with_2(
    name: str, trouble: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher, "tree_for", lambda _: files / "out")
    monkeypatch.setattr(launcher, "python_for", lambda _: tree.Python())
    TROUBLES[trouble](monkeypatch, files / "out")
    assert launcher.main(words(LINES[name].split(), files)) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.process
def test_a_launcher_refuses_a_wrong_java_home_at_once(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    monkeypatch.setattr(launcher, "run", lambda *_: pytest.fail("it makes an environment"))
    assert launcher.main(["gate"]) == launcher.main(["upgrade", "4.3.1", "4.4.0"]) == 2
    assert capsys.readouterr().err.startswith("JAVA_HOME is /nowhere, where there is no bin/java: ")
