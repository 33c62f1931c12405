"""``explanation.md``: one violation of one case, as a proof that a person can check by eye."""

from __future__ import annotations

from collections.abc import Iterable

from model.case import Case
from model.layout import file_path
from model.steps import Append, Delete, Litter, Moment, Read, SetClock, Step, Vacuum
from model.table import Commit, Kind, Table
from model.values import Row
from reports.instants import duration, instant
from reports.markdown import code, row, text
from reports.plurals import counted
from reports.stream import Line


def explanation(*, case: Case, line: Line, violation: Line, clause: Line) -> str:
    """The Markdown text for one violation.

    ``line`` is the case's line of the stream, ``violation`` one of its violations, ``clause`` the header's entry for
    the clause. All instants are said from the case's start.
    """
    sources = f" Sources: {text(', '.join(clause['sources']))}." if clause["sources"] else ""
    how = (
        f"Case {code(line['id'])}, campaign {text(line['campaign'])}. Instants are said from the start of the case. "
        "`python reproduce.py` shows the same without the suite; `pytest suites --replay case.json` shows it with it."
    )
    parts = [
        f"# {text(clause['id'])} is violated",
        f"**Promised.** {text(clause['sentence'])}{sources}",
        f"**Seen.** {text(violation['message'])}",
        "## The proof",
        _numbered(text(fact) for fact in violation["evidence"]) or "The clause gave no evidence lines.",
        "## The table",
        _table(case.table),
        "## The program",
        _program(case, line, violation["step"]),
        how,
    ]
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    columns = ", ".join(f"{code(column.name)} {column.type.value}" for column in table.columns)
    partition = ", ".join(code(name) for name in table.partition_by)
    lines = [
        f"- Columns: {columns}; " + (f"partitioned by {partition}." if partition else "not partitioned."),
        f"- Removed files are kept for {duration(table.retention)}"
        + (" (the default)." if table.retention_hours is None else " (delta.deletedFileRetentionDuration)."),
    ]
    if table.features:
        lines.append(f"- Table features: {text(', '.join(table.features))}.")
    paths = {file.id: file_path(table, file) for file in table.files}
    lines += [f"- {_commit(version, commit, paths)}" for version, commit in enumerate(table.commits)]
    added = {file for commit in table.commits for file in commit.adds}
    for file in table.files:
        mention = "" if file.id in added else "; no commit of the table adds it"
        lines.append(
            f"- File {file.id}, {code(paths[file.id])}: {_rows(file.rows)}; modified at {instant(file.modified)}{mention}."
        )
    for stray in table.strays:
        kind = "directory" if stray.kind is Kind.DIRECTORY else f"file of {stray.size} bytes"
        lines.append(
            f"- Stray {kind} {code(stray.path)}, modified at {instant(stray.modified)}; no action refers to it."
        )
    return "\n".join(lines)


def _commit(version: int, commit: Commit, paths: dict[int, str]) -> str:
    done = [f"adds file {file}" for file in commit.adds]
    done += [
        f"removes file {removal.file} ({code(paths[removal.file])}, deletionTimestamp {instant(removal.deleted)})"
        for removal in commit.removes
    ]
    end = "; a checkpoint follows" if commit.checkpoint else ""
    return f"Version {version}, at {instant(commit.at)}: {', '.join(done) or 'no file is added or removed'}{end}."


def _rows(rows: tuple[Row, ...], limit: int = 10) -> str:
    if not rows:
        return "no rows"
    shown = ", ".join(code(_values(row)) for row in rows[:limit])
    return f"{counted(len(rows), 'row')}: {shown}" + (f" and {len(rows) - limit} more" if len(rows) > limit else "")


def _values(row: Row) -> str:
    return (
        "("
        + ", ".join(
            "NULL" if value is None else f"{value!r}" if isinstance(value, str) else str(value) for value in row
        )
        + ")"
    )


def _program(case: Case, line: Line, failing: int) -> str:
    seen = {step["index"]: step for step in line["steps"]}
    lines = []
    clock = Moment(0)
    for index, step in enumerate(case.steps[: failing + 1]):
        if isinstance(step, SetClock):
            clock = step.to
        said = code(seen[index]["text"]) if index in seen else text(_words(step))
        if isinstance(step, (Delete, Vacuum, Read)):
            said += f", the engine's clock at {_moment(clock)}"
        if index in seen:
            said += _ending(seen[index])
        lines.append(row("**→**" if index == failing else "", index, said))
    if not lines:
        return "The program has no step."
    if len(case.steps) > len(lines):
        lines.append(row("", "", "(the case stops here)"))
    return "\n".join(["|  | Step | What happens |", "| --- | --- | --- |", *lines])


def _ending(step: Line) -> str:
    outcome = step["outcome"]
    if outcome is None:
        return ""
    if outcome["error"] is not None:
        error = outcome["error"]
        return f"<br>refused with {text(error['condition'] or error['exception'])}: {text(error['message'])}"
    observed = step["observed"] or {}
    versions = observed.get("version")
    moved = f"; version {versions[0]} → {versions[1]}" if isinstance(versions, list) and len(versions) == 2 else ""
    rows = outcome["rows"]
    return f"<br>answered {'nothing' if rows is None else counted(len(rows), 'row')}{moved}"


def _words(step: Step) -> str:
    if isinstance(step, SetClock):
        return f"the engine's clock is put to {_moment(step.to)}"
    if isinstance(step, Append):
        return f"another writer commits {counted(len(step.files), 'file')}: {', '.join(str(file.id) for file in step.files)}"
    if isinstance(step, Litter):
        return f"stray files and directories appear: {', '.join(stray.path for stray in step.strays)}"
    if isinstance(step, Read):
        at = "the current version" if step.before_step is None else f"the version just before step {step.before_step}"
        return f"read {at}"
    return "DELETE" if isinstance(step, Delete) else "VACUUM"


def _moment(moment: Moment) -> str:
    if moment.removed_by_step is None:
        return instant(moment.offset)
    after = "" if moment.offset == 0 else f" {'+' if moment.offset > 0 else '-'} {duration(abs(moment.offset))}"
    return f"the deletionTimestamp of step {moment.removed_by_step}{after}"


def _numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
