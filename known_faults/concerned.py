"""Which of the user's tables known faults and changed rules concern, by their shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from harness.judging.excusing.conditions import CONDITIONS, SUBJECTS
from records.known_fault import KnownFault
from records.run import ConcernedTables, LikeTables, ListedFault, ShapeOfTables
from shapes import told
from shapes.entries import entries_of
from shapes.shape import Counted, Shape, Shapes
from shapes.told import OnShape, Told, all_of, any_of, untold

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

#: What the header says of each shape, by name.
_TOLD = {**{name: one.on_shape for name, one in CONDITIONS.items()}, **RULES_ON_SHAPES}


def concerned(fault: KnownFault, shape: Shape) -> Told:
    """Whether the fault concerns tables of this shape; None: it may, a shape does not tell."""
    found = [CONDITIONS[fault.when].on_shape(shape)] if fault.when is not None else []
    found += [SUBJECTS[fault.symptom.of].on_shape(shape)] if fault.symptom.of is not None else []
    return all_of(found) if found else None


def like_tables(
    shapes: Shapes, listed: Sequence[ListedFault], faults: Iterable[KnownFault]
) -> tuple[LikeTables, tuple[ListedFault, ...]]:
    """The user's tables as the header of a run has them, and the known faults that it lists with the tables that they concern.

    ``faults`` are the entries behind ``listed``: those with one reason are one fault there.
    """
    entries = [entries_of(one.shape) for one in shapes.shapes]
    own = list(faults)
    by_reason = [[one for one in own if one.reason == fault.reason] for fault in listed]
    by_fault = [[any_of([concerned(one, of.shape) for one in group]) for of in shapes.shapes] for group in by_reason]
    names = tuple(sorted({name for found in entries for name in found}))
    places = {name: place for place, name in enumerate(names)}
    tables = LikeTables(
        tables=shapes.tables,
        unreadable=sum(one.count for one in shapes.unreadable),
        entries=names,
        conditions=tuple(_TOLD),
        shapes=tuple(
            _shape_of(one, [places[name] for name in found], [answers[number] for answers in by_fault])
            for number, (one, found) in enumerate(zip(shapes.shapes, entries))
        ),
    )
    counts = [one.count for one in shapes.shapes]
    numbered = (
        ListedFault(fault.reason, fault.clauses, fault.link, fault.concerns, _tables(answers, counts))
        for fault, answers in zip(listed, by_fault)
    )
    return tables, tuple(numbered)


def _tables(answers: Iterable[Told], counts: Iterable[int]) -> ConcernedTables:
    pairs = list(zip(answers, counts))
    return ConcernedTables(
        certain=sum(count for one, count in pairs if one is True),
        possible=sum(count for one, count in pairs if one is not False),
    )


def _shape_of(counted: Counted, entries: Sequence[int], answers: Sequence[Told]) -> ShapeOfTables:
    conditions = [holds(counted.shape) for holds in _TOLD.values()]
    return ShapeOfTables(
        id=counted.id,
        tables=counted.count,
        entries=tuple(entries),
        has=_places(conditions, True),
        lacks=_places(conditions, False),
        faults=_places(answers, True),
        spared=_places(answers, False),
    )


def _places(answers: Sequence[Told], answer: bool) -> tuple[int, ...]:
    return tuple(place for place, one in enumerate(answers) if one is answer)
