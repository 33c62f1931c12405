"""Finds a case by its id, its name or its file."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from deltalog.storage.lines import json_lines
from harness.campaigns.corpus import FOLDER as CORPUS
from harness.campaigns.regressions import FOLDER, files
from model.codec import case_id, from_json, loads
from model.vocabulary.case import Case
from reports.stream.reading import COMPRESSED_NAME, FILE_NAME
from runner.finding.entries import ROOT
from runner.replay import read_case

#: Where reports lie if nothing else is said.
REPORTS = ROOT / "build"


@dataclass(frozen=True)
class FoundCase:
    """``where``: why it is judged, in words."""

    case: Case
    where: str


def is_id(name: str) -> bool:
    """Whether it may be the id of a case, or the beginning of one."""
    return re.fullmatch(r"[0-9a-f]{6,12}", name) is not None


def case_of(name: str, reports: Path = REPORTS) -> FoundCase | None:
    """The case with this id or the beginning of one, also in one of the ``reports``, of this name among the kept ones, or of this
    file.

    Raises UsageMistake for a file that has no case.
    """
    if Path(name).is_file():
        return FoundCase(read_case(Path(name)), f"in {name}")
    if file := next((file for file in files() if file.stem == name), None):
        return _kept(file)
    if not is_id(name):
        return None
    for file, line in _corpus():
        if line["id"].startswith(name):
            return FoundCase(from_json(line["case"]), f"judged by the profiles that have corpus/{file.name}")
    kept = next((_kept(file) for id, file in _kept_ids().items() if id.startswith(name)), None)
    return kept or _reported(name, reports)


def _reported(name: str, reports: Path) -> FoundCase | None:
    """In the newest report that has it, even if its run did not end."""
    streams = [stream for pattern in (FILE_NAME, COMPRESSED_NAME) for stream in reports.rglob(pattern)]
    for stream in sorted(streams, key=lambda one: one.stat().st_mtime, reverse=True):
        with gzip.open(stream) if stream.name == COMPRESSED_NAME else stream.open("rb") as lines:
            for line in lines:
                if line.startswith(b'{"type":"case","id":"' + name.encode()):
                    return FoundCase(from_json(json.loads(line)["case"]), f"judged by the run in {stream}")
    return None


def names() -> list[str]:
    """All that ``case_of`` knows."""
    return [*(file.stem for file in files()), *(line["id"] for _, line in _corpus())]


def _kept(file: Path) -> FoundCase:
    folder = file.parent.name
    smoke = {FOLDER.name: "", "gate": ", but not by smoke"}.get(folder, f", but by smoke only on {folder}")
    where = f"judged first by every run{smoke}: {file.relative_to(FOLDER.parent).as_posix()}"
    return FoundCase(loads(file.read_text(encoding="utf-8")), where)


@cache
def _kept_ids() -> Mapping[str, Path]:
    return {case_id(loads(file.read_text(encoding="utf-8"))): file for file in files()}


def _corpus() -> Iterator[tuple[Path, dict[str, Any]]]:
    for file in sorted(CORPUS.glob("*.jsonl")):
        for line in json_lines(file.read_bytes()):
            yield file, line
