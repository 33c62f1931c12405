"""``pytest suites --replay CASE.json`` on delta-rs: what it prints, and the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from model.codec import to_json
from model.vocabulary.case import Case
from model.vocabulary.steps import Delete, Step
from runner.replay import show_replay
from tests.runner.in_process import run_suite
from tests.runner.test_counterexample import CASE, judged_record

TABLE, (WRONG,) = CASE.table, CASE.steps


@pytest.mark.parametrize(
    ("steps", "options", "words", "code"),
    [
        ((WRONG,), (), ["KNOWN: DEL-META-1: "], 0),
        ((WRONG,), ("--known-faults=known_faults/none.toml",), ["FAILED: DEL-META-1: "], 1),
        ((Delete(None),), (), ["FIXED: ", "keeps all "], 0),
        ((), (), ["ERROR: ", "exercises no clause"], 2),
        ((Delete(None),), ("--known-bad=breaks-the-log",), ["FAILED: DEL-PHYS-3: "], 1),
        ((Delete(None),), ("--known-bad=breaks-the-log", "--clause=VAC"), ["ERROR: ", "exercises no clause"], 2),
    ],
    ids=["known", "failed", "fixed", "nothing", "asked", "unasked"],
)
def test_what_it_prints(
    steps: tuple[Step, ...], options: tuple[str, ...], words: list[str], code: int, tmp_path: Path
) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(to_json(Case(TABLE, steps))), encoding="utf-8")
    few = ("--profile", "smoke")  # a replay plans its run
    ended = run_suite(tmp_path / "report", *few, "--replay", str(path), *options, engine="deltalake")
    assert ended.code == code, ended.said
    assert ("1 failed" if code == 1 else "1 passed") in ended.said and "suites/test_replay.py" in ended.said
    assert all(word in ended.said for word in words)
    verdicts = ("FIXED: ", "KNOWN: ", "FAILED: ", "ERROR: ")
    assert [verdict for verdict in verdicts if verdict in ended.said] == [words[0][: words[0].index(" ") + 1]]


def test_of_two_versions_in_turn_it_says_what_does_not_count(tmp_path: Path) -> None:
    alone = replace(judged_record(CASE, tmp_path), violations=())
    said = []
    for case in (alone, replace(alone, steps=tuple(replace(step, side="deltalake 1.6.6") for step in alone.steps))):
        console = Console(file=StringIO())
        show_replay(console, case, proven=True)
        assert isinstance(console.file, StringIO)
        said.append(console.file.getvalue().strip())
    assert said[1] == f"{said[0]} Faults that one version has alone do not count here."
