"""What a failing case leaves behind: the explanation, the reproduction script, their folder. Without Spark."""

from __future__ import annotations

import ast
import base64
import builtins
import dis
import importlib
import importlib.util
import inspect
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
from model.steps import (
    AddStrayFiles,
    Append,
    Delete,
    DeleteMistake,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import (
    DAY,
    HOUR,
    WEEK,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.values import ArrayOf, DecimalOf, MapOf, StructOf, Type
from reports import building, laws, looking, script
from reports.counterexamples import write_counterexample
from reports.explanation import explanation
from reports.instants import duration, instant
from reports.laws.evidence import DIRECTORY, CannotJudge
from reports.reproduction import InvalidPlan, reproduction
from reports.spark import asking, io_faults

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
        stray_files=(StrayFile("orphan", modified=-WEEK, size=3), StrayFile("hole", Kind.DIRECTORY)),
    ),
    (
        SetClock(Moment(HOUR)),
        Delete(),
        SetClock(Moment(WEEK, removed_by_step=1)),
        Vacuum(),
        Read(before_step=1),
        Append((DataFile(3, ("a",), (), 0),)),
        AddStrayFiles((StrayFile("late"),)),
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
    "engine": "spark",
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


#: The same, with trouble.
TROUBLED_PLAN = {
    **PLAN,
    "ops": [*PLAN["ops"][:1], {**PLAN["ops"][1], "trouble": {"kind": IOFault.CANNOT_DELETE.value, "path": "p=a/f"}}],
}


#: The same, for delta-rs.
DELTALAKE_PLAN = {
    **{key: value for key, value in PLAN.items() if key != "packages"},
    "engine": "deltalake",
    "pip": "deltalake==1.6.6 pyarrow==23.0.0",
    "ops": [
        *PLAN["ops"][:1],
        {"step": 3, "do": "vacuum", "arguments": {"full": True}, "clock": {"offset": 5, "removed_by_step": None}},
    ],
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
    text = explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
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
    assert "| 4 |" not in explanation(case=CASE, line=LINE, violation=VIOLATION, clause=CLAUSE, engine="spark")
    text = explanation(case=CASE, line=LINE, violation={**VIOLATION, "step": 7}, clause=CLAUSE, engine="spark")
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
        commits=(
            Commit(-WEEK, adds=(0,)),
            Commit(-DAY, deletion_vectors=(DeletionVector(0, (0, 1), -DAY, VectorStorage.INLINE),)),
        ),
        features=("deletionVectors",),
        checks=(Constant(True),),
    )
    steps = (Delete(form=Form.API_NAME, zone="Asia/Kolkata"), InvalidDelete(DeleteMistake.AGGREGATE), ReadChanges(0))
    line = {**LINE, "steps": [{"index": 0, "text": "DELETE FROM t", "outcome": None, "observed": None}]}
    text = explanation(
        case=Case(table, steps), line=line, violation={**VIOLATION, "step": 2}, clause=CLAUSE, engine="spark"
    )
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


def test_the_explanation_knows_all_of_vacuum() -> None:
    files = tuple(DataFile(id, (), (), 0, reference=reference) for id, reference in enumerate(Reference))
    table = Table(
        columns=(Column("id", Type.INTEGER),),
        partition_by=(),
        files=files,
        commits=(
            Commit(-WEEK, adds=(0, 1, 2)),
            Commit(-DAY, deletion_vectors=(DeletionVector(0, (0,), -DAY),), vector_prefix="ab"),
            Commit(-HOUR, removes=(Removal(1, None), Removal(2, -HOUR, bare=True)), checkpoint=True, parts=3),
        ),
        stray_files=(StrayFile("here", Kind.LINK, -DAY, 0, "../there"), StrayFile("../beside")),
        pruned=2,
    )
    steps = (
        Vacuum(0.5, False, False, None, Mode.LITE_SETTING, parallel=True),
        Vacuum(mode=Mode.INVENTORY_TABLE, inventory=Inventory.FILES, form=VacuumForm.SQL_NAME, logging=False),
        Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="a|b"),
        InvalidVacuum(VacuumMistake.CLAUSE_TWICE, dry_run=True),
    )
    line = {
        **LINE,
        "steps": [{"index": index, "text": "VACUUM t", "outcome": None, "observed": None} for index in range(3)],
    }
    text = explanation(
        case=Case(table, steps), line=line, violation={**VIOLATION, "step": 3}, clause=CLAUSE, engine="spark"
    )
    for part in (
        "- The log has no commits and no checkpoints below version 2 any more.",
        "no rows; modified at start; the log names it by its URI.",
        "`../elsewhere/part-00002-",
        "(deletionTimestamp start - 1 d) (vector file in `ab`).",
        "no deletionTimestamp), removes file 2 (",
        "deletionTimestamp start - 1 h, no extended file metadata); a checkpoint follows, in 3 parts.",
        "- Stray link `here` to `../there`, modified at start - 1 d; no action refers to it.",
        "- Stray file of 1 byte `../beside`",
        "`VACUUM t`, LITE by setting, safety check off, logging not set, deleting in parallel, the engine's clock at start",
        "`VACUUM t`, sql by name, USING INVENTORY table of files only, logging off, the engine's clock at start",
        "`VACUUM t`, and of `a\\|b`: it cannot be deleted, the engine's clock at start",
        "a VACUUM DRY RUN that must be refused: clause that is said twice, the engine's clock at start",
    ):
        assert part in text, text


# ---- the script


@pytest.mark.parametrize(
    ("plan", "foreign"),
    [(TROUBLED_PLAN, ("deltalake", "pyarrow")), (DELTALAKE_PLAN, ("pyspark", "delta", "py4j"))],
    ids=["spark", "deltalake"],
)
def test_a_script_is_python_that_imports_nothing_of_ours(
    plan: dict[str, Any], foreign: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
            "version": 0,
            "either": [],
            "facts": None,
            "but": [],
            "taken": 0,
            "of_what_went": [],
            "by_another": [],
            "of_what_was_written": [],
        }
        code = laws.LAWS[name].__code__
        params = {key: required[key] for key in code.co_varnames[1 : code.co_argcount]}
        text = reproduction({**plan, "law": {"name": name, "params": params}})
        tree = ast.parse(text)
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not {module for module in modules if str(module).split(".")[0] in ("reports", "model", *foreign)}
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
        assert [
            used for one in functions for used in globals_of(inspect.unwrap(one).__code__) if used not in defined
        ] == []


def test_each_engine_has_what_the_machinery_asks_of_it() -> None:
    """By the same names, with the same parameters: a script has the part of one engine."""
    shared = [building, looking, script]
    asked = {
        (module.removeprefix("reports.spark."), name)
        for node in (one for part in shared for one in ast.walk(ast.parse(inspect.getsource(part))))
        if isinstance(node, ast.ImportFrom) and (module := str(node.module)).startswith("reports.spark.")
        for name in (alias.name for alias in node.names)
    }
    assert {module for module, _ in asked} == {"session", "reading", "asking"}
    for module, name in asked:
        first, second = (
            list(inspect.signature(getattr(importlib.import_module(f"reports.{engine}.{module}"), name)).parameters)
            for engine in ("spark", "deltalake")
        )
        assert ["engine" if one == "spark" else one for one in first] == second, name


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
    log = building.build(plan, contents, None, root, 1_000_000)
    assert (tmp_path / "table/p=a/f").read_bytes() == b"bytes" * 50
    assert os.stat(tmp_path / "table/p=a/f").st_mtime_ns == (1_000_000 - 1_001) * 1_000_000
    checksum = tmp_path / "table/_delta_log/00000000000000000000.crc"
    assert json.loads(checksum.read_text(encoding="utf-8")) == {"path": f"file://{tmp_path}/table/p=a/f"}
    commit = tmp_path / "table/_delta_log/00000000000000000000.json"
    assert json.loads(commit.read_text(encoding="utf-8"))["add"]["modificationTime"] == 1_000_000 - 1_001
    assert commit.stat().st_mtime_ns == (1_000_000 - 99) * 1_000_000
    assert looking.listing(root)["a/b"] == DIRECTORY
    assert looking.read_log(root) == log
    assert looking.live_in(log, root).keys() == {"p=a/f"}


def test_links_and_what_lies_beside_the_table_are_made_and_seen(tmp_path: Path) -> None:
    root = str(tmp_path / "case" / "table")
    beside = {**FILE, "path": "../table2/f"}
    links = [
        {"path": "p=a/inside", "target": "p=a/f", "modified": -5},
        {"path": "deep/er/outside", "target": "../table2", "modified": -6},
        {"path": "../nowhere", "target": "gone", "modified": -7},
    ]
    plan = {**PLAN, "files": [FILE, beside], "directories": ["../empty"], "links": links}
    building.build(plan, {one["path"]: str(one["content"]) for one in (FILE, beside)}, None, root, 1_000_000)
    seen = looking.listing(root)
    assert (tmp_path / "case/table/deep/er/outside/f").read_bytes() == b"bytes" * 50
    assert seen["../table2/f"] == seen["p=a/f"] != DIRECTORY
    assert seen["../empty"] == seen["../table2"] == seen["."] == DIRECTORY
    assert seen["p=a/inside"] == (-2, 999_995 * 1_000_000, "a link to f")
    assert seen["deep/er/outside"] == (-2, 999_994 * 1_000_000, "a link to ../../../table2")
    assert seen["../nowhere"] == (-2, 999_993 * 1_000_000, "a link to table/gone")
    assert not any(path.startswith("deep/er/outside/") for path in seen), "links are not followed"
    (tmp_path / "case/table-inventory").mkdir()
    assert looking.listing(root) == seen, "an inventory is the script's own"


def test_a_file_that_the_log_names_by_its_uri_is_live_under_its_path(tmp_path: Path) -> None:
    root = str(tmp_path / "table")
    beside = {**FILE, "path": "../elsewhere/p=x%2Fy/g h"}
    lines = [{"add": {"path": {"$root": one["path"]}}} for one in (FILE, beside)]
    plan = {**PLAN, "files": [FILE, beside], "commits": [{"version": 0, "modified": 0, "lines": lines}]}
    log = building.build(plan, {one["path"]: str(one["content"]) for one in (FILE, beside)}, None, root, 0)
    assert log[0][1]["add"]["path"] == f"file://{tmp_path}/elsewhere/p=x%252Fy/g%20h"
    assert looking.live_in(log, root).keys() == {FILE["path"], beside["path"]} <= looking.listing(root).keys()


def test_a_pruned_log_and_a_broken_pointer_leave_what_the_script_knows(tmp_path: Path) -> None:
    root = str(tmp_path / "table")
    names = ("p=a/f", "one", "two")
    commits = [
        {"version": version, "modified": 0, "lines": [{"add": {"path": name}}], "checksum": {}}
        for version, name in enumerate(names)
    ]
    plan = {**PLAN, "commits": commits, "pruned": 2, "broken_last_checkpoint": True}
    log = building.build(plan, {"p=a/f": str(FILE["content"])}, None, root, 0)
    left = {name for name in looking.listing(root) if name.startswith("_delta_log/")}
    assert left == {f"_delta_log/{2:020d}.json", f"_delta_log/{2:020d}.crc", "_delta_log/_last_checkpoint"}
    assert looking.live_in(log, root).keys() == set(names)
    assert looking.live_in(log, root, 0).keys() == {"p=a/f"}
    with pytest.raises(CannotJudge, match="no version 3"):
        looking.live_in(log, root, 3)
    pointer = tmp_path / "table/_delta_log/_last_checkpoint"
    with pytest.raises(json.JSONDecodeError):
        json.loads(pointer.read_text(encoding="utf-8"))
    pointer.write_text('{"version":2,"size":9}', encoding="utf-8")
    pointer.with_name("._last_checkpoint.crc").write_bytes(b"")
    building.break_last_checkpoint(root)
    assert pointer.read_text(encoding="utf-8") == '{"version":'
    assert not pointer.with_name("._last_checkpoint.crc").exists()


def test_an_inventory_has_all_that_hadoop_lists(tmp_path: Path) -> None:
    root = tmp_path / "table"
    (root / "_hidden" / "d").mkdir(parents=True)
    (root / "a b%20").write_bytes(b"123")
    os.utime(root / "a b%20", ns=(7_000_001, 7_999_999))
    (root / "d").symlink_to("_hidden")
    (root / "_hidden" / "up").symlink_to("..")
    (root / "gone").symlink_to("nowhere")
    rows = {path.removeprefix(f"file:{root}/"): rest for path, *rest in asking.inventoried(str(root), "", (str(root),))}
    assert rows["a b%20"] == [3, False, 7]
    assert [path for path, (size, is_directory, _) in rows.items() if is_directory and size == 0] == [
        "_hidden",
        "_hidden/d",
        "_hidden/up",
        "d",
        "d/d",
        "d/up",
    ]
    assert len(rows) == 7, "a link to a directory above has no end, and one to nothing is nothing"


def test_a_vacuum_says_what_it_is_in_words(tmp_path: Path) -> None:
    def words(op: dict[str, Any]) -> str:
        return asking.command({"do": "vacuum", **op}, None, str(tmp_path))[0]

    assert words({"sql": "VACUUM '{table}' LITE"}) == "VACUUM 't' LITE"
    assert words({"sql": "VACUUM delta.`{table}` USING INVENTORY delta.`{table}-inventory`"}) == (
        "VACUUM t USING INVENTORY delta.`t-inventory`"
    )
    assert words({"form": "DeltaTable.forPath", "hours": None}) == "DeltaTable.forPath(t).vacuum()"
    assert words({"form": "DeltaTable.forPath", "hours": 0}) == "DeltaTable.forPath(t).vacuum(0)"
    with pytest.raises(CannotJudge, match="no form of a VACUUM"):
        words({"form": "magic"})


def test_a_step_of_a_script_can_have_each_trouble_of_the_vocabulary() -> None:
    for io_fault in IOFault:
        assert f'has(path, "{io_fault.value}")' in io_faults.TROUBLED_FILE_SYSTEM
    assert io_faults.TROUBLED_FILE_SYSTEM.count("has(path, ") == len(IOFault)


def test_only_a_script_with_a_trouble_has_a_file_system_of_its_own() -> None:
    text = reproduction(PLAN)
    assert "FailingLocalFileSystem" not in text
    assert text.endswith('if __name__ == "__main__":\n    sys.exit(main(PLAN, CONTENTS, stays))\n')
    text = reproduction(TROUBLED_PLAN)
    assert text.endswith("    sys.exit(main(PLAN, CONTENTS, stays, file_system_trouble))\n")
    assert all(f"def {name}(" in text for name in ("file_system_trouble", "define_file_system"))
    assert "public class FailingLocalFileSystem" in text


def test_a_script_says_what_is_strange_about_its_table() -> None:
    strange = {"links": [{"path": "l", "target": "p=a/f", "modified": 0}], "pruned": 1, "broken_last_checkpoint": True}
    for key in strange:
        assert f"'{key}': " not in reproduction({**PLAN, **dict.fromkeys(strange, 0)})
        assert f"'{key}': " in reproduction({**PLAN, **strange})


def test_the_exit_code_says_what_became_of_the_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Session:
        stopped = 0

        def stop(self) -> None:
            Session.stopped += 1

    def cannot(*_: Any) -> int:
        raise CannotJudge("There was no such file.")

    def breaks(*_: Any) -> int:
        raise OSError("no space")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(script, "start_engine", lambda plan, home: Session())
    for check, code in ((lambda *_: 0, 0), (lambda *_: 1, 1), (cannot, 2)):
        monkeypatch.setattr(script, "check", check)
        assert script.main(PLAN, {}, laws.LAWS["stays"]) == code
    assert "VAC-SAFE-1 COULD NOT BE CHECKED: There was no such file." in capsys.readouterr().out
    monkeypatch.setattr(script, "check", breaks)
    with pytest.raises(SystemExit) as caught:
        script.main(PLAN, {}, laws.LAWS["stays"])
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
