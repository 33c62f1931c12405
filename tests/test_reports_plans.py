"""From a case to its reproduction script: the plan says all that the script needs, and the script makes the same table."""

from __future__ import annotations

import ast
import base64
import dataclasses
import inspect
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.materialise import PlannedCommit, plan_table, write_table
from harness.reproduction_plan import reproduction_plan
from model.case import Case
from model.steps import (
    AddStrayFiles,
    Delete,
    InvalidVacuum,
    Inventory,
    IOFault,
    Mode,
    Step,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.table import Column, Commit, DataFile, Feature, Kind, StrayFile, Table
from model.values import Type
from reports import building, looking
from reports.laws import LAWS
from reports.laws.evidence import Entry
from reports.reproduction import reproduction
from strategies import vacuum_cases, vacuum_command_cases

TABLE = Table(
    columns=(Column("v", Type.INTEGER), Column("p`q", Type.STRING)),
    partition_by=("p`q",),
    files=(DataFile(0, (None,), ((1,),), 0), DataFile(1, ("a/b",), ((2,),), 0)),
    commits=(Commit(-9, adds=(0, 1)),),
)
ROOT = Path(__file__).parent.parent
SETTING = "spark.databricks.delta."
PACKAGES = {"engine": "spark", "packages": "io.delta:delta-spark_4.2_2.13:4.4.0", "pip": "delta-spark"}


def plan_of(case: Case) -> dict[str, Any]:
    """The plan for a violation of the case's last step that the engine runs."""
    last = max(index for index, step in enumerate(case.steps) if isinstance(step, (Vacuum, InvalidVacuum, Delete)))
    violation = {"step": last, "law": {"name": "succeeded", "params": {}}}
    clause = {"id": "VAC-SAFE-1", "sentence": "VACUUM keeps."}
    return reproduction_plan(case, line={"id": "0123456789ab"}, violation=violation, clause=clause, packages=PACKAGES)


def op_of(step: Step) -> dict[str, Any]:
    (op,) = plan_of(Case(TABLE, (step,)))["ops"]
    return op


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Vacuum(), {"sql": "VACUUM delta.`{table}`"}),
        (Vacuum(5, dry_run=True, mode=Mode.LITE), {"sql": "VACUUM delta.`{table}` LITE RETAIN 5 HOURS DRY RUN"}),
        (Vacuum(form=VacuumForm.SQL_QUOTED_PATH), {"sql": "VACUUM '{table}'"}),
        (Vacuum(form=VacuumForm.SQL_NAME, mode=Mode.FULL), {"sql": "VACUUM {name} FULL"}),
        (Vacuum(form=VacuumForm.SQL_MANAGED), {"sql": "VACUUM {managed}"}),
        (Vacuum(form=VacuumForm.API_PATH), {"form": "DeltaTable.forPath", "hours": None}),
        (Vacuum(0.5, form=VacuumForm.API_NAME), {"form": "DeltaTable.forName", "hours": 0.5}),
        (
            Vacuum(mode=Mode.INVENTORY_TABLE),
            {"sql": "VACUUM delta.`{table}` USING INVENTORY delta.`{table}-inventory`", "inventory": "complete"},
        ),
        (
            Vacuum(mode=Mode.INVENTORY_QUERY, inventory=Inventory.FILES),
            {
                "sql": "VACUUM delta.`{table}` USING INVENTORY (SELECT * FROM tombstone_inventory)",
                "inventory": "files only",
            },
        ),
        (
            Vacuum(io_fault=IOFault.CANNOT_LIST, faulty_path="p=1"),
            {"sql": "VACUUM delta.`{table}`", "trouble": {"kind": "it cannot be listed", "path": "p=1"}},
        ),
    ],
)
def test_a_vacuum_is_said_as_its_form_and_mode_ask(step: Vacuum, said: dict[str, Any]) -> None:
    op = op_of(step)
    assert {key: op[key] for key in op if key not in ("step", "do", "clock", "conf")} == said
    assert (op["step"], op["do"]) == (0, "vacuum")


def test_the_settings_of_a_vacuum_are_in_its_plan() -> None:
    conf = op_of(Vacuum(safety_check=False, logging=None, mode=Mode.LITE_SETTING, parallel=True))["conf"]
    assert conf == {
        f"{SETTING}retentionDurationCheck.enabled": "false",
        f"{SETTING}vacuum.logging.enabled": None,
        f"{SETTING}vacuum.lite.enabled": "true",
        f"{SETTING}vacuum.parallelDelete.enabled": "true",
        f"{SETTING}vacuum.parallelDelete.parallelism": "3",
    }
    crash = Vacuum(parallel=True, io_fault=IOFault.DELETE_CRASHES, faulty_path="f")
    assert f"{SETTING}vacuum.parallelDelete.parallelism" not in op_of(crash)["conf"], "what others delete is chance"


@pytest.mark.parametrize(
    ("mistake", "sql", "directories"),
    [
        (VacuumMistake.PARTITION_DIRECTORY, "VACUUM delta.`{table}/p`q=a%2Fb` DRY RUN", []),
        (VacuumMistake.NOT_A_TABLE, "VACUUM delta.`{table}-beside` DRY RUN", ["{table}-beside"]),
        (VacuumMistake.MISSING_PATH, "VACUUM delta.`{table}-beside` DRY RUN", []),
        (VacuumMistake.TEMPORARY_VIEW, "VACUUM tombstone_view DRY RUN", []),
        (VacuumMistake.CLAUSE_TWICE, "VACUUM delta.`{table}` RETAIN 168 HOURS RETAIN 168 HOURS DRY RUN", []),
    ],
)
def test_a_bad_vacuum_finds_what_it_needs(mistake: VacuumMistake, sql: str, directories: list[str]) -> None:
    op = op_of(InvalidVacuum(mistake, dry_run=True))
    assert (op["do"], op["sql"], op["directories"]) == ("bad vacuum", sql, directories)
    assert bool(op["setup"]) is (mistake is VacuumMistake.TEMPORARY_VIEW)
    assert all(statement.startswith("CREATE OR REPLACE TEMPORARY VIEW tombstone_view") for statement in op["setup"])


def test_links_and_things_beside_the_table_are_in_the_plan() -> None:
    stray_files = (
        StrayFile("l", Kind.LINK, -5, 0, "../other/f"),
        StrayFile("../other/f"),
        StrayFile("../d", Kind.DIRECTORY, size=0),
    )
    table = dataclasses.replace(TABLE, stray_files=stray_files, features=(Feature.BROKEN_LAST_CHECKPOINT.value,))
    plan = plan_of(Case(table, (AddStrayFiles((StrayFile("m", Kind.LINK, 3, 0, "l"),)), Vacuum())))
    assert plan["links"] == [{"path": "l", "target": "../other/f", "modified": -5}]
    assert plan["directories"] == ["../d"]
    assert [file["path"] for file in plan["files"]][-1] == "../other/f"
    assert plan["ops"][0]["links"] == [{"path": "m", "target": "l", "modified": 3}]
    assert plan["broken_last_checkpoint"] is True


CASES = st.one_of(
    vacuum_cases.vacuum_stray_files(),
    vacuum_command_cases.vacuum_modes(),
    vacuum_cases.vacuum_vectors(),
    vacuum_cases.vacuum_histories(),
    vacuum_command_cases.vacuum_io_faults(),
    vacuum_command_cases.refused_vacuums(),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(CASES)
def test_every_case_of_vacuum_has_its_script(case: Case) -> None:
    plan = plan_of(case)
    assert json.loads(json.dumps(plan)) == plan
    text = reproduction(plan)
    ast.parse(text)
    faulty_path = any(isinstance(step, Vacuum) and step.io_fault is not None for step in case.steps)
    assert ("file_system_trouble" in text) is faulty_path


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(CASES)
def test_a_script_makes_the_table_that_the_suite_makes(case: Case) -> None:
    """All but what Delta itself writes in a script: checkpoints, and checksums of commits."""
    plan, planned = plan_of(case), plan_table(case.table)
    for commit in plan["commits"]:
        commit["checkpoint"] = False
    commits: tuple[PlannedCommit, ...] = tuple(dataclasses.replace(one, checkpoint=False) for one in planned.commits)
    with tempfile.TemporaryDirectory() as home:
        one, other = Path(home, "one", "case", "table"), Path(home, "other", "case", "table")
        contents = {file["path"]: file["content"] for file in plan["files"]}
        building.build(plan, contents, None, str(one), 1_700_000_000_000)
        write_table(dataclasses.replace(planned, commits=commits, checksums=False), other, start=1_700_000_000_000)
        found, expected = looking.listing(str(one)), looking.listing(str(other))
        assert {path: comparable(path, entry) for path, entry in found.items()} == {
            path: comparable(path, entry) for path, entry in expected.items()
        }
        moved = json.dumps(looking.read_log(str(other))).replace(other.parent.as_uri(), one.parent.as_uri())
        assert json.loads(json.dumps(looking.read_log(str(one)))) == json.loads(moved)


def comparable(path: str, entry: Entry) -> object:
    """A commit's text may differ where it says the same; and nobody says how old the pointer to the checkpoint is."""
    size, modified, digest = entry
    if path == "_delta_log/_last_checkpoint":
        return size, digest
    return modified if path.startswith("_delta_log/") and path.endswith(".json") else entry


def test_the_content_of_a_plan_is_that_of_the_files() -> None:
    files = plan_of(Case(TABLE, (Vacuum(),)))["files"]
    assert all(base64.b64decode(file["content"])[:4] == b"PAR1" for file in files)


def laws_named() -> list[tuple[str, str, tuple[str, ...] | None]]:
    """Where a clause names a law, which one, and its parameters' names (None: they are not written out there)."""
    found = []
    for path in sorted((ROOT / "suites").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Law"):
                continue
            name, *rest = (*node.args, *(keyword.value for keyword in node.keywords))
            if isinstance(name, ast.Constant):
                params = rest[0] if rest else ast.Dict([], [])
                keys = params.keys if isinstance(params, ast.Dict) else [None]
                plain = tuple(str(key.value) for key in keys if isinstance(key, ast.Constant))
                found.append(
                    (f"{path.name}:{node.lineno}", str(name.value), plain if len(plain) == len(keys) else None)
                )
    return found


@pytest.mark.parametrize(("where", "law", "params"), laws_named())
def test_every_law_that_a_clause_names_can_be_checked(where: str, law: str, params: tuple[str, ...] | None) -> None:
    assert law in LAWS
    if params is not None:
        inspect.signature(LAWS[law]).bind(None, **dict.fromkeys(params))
