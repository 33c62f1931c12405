"""``explanation.md``: one violation of one case, as a proof that a person can check by eye."""

from __future__ import annotations

from collections.abc import Iterable

from model.case import Case
from model.codec import value_to_json
from model.layout import file_path
from model.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    Delete,
    Form,
    InvalidDelete,
    InvalidVacuum,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Step,
    Vacuum,
    VacuumForm,
)
from model.table import Column, Commit, DeletionVector, Kind, Reference, Removal, StrayFile, Table
from model.values import AnyType, ArrayOf, DecimalOf, MapOf, Row, StructOf
from reports.instants import duration, instant
from reports.markdown import code, row, text
from reports.plurals import counted
from reports.stream import Line


def explanation(*, case: Case, line: Line, violation: Line, clause: Line, engine: str) -> str:
    """The Markdown text for one violation.

    ``line`` is the case's line of the stream, ``violation`` one of its violations, ``clause`` the header's entry for
    the clause, ``engine`` the name that ``--engine`` takes. All instants are said from the case's start.
    """
    sources = f" Sources: {text(', '.join(clause['sources']))}." if clause["sources"] else ""
    how = f"Case {code(line['id'])}, campaign {text(line['campaign'])}. Instants are said from the start of the case. "
    how += "`python reproduce.py` shows the same without the suite; "
    how += f"`pytest suites --engine {engine} --replay case.json` shows it with it."
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
    columns = ", ".join(_column(column) for column in table.columns)
    partition = ", ".join(code(name) for name in table.partition_by)
    lines = [
        f"- Columns: {columns}; " + (f"partitioned by {partition}." if partition else "not partitioned."),
        f"- Removed files are kept for {duration(table.retention)}"
        + (" (the default)." if table.retention_hours is None else " (delta.deletedFileRetentionDuration)."),
    ]
    if table.features:
        lines.append(f"- Table features: {text(', '.join(table.features))}.")
    if table.checks:
        lines.append(f"- {counted(len(table.checks), 'CHECK constraint')}, true of all rows (said in the case).")
    if table.pruned:
        lines.append(f"- The log has no commits and no checkpoints below version {table.pruned} any more.")
    paths = {file.id: file_path(table, file) for file in table.files}
    lines += [f"- {_commit(version, commit, paths)}" for version, commit in enumerate(table.commits)]
    added = {file for commit in table.commits for file in commit.adds}
    for file in table.files:
        mention = "" if file.reference is Reference.RELATIVE else "; the log names it by its URI"
        mention += "" if file.id in added else "; no commit of the table adds it"
        lines.append(
            f"- File {file.id}, {code(paths[file.id])}: {_rows(file.rows)}; modified at {instant(file.modified)}{mention}."
        )
    for stray in table.stray_files:
        lines.append(f"- Stray {_stray(stray)}, modified at {instant(stray.modified)}; no action refers to it.")
    return "\n".join(lines)


def _stray(stray: StrayFile) -> str:
    if stray.kind is Kind.LINK:
        return f"link {code(stray.path)} to {code(stray.target)}"
    kind = "directory" if stray.kind is Kind.DIRECTORY else f"file of {counted(stray.size, 'byte')}"
    return f"{kind} {code(stray.path)}"


def _column(column: Column) -> str:
    rules = [
        ("NOT NULL", not column.nullable),
        ("DEFAULT NULL", column.default),
        ("GENERATED ALWAYS AS IDENTITY", column.identity),
        (f"GENERATED ALWAYS AS ({code(column.generated_from or '')})", column.generated_from is not None),
    ]
    return " ".join([code(column.name), text(_kind(column.type)), *(rule for rule, has in rules if has)])


def _kind(type: AnyType) -> str:
    if isinstance(type, DecimalOf):
        return f"decimal({type.precision},{type.scale})"
    if isinstance(type, ArrayOf):
        return f"array<{_kind(type.element)}>"
    if isinstance(type, MapOf):
        return f"map<{_kind(type.key)},{_kind(type.value)}>"
    if isinstance(type, StructOf):
        return f"struct<{','.join(f'{name}:{_kind(field)}' for name, field in type.fields)}>"
    return type.value


def _commit(version: int, commit: Commit, paths: dict[int, str]) -> str:
    done = [f"adds file {file}" for file in commit.adds]
    done += [_removal(removal, paths[removal.file]) for removal in commit.removes]
    done += [_mask(vector) for vector in commit.deletion_vectors]
    end = f" (vector file in {code(commit.vector_prefix)})" if commit.deletion_vectors and commit.vector_prefix else ""
    end += "; a checkpoint follows" if commit.checkpoint else ""
    end += f", in {commit.parts} parts" if commit.checkpoint and commit.parts > 1 else ""
    return f"Version {version}, at {instant(commit.at)}: {', '.join(done) or 'no file is added or removed'}{end}."


def _removal(removal: Removal, path: str) -> str:
    stamp = "no deletionTimestamp" if removal.deleted is None else f"deletionTimestamp {instant(removal.deleted)}"
    bare = ", no extended file metadata" if removal.bare else ""
    return f"removes file {removal.file} ({code(path)}, {stamp}{bare})"


def _rows(rows: tuple[Row, ...], limit: int = 10) -> str:
    if not rows:
        return "no rows"
    shown = ", ".join(code(_values(row)) for row in rows[:limit])
    return f"{counted(len(rows), 'row')}: {shown}" + (f" and {len(rows) - limit} more" if len(rows) > limit else "")


def _mask(vector: DeletionVector) -> str:
    rows = f"row{'s' * (len(vector.rows) > 1)} {', '.join(map(str, vector.rows))}"
    kind = f"a deletion vector of storage type {vector.storage.value}"
    return f"hides {rows} of file {vector.file} with {kind} (deletionTimestamp {instant(vector.deleted)})"


def _values(row: Row) -> str:
    return f"({', '.join(_value(value_to_json(value)) for value in row)})"


def _value(value: object) -> str:
    """A value in its JSON form, shorter: the names of kinds are left out, as the column says its type."""
    if value is None:
        return "NULL"
    if isinstance(value, dict):
        return str(next(iter(value.values())))
    if isinstance(value, list):
        return f"[{', '.join(_value(part) for part in value)}]"
    return repr(value)


def _program(case: Case, line: Line, failing: int) -> str:
    seen = {step["index"]: step for step in line["steps"]}
    lines = []
    clock = Moment(0)
    for index, step in enumerate(case.steps[: failing + 1]):
        if isinstance(step, SetClock):
            clock = step.to
        said = code(seen[index]["text"]) if index in seen else text(_words(step))
        if isinstance(step, Delete):
            said += "" if step.form is Form.SQL_PATH else f", {text(step.form.value)}"
            said += "" if step.zone == "UTC" else f", in the time zone {text(step.zone)}"
        if isinstance(step, Vacuum):
            said += _vacuum(step)
        if isinstance(step, ENGINE_STEPS):
            said += f", the engine's clock at {_moment(clock)}"
        if index in seen:
            said += _ending(seen[index])
        lines.append(row("**→**" if index == failing else "", index, said))
    if not lines:
        return "The program has no step."
    if len(case.steps) > len(lines):
        lines.append(row("", "", "(the case stops here)"))
    return "\n".join(["|  | Step | What happens |", "| --- | --- | --- |", *lines])


def _vacuum(step: Vacuum) -> str:
    """What the text of a VACUUM does not say."""
    logging = {True: "", False: ", logging off", None: ", logging not set"}[step.logging]
    io_fault = f", and of {code(step.faulty_path)}: {text(step.io_fault.value)}" if step.io_fault is not None else ""
    parts = [
        "" if step.form is VacuumForm.SQL_PATH else f", {text(step.form.value)}",
        f", {text(step.mode.value)}" if step.mode.inventory or step.mode.lite else "",
        f" of {text(step.inventory.value)}" if step.mode.inventory else "",
        "" if step.safety_check else ", safety check off",
        logging,
        ", deleting in parallel" if step.parallel else "",
        io_fault,
    ]
    return "".join(parts)


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
    if isinstance(step, AddStrayFiles):
        return f"stray files and directories appear: {', '.join(stray.path for stray in step.stray_files)}"
    if isinstance(step, Read):
        at = "the current version" if step.before_step is None else f"the version just before step {step.before_step}"
        return f"read {at}"
    if isinstance(step, ReadChanges):
        return f"read the changes of step {step.of_step}"
    if isinstance(step, InvalidDelete):
        return f"a DELETE that must be refused: {step.mistake.value}"
    if isinstance(step, InvalidVacuum):
        return f"a VACUUM{' DRY RUN' if step.dry_run else ''} that must be refused: {step.mistake.value}"
    return "DELETE" if isinstance(step, Delete) else "VACUUM"


def _moment(moment: Moment) -> str:
    if moment.removed_by_step is None:
        return instant(moment.offset)
    after = "" if moment.offset == 0 else f" {'+' if moment.offset > 0 else '-'} {duration(abs(moment.offset))}"
    return f"the deletionTimestamp of step {moment.removed_by_step}{after}"


def _numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))
