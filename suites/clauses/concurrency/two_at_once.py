"""CONC: two sessions at once; the first is held at a point of its command until the other has finished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from harness.judging.clause import NOT_EXERCISED, Judgement, Violation, clause, each, judgement
from harness.judging.severity import Cause, data_loss, fails, unreadable, wrong_answers, wrong_words
from harness.observing import evidence
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.sessions import Session, alike
from harness.observing.table.definitions import PROPERTIES
from harness.observing.table.table_state import Rows
from model.prediction.conflicts import Conflict
from model.prediction.fates import Fate
from model.text.steps import step_text
from model.vocabulary.commands import Restore, SetRetention, Switch
from model.vocabulary.severity import Severity
from model.vocabulary.steps import OtherCommand, Vacuum, named_step
from model.vocabulary.table import HOUR, retention_of
from records.expectations import ByReplay
from suites.clauses.life.commands import files_fit
from suites.clauses.shared import causes, harms
from suites.clauses.shared.by_command import clauses_of
from suites.clauses.shared.checks import difference, sorted_features

_BY_REPLAY = ByReplay("two sessions at once need the suite, which holds one of them")
_NEEDS = ("sessions",)

#: The promise of a serial order.
_SERIAL = ("S7", "P Delta Log Entries")


def _violation(
    c: AtOnceObservation, subject: str, message: str, cause: Cause, facts: tuple[str, ...] = ()
) -> Violation:
    return Violation(subject, message, _BY_REPLAY, (*facts, *_histories(c)), cause=cause)


def _told(c: AtOnceObservation, judged: Judgement) -> Judgement:
    """The violations of what holds of any step, with what both sessions did."""
    told = (replace(one, expectation=_BY_REPLAY, evidence=(*one.evidence, *_histories(c))) for one in judged.violations)
    return Judgement(judged.subjects, tuple(told))


# What a person can check ----------------------------------------------------------------------------------------------


def _histories(c: AtOnceObservation) -> Iterator[str]:
    """Both sessions, what each committed, and what the table would have after each order of those that succeeded."""
    held = "was held before" if c.outcome.held else "never came to"
    yield f"the first, which {held} its point ({c.step.point.value}): {_history(c, c.first)}"
    yield f"the second: {_history(c, c.second)}"
    yield f"versions after the step: {', '.join(f'{one.version} is {_operation(one.info)}' for one in c.commits) or 'no new one'}"
    found = c.after.rows
    for names, rows in _orders(c).items():
        if found is None:
            fits = "a live file cannot be read, so it does not fit"
        else:
            fits = "fits" if rows == found else f"does not fit: the table has {difference(rows, found)}"
        yield f"{names}: {rows.total()} rows; {fits}"


def _operation(info: object) -> str:
    fields = getattr(info, "fields", None) or {}
    return str(fields.get("operation", "without an operation"))


def _history(c: AtOnceObservation, session: Session) -> str:
    error = session.outcome.error
    if error is not None:
        ended = f"was refused with {error.condition or error.exception}"
    else:
        ended = "succeeded"
    versions = ", ".join(map(str, session.versions))
    committed = f"committed version {versions}" if versions else "committed nothing"
    return f"{step_text(session.step)} {ended}, and {committed}"


def _orders(c: AtOnceObservation) -> Mapping[str, Rows]:
    """The rows after each serial order of the sessions that succeeded, by its name; the order of the log first."""
    names = [one.name for one in c.order]
    if len(names) < 2:
        return {f"the {names[0]} alone" if names else "neither": c.promised}
    return {f"the {names[0]}, then the {names[1]}": c.promised, f"the {names[1]}, then the {names[0]}": c.other_rows}


# CONC-1: a serial order -----------------------------------------------------------------------------------------------


@clause(
    "CONC-1A",
    "After two commands at once the table, read from the log and the files alone, has the rows that result from the commands that succeeded, one after the other in the order of their commits.",
    sources=_SERIAL,
    harm=harms.COMMITS_LOST,
    needs=_NEEDS,
)
def rows_in_order(c: AtOnceObservation) -> Judgement:
    """The isolation level is Serializable, the only one that Delta on Spark lets a table have, and the default of delta-rs."""
    if c.is_unsafe:
        return NOT_EXERCISED
    found = c.after.rows
    if found == c.promised:
        return judgement(None)
    counts = "a live file cannot be read" if found is None else f"it has {difference(c.promised, found)}"
    order = ", then ".join(step_text(one.step) for one in c.order) or "neither of the two"
    message = f"The table must have the rows after {order}; {counts}."
    facts = () if found is None else evidence.of_rows(c.promised, found)
    return judgement(_violation(c, "rows", message, causes.rows(c.promised, found), facts))


@clause(
    "CONC-1B",
    "A command that is refused beside another has committed nothing, and deleted no file.",
    sources=("S7",),
    harm=data_loss("Who repeats a command that was refused does twice what it says."),
    needs=_NEEDS,
)
def refused_commits_nothing(c: AtOnceObservation) -> Judgement:
    """A VACUUM that is refused at its END has begun: its START is in the log, and its deletions are done."""
    refused = [one for one in c.sessions if one.refused and not isinstance(one.step, Vacuum)]

    def problem(session: Session) -> Violation | None:
        if session.versions:
            message = f"The {session.name} command was refused, and must not be in the log; it committed version {session.versions[0]}."
            return _violation(c, session.name, message, Cause("refused, but committed"))
        files = [path for path in sorted(c.vanished) if c.before.data[path].kind == "file" and not c.vacuums]
        if files:
            message = f"The {session.name} command was refused, and must delete no file; {files[0]} is gone."
            return _violation(c, files[0], message, Cause("refused, and a file is gone"))
        return None

    return each(refused, problem)


@clause(
    "CONC-1C",
    "A command that is refused beside another is refused with one of the documented conflicts.",
    sources=("S7",),
    harm=wrong_words("A program cannot tell that it may try again."),
    needs=_NEEDS,
)
def refused_for_a_conflict(c: AtOnceObservation) -> Judgement:
    refused = [one for one in c.sessions if one.refused and not c.may_be_refused(one) and one not in c.readers]

    def problem(session: Session) -> Violation | None:
        if c.conflicts(session):
            return None
        error = session.outcome.error
        name = "" if error is None else error.condition or error.exception
        due = ", ".join(one.value[0] for one in Conflict) if c.rules.error_classes else "CommitFailedError"
        message = f"The {session.name} command must succeed, or end in a conflict ({due}); it ended in {name}."
        return _violation(c, session.name, message, Cause(f"refused with {name}", is_error=True), _error(session))

    return each(refused, problem)


@clause(
    "CONC-1D",
    "A command is refused for a conflict only if the other committed, while the first was held, what the conflict is about: files added or removed in a partition that the first may read, or another definition of the table.",
    sources=("S7",),
    harm=fails("A command is refused that could have been committed."),
    needs=_NEEDS,
)
def conflicts_are_founded(c: AtOnceObservation) -> Judgement:
    named = [one for one in c.sessions if c.conflicts(one)]

    def problem(session: Session) -> Violation | None:
        if c.is_founded(session):
            return None
        error = session.outcome.error
        name = "" if error is None else error.condition or error.exception
        message = f"Nothing that the other committed meanwhile is in the way of the {session.name} command; it was refused with {name}."
        return _violation(c, session.name, message, Cause(f"no conflict, but {name}", is_error=True), _error(session))

    return each(named, problem)


def _error(session: Session) -> tuple[str, ...]:
    error = session.outcome.error
    return () if error is None else (f"the {session.name} was refused: {evidence.first_line(error.message)}",)


@clause(
    "CONC-1E",
    "If two commands run at once, each that succeeds and changes the rows of the table has a version of its own in the log.",
    sources=_SERIAL,
    harm=harms.COMMITS_LOST,
    needs=_NEEDS,
)
def versions_of_their_own(c: AtOnceObservation) -> Judgement:
    changing = [one for place, one in enumerate(c.order) if c.promises[place].rows != c.promises[place + 1].rows]

    def problem(session: Session) -> Violation | None:
        other = c.other(session)
        # The log does not tell which of two alike has committed, if one of them had nothing to do.
        if session.versions or (other.versions and other not in changing and alike(session.step, other.step)):
            return None
        message = f"The {session.name} command succeeded, and must have a version in the log; it has none."
        return _violation(c, session.name, message, Cause("succeeded, but not in the log"))

    return each(changing, problem)


@clause(
    "CONC-1F",
    "Every commit of two commands at once removes only files that are live by the commits before it, each with its deletion vector, names no file twice, and adds only files that are there, in the size that it says.",
    sources=("P Add File and Remove File", "P Action Reconciliation"),
    harm=harms.WRONG_FILE_ACTIONS,
    needs=_NEEDS,
)
def commits_fit(c: AtOnceObservation) -> Judgement:
    return NOT_EXERCISED if c.is_unsafe else _told(c, files_fit(c))


@clause(
    "CONC-1G",
    "After two commands at once the log can be replayed.",
    sources=("P Delta Log Entries",),
    harm=harms.TABLE_UNREADABLE,
    of_broken=True,
    needs=_NEEDS,
)
def log_is_whole(c: AtOnceObservation) -> Judgement:
    if c.after.broken is None:
        return judgement(None)
    message = f"The log must be readable after two commands at once; {c.after.broken}."
    return judgement(_violation(c, "log", message, causes.NOT_REPLAYED))


@clause(
    "CONC-1H",
    "After two commands at once the table's properties, features and columns are those from before, with the changes of the commands that succeeded.",
    sources=("P Change Metadata", "P Protocol Evolution"),
    harm=harms.ANOTHER_DEFINITION,
    needs=_NEEDS,
)
def definition_in_order(c: AtOnceObservation) -> Judgement:
    before, after = c.before.snapshot, c.after.snapshot
    commands = [one.step.command for one in c.order if isinstance(one.step, OtherCommand)]
    changes = [one for one in commands if isinstance(one, (Restore, SetRetention, Switch))]
    if not changes:
        same = before.metadata == after.metadata and sorted_features(before.protocol) == sorted_features(after.protocol)
        wrong = None if same else "neither command changes the definition; it is another"
        return judgement(_wrong_definition(c, wrong))
    configuration = after.metadata.configuration
    if not any(isinstance(one, Restore) for one in changes):
        for command in changes:
            if isinstance(command, Switch):
                key, due = PROPERTIES[command.feature], str(command.on).lower()
                if configuration.get(key, "false") != due and _last_word(c, command):
                    return judgement(_wrong_definition(c, f"{key} must be {due}"))
            elif isinstance(command, SetRetention) and _last_word(c, command):
                key = f"delta.{'logRetentionDuration' if command.of_log else 'deletedFileRetentionDuration'}"
                text = configuration.get(key)
                if text is None or retention_of(text) != command.hours * HOUR:
                    return judgement(_wrong_definition(c, f"{key} must be {command.hours} hours, and is {text}"))
    return judgement(None)


def _last_word(c: AtOnceObservation, command: SetRetention | Switch) -> bool:
    """Whether no later one of the two is about the same property."""
    last = c.order[-1].step
    return isinstance(last, OtherCommand) and (last.command is command or type(last.command) is not type(command))


def _wrong_definition(c: AtOnceObservation, wrong: str | None) -> Violation | None:
    if wrong is None:
        return None
    return _violation(c, "definition", f"After both commands {wrong}.", Cause("another definition"))


EARLIER_AND_LOG = clauses_of("CONC-1I", "CONC-1J", "CONC-1K", told=_told)


# CONC-2: VACUUM and readers -------------------------------------------------------------------------------------------


@clause(
    "CONC-2A",
    "A VACUUM beside a writer keeps every file that the table refers to afterwards, and every file that it must keep alone.",
    sources=("S5", "S7"),
    harm=harms.COMMITS_LOST,
    needs=_NEEDS,
)
def vacuum_keeps(c: AtOnceObservation) -> Judgement:
    """Files that the writer commits are younger than the retention, except for those that it takes from an earlier version."""
    if c.is_unsafe or not c.vacuums:
        return NOT_EXERCISED
    kept = {path for one in c.vacuums for path, found in one.fates.items() if found.fate is Fate.KEEP}
    for one in c.vacuums:  # two of them delete together what both may
        kept -= {path for path, found in one.fates.items() if found.fate is not Fate.KEEP}
    wanted = {*(path for path in kept if path in c.before.listing), *c.after.live}

    def problem(path: str) -> Violation | None:
        if c.after.entry(path) is not None:
            return None
        message = f"A VACUUM beside another command deleted {path}, which must be kept."
        live = path in c.after.live
        cause = Cause("a live file is gone" if live else "a file that must be kept is gone", Severity.DATA_LOSS)
        return _violation(c, path, message, cause, evidence.of_path(c, path))

    return each(sorted(wanted), problem)


@clause(
    "CONC-2B",
    "A reader beside another command reads the rows of exactly one version: the one that it names, or else one that was current during the step.",
    sources=("S7",),
    harm=wrong_answers("A reader gets rows that the table never had."),
    needs=_NEEDS,
)
def readers_see_one_version(c: AtOnceObservation) -> Judgement:
    def problem(session: Session) -> Violation | None:
        if session.refused:
            return None
        found = Rows(session.outcome.rows)
        allowed = _versions(c, session)
        if not allowed or any(found == c.versions[version].rows for version in allowed):
            return None
        due = c.versions[allowed[0]].rows
        message = f"A reader must see the rows of version {', or '.join(map(str, allowed))}; it saw {found.total()} rows of none of them."
        facts = evidence.of_rows(due, found)
        return _violation(c, session.name, message, causes.rows(due, found), facts)

    return each(c.readers, problem)


def _versions(c: AtOnceObservation, reader: Session) -> list[int]:
    """The versions that a reader may read: of a writer of several, all from before the step on."""
    named = named_step(reader.step) is not None
    found = [c.version] if named else range(c.before.version, c.after.version + 1)
    return [version for version in found if version in c.versions]


@clause(
    "CONC-2C",
    "A reader beside another command is not refused, unless a VACUUM was allowed to delete what it reads.",
    sources=("S7", "S5"),
    harm=unreadable("A reader fails because of another session's work."),
    needs=_NEEDS,
)
def readers_succeed(c: AtOnceObservation) -> Judgement:
    readers = [one for one in c.readers if named_step(one.step) is None]
    if c.is_unsafe:
        return NOT_EXERCISED

    def problem(session: Session) -> Violation | None:
        error = session.outcome.error
        if error is None:
            return None
        name = error.condition or error.exception
        message = f"The reader must succeed beside the other command; it was refused with {name}."
        return _violation(c, session.name, message, Cause(f"refused with {name}", is_error=True), _error(session))

    return each(readers, problem)
