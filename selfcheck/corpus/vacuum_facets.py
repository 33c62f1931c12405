"""Which small errors of a VACUUM would show in a table: mutation of what its prediction is made from.

Each time one millisecond later or earlier, each kind of reference forgotten as a whole and one by one, each kind of hidden name,
the properties, the options and the safety check ignored, or rounded in another way. An error that shows is a facet of the case,
by what is wrong and by the kind of VACUUM. It shows where a path is kept that must be deleted, or deleted that must be kept; and
where a command runs that must be refused, or is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from harness.observing.steps.vacuum_observation import VacuumObservation
from harness.observing.table.vacuum_inputs import commit_times, lite_scan
from model.prediction.fates import Fate, Reason
from model.prediction.lite import LogPruned, lite_window
from model.prediction.paths import StorageEntry
from model.prediction.retention import Cutoff, cutoff_for, effective_retain, refuses_retain
from model.prediction.scans import LiteScan, References, Scan
from model.prediction.vacuum import predict_vacuum
from model.vocabulary.table import DAY, DEFAULT_RETENTION, HOUR


@dataclass(frozen=True)
class _Inputs:
    """What a VACUUM goes by."""

    refused: bool
    listing: Mapping[str, StorageEntry]
    references: References
    partition_by: tuple[str, ...]
    cutoff: Cutoff
    scan: Scan


#: What an engine goes by that makes an error, each way to make it; none where it cannot be made.
_Error = Callable[[VacuumObservation, _Inputs], Iterable[_Inputs]]


def vacuum_facets(observation: VacuumObservation, *, but: Collection[str] = ()) -> Iterator[tuple[str, bool]]:
    """The errors that could be made, each with whether it would show; none of a VACUUM that has an I/O fault.

    ``but``: paths where an error does not show, as the engine is known to be wrong there.
    """
    if observation.step.io_fault is not None or observation.refused != observation.retain_refused:
        return
    right = _Inputs(
        observation.refused,
        observation.before.things,
        observation.references,
        observation.table.partition_by,
        observation.cutoff,
        observation.scan,
    )
    due, kind = _seen(observation, right), _kind(observation)
    for name, error in _ERRORS.items():
        for wrong in error(observation, right):
            if right.refused and wrong.refused:
                continue  # it could not be made
            yield f"{name}: {kind}", _differ(due, _seen(observation, wrong), but)
    for name, reason in _HIDDEN.items() if not right.refused else ():
        if hidden := [path for path, fate in observation.fates.items() if fate.reason is reason]:
            yield f"{name}: {kind}", any(_would_go(observation, path) for path in hidden if path not in but)


def _kind(observation: VacuumObservation) -> str:
    step = observation.step
    mode = "LITE" if step.mode.lite else "inventory" if step.mode.inventory else "FULL"
    return "DRY RUN" if step.dry_run else mode


_Seen = Mapping[str, "Fate | bool | None"]


def _seen(observation: VacuumObservation, inputs: _Inputs) -> _Seen | None:
    """What is expected of each path: its fate, in a DRY RUN whether it is listed. None: the command is refused."""
    if inputs.refused:
        return None
    fates = predict_vacuum(
        inputs.listing,
        inputs.references,
        partition_by=inputs.partition_by,
        reserved=observation.rules.reserved_names,
        cutoff=inputs.cutoff,
        scan=inputs.scan,
        directories=observation.rules.directories,
    )
    return {path: fate.listed if observation.step.dry_run else fate.fate for path, fate in fates.items()}


def _differ(due: _Seen | None, found: _Seen | None, but: Collection[str]) -> bool:
    """Whether one is refused and the other is not, or a path must be kept in one and deleted, or listed, in the other."""
    if due is None or found is None:
        return due is not found
    return any(
        found[path] != one and path not in but and not {None, Fate.UNSPECIFIED} & {one, found[path]}
        for path, one in due.items()
    )


def _would_go(observation: VacuumObservation, path: str) -> bool:
    """Whether a path would be deleted if its name were not hidden: as an old file, or as an empty directory."""
    listing = observation.before.things
    if not listing[path].directory:
        return observation.cutoff.is_old(listing[path].modified) is True
    return not any(other.startswith(f"{path}/") for other in listing)


# ---- times


def _cutoff_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    one = right.cutoff
    yield replace(right, cutoff=Cutoff(one.earliest + ms, one.latest + ms, one.state + ms))


def _removes_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if right.references.tombstones:
        scan = right.scan
        yield replace(
            right,
            references=replace(right.references, tombstones=_shifted(right.references.tombstones, ms)),
            scan=replace(scan, stamps=_shifted(scan.stamps, ms)) if isinstance(scan, LiteScan) else scan,
        )


def _vectors_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if right.references.vector_tombstones:
        stamps = _shifted(right.references.vector_tombstones, ms)
        yield replace(right, references=replace(right.references, vector_tombstones=stamps))


def _absolute_vectors_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    absolute = right.references.absolute_vectors
    if any(stamp is not None for stamp in absolute.values()):
        moved = {path: at if at is None else at + ms for path, at in absolute.items()}
        yield replace(right, references=replace(right.references, absolute_vectors=moved))


def _files_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    aged = {path: replace(thing, modified=thing.modified + ms) for path, thing in right.listing.items()}
    yield replace(right, listing=aged)


def _targets_moved(ms: int, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    links = {path: thing for path, thing in right.listing.items() if thing.target_modified is not None}
    if links:
        moved = {path: replace(one, target_modified=(one.target_modified or 0) + ms) for path, one in links.items()}
        yield replace(right, listing={**right.listing, **moved})


def _shifted(stamps: Mapping[str, int], ms: int) -> dict[str, int]:
    return {path: at + ms for path, at in stamps.items()}


# ---- what is kept


def _forgotten(name: str, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    """All references of a kind."""
    found = getattr(right.references, name)
    if found:
        yield _without(right, name, found)


def _one_forgotten(name: str, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    yield from (_without(right, name, [path]) for path in sorted(getattr(right.references, name)))


def _without(right: _Inputs, name: str, paths: Collection[str]) -> _Inputs:
    found, scan = getattr(right.references, name), right.scan
    left: object = (
        {path: found[path] for path in found if path not in paths} if isinstance(found, Mapping) else found - {*paths}
    )
    if name in _STAMPED and isinstance(scan, LiteScan):
        scan = replace(scan, stamps={path: at for path, at in scan.stamps.items() if path not in paths})
    return replace(right, references=replace(right.references, **{name: left}), scan=scan)  # type: ignore[arg-type]


#: The references that LITE finds in the log.
_STAMPED = ("tombstones", "vector_tombstones")


def _uris_forgotten(v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if by_uri := right.references.by_uri:
        left = replace(right.references, live=right.references.live - by_uri, by_uri=frozenset())
        yield replace(right, references=left)


def _columns_hidden(v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if any(column.startswith(("_", ".")) for column in right.partition_by):
        yield replace(right, partition_by=())


def _aged(reason: Reason, v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    """Each path that is kept for its age is old."""
    young = {path for path, fate in v.fates.items() if fate.reason is reason}
    if young:
        aged = {path: replace(one, modified=0) if path in young else one for path, one in right.listing.items()}
        yield replace(right, listing=aged)


# ---- properties and options


def _retention(of: Callable[[int], int], v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    """Another retention than the table's, both in ms."""
    if v.table.retention_hours is not None:
        yield replace(right, cutoff=_cutoff(v, of(v.table.retention), v.retain))


def _retain(of: Callable[[float], float | None], v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    """Another RETAIN than the step's, both in hours."""
    hours = v.step.retain_hours
    if hours is not None:
        retain = effective_retain(of(hours), v.rules.retain)
        refused = refuses_retain(retain, retention=v.table.retention, safety_check=v.step.safety_check)
        yield replace(right, refused=refused, cutoff=_cutoff(v, v.table.retention, retain))


def _checked(refuses: Callable[[int, int, bool], bool], v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    """Another safety check, of the effective RETAIN, the retention (both ms) and whether the check is on."""
    if v.retain is not None:
        yield replace(right, refused=refuses(v.retain, v.table.retention, v.step.safety_check))


def _negative_refused(v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if v.step.retain_hours is not None and v.step.retain_hours < 0:
        yield replace(right, refused=True)


def _cutoff(v: VacuumObservation, retention: int, retain: int | None) -> Cutoff:
    wall = v.outcome.started, v.outcome.ended
    return cutoff_for(clock=v.clock, retention=retention, retain=retain, wall=wall, own_clock=v.rules.own_clock)


# ---- LITE


def _changes_forgotten(v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if isinstance(right.scan, LiteScan) and right.scan.changes:
        yield replace(right, scan=replace(right.scan, changes=frozenset()))


def _bookmark_ignored(v: VacuumObservation, right: _Inputs) -> Iterator[_Inputs]:
    if isinstance(right.scan, LiteScan) and v.last_vacuumed is not None:
        with suppress(LogPruned):
            window = lite_window(commit_times(v.before), cutoff=right.cutoff.earliest, last_vacuumed=None)
            yield replace(right, scan=lite_scan(v.before, window))


_MOVED: Mapping[str, Callable[[int, VacuumObservation, _Inputs], Iterator[_Inputs]]] = {
    "the cutoff": _cutoff_moved,
    "removes": _removes_moved,
    "removes of vectors": _vectors_moved,
    "removes of vectors with absolute paths": _absolute_vectors_moved,
    "files modified": _files_moved,
    "files behind links modified": _targets_moved,
}

_REFERENCES = {
    "live files": "live",
    "live vectors": "live_vectors",
    "removes": "tombstones",
    "removes of vectors": "vector_tombstones",
    "vectors with absolute paths": "absolute_vectors",
}

_ERRORS: Mapping[str, _Error] = {
    **{f"{name} one ms later": partial(moved, 1) for name, moved in _MOVED.items()},
    **{f"{name} one ms earlier": partial(moved, -1) for name, moved in _MOVED.items()},
    **{f"{name} forgotten": partial(_forgotten, field) for name, field in _REFERENCES.items()},
    **{
        f"one of the {name} forgotten": partial(_one_forgotten, field)
        for name, field in _REFERENCES.items()
        if field not in ("live", "absolute_vectors")
    },
    "files named by URI forgotten": _uris_forgotten,
    "partition columns hidden by their names": _columns_hidden,
    "the age of files ignored": partial(_aged, Reason.YOUNG),
    "the age of removed files ignored": partial(_aged, Reason.YOUNG_REMOVED),
    "the table's retention ignored": partial(_retention, lambda ms: DEFAULT_RETENTION),
    "the table's retention in whole hours": partial(_retention, lambda ms: ms // HOUR * HOUR),
    "the table's retention in whole days": partial(_retention, lambda ms: ms // DAY * DAY),
    "RETAIN ignored": partial(_retain, lambda hours: None),
    "RETAIN rounded down": partial(_retain, math.floor),
    "RETAIN rounded up": partial(_retain, math.ceil),
    "RETAIN cut off": partial(_retain, math.trunc),
    "the safety check ignored": partial(_checked, lambda retain, retention, on: retain < 0),
    "the safety check cannot be switched off": partial(_checked, lambda retain, retention, on: retain < retention),
    "the safety check refuses what is equal": partial(
        _checked, lambda retain, retention, on: on and retain <= retention
    ),
    "the safety check one hour lower": partial(
        _checked, lambda retain, retention, on: on and retain < retention - HOUR
    ),
    "a negative RETAIN refused": _negative_refused,
    "change files forgotten": _changes_forgotten,
    "the bookmark ignored": _bookmark_ignored,
}

#: The errors of a listing that does not know hidden names, each with the reason to keep a path.
_HIDDEN = {
    "hidden files not known": Reason.HIDDEN_FILE,
    "hidden directories not known": Reason.HIDDEN_DIRECTORY,
    "files in hidden directories not known": Reason.INSIDE_HIDDEN,
}
