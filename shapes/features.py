"""A table's protocol."""

from __future__ import annotations

from collections.abc import Collection

from deltalog.entries.actions import Protocol
from deltalog.entries.protocols import features_of
from shapes.refusals import UnknownForm
from shapes.shape import ProtocolShape

#: The features of PROTOCOL.md, and of Delta's releases and previews.
KNOWN = frozenset(
    {
        *("adaptiveMetadata-preview", "allowColumnDefaults", "appendOnly", "catalogManaged", "catalogOwned-preview"),
        *("changeDataFeed", "checkConstraints", "checkpointProtection", "clustering", "collations"),
        *("collations-preview", "columnMapping", "coordinatedCommits-preview", "deletionVectors", "domainMetadata"),
        *("generatedColumns", "geospatial", "geospatial-dev", "icebergCompatV1", "icebergCompatV2"),
        *("icebergCompatV3", "icebergWriterCompatV1", "icebergWriterCompatV3", "identityColumns"),
        *("inCommitTimestamp", "inCommitTimestamp-preview", "invariants", "materializePartitionColumns"),
        *("redirectReaderWriter-preview", "redirectWriterOnly-preview", "rowTracking", "timestampNtz"),
        *("typeWidening", "typeWidening-preview", "v2Checkpoint", "vacuumProtocolCheck"),
        *("variantShredding", "variantShredding-preview", "variantType", "variantType-preview"),
    }
)


def protocol_of(logged: Protocol) -> ProtocolShape:
    """Raises UnknownForm for a version beyond those of table features."""
    if logged.min_reader > 3 or logged.min_writer > 7:
        raise UnknownForm(
            f"the table asks for reader {logged.min_reader} and writer {logged.min_writer}; this release knows 3 and 7"
        )
    features = features_of(logged).union(logged.reader_features or ())
    known = tuple(sorted(features & KNOWN))
    return ProtocolShape(logged.min_reader, logged.min_writer, known, len(features) - len(known))


def unknown_features(logged: Protocol) -> Collection[str]:
    return features_of(logged).union(logged.reader_features or ()) - KNOWN
