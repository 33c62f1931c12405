"""``explanation.md``: one violation of one case, for a person to check by eye."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from model.text.durations import duration
from model.text.layout import file_path
from model.text.literals import literal
from model.text.session_conf import spark_conf
from model.text.steps import step_text
from model.vocabulary.case import Case
from model.vocabulary.steps import (
    ENGINE_STEPS,
    AddStrayFiles,
    Append,
    AtOnce,
    Delete,
    EngineStep,
    InvalidVacuum,
    Moment,
    Read,
    SetClock,
    Step,
    Vacuum,
)
from model.vocabulary.table import Column, Commit, DataFile, Kind, Reference, Removal, StrayFile, Table
from model.vocabulary.values import type_name
from records.run import ListedClause, RecordedCase, RecordedError, RecordedOutcome, RecordedStep, RecordedViolation
from reports.counterexamples.checked import CANNOT_TELL, HOLDS, ScriptResult
from reports.document import (
    Block,
    Code,
    Command,
    Content,
    Document,
    Inline,
    Items,
    Line,
    Link,
    Section,
    Strong,
    Text,
    joined,
    line,
    lines,
    table,
)
from reports.document.markdown import markdown, shown
from reports.text.quantities import counted, instant
from suites.sources import resolve

#: How many rows or paths are shown of one file or answer.
_SHOWN = 10


def explanation(
    judged: RecordedCase,
    violation: RecordedViolation,
    clause: ListedClause,
    *,
    replay: str,
    own_clock: bool,
    others: Sequence[str] = (),
) -> str:
    """The Markdown text for one of a case's violations.

    ``replay`` is the command that judges the case again, ``own_clock`` a rule of the engine (model.vocabulary.rules), ``others``
    the clauses that fail in the same step. Times are relative to the start of the case.
    """
    severity = (violation.severity or clause.severity).value
    sources = line(" Source: ", joined(map(_source, clause.sources)), ".") if clause.sources else ""
    how = f", campaign {judged.campaign}. Times are relative to the start of the case. "
    by = " shows the violation without the suite, and this, in the suite's checkout, with it:"
    facts = Items(tuple(violation.evidence), numbered=True) if violation.evidence else Text("The clause lists none.")
    document = Document(
        f"{severity[0].upper()}{severity[1:]}: {clause.id} is violated",
        (
            Text(line(Strong("Expected:"), f" {clause.sentence}", sources)),
            Text(line(Strong("Found:"), f" {violation.message}")),
            *_context(violation, clause, others),
            Section("The table", (Items(tuple(_table(judged.case.table))),)),
            Section("The steps", (_steps(judged, violation.step, own_clock=own_clock),)),
            *_sessions(judged, violation.step),
            Section("Facts to check", (facts,)),
            Text(line("Case ", Code(judged.id), how, Code("reproduce.py"), by)),
            Command(replay),
        ),
    )
    return markdown(document)


def _context(violation: RecordedViolation, clause: ListedClause, others: Sequence[str]) -> Iterator[Block]:
    """The harm, the cause, and what fails with it."""
    if violation.severity is clause.severity and clause.harm:
        yield Text(line(Strong("What it costs:"), f" {clause.harm}"))
    if violation.cause:
        yield Text(line(Strong("Cause:"), f" {violation.cause}."))
    if others:
        yield Text(line(Strong("The same step also violates:"), f" {', '.join(others)}."))


def answered(checked: ScriptResult) -> str:
    """The lines about the answer that the script gave when it was written."""
    if checked.disagrees:
        return f"\n{shown(Strong(checked.text))}\n"
    without = " on the engine without the fault" if checked.expected == HOLDS else ""
    answer = f"{checked.answer}{without}" if checked.answer != CANNOT_TELL else checked.said
    return f"\n{shown(f'When it was written, the script answered: {answer}.')}\n"


def _source(source: str) -> Inline | Line:
    """A link; for a document of this project its path from the project's root."""
    link = resolve(source)
    if link.address.startswith("https://"):
        return Link(link.label, link.address)
    return line(f"{link.label} (", Code(link.address), ")")


# The table ------------------------------------------------------------------------------------------------------------


def _table(table: Table) -> Iterator[Content]:
    partition = line("partitioned by ", joined(map(Code, table.partition_by)), ".")
    columns = joined(map(_column, table.columns))
    yield line("Columns: ", columns, "; ", partition if table.partition_by else "not partitioned.")
    default = "the default" if table.retention_hours is None else "delta.deletedFileRetentionDuration"
    yield f"Retention of removed files: {duration(table.retention)} ({default})."
    if table.features:
        yield f"Table features: {', '.join(table.features)}."
    if table.checks:
        yield f"{counted(len(table.checks), 'CHECK constraint')}, satisfied by every row (see case.json)."
    if table.pruned:
        yield f"The log has no commits and no checkpoints below version {table.pruned}."
    paths = {file.id: file_path(table, file) for file in table.files}
    yield from (_commit(version, commit, paths) for version, commit in enumerate(table.commits))
    yield from (_file(table, file, paths[file.id]) for file in table.files)
    for stray in table.stray_files:
        yield line("Stray ", _stray(stray), f", modified at {instant(stray.modified)}; no action refers to it.")


def _column(column: Column) -> Line:
    rules: tuple[tuple[Inline | Line, bool], ...] = (
        (f"declared as {(column.declared or '').upper()}", column.declared is not None),
        ("NOT NULL", not column.nullable),
        ("DEFAULT NULL", column.default),
        ("GENERATED ALWAYS AS IDENTITY", column.identity),
        (line("GENERATED ALWAYS AS (", Code(column.generated_from or ""), ")"), column.generated_from is not None),
    )
    return joined([Code(column.name), type_name(column.type), *(rule for rule, has in rules if has)], " ")


def _commit(version: int, commit: Commit, paths: dict[int, str]) -> Line:
    actions: list[Inline | Line] = [f"adds file {file}" for file in commit.adds]
    actions += [_removal(removal, paths[removal.file]) for removal in commit.removes]
    actions += [
        f"deletes {'row' if len(vector.rows) == 1 else 'rows'} {', '.join(map(str, vector.rows))} of file {vector.file} "
        f"with a deletion vector of storage type {vector.storage.value} (deletionTimestamp {instant(vector.deleted)})"
        for vector in commit.deletion_vectors
    ]
    has_prefix = commit.deletion_vectors and commit.vector_prefix
    prefix = line(", in ", Code(commit.vector_prefix)) if has_prefix else ""
    parts = f", in {commit.parts} parts" if commit.parts > 1 else ""
    checkpoint = f"; a checkpoint follows{parts}" if commit.checkpoint else ""
    what = joined(actions) if actions else "no file is added or removed"
    return line(f"Version {version}, at {instant(commit.at)}: ", what, prefix, checkpoint, ".")


def _removal(removal: Removal, path: str) -> Line:
    timestamp = "no deletionTimestamp" if removal.deleted is None else f"deletionTimestamp {instant(removal.deleted)}"
    bare = ", no extended file metadata" if removal.bare else ""
    return line(f"removes file {removal.file} (", Code(path), f", {timestamp}{bare})")


def _file(table: Table, file: DataFile, path: str) -> Line:
    types = [column.type for column in table.data_columns]
    rows = [f"({', '.join(map(literal, values, types))})" for values in file.rows]
    uri = "" if file.reference is Reference.RELATIVE else "; the log refers to it by its URI"
    damage = "" if file.damage is None else f"; on storage it is damaged: {file.damage.value}"
    end = f"; modified at {instant(file.modified)}{uri}{damage}."
    return line(f"File {file.id}, ", Code(path), ": ", _some("row", rows), end)


def _stray(stray: StrayFile) -> Line:
    if stray.kind is Kind.LINK:
        return line("link ", Code(stray.path), " to ", Code(stray.target))
    kind = "directory" if stray.kind is Kind.DIRECTORY else f"file of {counted(stray.size, 'byte')}"
    return line(f"{kind} ", Code(stray.path))


def _some(noun: str, values: Sequence[str]) -> Line:
    """``no rows``, ``2 rows: `(1)`, `(2)` ``."""
    if not values:
        return line(f"no {noun}s")
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return line(f"{counted(len(values), noun)}: ", joined(map(Code, values[:_SHOWN])), more)


# The steps ------------------------------------------------------------------------------------------------------------


def _steps(judged: RecordedCase, failing: int, *, own_clock: bool) -> Block:
    """Unless ``own_clock``, the engine's clock is the machine's, which moves on while a command runs."""
    case, records = judged.case, {record.index: record for record in judged.steps if not record.aside}
    rows: list[tuple[Content, ...]] = []
    clock = Moment(0)
    for index, step in enumerate(case.steps[: failing + 1]):
        if isinstance(step, SetClock):
            clock = step.to
        what: Content = _arrangement(step)
        if isinstance(step, ENGINE_STEPS):
            at = f"clock at {_moment(clock)}" if own_clock else f"clock from {_moment(clock)} on"
            first = joined([Code(records[index].text), *_settings(step), at])
            what = lines(first, *_results(step, records[index]))
        rows.append((Strong("→") if index == failing else "", index, what))
    if len(case.steps) > failing + 1:
        rows.append(("", "", "(the case stops here)"))
    return table(("", "Step", "What happens"), rows)


def _sessions(judged: RecordedCase, failing: int) -> Iterator[Block]:
    """What each of two sessions did, side by side."""
    step, record = judged.case.steps[failing], next((one for one in judged.steps if one.index == failing), None)
    if not isinstance(step, AtOnce) or record is None or record.outcome.second is None:
        return
    second = record.outcome.second
    held = "before it opens its files" if isinstance(step.first, Read) else f"right before: {step.point.value}"
    when = f"is held {held}" if second.held else f"never comes to its point ({step.point.value})"
    meanwhile = "begins then, and ends before the first goes on" if second.held else "begins when the first has ended"
    rows: list[tuple[Content, Content]] = [
        (Code(step_text(step.first)), Code(step_text(step.second))),
        (when, meanwhile),
        (_end(record.outcome.error), _end(second.error)),
    ]
    yield Section("The two sessions", (table(("the first", "the second"), rows),))


def _end(error: RecordedError | None) -> str:
    return "succeeds" if error is None else f"is refused with {error.condition or error.exception}"


def _settings(step: Step) -> Iterator[Inline | Line]:
    """The settings that the text of the command does not show."""
    if isinstance(step, Delete) and step.zone != "UTC":
        yield f"in the time zone {step.zone}"
    if isinstance(step, Vacuum) and not step.safety_check:
        yield "safety check off"
    if isinstance(step, Vacuum) and step.logging is not True:
        yield "logging not set" if step.logging is None else "logging off"
    for key, value in spark_conf(step.settings if isinstance(step, (Delete, Vacuum)) else ()).items():
        yield line("with ", Code(f"{key}={value}"))


def _results(step: EngineStep, record: RecordedStep) -> Iterator[Inline | Line]:
    outcome, observed = record.outcome, record.observed
    if error := outcome.error:
        yield f"fails with {error.condition or error.exception}: {error.message}"
    elif isinstance(step, (Vacuum, InvalidVacuum)):
        yield _vacuum_answer(step, outcome)
    elif outcome.rows is not None:
        rows = [json.dumps(values, ensure_ascii=False) for values in outcome.rows]
        yield line("returns ", _some("row", rows))
    if observed.vanished:
        yield line("deletes ", _some("path", observed.vanished))
    before, after = observed.version
    if before != after:
        yield f"version {before} → {after}"


def _vacuum_answer(step: Vacuum | InvalidVacuum, outcome: RecordedOutcome) -> Line:
    """The listed or answered paths, such as the deleted files; Spark's answer is the table's path."""
    if step.dry_run:
        return line("lists ", _some("path", outcome.rows or ()))
    if outcome.answer is None:
        return line("succeeds")
    answer = [path or "the table's root" for path in outcome.answer]
    return line("succeeds, and answers with ", _some("path", answer))


def _arrangement(step: Step) -> str:
    if isinstance(step, SetClock):
        return f"the engine's clock is set to {_moment(step.to)}"
    if isinstance(step, Append):
        files = ", ".join(str(file.id) for file in step.files)
        return f"another writer commits {counted(len(step.files), 'file')}: {files}"
    if isinstance(step, AddStrayFiles):
        return f"stray files and directories are added: {', '.join(stray.path for stray in step.stray_files)}"
    return step_text(step)


def _moment(moment: Moment) -> str:
    if moment.removed_by_step is None:
        return instant(moment.offset)
    shift = "" if moment.offset == 0 else f" {'+' if moment.offset > 0 else '-'} {duration(abs(moment.offset))}"
    return f"the deletionTimestamp of step {moment.removed_by_step}{shift}"


# A case that has not been judged --------------------------------------------------------------------------------------


def description(case: Case) -> Iterator[Content]:
    """Its table and its steps, a line each."""
    yield from _table(case.table)
    for index, step in enumerate(case.steps):
        what: Inline | Line = _arrangement(step)
        if isinstance(step, ENGINE_STEPS):
            what = joined([Code(step_text(step)), *_settings(step)])
        yield line(f"Step {index}: ", what, ".")
