"""Log compaction files, and features of a protocol."""

from __future__ import annotations

from pathlib import Path

import pytest

from deltalog.entries.actions import Action, Add, Cdc, CommitInfo, DomainMetadata, Metadata, Protocol, Remove, Txn
from deltalog.entries.commits import parse_commit, write_commit
from deltalog.entries.compaction import write_compaction
from deltalog.entries.protocols import features_of, with_features, without_feature
from deltalog.errors import AlreadyWritten
from deltalog.log import read_log
from deltalog.snapshot import replay
from deltalog.storage.names import LogFileKind, parse_name

DEFINITION = (Protocol(1, 2), Metadata("id", '{"type":"struct","fields":[]}'))
ADDS = tuple(Add(path, {}, 1, 0, True) for path in ("a", "b"))
COMMITS: tuple[tuple[Action, ...], ...] = (
    (CommitInfo({}), *DEFINITION, ADDS[0], Txn("app", 1), DomainMetadata("d", "1")),
    (CommitInfo({}), Remove("a", 5, True), ADDS[1], Txn("app", 2)),
    (CommitInfo({}), Remove("b", 6, True), ADDS[0], DomainMetadata("d", "1", removed=True), Cdc("c", {}, 1)),
)


def test_a_compaction_file_stands_for_its_commits(tmp_path: Path) -> None:
    for version, actions in enumerate(COMMITS):
        write_commit(tmp_path, version, actions)
    log = read_log(tmp_path)
    path = write_compaction(tmp_path, log.commits_after(0))
    name = parse_name(path.name)
    assert name is not None and (name.kind, name.version) == (LogFileKind.COMPACTED, 1)
    actions = parse_commit(path.read_bytes(), path.name)
    base = replay([(0, log.commits[0].actions)])
    assert replay([(1, actions)], base=base).adds == log.snapshot().adds
    assert replay([(1, actions)], base=base).removes == log.snapshot().removes
    assert not any(isinstance(action, (CommitInfo, Cdc)) for action in actions)
    assert read_log(tmp_path).others == (path.name,)
    with pytest.raises(AlreadyWritten):
        write_compaction(tmp_path, log.commits_after(0))


def test_a_legacy_protocol_has_the_features_of_its_versions() -> None:
    assert features_of(Protocol(1, 1)) == frozenset()
    assert features_of(Protocol(1, 3)) == {"appendOnly", "invariants", "checkConstraints"}
    assert features_of(Protocol(3, 7, (), ("changeDataFeed",))) == {"changeDataFeed"}


def test_a_feature_comes_into_a_protocol_and_leaves_it() -> None:
    old = Protocol(1, 2)
    assert with_features(old, ["invariants"]) is old
    new = with_features(old, ["deletionVectors"])
    assert new == Protocol(3, 7, ("deletionVectors",), ("appendOnly", "deletionVectors", "invariants"))
    assert without_feature(new, "deletionVectors") == Protocol(3, 7, (), ("appendOnly", "invariants"))
    unknown = Protocol(3, 7, ("own",), ("own",))
    assert with_features(unknown, ["changeDataFeed"]) == Protocol(3, 7, ("own",), ("changeDataFeed", "own"))
