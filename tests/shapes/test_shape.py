"""What a shape says of a table."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from deltalog.checkpoints.files import read_file
from deltalog.entries.actions import Action, Unknown
from deltalog.entries.commits import commit_bytes
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from records.json_form import to_json
from shapes.columns import type_word
from shapes.history import writer_of
from shapes.names import flags_of
from shapes.properties import properties_of
from shapes.reading import ReadTable, Wanted, read_table
from shapes.shape import ColumnKind, Shape, StatisticsForms, VacuumRun
from shapes.store import root_of
from tests.shapes.tables import SECRET, write_table

BY_DEFAULT = Wanted()


def shape_of(root: Path, wanted: Wanted = BY_DEFAULT) -> Shape:
    found = read_table(str(root), root_of(str(root)), wanted)
    assert isinstance(found, ReadTable), found
    return found.shape


@pytest.fixture(scope="module")
def shape(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    return shape_of(write_table(tmp_path_factory.mktemp("tables") / f"{SECRET} %"))


def test_nothing_that_a_user_chose_is_in_it(shape: Shape) -> None:
    assert SECRET not in json.dumps(to_json(shape), ensure_ascii=False)


def test_protocol_and_properties(shape: Shape) -> None:
    assert shape.protocol.features == ("deletionVectors", "domainMetadata") and shape.protocol.unknown_features == 1
    assert shape.properties.known == {
        "delta.appendOnly": "false",
        "delta.checkpointPolicy": "v2",
        "delta.dataSkippingStatsColumns": "set",
        "delta.deletedFileRetentionDuration": "30 days",
        "delta.logRetentionDuration": "other",
    }
    assert (shape.properties.constraints, shape.properties.unknown) == (1, 1)
    assert shape.domains == ("other",)


def test_columns_and_names(shape: Shape) -> None:
    assert shape.columns.kinds == (
        ColumnKind("decimal-18", True),
        ColumnKind("long", False),
        ColumnKind("struct", True),
    )
    assert shape.columns.partition == (ColumnKind("string", True),)
    assert shape.columns.nested == (ColumnKind("array", True), ColumnKind("string", True))
    assert (shape.columns.depth, shape.columns.marks) == (2, ("default",))
    assert shape.names.columns == ("blank", "not-ascii", "percent")
    assert shape.names.partition == ("begins-with-underscore", "colon")
    assert shape.names.nested == ("begins-with-dot",)
    assert shape.names.table == ("blank", "percent")


def test_files_paths_and_vectors(shape: Shape) -> None:
    assert dataclasses.astuple(shape.sizes) == (10, 1000, 1, 1, 1)
    assert dataclasses.astuple(shape.vectors) == (("inline", "relative"), 1, 10, 10, True)
    assert shape.paths.forms == ("encoded", "hidden", "hive", "outside", "relative", "uri")
    assert (shape.paths.schemes, shape.paths.depth) == (("s3",), 3)
    assert shape.statistics == (
        StatisticsForms("json", ("numRecords",)),
        StatisticsForms("json", ("numRecords", "minValues", "maxValues", "nullCount")),
        StatisticsForms("none", ()),
    )


def test_history(shape: Shape) -> None:
    assert shape.history.operations == {
        "CREATE TABLE": 1,
        "DELETE": 1,
        "VACUUM START": 1,
        "WRITE": 1,
        "other": 1,
    }
    assert shape.history.writers == ("Apache-Spark/3.5.0 Delta-Lake/3.3.2", "other")
    assert shape.history.vacuums == (VacuumRun(0, False),)


@pytest.mark.parametrize(
    ("v2", "struct", "form"), [(False, False, "classic"), (False, True, "classic"), (True, True, "uuid-parquet")]
)
def test_each_form_of_a_checkpoint_gives_the_same(
    v2: bool, struct: bool, form: str, tmp_path: Path, shape: Shape
) -> None:
    found = shape_of(write_table(tmp_path / f"{SECRET} %", v2=v2, struct=struct))
    assert (found.log.checkpoint, found.log.sidecars, found.log.since_checkpoint) == (form, int(v2), 1)
    assert {one.form for one in found.statistics} == {"none", "struct" if struct else "json"}
    assert dataclasses.replace(found, log=shape.log, statistics=shape.statistics) == shape


def test_a_sidecar_named_by_its_path_in_a_checkpoint_in_json(tmp_path: Path, shape: Shape) -> None:
    root = write_table(tmp_path / f"{SECRET} %", v2=True)
    (checkpoint,) = (root / LOG_DIRECTORY).glob("*.checkpoint.*.parquet")
    lines = b"".join(map(line_with_whole_path, read_file(checkpoint)))
    checkpoint.with_suffix(".json").write_bytes(lines)
    checkpoint.unlink()
    found = shape_of(root)
    assert (found.log.checkpoint, found.log.sidecars, found.sizes) == ("uuid-json", 1, shape.sizes)


def line_with_whole_path(action: Action) -> bytes:
    if isinstance(action, Unknown) and action.kind == "sidecar" and isinstance(action.value, dict):
        action = Unknown("sidecar", {**action.value, "path": f"s3://a/b/_delta_log/_sidecars/{action.value['path']}"})
    return commit_bytes([action])


def test_a_log_that_was_cleaned_up(tmp_path: Path, shape: Shape) -> None:
    root = write_table(tmp_path / f"{SECRET} %")
    (root / LOG_DIRECTORY / commit_name(0)).unlink()
    found = shape_of(root)
    assert (found.log.cleaned, found.log.gap, shape.log.cleaned) == (True, False, False)
    assert (found.sizes, found.columns) == (shape.sizes, shape.columns)
    assert "CREATE TABLE" not in found.history.operations


def test_a_damaged_checkpoint_is_passed_over(tmp_path: Path, shape: Shape) -> None:
    root = write_table(tmp_path / f"{SECRET} %")
    (checkpoint,) = (root / LOG_DIRECTORY).glob("*.checkpoint.parquet")
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    found = shape_of(root)
    assert (found.log.damaged_checkpoint, found.log.checkpoint) == (True, "none")
    assert found.sizes == shape.sizes


def test_the_history_of_the_newest_commits(tmp_path: Path) -> None:
    root = write_table(tmp_path)
    assert shape_of(root, Wanted(history=2)).history.operations == {"DELETE": 1, "other": 1}
    assert shape_of(root, Wanted(history=0)).history.operations == {}


def test_the_listing(tmp_path: Path) -> None:
    root = write_table(tmp_path)
    (root / "_x" / "y").mkdir(parents=True)
    (root / "_x" / "y" / "a.parquet").write_bytes(b"0" * 12)
    (root / "_x" / "circle").symlink_to(root)
    found = shape_of(root, Wanted(listing=True)).listing
    assert found is not None and dataclasses.astuple(found) == (1, 10, 1, 2, True)


@pytest.mark.parametrize(
    ("engine", "writer"),
    [
        ("Apache-Spark/3.5.0 Delta-Lake/3.3.2", "Apache-Spark/3.5.0 Delta-Lake/3.3.2"),
        ("Databricks-Runtime/13.3.x-scala2.12", "Databricks-Runtime/13.3"),
        ("Databricks-Runtime/<unknown>", "Databricks-Runtime"),
        ("delta-rs:py-1.6.6", "delta-rs/1.6.6"),
        ("delta-rs:0.17.0", "delta-rs/0.17.0"),
        ("Kernel-3.2.0/bobs-engine", "Kernel/3.2.0"),
        ("bobs-Delta-Lake/1.0 on bob.example.com", "other"),
        ("", "other"),
        (None, "none"),
    ],
)
def test_a_writer_is_a_known_name_and_its_version(engine: str | None, writer: str) -> None:
    assert writer_of(engine) == writer


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("delta.logRetentionDuration", "INTERVAL  1 Day 2 hours", "1 day 2 hours"),
        ("delta.checkpointInterval", "10", "10"),
        ("delta.checkpointInterval", "bob", "other"),
        ("delta.columnMapping.mode", "Name", "name"),
        ("delta.columnMapping.maxColumnId", "123", "100"),
        ("DELTA.APPENDONLY", "True", "true"),
    ],
)
def test_what_is_kept_of_a_property(name: str, value: str, kept: str) -> None:
    assert list(properties_of({name: value}).known.values()) == [kept]


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("decimal(9,2)", "decimal-9"),
        ("decimal(38,0)", "decimal-38"),
        ("geometry(4326)", "geometry"),
        ("string collate x", "string"),
        ("bob", "other"),
        ({"type": "udt", "class": "bob"}, "other"),
    ],
)
def test_the_word_for_a_type(kind: object, word: str) -> None:
    assert type_word(kind) == word


def test_flags_of_names() -> None:
    assert flags_of(["plain", "with_underscore", "a-b"]) == ()
    assert flags_of(["`", "x.y", ";", ""]) == ("back-tick", "dot", "empty", "punctuation")
