"""Which tables this reader can read."""

from __future__ import annotations

from deltalog.actions import Protocol
from deltalog.errors import UnsupportedProtocol

_NEWEST_READER = 3

#: The features of readers that are read here (PROTOCOL.md, "Valid Feature Names in Table Features"). Without
#: ``catalogManaged``: commits that only a catalog knows are not seen.
_FEATURES = frozenset(
    {
        "columnMapping",
        "deletionVectors",
        "timestampNtz",
        "typeWidening",
        "typeWidening-preview",
        "v2Checkpoint",
        "vacuumProtocolCheck",
        "variantShredding",
        "variantShredding-preview",
        "variantType",
        "variantType-preview",
    }
)


def check_readable(protocol: Protocol) -> None:
    """Raise UnsupportedProtocol if tables of this protocol need a reader that can do more than this one.

    Source: PROTOCOL.md, "Protocol Evolution" and "Reader Version Requirements".
    """
    if protocol.min_reader > _NEWEST_READER:
        raise UnsupportedProtocol(
            f"the table needs a reader of version {protocol.min_reader}; this one reads up to version {_NEWEST_READER}"
        )
    if protocol.min_reader == _NEWEST_READER and protocol.reader_features is None:
        raise UnsupportedProtocol(f"the protocol has reader version {_NEWEST_READER}, and no readerFeatures")
    unknown = sorted(set(protocol.reader_features or ()) - _FEATURES)
    if unknown:
        raise UnsupportedProtocol(f"the table needs features that this reader lacks: {', '.join(unknown)}")
