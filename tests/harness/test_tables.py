"""The plan of a table, and the table on storage."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from deltalog.data.deletion_vectors import read_vector
from deltalog.log import read_log
from deltalog.storage.listing import list_beside, list_tree
from deltalog.storage.names import LOG_DIRECTORY
from harness.observing.observer import Observer
from harness.tables.plan import plan_table
from harness.tables.table_metadata import UNKNOWN_FEATURE
from model.vocabulary.table import (
    DAY,
    HOUR,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.vocabulary.values import Type
from tests.builders.observations import START, make
from tests.table_rows import read_rows


def file(id: int) -> DataFile:
    return DataFile(id, ("a b",), ((id,), (id + 100,)), modified=-DAY)


def table(*commits: Commit, features: tuple[Feature, ...] = (), **fields: object) -> Table:
    ids = sorted({id for commit in commits for id in commit.adds})
    files = fields.pop("files", tuple(file(id) for id in ids))
    return Table(
        columns=(Column("p", Type.STRING), Column("v", Type.INTEGER)),
        partition_by=("p",),
        files=files,  # type: ignore[arg-type]
        commits=commits,
        features=tuple(feature.value for feature in features),
        **fields,  # type: ignore[arg-type]
    )


def values(root: Path) -> list[tuple[object, ...]]:
    return sorted(read_rows(root, read_log(root).snapshot()))


def log_names(root: Path) -> set[str]:
    return {path.relative_to(root / LOG_DIRECTORY).as_posix() for path in (root / LOG_DIRECTORY).rglob("*.*")}


def test_files_that_cannot_be_read_have_the_sizes_in_the_log(tmp_path: Path) -> None:
    """Nobody reads them: their rows are those of the case."""
    readable = table(Commit(-HOUR, adds=(0,)))
    unreadable = replace(readable, features=(Feature.UNREADABLE_FILES.value,))
    root = make(unreadable, tmp_path)
    (add,) = read_log(root).snapshot().adds.values()
    assert (root / add.file).read_bytes() == bytes(add.size)
    assert '"numRecords":' in str(add.stats)
    (rows,) = Observer(unreadable, root).observe().contents.values()
    assert rows == tuple(unreadable.row(one.partition, row) for one in unreadable.files[:1] for row in one.rows)
    assert Observer(readable, root).observe().contents == {add.file: None}


# Removes ------------------------------------------------------------------------------------------------------------


def test_a_bare_remove_keeps_what_identifies_the_file(tmp_path: Path) -> None:
    commits = (
        Commit(-DAY, adds=(0,)),
        Commit(-DAY, deletion_vectors=(DeletionVector(0, (1,), -DAY),)),
        Commit(-HOUR, removes=(Removal(0, None, bare=True),)),
    )
    features = (Feature.DELETION_VECTORS, Feature.ROW_TRACKING)
    root = make(table(*commits, features=features), tmp_path)
    (bare,) = read_log(root).commits[2].removes
    assert bare.deletion_vector is not None and bare.base_row_id == 0 and bare.size is None
    assert not read_log(root).snapshot().adds


# Vectors ------------------------------------------------------------------------------------------------------------


def test_vectors_lie_in_the_directory_of_their_commit(tmp_path: Path) -> None:
    deletion_vectors = (DeletionVector(0, (0,), -DAY), DeletionVector(1, (1,), -DAY, VectorStorage.ABSOLUTE))
    commits = (Commit(-DAY, adds=(0, 1)), Commit(-DAY, deletion_vectors=deletion_vectors, vector_prefix="ab"))
    root = make(table(*commits, features=(Feature.DELETION_VECTORS,)), tmp_path)
    vectors = [add.deletion_vector for add in read_log(root).commits[1].adds]
    assert [vector and vector.storage for vector in vectors] == ["u", "p"]
    files = [str(vector and vector.file) for vector in vectors]
    assert files[0].startswith("ab/deletion_vector_") and files[1] == str(root / files[0])
    assert [read_vector(root, vector) for vector in vectors if vector] == [(0,), (1,)]
    assert values(root) == [("a b", 1), ("a b", 100)]


# Stray files --------------------------------------------------------------------------------------------------------

STRAY_FILES = (
    StrayFile("d/f", modified=-DAY, size=3),
    StrayFile("empty/deep", Kind.DIRECTORY),
    StrayFile("../table-2/_delta_log/x", modified=-2 * DAY),
    StrayFile("../around", Kind.DIRECTORY),
    StrayFile("links/in", Kind.LINK, modified=-3 * DAY, size=0, target="d"),
    StrayFile("out", Kind.LINK, modified=-4 * DAY, size=0, target="../table-2/_delta_log/x"),
    StrayFile("../around/back", Kind.LINK, size=0, target="d/f"),
    StrayFile("nowhere", Kind.LINK, size=0, target="nothing"),
)


def test_stray_files_lie_below_the_root_and_beside_it(tmp_path: Path) -> None:
    root = make(table(Commit(-HOUR), files=(), stray_files=STRAY_FILES), tmp_path)
    inside, beside = list_tree(root), list_beside(root)
    assert inside["d/f"].size == 3 and inside["d/f"].modified == START - DAY
    assert inside["empty/deep"].kind == "directory" and beside["../around"].kind == "directory"
    assert beside["../table-2/_delta_log/x"].modified == START - 2 * DAY
    assert {path: entry.target for path, entry in {**inside, **beside}.items() if entry.target} == {
        "links/in": "../d",
        "out": "../table-2/_delta_log/x",
        "../around/back": "../table/d/f",
        "nowhere": "nothing",
    }
    assert [inside[path].modified for path in ("links/in", "out")] == [START - 3 * DAY, START - 4 * DAY]
    assert os.path.samefile(root / "links" / "in" / "f", root / "d" / "f")
    assert os.path.samefile(root.parent / "around" / "back", root / "d" / "f")


# Checkpoints and pruned logs ------------------------------------------------------------------------------------------

HISTORY = (
    Commit(-5 * DAY, adds=(0,)),
    Commit(-4 * DAY, adds=(1,), removes=(Removal(0, -4 * DAY),), checkpoint=True),
    Commit(-3 * DAY, adds=(2,), checkpoint=True),
    Commit(-2 * DAY, adds=(3,)),
)


def test_a_classic_checkpoint_may_have_parts(tmp_path: Path) -> None:
    commits = (*HISTORY[:2], replace(HISTORY[2], parts=3), HISTORY[3])
    planned = table(*commits)
    assert [commit.parts for commit in plan_table(planned, Path("t"), start=START).commits] == [1, 1, 3, 1]
    root = make(planned, tmp_path)
    assert len([name for name in log_names(root) if ".0000000003.parquet" in name]) == 3
    assert [len(checkpoint.files) for checkpoint in read_log(root).checkpoints] == [1, 3]


@pytest.mark.parametrize("v2", [False, True])
def test_a_pruned_log_begins_at_a_checkpoint(v2: bool, tmp_path: Path) -> None:
    features = (Feature.CHECKSUMS, *((Feature.V2_CHECKPOINTS,) if v2 else ()))
    whole, pruned = table(*HISTORY, features=features), table(*HISTORY, features=features, pruned=2)
    root = make(pruned, tmp_path)
    log = read_log(root)
    assert sorted(log.commits) == [2, 3] and [checkpoint.version for checkpoint in log.checkpoints] == [2]
    left = log_names(root)
    assert not any(name.startswith(("0" * 20, f"{1:020d}")) for name in left) and f"{2:020d}.crc" in left
    assert len(list((root / LOG_DIRECTORY).glob("_sidecars/*"))) == v2
    full = read_log(make(whole, tmp_path / "whole")).snapshot()
    assert log.snapshot().adds == full.adds and log.snapshot().removes.keys() == full.removes.keys()


def test_the_pointer_to_the_last_checkpoint_may_be_broken(tmp_path: Path) -> None:
    for commits in (HISTORY, (Commit(-HOUR),)):
        root = make(table(*commits, features=(Feature.BROKEN_LAST_CHECKPOINT,)), tmp_path / str(len(commits)))
        text = (root / LOG_DIRECTORY / "_last_checkpoint").read_text()
        assert text.startswith('{"version":')
        with pytest.raises(ValueError, match="line 1"):
            json.loads(text)
        assert read_log(root).snapshot().version == len(commits) - 1


# Metadata ---------------------------------------------------------------------------------------------------------------


def test_properties_of_the_first_version(tmp_path: Path) -> None:
    retention = "delta.deletedFileRetentionDuration"
    for number, (made, configuration) in enumerate(
        (
            (table(Commit(0), retention_hours=168), {retention: "interval 1 week"}),
            (table(Commit(0), retention_hours=240), {retention: "interval 10 days"}),
            (table(Commit(0), retention_hours=1), {retention: "interval 1 hour"}),
            (table(Commit(0), retention_hours=0), {retention: "interval 0 hours"}),
            (table(Commit(0), features=(Feature.FREQUENT_CHECKPOINTS,)), {"delta.checkpointInterval": "2"}),
        )
    ):
        root = make(made, tmp_path / str(number))
        assert read_log(root).snapshot().metadata.configuration == configuration


@pytest.mark.parametrize(
    ("feature", "name", "of_readers"),
    [
        (Feature.VACUUM_PROTOCOL_CHECK, "vacuumProtocolCheck", True),
        (Feature.UNKNOWN_WRITER, UNKNOWN_FEATURE, False),
        (Feature.UNKNOWN_READER, UNKNOWN_FEATURE, True),
    ],
)
def test_the_protocol_names_the_features(feature: Feature, name: str, of_readers: bool, tmp_path: Path) -> None:
    protocol = read_log(make(table(Commit(0), features=(feature,)), tmp_path)).snapshot().protocol
    assert (protocol.min_reader, protocol.min_writer) == (3, 7)
    assert name in (protocol.writer_features or ()) and (name in (protocol.reader_features or ())) is of_readers


def test_the_last_commit_of_an_altered_table_sets_its_properties_and_adds_a_column(tmp_path: Path) -> None:
    files = (
        DataFile(0, ("a",), ((1, None), (2, None)), modified=-DAY),
        DataFile(1, ("a",), ((3, "new"),), modified=-DAY),
    )
    made = replace(
        table(
            Commit(-2 * DAY, adds=(0,)),
            Commit(-DAY, adds=(1,)),
            features=(Feature.ALTERED, Feature.CHANGE_DATA_FEED),
            files=files,
            retention_hours=240,
        ),
        columns=(Column("p", Type.STRING), Column("v", Type.INTEGER), Column("w", Type.STRING)),
    )
    root = make(made, tmp_path)
    log = read_log(root)
    first, last = (log.snapshot(version).metadata for version in (0, 1))
    assert first is not None and last is not None
    assert dict(first.configuration) == {}
    assert dict(last.configuration) == {
        "delta.deletedFileRetentionDuration": "interval 10 days",
        "delta.enableChangeDataFeed": "true",
    }
    assert first.schema_string is not None and last.schema_string is not None
    assert '"w"' not in first.schema_string and '"w"' in last.schema_string
    assert sorted(read_rows(root, log.snapshot()), key=str) == [("a", 1, None), ("a", 2, None), ("a", 3, "new")]
    names = {path.name[:10]: pq.read_schema(path).names for path in (root / "p=a").glob("*.parquet")}
    assert names == {"part-00000": ["v"], "part-00001": ["v", "w"]}


def test_a_column_with_values_in_early_files_is_not_an_added_one() -> None:
    rows = ((1, None), (2, "old"))
    made = table(
        Commit(-2 * DAY, adds=(0,)),
        Commit(-DAY),
        features=(Feature.ALTERED,),
        files=(DataFile(0, ("a",), rows, modified=-DAY),),
    )
    columns = (Column("p", Type.STRING), Column("v", Type.INTEGER), Column("w", Type.STRING))
    assert replace(made, columns=columns).added_column is None
