"""Checks of the actions that the step wrote to the log, and of other files of the log."""

from __future__ import annotations

from deltalog.storage.names import LAST_VACUUM_INFO
from engines.dialect import Dialect
from engines.quoting import Code, called, quoted
from model.text.layout import ROOT
from records.expectations import (
    ColumnsStored,
    FieldHolds,
    FieldIs,
    FieldMatches,
    InfoIs,
    KeysAre,
    Measure,
    MetricCounts,
    NoActions,
    Operations,
    Removes,
    Total,
)
from reports.counterexamples.checks.pieces import (
    LISTED,
    NEW_ADDS,
    OLD,
    WROTE,
    Check,
    lines,
    none_of,
    of_kind,
    of_log,
    values,
)
from reports.counterexamples.runtime import compared


def operations(expects: Operations) -> Check:
    expected = f"expected = list(enumerate({quoted(list(expects.names))}, start=max(old) + 1))"
    return of_log("the commits of the step", expected, *lines("found", compared.operations))


def no_actions(expects: NoActions) -> Check:
    of_users = lines("wrote", compared.of_users) if "domainMetadata" in expects.kinds else ()
    found = none_of(*lines("found", compared.with_kinds, kinds=list(expects.kinds)))
    return of_log(f"{' and '.join(expects.kinds)} actions of the step", *of_users, *found)


def removes(expects: Removes, dialect: Dialect) -> Check:
    paths = sorted(expects.paths)
    if expects.checkpoint:
        removed = f"removes = {{unquote(removed) for path in new for removed in {dialect.removes_in('path')}}}"
        found = none_of("found = [path for path in PATHS if path not in removes]")
        after = (*lines("new", compared.new_checkpoints), removed, *found)
        return Check("files without a remove in the new checkpoint", after, LISTED, {"PATHS": paths})
    if expects.compaction:
        found = none_of(f"found = [path for path in {quoted(paths)} if path not in removes]")
        after = (*lines("removes", compared.removed_by_compaction), *found)
        return Check("files without a remove in the new log compaction", after, LISTED)
    short = len(repr(paths)) < 90
    after = (f"expected = {quoted(paths) if short else 'EXPECTED'}", *lines("found", compared.removed_files))
    return of_log("the files that the step removes", *after, data={} if short else {"EXPECTED": paths})


def field_is(expects: FieldIs) -> Check:
    if expects.kind == LAST_VACUUM_INFO:
        wanted = f"field, expected = {quoted((expects.field, expects.value))[1:-1]}"
        return Check(f"{expects.field} in {LAST_VACUUM_INFO}", (wanted, *lines("found", compared.last_vacuum)))
    of = f"each {expects.kind}" if expects.path is None else f"the {expects.kind} of {expects.path}"
    one = (f"path = {quoted(expects.path, ROOT)}", *lines("actions", compared.of_file)) if expects.path else ()
    after = (*one, f"expected = [{quoted(expects.value)}] * len(actions)", *values("found", expects.field))
    return of_log(f"{expects.field} of {of}", *of_kind(expects.kind), *after)


_PLACES = lines("paths", compared.places)

#: What the field of each action must be, by measure: whether the actions are only the adds of new files, and ``expected``.
_MEASURED = {
    Measure.FILE_SIZE: (False, (*_PLACES, *lines("expected", compared.sizes))),
    Measure.FILE_TIME: (True, (*_PLACES, *lines("expected", compared.times))),
    Measure.DIRECTORY: (True, lines("expected", compared.directories)),
}


def field_matches(expects: FieldMatches, dialect: Dialect) -> Check:
    kind, measure, found = expects.kind, expects.measure, values("found", expects.field)
    what = f"{expects.field} of each {kind}"
    if measure in _MEASURED:
        of_new, expected = _MEASURED[measure]
        return of_log(what, *(NEW_ADDS if of_new else of_kind(kind)), *expected, *found)
    if measure is Measure.FILE_ROWS:
        expected = (*_PLACES, f"expected = [{dialect.count('path')} for path in paths]")
        return of_log(what, *of_kind(kind), *expected, *found)
    if measure is Measure.ADD:
        adds = lines("earlier", compared.earlier_adds)
        actions = lines("actions", compared.of_earlier_files, kind=kind)
        expected = lines("expected", compared.values_of_adds, field=expects.field)
        return of_log(what, *adds, *actions, *expected, *found)
    if measure is Measure.OTHERS:
        distinct = (*values("values", expects.field), *lines("found", compared.distinct), "expected = found[:1]")
        return of_log(f"{expects.field} of the {kind} actions", *of_kind(kind), *distinct)
    if measure is Measure.VERSION:
        adds = lines("adds", compared.new_adds_by_version)
        expected = ("expected = [version for version, _ in adds]", "actions = [one for _, one in adds]")
        return of_log(what, *adds, *expected, *found)
    return _none_fails(expects)


def _none_fails(expects: FieldMatches) -> Check:
    """For the other measures, which list the wrong values."""
    kind, field = expects.kind, expects.field
    if expects.measure is Measure.CLOCK:
        found = none_of(*lines("found", compared.outside))
        what = f"{field} of each {kind} that is not between the start and the end of the step"
        times = lines("values", compared.plain_values, kind=kind, field=field)
        after = ("ended = int(time.time() * 1000)", *WROTE, *times, *found)
        return Check(what, after, (*OLD, "started = int(time.time() * 1000)"))
    if expects.measure is Measure.ABOVE:
        found = (*values("values", field), *none_of(*lines("found", compared.up_to, limit=expects.limit)))
        return of_log(f"{field} of new files up to {expects.limit}", *NEW_ADDS, *found)
    if expects.measure is Measure.NEW_NAME:
        found = none_of(*lines("found", compared.taken_names))
        return of_log("added files with names that existed before", *NEW_ADDS, *found, before=LISTED)
    assert expects.measure is Measure.ONCE
    what = "files with more than one add or remove in the step's commits"
    return of_log(what, *none_of(*lines("found", compared.repeated)))


def field_holds(expects: FieldHolds) -> Check:
    pattern = (f"pattern = {quoted(expects.pattern)}", *of_kind(expects.kind), *values("values", expects.field))
    what = f"{expects.field} of each {expects.kind} that is not {expects.promised}"
    return of_log(what, *pattern, *none_of(*lines("found", compared.not_matching)))


def keys_are(expects: KeysAre) -> Check:
    kind, field, keys = expects.kind, expects.field, sorted(expects.keys)
    what = f"keys of {field} of each {kind}"
    if expects.all:
        expected = f"expected = [{quoted(keys)}] * len(actions)"
        return of_log(what, *of_kind(kind), expected, *lines("found", compared.keys, field=field))
    found = (f"allowed = {quoted(keys)}", *none_of(*lines("found", compared.other_keys, field=field)))
    return of_log(f"other {what}", *of_kind(kind), *found)


def columns_stored(expects: ColumnsStored, dialect: Dialect) -> Check:
    stored = f"stored = [{dialect.columns('path')} for path in paths]"
    found = none_of(*lines("found", compared.misplaced, names=Code("NAMES"), others=Code("OTHERS")))
    data = {"NAMES": list(expects.names), "OTHERS": list(expects.others)}
    return of_log("columns of the added files", *NEW_ADDS, *_PLACES, stored, *found, data=data)


def _info(operation: str | None) -> tuple[str, ...]:
    if operation is None:
        return lines("info", compared.commit_info)
    return lines("info", compared.commit_info_of, operation=operation)


def info_is(expects: InfoIs) -> Check:
    empty = " or None" if expects.value is None else ""
    after = (f"expected = {quoted(expects.value)}", f"found = {called('at', Code('info'), expects.field)}{empty}")
    return of_log(f"{expects.field} of {expects.operation or 'the commit'}", *_info(expects.operation), *after)


def metric_counts(expects: MetricCounts) -> Check:
    total = expects.total
    if total is Total.ADDED_FILES:
        counted = (*NEW_ADDS, "expected = str(len(actions))")
    elif total is Total.ADDED_BYTES:
        counted = (*NEW_ADDS, *_PLACES, "expected = str(sum(map(os.path.getsize, paths)))")
    elif total is Total.CHANGE_FILES:
        counted = (*of_kind("cdc"), "expected = str(len(actions))")
    else:
        but = f"deleted = [path for path in deleted if path not in {quoted(list(expects.but))}]"
        counted = (*lines("deleted", compared.deleted_by_vacuum), *((but,) if expects.but else ()))
        of_files = ("expected = str(len(deleted))",)
        counted += of_files if total is Total.DELETED_FILES else lines("expected", compared.bytes_of)
    found = f"found = {called('at', Code('info'), f'operationMetrics.{expects.metric}')}"
    what = f"{expects.metric} of {expects.operation or 'the commit'} ({total.value})"
    before = LISTED if total in (Total.DELETED_FILES, Total.DELETED_BYTES) else ()
    return of_log(what, *_info(expects.operation), *counted, found, before=before)
