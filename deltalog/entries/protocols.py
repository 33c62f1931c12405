"""Features that come into a table's protocol, and that leave it (PROTOCOL.md, "Table Features")."""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.entries.actions import Protocol

#: The features that readers need too.
_OF_READERS = frozenset(
    {"columnMapping", "deletionVectors", "timestampNtz", "typeWidening", "v2Checkpoint", "vacuumProtocolCheck"}
)

#: What each legacy version of writers supports beyond the one before (PROTOCOL.md, "Supported Features").
_LEGACY = {
    2: ("appendOnly", "invariants"),
    3: ("checkConstraints",),
    4: ("changeDataFeed", "generatedColumns"),
    5: ("columnMapping",),
    6: ("identityColumns",),
}


def features_of(protocol: Protocol) -> frozenset[str]:
    """The features that writers must support, those that a legacy version implies too."""
    implied = (name for version, names in _LEGACY.items() if version <= protocol.min_writer < 7 for name in names)
    return frozenset([*(protocol.writer_features or ()), *implied])


def with_features(protocol: Protocol, names: Iterable[str]) -> Protocol:
    """The same protocol if it has all of these features; else one that lists its features and these."""
    wanted = features_of(protocol).union(names)
    return protocol if wanted == features_of(protocol) else _listing(wanted, protocol)


def without_feature(protocol: Protocol, name: str) -> Protocol:
    return _listing(features_of(protocol) - {name}, protocol)


def _listing(features: frozenset[str], before: Protocol) -> Protocol:
    """``before`` says which unknown features readers need."""
    of_readers = features & (_OF_READERS | frozenset(before.reader_features or ()))
    return Protocol(3, 7, tuple(sorted(of_readers)), tuple(sorted(features)))
