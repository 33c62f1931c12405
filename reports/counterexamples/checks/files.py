"""Checks of the files in the table's directory and beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engines.dialect import Dialect
from engines.quoting import quoted
from records.expectations import ForbiddenChange, Gone, NoFileWritten, NothingChanged, Unchanged
from reports.counterexamples.checks.pieces import LISTED, CannotCheck, Check, lines, none_of, of_log, path_in_table
from reports.counterexamples.runtime import compared


def unchanged(expects: Unchanged) -> Check:
    state = "dated(path)" if expects.times else "state(path)"
    return Check(None, (f"found = {state}",), (path_in_table(expects.path), f"expected = {state}"))


def gone(expects: Gone) -> Check:
    exists = 'assert os.path.lexists(path), "the path does not exist"'
    after = ('expected = "deleted"', *lines("found", compared.presence))
    return Check(None, after, (path_in_table(expects.path), exists))


#: For each change what it is called, the lines with what is there before, and how the paths are found that changed so.
_CHANGED: Mapping[ForbiddenChange, tuple[str, tuple[str, ...], Callable[..., object]]] = {
    ForbiddenChange.ANY: ("paths that changed", lines("before", compared.states), compared.changed),
    ForbiddenChange.OF_FILES: (
        "files outside the log that changed",
        lines("before", compared.states),
        compared.changed_files,
    ),
    ForbiddenChange.DELETION: ("deleted paths", LISTED, compared.deleted),
    ForbiddenChange.DELETION_OF_FILES: ("deleted files", LISTED, compared.deleted_files),
}


def nothing_changed(expects: NothingChanged, dialect: Dialect) -> Check:
    if expects.change is ForbiddenChange.OF_ROW_IDS:
        return _row_ids_kept(dialect)
    what, before, found = _CHANGED[expects.change]
    return Check(what, none_of(*lines("found", found)), before)


def _row_ids_kept(dialect: Dialect) -> Check:
    ids = dialect.row_ids()
    if ids is None:
        raise CannotCheck("the engine does not show row ids")
    rows = f"list(map(plain, {dialect.rows(ids)}))"
    after = (f"after = {rows}", "expected, found = [], [row for row in after if row not in before]")
    return Check("rows whose row id or row commit version is new", after, (f"before = {rows}",))


def no_file_written(expects: NoFileWritten, dialect: Dialect) -> Check:
    new_files = lines("new_files", compared.new_files)
    if expects.but_named:
        rows = dialect.count('f"{ROOT}/{path}"')
        others = (*new_files, *lines("others", compared.unnamed))
        found = none_of(f'found = [path for path in others if not path.endswith(".parquet") or {rows}]')
        return of_log("new files with rows that no action refers to", *others, *found, before=LISTED)
    part = quoted([expects.containing])[1:-1]
    found = none_of(
        f"found = [path for path in new_files if {part} in path]" if expects.containing else "found = new_files"
    )
    return Check("new files outside the log", (*new_files, *found), LISTED)
