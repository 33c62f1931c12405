"""``explanation.md``: one violation of one case, for a person to check by eye."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

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
    Delete,
    EngineStep,
    InvalidVacuum,
    Moment,
    Read,
    SetClock,
    Step,
    Together,
    Vacuum,
)
from model.vocabulary.table import Column, Commit, DataFile, Kind, Reference, Removal, StrayFile, Table
from model.vocabulary.values import type_name
from records.run import ListedClause, RecordedCase, RecordedError, RecordedOutcome, RecordedStep, RecordedViolation
from reports.counterexamples.checked import CANNOT_TELL, HOLDS, ScriptResult
from reports.text.markdown import code, command, row, text
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
    sources = ", ".join(map(_source, clause.sources))
    facts = [f"{number}. {text(fact)}" for number, fact in enumerate(violation.evidence, start=1)]
    how = f"Case {code(judged.id)}, campaign {text(judged.campaign)}. Times are relative to the start of the case. "
    how += "`reproduce.py` shows the violation without the suite, and this, in the suite's checkout, with it:"
    severity = (violation.severity or clause.severity).value
    parts = [
        f"# {severity[0].upper()}{severity[1:]}: {text(clause.id)} is violated",
        f"**Expected:** {text(clause.sentence)}" + (f" Source: {sources}." if sources else ""),
        f"**Found:** {text(violation.message)}",
        *_context(violation, clause, others),
        "## The table",
        _table(judged.case.table),
        "## The steps",
        _steps(judged, violation.step, own_clock=own_clock),
        *_sessions(judged, violation.step),
        "## Facts to check",
        "\n".join(facts) or "The clause lists none.",
        how,
        command(replay),
    ]
    return "\n\n".join(parts) + "\n"


def _context(violation: RecordedViolation, clause: ListedClause, others: Sequence[str]) -> Iterable[str]:
    """What it costs, the cause, and what fails with it."""
    if violation.severity is clause.severity and clause.harm:
        yield f"**What it costs:** {text(clause.harm)}"
    if violation.cause:
        yield f"**Cause:** {text(violation.cause)}."
    if others:
        yield f"**The same step also violates:** {text(', '.join(others))}."


def answered(checked: ScriptResult) -> str:
    """The lines about the answer that the script gave when it was written."""
    if checked.disagrees:
        return f"\n**{text(checked.text)}**\n"
    without = " on the engine without the fault" if checked.expected == HOLDS else ""
    answer = f"{checked.answer}{without}" if checked.answer != CANNOT_TELL else text(checked.said)
    return f"\nWhen it was written, the script answered: {answer}.\n"


def _source(source: str) -> str:
    """A link; for a document of this project its path from the project's root."""
    link = resolve(source)
    if link.address.startswith("https://"):
        return f"[{text(link.label)}]({link.address})"
    return f"{text(link.label)} ({code(link.address)})"


# The table ------------------------------------------------------------------------------------------------------------


def _table(table: Table) -> str:
    partition = ", ".join(map(code, table.partition_by))
    default = "the default" if table.retention_hours is None else "delta.deletedFileRetentionDuration"
    lines = [
        f"Columns: {', '.join(map(_column, table.columns))}; "
        + (f"partitioned by {partition}." if partition else "not partitioned."),
        f"Retention of removed files: {duration(table.retention)} ({default}).",
    ]
    if table.features:
        lines.append(f"Table features: {text(', '.join(table.features))}.")
    if table.checks:
        lines.append(f"{counted(len(table.checks), 'CHECK constraint')}, satisfied by every row (see case.json).")
    if table.pruned:
        lines.append(f"The log has no commits and no checkpoints below version {table.pruned}.")
    paths = {file.id: file_path(table, file) for file in table.files}
    lines += [_commit(version, commit, paths) for version, commit in enumerate(table.commits)]
    lines += [_file(table, file, paths[file.id]) for file in table.files]
    lines += [
        f"Stray {_stray(stray)}, modified at {instant(stray.modified)}; no action refers to it."
        for stray in table.stray_files
    ]
    return "\n".join(f"- {line}" for line in lines)


def _column(column: Column) -> str:
    rules = [
        (f"declared as {(column.declared or '').upper()}", column.declared is not None),
        ("NOT NULL", not column.nullable),
        ("DEFAULT NULL", column.default),
        ("GENERATED ALWAYS AS IDENTITY", column.identity),
        (f"GENERATED ALWAYS AS ({code(column.generated_from or '')})", column.generated_from is not None),
    ]
    return " ".join([code(column.name), text(type_name(column.type)), *(rule for rule, has in rules if has)])


def _commit(version: int, commit: Commit, paths: dict[int, str]) -> str:
    actions = [f"adds file {file}" for file in commit.adds]
    actions += [_removal(removal, paths[removal.file]) for removal in commit.removes]
    actions += [
        f"deletes {'row' if len(vector.rows) == 1 else 'rows'} {', '.join(map(str, vector.rows))} of file {vector.file} "
        f"with a deletion vector of storage type {vector.storage.value} (deletionTimestamp {instant(vector.deleted)})"
        for vector in commit.deletion_vectors
    ]
    end = f", in {code(commit.vector_prefix)}" if commit.deletion_vectors and commit.vector_prefix else ""
    if commit.checkpoint:
        end += f"; a checkpoint follows{f', in {commit.parts} parts' if commit.parts > 1 else ''}"
    return f"Version {version}, at {instant(commit.at)}: {', '.join(actions) or 'no file is added or removed'}{end}."


def _removal(removal: Removal, path: str) -> str:
    timestamp = "no deletionTimestamp" if removal.deleted is None else f"deletionTimestamp {instant(removal.deleted)}"
    bare = ", no extended file metadata" if removal.bare else ""
    return f"removes file {removal.file} ({code(path)}, {timestamp}{bare})"


def _file(table: Table, file: DataFile, path: str) -> str:
    types = [column.type for column in table.data_columns]
    rows = [f"({', '.join(map(literal, values, types))})" for values in file.rows]
    uri = "" if file.reference is Reference.RELATIVE else "; the log refers to it by its URI"
    damage = "" if file.damage is None else f"; on storage it is damaged: {file.damage.value}"
    return f"File {file.id}, {code(path)}: {_some('row', rows)}; modified at {instant(file.modified)}{uri}{damage}."


def _stray(stray: StrayFile) -> str:
    if stray.kind is Kind.LINK:
        return f"link {code(stray.path)} to {code(stray.target)}"
    kind = "directory" if stray.kind is Kind.DIRECTORY else f"file of {counted(stray.size, 'byte')}"
    return f"{kind} {code(stray.path)}"


def _some(noun: str, values: Sequence[str]) -> str:
    """``no rows``, ``2 rows: `(1)`, `(2)` ``."""
    if not values:
        return f"no {noun}s"
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    return f"{counted(len(values), noun)}: {', '.join(map(code, values[:_SHOWN]))}{more}"


# The steps ------------------------------------------------------------------------------------------------------------


def _steps(judged: RecordedCase, failing: int, *, own_clock: bool) -> str:
    """Unless ``own_clock``, the engine's clock is the machine's, which moves on while a command runs."""
    case, records = judged.case, {record.index: record for record in judged.steps}
    lines = ["|  | Step | What happens |", "| --- | --- | --- |"]
    clock = Moment(0)
    for index, step in enumerate(case.steps[: failing + 1]):
        if isinstance(step, SetClock):
            clock = step.to
        if isinstance(step, ENGINE_STEPS):
            parts = [
                code(records[index].text),
                *_settings(step),
                f"clock at {_moment(clock)}" if own_clock else f"clock from {_moment(clock)} on",
            ]
            what = ", ".join(parts) + "".join(f"<br>{result}" for result in _results(step, records[index]))
        else:
            what = text(_arrangement(step))
        lines.append(row("**→**" if index == failing else "", index, what))
    if len(case.steps) > failing + 1:
        lines.append(row("", "", "(the case stops here)"))
    return "\n".join(lines)


def _sessions(judged: RecordedCase, failing: int) -> Iterable[str]:
    """Of two sessions at once what each did, side by side."""
    step, record = judged.case.steps[failing], next((one for one in judged.steps if one.index == failing), None)
    if not isinstance(step, Together) or record is None or record.outcome.second is None:
        return
    second = record.outcome.second
    held = "before it opens its files" if isinstance(step.first, Read) else f"right before: {step.point.value}"
    when = f"is held {held}" if second.held else f"never comes to its point ({step.point.value})"
    meanwhile = "begins then, and ends before the first goes on" if second.held else "begins when the first has ended"
    lines = [
        "| the first | the second |",
        "| --- | --- |",
        row(code(step_text(step.first)), code(step_text(step.second))),
        row(when, meanwhile),
        row(_end(record.outcome.error), _end(second.error)),
    ]
    yield "## The two sessions"
    yield "\n".join(lines)


def _end(error: RecordedError | None) -> str:
    return "succeeds" if error is None else f"is refused with {text(error.condition or error.exception)}"


def _settings(step: Step) -> Iterable[str]:
    """The settings that the text of the command does not show."""
    if isinstance(step, Delete) and step.zone != "UTC":
        yield f"in the time zone {text(step.zone)}"
    if isinstance(step, Vacuum) and not step.safety_check:
        yield "safety check off"
    if isinstance(step, Vacuum) and step.logging is not True:
        yield "logging not set" if step.logging is None else "logging off"
    for key, value in spark_conf(step.settings if isinstance(step, (Delete, Vacuum)) else ()).items():
        yield f"with {code(f'{key}={value}')}"


def _results(step: EngineStep, record: RecordedStep) -> Iterable[str]:
    outcome, observed = record.outcome, record.observed
    if error := outcome.error:
        yield f"fails with {text(error.condition or error.exception)}: {text(error.message)}"
    elif isinstance(step, (Vacuum, InvalidVacuum)):
        yield _vacuum_answer(step, outcome)
    elif outcome.rows is not None:
        yield f"returns {_some('row', [json.dumps(values, ensure_ascii=False) for values in outcome.rows])}"
    if observed.vanished:
        yield f"deletes {_some('path', observed.vanished)}"
    before, after = observed.version
    if before != after:
        yield f"version {before} → {after}"


def _vacuum_answer(step: Vacuum | InvalidVacuum, outcome: RecordedOutcome) -> str:
    """The paths that it lists, or those that it answers with, such as the deleted files; Spark's answer is the table's path."""
    if step.dry_run:
        return f"lists {_some('path', outcome.rows or ())}"
    if outcome.answer is None:
        return "succeeds"
    answer = [path or "the table's root" for path in outcome.answer]
    return f"succeeds, and answers with {_some('path', answer)}"


def _arrangement(step: Step) -> str:
    if isinstance(step, SetClock):
        return f"the engine's clock is set to {_moment(step.to)}"
    if isinstance(step, Append):
        return f"another writer commits {counted(len(step.files), 'file')}: {', '.join(str(file.id) for file in step.files)}"
    assert isinstance(step, AddStrayFiles)
    return f"stray files and directories are added: {', '.join(stray.path for stray in step.stray_files)}"


def _moment(moment: Moment) -> str:
    if moment.removed_by_step is None:
        return instant(moment.offset)
    shift = "" if moment.offset == 0 else f" {'+' if moment.offset > 0 else '-'} {duration(abs(moment.offset))}"
    return f"the deletionTimestamp of step {moment.removed_by_step}{shift}"


# A case that has not been judged --------------------------------------------------------------------------------------


def description(case: Case) -> list[str]:
    """Its table and its steps, a line of Markdown each."""
    lines = [line.removeprefix("- ") for line in _table(case.table).split("\n")]
    for index, step in enumerate(case.steps):
        if isinstance(step, ENGINE_STEPS):
            what = ", ".join([code(step_text(step)), *_settings(step)])
        else:
            what = text(_arrangement(step))
        lines.append(f"Step {index}: {what}.")
    return lines
