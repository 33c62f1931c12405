"""Which tables a changed rule concerns, as far as their shapes tell. The answers are those of ``known_faults.on_shapes``."""

from __future__ import annotations

from collections.abc import Mapping

from known_faults.on_shapes import OnShape, Told, maps_columns, untold, writes_vectors
from shapes.shape import Shape

_HOUR = 3_600_000


def _is_vacuumed_with_retain(shape: Shape) -> Told:
    """None: not every VACUUM leaves a commit."""
    retains = [one.retain_ms for one in shape.history.vacuums if one.retain_ms is not None]
    return True if any(one >= _HOUR for one in retains) else None


#: By the field of ``model.vocabulary.rules.Rules``.
RULES_ON_SHAPES: Mapping[str, OnShape] = {
    "blocks_expired_versions": untold,  # it is about what is read
    "checks_write_protocol": untold,  # about the release that runs the VACUUM
    "counts_vectors": writes_vectors,
    "random_directories": maps_columns,
    "reads_struct_statistics": lambda s: s.properties.known.get("delta.checkpoint.writeStatsAsJson") == "false",
    "release": untold,  # about the words of errors
    "reserved_names": untold,  # a shape has no names
    "retain": _is_vacuumed_with_retain,
    "retain_error_class": untold,
    "row_versions_with_widening": lambda s: bool({"typeWidening", "typeWidening-preview"} & {*s.protocol.features}),
    "utc_partition_values": lambda s: any(one.type == "timestamp" for one in s.columns.partition),
}
