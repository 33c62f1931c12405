"""Values with characters at which ``str.splitlines`` ends a line, and JSON does not: U+0085, U+2028, U+2029 and others."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from deltalog.shift_timestamps import shift_timestamps
from deltalog.storage.names import LOG_DIRECTORY
from engines.port import now
from faults import FAULTS, KnownBadEngine
from harness.campaigns.corpus import corpus_cases
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.codec import dumps
from model.vocabulary.case import Case
from model.vocabulary.commands import Optimize, ShallowClone
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.steps import Delete, OtherCommand, Read, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from runner.plugin import ROOT
from strategies.tables.column_values import DATA_STRINGS
from tests.builders.observations import full_judge

#: Whatever ``str.splitlines`` takes for an end of a line, and JSON may have as it is.
SEPARATORS = "\x85\u2028\u2029"

TEXTS = tuple(f"a{separator}b" for separator in SEPARATORS)
TABLE = Table(
    columns=(Column("s", Type.STRING), Column("v", Type.INTEGER)),
    partition_by=(),
    files=(
        *(DataFile(place, (), ((text, 1), (text, 2)), 0) for place, text in enumerate(TEXTS)),
        DataFile(3, (), (("c", 2), ("c", 3)), 0),
    ),
    commits=(Commit(-1000, adds=(0, 1, 2, 3)),),
)
THREE = Delete(Compare("v", Op.EQ, 3, Type.INTEGER))
DELETE = Delete(Compare("v", Op.EQ, 2, Type.INTEGER))
CASE = Case(TABLE, (DELETE, Read(), OtherCommand(Optimize()), Vacuum(), Read()))
V2 = (Feature.FREQUENT_CHECKPOINTS, Feature.V2_CHECKPOINTS)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "case-1" / "table"
    write_table(plan_table(TABLE, made, start=now()))
    commit = (made / LOG_DIRECTORY / f"{0:020}.json").read_text(encoding="utf-8")
    assert all(separator in commit for separator in SEPARATORS), "they are in the statistics, as they are"
    return made


def test_a_table_with_them_is_moved_in_time(root: Path) -> None:
    commit = root / LOG_DIRECTORY / f"{0:020}.json"
    before = [json.loads(line) for line in commit.read_bytes().split(b"\n") if line]
    shift_timestamps(root, by=1000)
    after = [json.loads(line) for line in commit.read_bytes().split(b"\n") if line]
    stamps = [
        action["add"].pop("modificationTime") for actions in (before, after) for action in actions if "add" in action
    ]
    assert [stamp - 1000 for stamp in stamps[:4]] == stamps[4:]
    assert [one["add"] for one in before if "add" in one] == [one["add"] for one in after if "add" in one]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("removes-with-wrong-size", CASE),
        ("clone-loses-a-file", Case(TABLE, (OtherCommand(ShallowClone()),))),
        ("delete-checkpoint-keeps-its-commit-info", Case(replace(TABLE, features=V2), (THREE, DELETE))),
    ],
)
def test_a_fault_reads_a_log_with_them(name: str, case: Case, tmp_path: Path) -> None:
    judged = full_judge(KnownBadEngine(ReferenceEngine(), FAULTS[name]), tmp_path).judge(case)
    assert judged.failure is None and set(judged.failed) & set(FAULTS[name].caught_by)


def test_they_are_judged(tmp_path: Path) -> None:
    judged = full_judge(ReferenceEngine(), tmp_path).judge(CASE)
    assert judged.failure is None and not judged.violated
    assert {row[0] for row in judged.steps[1].outcome.rows or ()} == {*TEXTS, "c"}


def test_a_corpus_may_have_them(tmp_path: Path) -> None:
    line = json.dumps({"case": json.loads(dumps(CASE))}, ensure_ascii=False)
    (tmp_path / "one.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    assert corpus_cases("one", tmp_path) == (CASE, CASE)


def test_they_are_drawn() -> None:
    assert all(any(separator in text for text in DATA_STRINGS) for separator in SEPARATORS)


#: Texts that people read, one line after another: no JSON.
TEXTS_OF_LINES = {
    "engines/deltalake/tables.py",  # an error of delta-rs
    "engines/spark/masters/cluster.py",  # a log
    "engines/spark/jvm/jars.py",  # paths, and what Maven prints
    "engines/spark/jvm/java.py",  # what java prints
    "engines/spark/jvm/driver.py",  # a log
    "harness/observing/record/recorded_texts.py",  # an error's message
}


def test_no_log_is_read_by_splitlines() -> None:
    rooms = ("deltalog", "engines", "faults", "harness", "model", "records", "reference_engine", "reports", "selfcheck")
    found = {
        path.relative_to(ROOT).as_posix()
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if "splitlines(" in path.read_text(encoding="utf-8")
    }
    assert found == TEXTS_OF_LINES, "use split on the end of a line that JSON lines have"
