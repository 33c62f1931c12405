"""Every command that a report prints judges the case again, from where it says; documented ones are read by the real parsers."""

from __future__ import annotations

import argparse
import html
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from runner.plugin import ROOT
from tests.runner.in_process import Ended, run_suite
from tombstone.commands import COMMANDS
from tombstone.reading import asked_of

#: A command that judges a case again, as any view has it.
REPLAY = re.compile(r"[^\s<>]+ -m pytest suites [^<\n]*?--replay=[^\s<]+")

FAULT = "vacuums-by-file-age"


def gate(report: Path, *options: str) -> Ended:
    few = ("--clause", "VAC-SAFE", "--profile", "smoke", "--budget", "0.05", "--check-scripts", "0")
    return run_suite(report, *few, *options, engine="deltalake")


def printed(text: str) -> set[str]:
    """The commands in a text, HTML too."""
    return set(REPLAY.findall(html.unescape(text)))


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run it as a user does who copies it, in the suite's checkout."""
    return subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A healthy run and one with a fault, below a project of its own; and what the second one printed."""
    project = tmp_path_factory.mktemp("project")
    (project / "conftest.py").write_text("import my_company_fixtures\n", encoding="utf-8")
    (project / "pytest.ini").write_text("[pytest]\naddopts = --nonsense\n", encoding="utf-8")
    assert gate(project / "base").code in (0, 2)
    ended = gate(project / "candidate", "--known-bad", FAULT)
    assert ended.code == 1, ended.said
    return project, ended.said


def test_every_view_of_a_run_has_the_same_command_and_it_shows_the_fault(reports: tuple[Path, str]) -> None:
    project, said = reports
    folder = next((project / "candidate" / "counterexamples").glob("*/case.json")).parent
    on_the_terminal = printed(said)
    assert on_the_terminal and all(FAULT in command and str(project) in command for command in on_the_terminal)
    assert printed((project / "candidate" / "report.html").read_text(encoding="utf-8")) == on_the_terminal
    assert printed((project / "candidate" / "summary.md").read_text(encoding="utf-8")) <= on_the_terminal
    (told,) = printed((folder / "explanation.md").read_text(encoding="utf-8"))
    assert told.endswith(f"--replay={folder / 'case.json'}")
    ended = shell(told)
    assert ended.returncode == 1 and "FAILED: VAC-SAFE" in ended.stdout, ended.stdout + ended.stderr


def test_the_command_of_a_script_runs_it(reports: tuple[Path, str]) -> None:
    project, _ = reports
    text = (project / "candidate" / "summary.md").read_text(encoding="utf-8")
    command, *_ = re.findall(r"^    (\S+ \S+reproduce\.py)$", text, re.MULTILINE)
    ended = shell(command)
    assert ended.returncode in (0, 2) and ended.stdout.startswith(("HOLDS:", "CANNOT TELL:")), (
        ended.stdout + ended.stderr
    )


def test_every_view_of_a_comparison_has_a_command_that_shows_what_is_worse(reports: tuple[Path, str]) -> None:
    project, _ = reports
    out = project / "a blank" / "and 'quotes'"
    command = [sys.executable, "-m", "reports", "compare", str(project / "base"), str(project / "candidate")]
    ended = subprocess.run([*command, "--out", str(out)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    pattern = re.compile(r"(?:replay:   |base:     | {4})(\S+ -m pytest suites .*)")
    found = [*pattern.findall(ended.stdout), *pattern.findall((out / "comparison.md").read_text(encoding="utf-8"))]
    page = html.unescape((out / "compare.html").read_text(encoding="utf-8"))
    of_page = re.findall(r"<code id=\"command-\d+\" class=\"command\">(.*? -m pytest suites .*?)</code>", page)
    of_candidate = [line for line in (*found, *of_page) if FAULT in line]
    assert len(of_candidate) >= 3 and len(found) > len([line for line in found if FAULT in line]), (
        "the base has one too"
    )
    shown = shell(of_candidate[0])
    assert shown.returncode == 1 and "FAILED: " in shown.stdout, shown.stdout + shown.stderr


# The documents --------------------------------------------------------------------------------------------------------

#: Those that users and contributors read.
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

#: A command, at the start of a line of code, or of a line's part between backticks.
_COMMAND = re.compile(
    r"(?:[A-Z]+=\S+ )?(?:\.venv/bin/)?(?:python3? -m )?tox (?:run |-q )*-e"
    r"|(?:[A-Z]+=\S+ )?(?:\.tox/\S+/bin/|\.venv/bin/)?python3? -m (?:pytest|reports|runner|selfcheck)"
    r"|pytest (?:suites|tests|--)"
    r"|(?:(?:\.venv/bin/)?python3? -m )?tombstone (?:[a-z]+ |[a-z]+$)"
)


def lines_of_code(text: str) -> Iterator[str]:
    """What a page has as code: blocks, fenced or indented, and parts of lines."""
    fenced = False
    for line in re.sub(r"\\\n\s*", "", text).splitlines():  # a line may go on after a backslash
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()
        else:
            yield from re.findall(r"`([^`]+)`", line)


def commands_in(page: Path) -> Iterator[list[str]]:
    """The commands of a page, as words, with what a workflow fills in."""
    for line in lines_of_code(page.read_text(encoding="utf-8")):
        line = re.sub(r"\$\{\{ *matrix\.(?:version|other) *\}\}", "4.4.0", line)
        filled = re.sub(r"\$\{\{[^}]*\}\}", "1", line.removeprefix("- ").removeprefix("run: ").partition("   #")[0])
        for part in re.split(r" && | \|\| | > | >> |; ", filled):
            if _COMMAND.match(part):
                yield shlex.split(part)


#: Each documented command, with a page that has it.
DOCUMENTED = {tuple(words): page.name for page in PAGES for words in commands_in(page)}

TOX = ConfigParser(interpolation=None)
TOX.read(ROOT / "tox.ini", encoding="utf-8")

#: What stands for a version, an engine or a number in a page.
_PLACEHOLDERS = {
    "VERSION": "4.4.0",
    "deltalake==VERSION": "deltalake==1.6.6",
    "deltalake==V": "deltalake==1.6.6",
    "my_engine:ENGINE==1.0": "tests.outside_engine:WITH_ALL==1.0",
    "NAME": "spark",
    "SHARED": "files",
    "N": "1",
}


class Parsed(BaseException):
    """The arguments were read without a mistake. ``unknown``: the options that the command passes on, with their values."""

    def __init__(self, unknown: list[str]) -> None:
        super().__init__()
        self.unknown = unknown


def test_a_documented_command_is_read_without_a_mistake(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(DOCUMENTED) > 60
    refused: dict[str, str] = {}
    for name in ("exists", "is_file"):  # the files are the reader's
        monkeypatch.setattr(Path, name, lambda _: True)
    for words, page in DOCUMENTED.items():
        try:
            _require_documented([*words], pytestconfig)
        except (Exception, SystemExit) as mistake:  # noqa: BLE001 - each is told
            refused[f"{page}: {' '.join(words)}"] = repr(mistake)
    assert refused == {}


def _require_documented(words: list[str], config: pytest.Config) -> None:
    if "tox" in (words[0].rpartition("/")[2], *words[1:3]):
        environments, arguments = words[words.index("-e") + 1].split(","), []
        if "--" in words:
            arguments = words[words.index("--") + 1 :]
        for name in environments:
            section = TOX[f"testenv:{name}"]
            called = section["commands"].strip().splitlines()[-1].removeprefix("- ").removesuffix("{posargs}").split()
            assert "{posargs}" in section["commands"] or not arguments, f"{name} takes no arguments"
            if arguments:  # else a page only names the command, which may need some
                _require_read([*called, *arguments], config)
    elif "tombstone" in words:
        name, *arguments = words[words.index("tombstone") + 1 :]
        if arguments and "[" not in "".join(arguments):  # else a page only names the command, or says what it takes
            asked_of(COMMANDS[name], [_PLACEHOLDERS.get(word, word) for word in arguments])
        assert name in COMMANDS
    else:
        _require_read(words, config)


def _require_read(words: list[str], config: pytest.Config) -> None:
    """By the parser of pytest and its plugins, or by that of the module: which is stopped when it has read them."""
    words = [_PLACEHOLDERS.get(word, word) for word in words]
    if "pytest" in words:
        unknown = words[words.index("pytest") + 1 :]
    else:
        module = words.index("-m") + 1
        unknown = _read_by(words[module], words[module + 1 :])
    left = config._parser.parse_known_and_unknown_args(unknown)[1]
    assert not left, f"unknown: {left}"


def _read_by(module: str, arguments: list[str]) -> list[str]:
    read = argparse.ArgumentParser.parse_known_args

    def stop(parser: argparse.ArgumentParser, *given: Any, **named: Any) -> Any:
        raise Parsed([word for word in read(parser, *given, **named)[1] if word not in arguments[:2]])

    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        patched.setattr(argparse.ArgumentParser, "parse_known_args", stop)
        patched.setattr(sys, "argv", [module, *arguments])
        warnings.simplefilter("ignore")  # of modules that are imported already
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        except Parsed as parsed:
            return parsed.unknown
    raise AssertionError(f"python -m {module} reads no arguments")
