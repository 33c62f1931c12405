"""Which tables a changed rule concerns, as far as their shapes tell. The answers are those of ``shapes.told``."""

from __future__ import annotations

from collections.abc import Mapping

from shapes import told
from shapes.shape import Shape
from shapes.told import OnShape, Told, untold

_HOUR = 3_600_000


def _is_vacuumed_with_retain(shape: Shape) -> Told:
    """None: not every VACUUM leaves a commit."""
    retains = [one.retain_ms for one in shape.history.vacuums if one.retain_ms is not None]
    return True if any(one >= _HOUR for one in retains) else None


#: By the field of ``model.vocabulary.rules.Rules``.
RULES_ON_SHAPES: Mapping[str, OnShape] = {
    "blocks_expired_versions": untold,  # it is about what is read
    "checks_write_protocol": untold,  # about the release that runs the VACUUM
    "counts_vectors": told.writes_vectors,
    "random_directories": told.maps_columns,
    "reads_struct_statistics": told.has_struct_statistics_only,
    "release": untold,  # about the words of errors
    "reserved_names": untold,  # a shape has no names
    "retain": _is_vacuumed_with_retain,
    "retain_error_class": untold,
    "row_versions_with_widening": told.has_feature("typeWidening", "typeWidening-preview"),
    "utc_partition_values": told.partitions_by("timestamp"),
}
