"""The lines of one step in a reproduction script, and what else all scripts have."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from engines.dialect import ANSWER, ERROR, Dialect, ScriptCommand, ScriptRun
from engines.quoting import quoted
from model.vocabulary.commands import Restore
from model.vocabulary.steps import Moment, OtherCommand, Read, ReadChanges
from reports.counterexamples.checks.pieces import Check
from reports.text.quantities import instant


def docstring(lines: Sequence[str]) -> str:
    """The lines as a docstring that they cannot end: what cannot be printed is escaped. The last line is empty."""
    text = "\n".join("".join(map(_printable, line)) for line in lines).replace('"""', "'''")
    return f'"""{text}"""'


def _printable(character: str) -> str:
    return character if character.isprintable() and character != "\\" else repr(character)[1:-1]


def listed(values: Sequence[Any]) -> str:
    """A list, one element on each line if it is long."""
    short = quoted(list(values))
    if len(short) <= 100:
        return short
    return "[\n" + "".join(f"    {quoted([value])[1:-1]},\n" for value in values) + "]"


def lines_of(run: ScriptRun, dialect: Dialect, check: Check | None, *, damaged: bool) -> list[str]:
    """A step that the engine runs. ``check``: its check, if the step is judged. ``damaged``: the table has damaged files, so
    the step may fail.
    """
    command = _reading(run, dialect) or dialect.command(run)
    before = check.before if check else ()
    uses = check.uses if check else frozenset()
    found = [*command.setup, *before, *_call(run, command, uses, dialect, damaged=damaged), *command.cleanup]
    return "\n".join(found).split("\n")


def _call(
    run: ScriptRun, command: ScriptCommand, uses: frozenset[str], dialect: Dialect, *, damaged: bool
) -> list[str]:
    """The command itself. Its error is caught if the check uses it, if the command failed in the run, or if it may fail on
    another engine.
    """
    step, answered = run.step, ANSWER in uses
    returns = bool(command.rows) and (answered or isinstance(step, (Read, ReadChanges)))
    text = command.rows if returns else command.text
    if isinstance(step, ReadChanges):
        text += f" if after_{step.of_step} > before_{step.of_step} else []"
    if ERROR not in uses and not run.failed and not damaged:
        return [f"answer = {text}" if answered else text]
    return [
        "answer, error = [], None" if answered else "error = None",
        "try:",
        textwrap.indent(f"answer = {text}" if returns else text, "    "),
        f"except {dialect.errors} as problem:",
        "    error = problem",
    ]


def _reading(run: ScriptRun, dialect: Dialect) -> ScriptCommand | None:
    step = run.step
    if isinstance(step, Read):
        read = dialect.read("" if step.before_step is None else f"before_{step.before_step}")
    elif isinstance(step, ReadChanges):
        read = dialect.changes(f"before_{step.of_step} + 1", f"after_{step.of_step}")
    else:
        return None
    return ScriptCommand(read, dialect.rows(read))


def clock_of(moment: Moment) -> tuple[str, str]:
    """The clock as an expression, and in words."""
    offset, removed = moment.offset, moment.removed_by_step
    shift = f" {'+' if offset > 0 else '-'} {abs(offset)}" if offset else ""
    if removed is None:
        return f"T{shift}", instant(offset).replace("start", "T")
    words = f"the last deletionTimestamp of step {removed}"
    return f"removed_at(before_{removed} + 1, after_{removed}){shift}", words + (f"{shift} ms" if shift else "")


def used_versions(runs: Sequence[ScriptRun]) -> list[int]:
    """The steps before and after which later steps need the table's version."""
    found = {run.step.before_step for run in runs if isinstance(run.step, Read)}
    found |= {run.step.of_step for run in runs if isinstance(run.step, ReadChanges)}
    commands = [run.step.command for run in runs if isinstance(run.step, OtherCommand)]
    found |= {command.before_step for command in commands if isinstance(command, Restore)}
    found |= {run.clock.removed_by_step for run in runs}
    return sorted(step for step in found if step is not None and step >= 0)
