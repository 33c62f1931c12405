"""A step in words."""

from __future__ import annotations

from collections.abc import Sequence

from model.text.commands import command_text
from model.text.sql import delete_sql, vacuum_sql
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    AtOnce,
    Crash,
    Delete,
    EngineStep,
    Form,
    Insert,
    InvalidDelete,
    InvalidVacuum,
    Listing,
    Mode,
    OpenSession,
    OtherCommand,
    Read,
    ReadChanges,
    Vacuum,
    VacuumForm,
    Written,
)


def step_text(step: EngineStep, statement: str | None = None) -> str:
    """The step as users write it: by the ``statement`` that an engine was sent, or in Spark's SQL."""
    if statement is not None:
        return _shortened(statement)
    if isinstance(step, Delete):
        details = [] if step.form is Form.SQL_PATH else [step.form.value]
        details += _spelling(step) + (["while the session has cached the table"] if step.cached else [])
        details += _by_earlier(step)
        details += _crash(step.crash)
        return _shortened(delete_sql(step, "t")) + _in_brackets(details + _set(step))
    if isinstance(step, InvalidDelete):
        return f"DELETE with a mistake: {step.mistake.value}"
    if isinstance(step, Insert):
        return f"INSERT INTO t ({len(step.rows)} row{'' if len(step.rows) == 1 else 's'})"
    if isinstance(step, ReadChanges):
        commits = f" (_commit_version and _commit_timestamp in {step.zone})" if step.commits else ""
        return f"the change data feed of step {step.of_step}{commits}"
    if isinstance(step, InvalidVacuum):
        return f"VACUUM with a mistake: {step.mistake.value}{' (DRY RUN)' if step.dry_run else ''}"
    if isinstance(step, Vacuum):
        listed = [step.inventory.value] + ([] if step.listing is Listing.PLAIN else [step.listing.value])
        inventory = f"({', '.join(listed)})" if step.mode.inventory else None
        details = [] if step.form is VacuumForm.SQL_PATH else [step.form.value]
        details += _spelling(step)
        details += [step.mode.value] if step.mode is Mode.LITE_SETTING else []
        details += ["in parallel"] if step.parallel else []
        details += _by_earlier(step)
        details += _kept(step.keep)
        details += [f"{step.faulty_path}: {step.io_fault.value}"] if step.io_fault else []
        details += _crash(step.crash)
        return vacuum_sql(step, "t", inventory) + _in_brackets(details + _set(step))
    if isinstance(step, OtherCommand):
        return command_text(step.command)
    if isinstance(step, AtOnce):
        when = "before it reads its files" if isinstance(step.first, Read) else f"right before: {step.point.value}"
        return f"{step_text(step.first)}, held {when}; meanwhile {step_text(step.second)}"
    if isinstance(step, OpenSession):
        return "another session reads t as a stream" if step.streams else "another session opens t"
    if step.by_earlier:
        return "SELECT * FROM t (by the session that opened t)"
    return "SELECT * FROM t" if step.before_step is None else f"SELECT * FROM t (as before step {step.before_step})"


def _spelling(step: Delete | Vacuum) -> list[str]:
    return [] if step.spelling is Spelling.PLAIN else [f"by a {step.spelling.value}"]


def _crash(crash: Crash | None) -> list[str]:
    if crash is None:
        return []
    which = "" if crash.nth == 0 else f" number {crash.nth + 1}"
    written = "" if crash.written is Written.WHOLE else f", {crash.written.value}"
    return [f"killed right after {crash.point.value}{which}{written}"]


def _set(step: Delete | Vacuum) -> list[str]:
    return [*(setting.value for setting in step.settings), *(f"{one.name} = {one.value}" for one in step.given)]


def _by_earlier(step: Delete | Vacuum) -> list[str]:
    return ["by the session that opened t"] if step.by_earlier else []


def _kept(versions: Sequence[int]) -> list[str]:
    """How many versions before the current one those are that it is asked to keep."""
    return [f"keeping the versions {', '.join(f'-{before}' for before in versions)}"] if versions else []


def _in_brackets(details: list[str]) -> str:
    return f" ({'; '.join(details)})" if details else ""


def _shortened(text: str) -> str:
    """A long text without its middle: a condition may be a list of thousands of values."""
    return text if len(text) <= 3_000 else f"{text[:1_000]} … {text[-500:]}"
