"""Which small errors of a VACUUM would show in a table: mutation of what its prediction is made from.

Each time one millisecond later or earlier, each kind of reference forgotten as a whole and one by one, the properties and the
options ignored. An error that shows is a facet of the case, by what is wrong and by the kind of VACUUM. It shows where the
prediction of a path is another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import commit_times, lite_scan
from model.prediction.fates import Fate, PathFate, Reason
from model.prediction.lite import LogPruned, lite_window
from model.prediction.paths import StorageEntry
from model.prediction.retention import cutoff_for
from model.prediction.scans import LiteScan, References, Scan
from model.prediction.vacuum import predict_vacuum
from model.vocabulary.table import DEFAULT_RETENTION

_HIDDEN = (Reason.HIDDEN_FILE, Reason.HIDDEN_DIRECTORY, Reason.INSIDE_HIDDEN)


def vacuum_facets(observation: VacuumObservation) -> Iterator[tuple[str, bool]]:
    """The errors that could be made, each with whether it would show; none of a VACUUM that is refused or has an I/O fault."""
    if observation.refused or observation.step.io_fault is not None:
        return
    kind, due = _kind(observation), _seen(observation, observation.fates)
    references, scan, listing = observation.references, observation.scan, observation.before.things

    def shows(
        *,
        references: References = references,
        scan: Scan = scan,
        listing: Mapping[str, StorageEntry] = listing,
        partition_by: tuple[str, ...] = observation.table.partition_by,
        cutoff: object = None,
    ) -> bool:
        fates = predict_vacuum(
            listing,
            references,
            partition_by=partition_by,
            reserved=observation.rules.reserved_names,
            cutoff=observation.cutoff if cutoff is None else cutoff,  # type: ignore[arg-type]
            scan=scan,
            directories=observation.rules.directories,
        )
        return _seen(observation, fates) != due

    for ms, when in ((1, "one ms later"), (-1, "one ms earlier")):
        cutoff = observation.cutoff
        yield (
            f"the cutoff {when}: {kind}",
            shows(
                cutoff=replace(
                    cutoff, earliest=cutoff.earliest + ms, latest=cutoff.latest + ms, state=cutoff.state + ms
                )
            ),
        )
        moved = _shifted(scan.stamps, ms) if isinstance(scan, LiteScan) else {}
        other = replace(scan, stamps=moved) if isinstance(scan, LiteScan) else scan
        if references.tombstones:
            yield (
                f"removes {when}: {kind}",
                shows(references=replace(references, tombstones=_shifted(references.tombstones, ms)), scan=other),
            )
        if references.vector_tombstones:
            stamps = _shifted(references.vector_tombstones, ms)
            yield f"removes of vectors {when}: {kind}", shows(references=replace(references, vector_tombstones=stamps))
        if any(stamp is not None for stamp in references.absolute_vectors.values()):
            absolute = {path: at if at is None else at + ms for path, at in references.absolute_vectors.items()}
            yield (
                f"removes of vectors with absolute paths {when}: {kind}",
                shows(references=replace(references, absolute_vectors=absolute)),
            )
        aged = {path: replace(thing, modified=thing.modified + ms) for path, thing in listing.items()}
        yield f"files modified {when}: {kind}", shows(listing=aged)
        if any(thing.target_modified is not None for thing in listing.values()):
            aged = {
                path: thing
                if thing.target_modified is None
                else replace(thing, target_modified=thing.target_modified + ms)
                for path, thing in listing.items()
            }
            yield f"files behind links modified {when}: {kind}", shows(listing=aged)
    for name, empty in (
        ("live", frozenset[str]()),
        ("live_vectors", frozenset[str]()),
        ("tombstones", {}),
        ("vector_tombstones", {}),
        ("absolute_vectors", {}),
    ):
        if getattr(references, name):
            forgotten: References = replace(references, **{name: empty})  # type: ignore[arg-type]
            found = _without(scan, getattr(references, name)) if name in _STAMPED else scan
            yield f"{_NAMES[name]} forgotten: {kind}", shows(references=forgotten, scan=found)
    if references.by_uri:
        forgotten = replace(references, live=references.live - references.by_uri, by_uri=frozenset())
        yield f"files named by URI forgotten: {kind}", shows(references=forgotten)
    for name in ("live_vectors", "tombstones", "vector_tombstones"):
        for path in sorted(getattr(references, name)):
            forgotten = replace(references, **{name: _all_but(getattr(references, name), path)})  # type: ignore[arg-type]
            found = _without(scan, [path]) if name in _STAMPED else scan
            yield f"one of the {_NAMES[name]} forgotten: {kind}", shows(references=forgotten, scan=found)
    if any(column.startswith(("_", ".")) for column in observation.table.partition_by):
        yield f"partition columns hidden by their names: {kind}", shows(partition_by=())
    hidden = [path for path, fate in observation.fates.items() if fate.reason in _HIDDEN]
    if hidden:
        old = [path for path in hidden if observation.cutoff.is_old(listing[path].modified)]
        yield f"hidden names not known: {kind}", bool(old)
    young = {path: replace(thing, modified=0) for path, thing in listing.items()}
    yield f"the age of files ignored: {kind}", shows(listing=young)
    if observation.table.retention_hours is not None:
        cutoff = cutoff_for(
            clock=observation.clock,
            retention=DEFAULT_RETENTION,
            retain=observation.retain,
            wall=(observation.outcome.started, observation.outcome.ended),
        )
        yield f"the table's retention ignored: {kind}", shows(cutoff=cutoff)
    if observation.retain is not None:
        cutoff = cutoff_for(clock=observation.clock, retention=observation.table.retention, retain=None, wall=(0, 0))
        yield f"RETAIN ignored: {kind}", shows(cutoff=cutoff)
    if isinstance(scan, LiteScan) and scan.changes:
        yield f"change files forgotten: {kind}", shows(scan=replace(scan, changes=frozenset()))
    if isinstance(scan, LiteScan) and observation.last_vacuumed is not None:
        with suppress(LogPruned):
            times = commit_times(observation.before)
            window = lite_window(times, cutoff=observation.cutoff.earliest, last_vacuumed=None)
            yield f"the bookmark ignored: {kind}", shows(scan=lite_scan(observation.before, window))


_NAMES = {
    "live": "live files",
    "live_vectors": "live vectors",
    "tombstones": "removes",
    "vector_tombstones": "removes of vectors",
    "absolute_vectors": "vectors with absolute paths",
}

#: The references that LITE finds in the log.
_STAMPED = ("tombstones", "vector_tombstones")


def _kind(observation: VacuumObservation) -> str:
    step = observation.step
    mode = "LITE" if step.mode.lite else "inventory" if step.mode.inventory else "FULL"
    return "DRY RUN" if step.dry_run else mode


def _seen(observation: VacuumObservation, fates: Mapping[str, PathFate]) -> Mapping[str, Fate | bool | None]:
    """What is expected of each path: its fate, in a DRY RUN whether it is listed."""
    return {path: fate.listed if observation.step.dry_run else fate.fate for path, fate in fates.items()}


def _shifted(stamps: Mapping[str, int], ms: int) -> dict[str, int]:
    return {path: at + ms for path, at in stamps.items()}


def _all_but(found: frozenset[str] | Mapping[str, int], path: str) -> object:
    if isinstance(found, frozenset):
        return found - {path}
    return {other: at for other, at in found.items() if other != path}


def _without(scan: Scan, paths: Collection[str]) -> Scan:
    """The scan, of LITE without the removes of these paths."""
    if not isinstance(scan, LiteScan):
        return scan
    return replace(scan, stamps={path: at for path, at in scan.stamps.items() if path not in paths})
