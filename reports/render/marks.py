"""Recognises files that the suite wrote. Only these are deleted or replaced."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from model.codec import InvalidCase, case_id, from_json
from records.mistakes import UsageMistake
from reports.counterexamples.checked import FILE as SCRIPTS
from reports.stream.reading import FILE_NAME
from reports.text.ladder import Word

#: How much of a file is read.
_HEAD = 4096

_PAGE = rb'<meta name="generator" content="Tombstone">|--goodbox:'  # the second: of earlier releases
_ANSWER = f"\\A# \\S+ (?:{'|'.join(word.value for word in Word)}): ".encode()

#: By its path in a report directory, how a file of the suite begins.
VIEWS: Mapping[str, bytes] = {
    "report.html": _PAGE,
    "junit.xml": rb'<testsuite name="tombstone"',
    "summary.md": _ANSWER,
}
REPORT: Mapping[str, bytes] = {
    **VIEWS,
    FILE_NAME: rb'\A(?:\Z|\{"type":"header",)',
    str(SCRIPTS): rb'\A\[(?:\]|\n \{\n  "folder": "counterexamples/)',
}

#: The same of a comparison's directory.
COMPARISON: Mapping[str, bytes] = {
    "compare.html": _PAGE,
    "comparison.md": _ANSWER,
    "comparison.json": rb'\A\{\n "schema": \d+,\n "answer": ',
}

#: ... of the page over several runs.
INDEX = _PAGE

#: A script of a case that two engines ran in turn.
_SCRIPT = r"reproduce(-\d+)?\.py"

#: The files of a counterexample.
_COUNTEREXAMPLE = ("case.json", "explanation.md", "reproduce.py")


def require_own(directory: Path, known: Mapping[str, bytes], *, option: str) -> None:
    """Raise UsageMistake if a file that would be written there has a name of ``known``, and is not of the suite.

    ``option`` is the one that names the directory.
    """
    for name, mark in known.items():
        if (directory / name).exists() and not _has(directory / name, mark):
            raise UsageMistake(
                f"{option}: {directory / name} is not of Tombstone, and would be replaced: name another directory."
            )


def clear_files(directory: Path, known: Iterable[str]) -> None:
    """Delete these files, which ``require_own`` has seen."""
    for name in known:
        (directory / name).unlink(missing_ok=True)


def clear_cases(directory: Path) -> None:
    """Delete the cases of an earlier comparison or run in turn: what has the name of the case that it holds, and the scripts in
    the folder of that name."""
    for file in directory.glob("*.json"):
        if _id_in(file) == file.stem:
            file.unlink()
            _clear_scripts(directory / file.stem)


def _clear_scripts(folder: Path) -> None:
    """Delete the scripts of a case, except for what a user has added to them."""
    if not folder.is_dir():
        return
    clear_files(folder, [file.name for file in folder.iterdir() if re.fullmatch(_SCRIPT, file.name)])
    if not any(folder.iterdir()):
        folder.rmdir()


def clear_counterexamples(directory: Path) -> None:
    """Delete the counterexamples of an earlier report, except for what a user has added to them."""
    for case in directory.glob("*/case.json"):
        folder = case.parent
        id = _id_in(case)
        if id is None or not folder.name.endswith(f"-{id}"):
            continue
        clear_files(folder, _COUNTEREXAMPLE)
        if not any(folder.iterdir()):
            folder.rmdir()


def _has(file: Path, mark: bytes) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return re.search(mark, stream.read(_HEAD)) is not None


def _id_in(file: Path) -> str | None:
    """The id of the case in a file; None if it has none."""
    try:
        return case_id(from_json(json.loads(file.read_text(encoding="utf-8"))))
    except (OSError, ValueError, InvalidCase):
        return None
