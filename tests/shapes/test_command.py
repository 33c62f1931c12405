"""The command: what it writes, says and ends with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, meta

from deltalog.entries.actions import CommitInfo, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.storage.names import LOG_DIRECTORY
from deltalog.values.schemas import schema_string
from shapes.__main__ import main
from shapes.schema import FILE, shapes_schema
from tests.shapes.tables import SECRET, write_small, write_table


def written(text: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(text)
    Draft202012Validator(shapes_schema()).validate(document)
    return document


def refused(directory: Path) -> dict[str, str]:
    """Tables that cannot be read, each with its reason."""
    made = {
        reason: directory / f"{SECRET}-{reason}"
        for reason in ("no-log", "damaged-commit", "damaged-checkpoint", "incomplete", "missing-commit", "unknown-form")
    }
    write_small(made["damaged-commit"])
    (made["damaged-commit"] / LOG_DIRECTORY / f"{1:020d}.json").write_text('{"add": {"path"', encoding="utf-8")
    write_small(made["damaged-checkpoint"])
    log = made["damaged-checkpoint"] / LOG_DIRECTORY
    (log / f"{0:020d}.json").unlink()
    (log / f"{3:020d}.checkpoint.parquet").write_bytes(b"PAR1 and nothing else")
    write_commit(made["incomplete"], 0, [CommitInfo({"operation": "WRITE"})])
    write_small(made["missing-commit"])
    write_commit(made["missing-commit"], 2, [CommitInfo({"operation": "WRITE"})])
    write_commit(made["unknown-form"], 0, [Protocol(9, 9), Metadata("a", schema_string([("a", "long")]))])
    return {str(path): reason for reason, path in made.items()}


def test_the_published_schema_is_that_of_the_classes() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == json.loads(json.dumps(shapes_schema())), (
        "it is stale: run python -m shapes.schema"
    )
    meta.validate(shapes_schema())


def test_equal_shapes_are_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tables = [write_small(tmp_path / "a"), write_table(tmp_path / SECRET), write_small(tmp_path / "b")]
    assert main([str(table) for table in tables]) == 0
    said = capsys.readouterr()
    document = written(said.out)
    assert (document["tables"], [one["count"] for one in document["shapes"]]) == (3, [2, 1])
    assert not said.err and SECRET not in said.out and str(tmp_path) not in said.out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_table_is_a_line_and_not_the_end(jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reasons = refused(tmp_path)
    list_file, out = tmp_path / "list", tmp_path / "out" / "shapes.json"
    list_file.write_text("\n".join([*map(str, reasons), "", "good"]), encoding="utf-8")
    write_small(tmp_path / "good")
    words = ["--tables", str(list_file), "--out", str(out), "--jobs", jobs, "--relative-to", str(tmp_path)]
    assert main(words) == 2
    said = capsys.readouterr()
    assert not said.out and len(said.err.splitlines()) == len(reasons)
    assert all(f"{path}: {reason}: " in said.err for path, reason in reasons.items())
    document = written(out.read_text(encoding="utf-8"))
    assert document["tables"] == 1
    assert {one["reason"]: one["count"] for one in document["unreadable"]} == dict.fromkeys(reasons.values(), 1)
    assert SECRET not in out.read_text(encoding="utf-8")


def test_names_are_kept_for_who_asks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "a")
    assert main(["--keep-names", str(table), str(tmp_path / "none")]) == 2
    said = capsys.readouterr()
    assert said.err == f"{tmp_path / 'none'}: no-log: it does not exist\n"
    document = written(said.out)
    (named,) = document["shapes"][0]["named"]
    assert named["table"] == str(table) and f"{SECRET}%" in named["columns"]
    assert named["unknown"] == [SECRET, f"{SECRET}.owner"]
    assert document["unreadable"] == [{"reason": "no-log", "count": 1, "named": [str(tmp_path / "none")]}]
