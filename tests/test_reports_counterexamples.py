"""What a failing case leaves behind: the explanation, the reproduction script, their folder. Without Spark."""

from __future__ import annotations

import ast
import base64
import builtins
import dis
import importlib.util
import json
import os
import sys
from copy import deepcopy
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from model.case import Case
from model.predicate import Constant
from model.steps import Append, BadDelete, Blunder, Delete, Form, Litter, Moment, Read, ReadChanges, SetClock, Vacuum
from model.table import (
    DAY,
    HOUR,
    WEEK,
    Column,
    Commit,
    DataFile,
    Kind,
    Mask,
    Removal,
    Stray,
    Table,
    VectorStorage,
)
from model.values import ArrayOf, DecimalOf, MapOf, StructOf, Type
from reports import laws, script
from reports.counterexamples import write_counterexample
from reports.explanation import explanation
from reports.instants import duration, instant
from reports.reproduction import InvalidPlan, reproduction

CASE = Case(
    Table(
        columns=(Column("id", Type.INTEGER), Column("p", Type.STRING)),
        partition_by=("p",),
        files=(
            DataFile(0, ("a",), ((1,), (None,)), -WEEK),
            DataFile(1, (None,), (), -2 * WEEK),
            DataFile(2, ("x|y",), ((3,),), -DAY),
        ),
        commits=(Commit(-2 * WEEK, adds=(0, 1)), Commit(-WEEK, removes=(Removal(1, -WEEK - 1),), checkpoint=True)),
        strays=(Stray("orphan", modified=-WEEK, size=3), Stray("hole", Kind.DIRECTORY)),
    ),
    (
        SetClock(Moment(HOUR)),
        Delete(),
        SetClock(Moment(WEEK, removed_by_step=1)),
        Vacuum(),
        Read(before_step=1),
        Append((DataFile(3, ("a",), (), 0),)),
        Litter((Stray("late"),)),
        Read(),
    ),
)
CLAUSE = {"id": "VAC-SAFE-1", "chapter": "VACUUM", "sentence": "VACUUM never deletes a live file.", "sources": ["S1"]}
VIOLATION = {
    "clause": "VAC-SAFE-1",
    "step": 3,
    "subject": "p=a/f",
    "message": "The live file p=a/f must stay, but it is gone.",
    "evidence": ["File p=a/f is live in version 1 (added by commit 0, never removed).", "VACUUM deleted it."],
    "law": {"name": "stays", "params": {"path": "p=a/f"}},
}
LINE = {
    "id": "0123456789ab",
    "campaign": "strays",
    "case": {"format": 1, "text": "\ud800"},
    "steps": [
        {
            "index": 1,
            "text": "DELETE FROM t",
            "outcome": {"rows": [[3]], "error": None},
            "observed": {"version": [1, 2]},
        },
        {
            "index": 3,
            "text": "VACUUM t",
            "outcome": {"rows": None, "error": {"exception": "X", "condition": None, "message": "no | space"}},
            "observed": None,
        },
    ],
}
FILE = {"path": "p=a/f", "content": base64.b64encode(b"bytes" * 50).decode(), "modified": -1_001}
PLAN: dict[str, Any] = {
    "clause": "VAC-SAFE-1",
    "sentence": 'VACUUM never deletes """ a live \\ file.',
    "case": "0123456789ab",
    "packages": "io.delta:delta-spark_4.2_2.13:4.4.0",
    "pip": "pyspark==4.2.0 delta-spark==4.4.0",
    "files": [FILE],
    "directories": ["a/b"],
    "commits": [
        {"version": 0, "modified": -99, "lines": [{"add": {"path": "p=a/f", "modificationTime": {"$ms": -1_001}}}]}
    ],
    "ops": [
        {"step": 1, "do": "append", "files": [{**FILE, "path": "new"}], "lines": [{"add": {"path": "new"}}]},
        {"step": 3, "do": "vacuum", "sql": "VACUUM delta.`{table}`", "clock": {"offset": 5, "removed_by_step": None}},
    ],
    "law": {"name": "stays", "params": {"path": "p=a/f"}},
    "at_step": 3,
}


# ---- instants


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (0, "start"),
        (WEEK, "start + 7 d"),
        (-WEEK - 1, "start - 7 d 0.001 s"),
        (-90 * 60_000, "start - 1 h 30 min"),
        (61_500, "start + 1 min 1.500 s"),
    ],
)
def test_instants_are_exact(offset: int, words: str) -> None:
    assert instant(offset) == words


def test_no_time_at_all_is_said() -> None:
    assert duration(0) == "0 s"


# ---- the explanation


def test_the_explanation_says_the_promise_the_table_the_program_and_the_proof() -> None:
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE)
    for part in (
        "VACUUM never deletes a live file. Sources: S1.",
        "1. File p=a/f is live in version 1 (added by commit 0, never removed).",
        "`id` integer, `p` string; partitioned by `p`",
        "kept for 7 d (the default)",
        "Version 0, at start - 14 d: adds file 0, adds file 1.",
        "deletionTimestamp start - 7 d 0.001 s); a checkpoint follows.",
        "2 rows: `(1)`, `(NULL)`; modified at start - 7 d.",
        "no rows; modified at start - 14 d.",
        "no commit of the table adds it",
        "Stray file of 3 bytes `orphan`",
        "Stray directory `hole`",
        "|  | 0 | the engine's clock is put to start + 1 h |",
        "|  | 1 | `DELETE FROM t`, the engine's clock at start + 1 h<br>answered 1 row; version 1 → 2 |",
        "| **→** | 3 | `VACUUM t`, the engine's clock at the deletionTimestamp of step 1 + 7 d<br>refused with X: no \\| space |",
        "|  |  | (the case stops here) |",
    ):
        assert part in text


def test_the_explanation_stops_at_the_step_that_broke_the_promise() -> None:
    assert "| 4 |" not in explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE)
    text = explanation(case=CASE, line=LINE, violation={**VIOLATION, "step": 7}, clause=CLAUSE)
    for part in (
        "|  | 4 | read the version just before step 1, the engine's clock at",
        "|  | 5 | another writer commits 1 file: 3 |",
        "|  | 6 | stray files and directories appear: late |",
        "| **→** | 7 | read the current version",
    ):
        assert part in text
    assert "stops here" not in text


def test_the_explanation_knows_all_of_the_vocabulary() -> None:
    point = StructOf((("x", DecimalOf(10, 2)), ("tags", ArrayOf(Type.STRING))))
    table = Table(
        columns=(
            Column("at", point, nullable=False),
            Column("m", MapOf(Type.STRING, Type.BINARY), default=True),
            Column("number", Type.LONG, identity=True),
            Column("copy", Type.LONG, generated_from="number"),
        ),
        partition_by=(),
        files=(DataFile(0, (), (((Decimal("1.20"), ("a", None)), (("k", b"\xff"),), 1, 1), (None, None, 2, 2)), 0),),
        commits=(Commit(-WEEK, adds=(0,)), Commit(-DAY, masks=(Mask(0, (0, 1), -DAY, VectorStorage.INLINE),))),
        features=("deletionVectors",),
        checks=(Constant(True),),
    )
    steps = (Delete(form=Form.API_NAME, zone="Asia/Kolkata"), BadDelete(Blunder.AGGREGATE), ReadChanges(0))
    line = {**LINE, "steps": [{"index": 0, "text": "DELETE FROM t", "outcome": None, "observed": None}]}
    text = explanation(case=Case(table, steps), line=line, violation={**VIOLATION, "step": 2}, clause=CLAUSE)
    for part in (
        "`at` struct\\<x:decimal(10,2),tags:array\\<string>> NOT NULL, `m` map\\<string,binary> DEFAULT NULL, ",
        "`number` long GENERATED ALWAYS AS IDENTITY, `copy` long GENERATED ALWAYS AS (`number`); not partitioned.",
        "- Table features: deletionVectors.",
        "- 1 CHECK constraint, true of all rows (said in the case).",
        "hides rows 0, 1 of file 0 with a deletion vector of storage type i (deletionTimestamp start - 1 d).",
        "`([1.20, ['a', NULL]], [['k', ff]], 1, 1)`, `(NULL, NULL, 2, 2)`",
        "|  | 0 | `DELETE FROM t`, DeltaTable.forName, in the time zone Asia/Kolkata, the engine's clock at start |",
        "|  | 1 | a DELETE that must be refused: aggregate function, the engine's clock at start |",
        "| **→** | 2 | read the changes of step 0, the engine's clock at start |",
    ):
        assert part in text, text


# ---- the script


def test_a_script_is_python_that_imports_nothing_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in laws.LAWS:
        required: dict[str, Any] = {
            "path": "x",
            "paths": [],
            "rows": [],
            "files": {},
            "metrics": {},
            "tag": "t",
            "value": None,
            "absent": [],
            "names": [],
            "conditions": None,
            "expected": {},
            "present": [],
            "condition": None,
        }
        code = laws.LAWS[name].__code__
        params = {key: required[key] for key in code.co_varnames[1 : code.co_argcount]}
        text = reproduction({**PLAN, "law": {"name": name, "params": params}})
        tree = ast.parse(text)
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not {module for module in modules if str(module).split(".")[0] in ("reports", "model", "pyarrow")}
        path = tmp_path / "reproduce.py"
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("reproduce", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look their module up by its name.
        monkeypatch.setitem(sys.modules, "reproduce", module)
        spec.loader.exec_module(module)
        scope = vars(module)
        assert scope["PLAN"]["law"]["name"] == name
        assert base64.b64decode(scope["CONTENTS"]["p=a/f"]) == b"bytes" * 50
        defined = set(scope) | set(dir(builtins))
        functions = [
            value for value in scope.values() if hasattr(value, "__code__") and value.__module__ == "reproduce"
        ]
        assert [used for one in functions for used in globals_of(one.__code__) if used not in defined] == []


def globals_of(code: Any) -> set[str]:
    """The global names that a code object, or one inside it, loads."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return found.union(*(globals_of(part) for part in code.co_consts if hasattr(part, "co_code")))


def test_the_same_plan_gives_the_same_script() -> None:
    assert reproduction(PLAN) == reproduction(deepcopy(PLAN))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"law": {"name": "magic", "params": {}}}, "'magic' is unknown"),
        ({"law": {"name": "stays", "params": {"paths": []}}}, "do not fit the law stays"),
        ({"at_step": 1}, "the engine runs no such step"),
        ({"at_step": 9}, "the engine runs no such step"),
        ({"commits": []}, "at least one"),
        ({"commits": [{"version": 1}]}, "in order"),
        ({"files": [FILE, FILE]}, "same path"),
    ],
)
def test_a_plan_that_makes_no_script_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidPlan, match=said):
        reproduction({**PLAN, **changes})
    with pytest.raises(InvalidPlan, match="lacks law"):
        reproduction({key: value for key, value in PLAN.items() if key != "law"})


def test_the_table_is_built_to_the_millisecond(tmp_path: Path) -> None:
    root = str(tmp_path / "table")
    contents = {"p=a/f": str(FILE["content"])}
    plan = {**PLAN, "commits": [{**PLAN["commits"][0], "checksum": {"path": {"$root": "p=a/f"}}}]}
    script.build(plan, contents, None, root, 1_000_000)
    assert (tmp_path / "table/p=a/f").read_bytes() == b"bytes" * 50
    assert os.stat(tmp_path / "table/p=a/f").st_mtime_ns == (1_000_000 - 1_001) * 1_000_000
    checksum = tmp_path / "table/_delta_log/00000000000000000000.crc"
    assert json.loads(checksum.read_text(encoding="utf-8")) == {"path": (tmp_path / "table/p=a/f").as_uri()}
    log = tmp_path / "table/_delta_log/00000000000000000000.json"
    assert json.loads(log.read_text(encoding="utf-8"))["add"]["modificationTime"] == 1_000_000 - 1_001
    assert log.stat().st_mtime_ns == (1_000_000 - 99) * 1_000_000
    assert script.listing(root)["a/b"] == laws.DIRECTORY
    assert script.live_in(script.read_log(root)).keys() == {"p=a/f"}


def test_the_exit_code_says_what_became_of_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Session:
        stopped = 0

        def stop(self) -> None:
            Session.stopped += 1

    def cannot(*_: Any) -> int:
        raise laws.CannotJudge("There was no such file.")

    def breaks(*_: Any) -> int:
        raise OSError("no space")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(script, "start_spark", lambda packages, home: Session())
    for check, code in ((lambda *_: 0, 0), (lambda *_: 1, 1), (cannot, 2)):
        monkeypatch.setattr(script, "check", check)
        assert script.main(PLAN, {}, laws.stays) == code
    assert "VAC-SAFE-1 COULD NOT BE CHECKED: There was no such file." in capsys.readouterr().out
    monkeypatch.setattr(script, "check", breaks)
    with pytest.raises(SystemExit) as caught:
        script.main(PLAN, {}, laws.stays)
    assert caught.value.code == 2
    assert Session.stopped == 4
    assert list(tmp_path.iterdir()) == []


# ---- the folder


def test_a_folder_holds_the_case_the_explanation_and_the_script(tmp_path: Path) -> None:
    folder = write_counterexample(tmp_path, case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, plan=PLAN)
    assert folder == tmp_path / "counterexamples" / "VAC-SAFE-1-0123456789ab"
    assert sorted(path.name for path in folder.iterdir()) == ["case.json", "explanation.md", "reproduce.py"]
    assert json.loads((folder / "case.json").read_text(encoding="utf-8")) == LINE["case"]


def test_nothing_is_written_for_an_invalid_plan(tmp_path: Path) -> None:
    with pytest.raises(InvalidPlan):
        write_counterexample(tmp_path, case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, plan={})
    assert list(tmp_path.iterdir()) == []
