"""``reproduce.py``: one violation as a script that needs only the engine's own packages.

Its ``main`` is made here, of the calls of the engine's dialect (``engines.dialect``) and those of the check of the expectation
(``reports.counterexamples.checks``). A script has the functions, imports and constants that ``main`` uses, and no others.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from engines.dialect import ANSWER, COLUMNS, ERROR, Dialect, DialectFor, ScriptRun
from engines.quoting import Code, called, quoted
from engines.script_library import free_names
from model.vocabulary.steps import Append, AtOnce
from reports.counterexamples import files
from reports.counterexamples.checks import check
from reports.counterexamples.checks.pieces import CannotCheck, Check
from reports.counterexamples.plan import NO_CODE, Arranged, ScriptPlan
from reports.counterexamples.runtime import LIBRARY
from reports.counterexamples.step_lines import clock_of, docstring, lines_of, listed, used_versions

#: Where the data of a script begins.
DATA = '# Data. Instants such as "T-1000" are in ms from T.'


class InvalidPlan(Exception):
    """No script can be made from the plan. The text is one sentence."""


def reproduction(plan: ScriptPlan, dialect: DialectFor | None) -> str:
    """The text of ``reproduce.py``, the same for the same plan. Raises InvalidPlan."""
    if dialect is None:
        return _cannot_tell(plan, "the engine's commands are not known where this was written")
    if plan.has_code:
        return _cannot_tell(plan, NO_CODE)
    if plan.unknown is not None:
        return _cannot_tell(plan, f"what the engine left when it was killed in step {plan.unknown} is not recorded")
    at_once = next((run.index for run in plan.scripted.runs if isinstance(run.step, AtOnce)), None)
    if at_once is not None:
        return _cannot_tell(plan, f"a script cannot hold one of the two sessions of step {at_once}")
    runs = any(run.index == plan.judged for run in plan.scripted.runs)
    if not runs and not plan.shows_storage:
        raise InvalidPlan(f"The engine runs no step {plan.judged} that is judged.")
    return _Script(plan, dialect(plan.scripted)).text()


def _cannot_tell(plan: ScriptPlan, reason: str) -> str:
    """The script for a case that no script can run."""
    opening = docstring([*textwrap.wrap(plan.heading, 116), ""])
    end = f"sys.exit({called('cannot_tell', reason)})"
    return "\n\n\n".join([f"{opening}\n\nimport sys", LIBRARY.functions["cannot_tell"], end]) + "\n"


def _after_kill(found: Check, plan: ScriptPlan) -> Check:
    """A check in a script that begins with the storage after a killed step. Raises CannotCheck."""
    early = [step for step in used_versions(plan.scripted.runs) if plan.left_by is not None and step <= plan.left_by]
    if plan.shows_storage and (found.before or found.uses & {ANSWER, ERROR}):
        raise CannotCheck(
            f"it begins with what step {plan.left_by} left when it was killed, not with what was there before"
        )
    if early:
        raise CannotCheck(
            f"it begins after step {plan.left_by}, and the version before step {early[0]} is not known there"
        )
    return found


class _Script:
    """The text of one script."""

    def __init__(self, plan: ScriptPlan, dialect: Dialect) -> None:
        self._plan = plan
        self._dialect = dialect
        self._root = plan.scripted.root
        self._lines: list[str] = []
        self._check: Check | None = None
        self._reason = ""
        try:
            found = check(plan.expectation, dialect, plan.table)
            self._check = _after_kill(found, plan) if plan.left_by is not None else found
        except CannotCheck as problem:
            self._reason = str(problem)

    def text(self) -> str:
        plan, library = self._plan, LIBRARY | self._dialect.library
        self._write_main()
        main = "def main():\n" + textwrap.indent("\n".join(self._lines), "    ")
        end = "\n".join(LIBRARY.lines("ending"))
        beginning = f"ROOT = {quoted(self._root)}\nT = {self._dialect.now()}  # the start of the case"
        data = files.constants(plan.things, plan.steps)
        functions = [library.functions[name] for name in library.called_by("\n".join([main, *data, end]))]
        code = "\n\n\n".join([beginning, main, *functions])
        used = free_names(f"{code}\n{end}")
        constants = {name: listed(value) for name, value in (self._check.data if self._check else {}).items()}
        constants[COLUMNS] = listed([self._dialect.column(column.name) for column in plan.table.columns])
        constants |= {name: files.block(text) for name, text in self._dialect.constants.items()}
        sections = [
            "\n".join([self._opening(), "", *library.import_lines(used - constants.keys())]),
            code,
            DATA,
            *(f"{name} = {value}" for name, value in constants.items() if name in used),
            *data,
            end,
        ]
        return "\n\n\n".join(sections) + "\n"

    def _opening(self) -> str:
        plan = self._plan
        lines = textwrap.wrap(plan.heading, 116)
        if self._reason:
            reason = f"This script runs case {plan.case_id}, but cannot check the result: {self._reason}."
            lines += ["", *textwrap.wrap(reason, 116)]
        lines += [
            "",
            f"    pip install {self._dialect.pip}",
            f"    python {plan.file}    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL",
        ]
        return docstring([*lines, ""])

    # The function main ------------------------------------------------------------------------------------------------

    def _write(self, *lines: str) -> None:
        self._lines += "\n".join(lines).split("\n") if lines else []

    def _write_main(self) -> None:
        plan, checked = self._plan, self._check
        self._write("shutil.rmtree(os.path.dirname(ROOT), ignore_errors=True)")
        if checked and checked.local_times and self._dialect.local_times:
            self._write('os.environ["TZ"] = "UTC"', "time.tzset()  # PySpark returns TIMESTAMPs in the local time zone")
        if plan.left_by is not None:
            self._write(f"# What step {plan.left_by} left on storage, in which the engine was killed")
        self._write(*files.restored("TABLE", plan.things), *self._dialect.start())
        used = used_versions(plan.scripted.runs)
        waiting = used
        for step in plan.steps:
            self._write("")
            due, waiting = [one for one in waiting if one <= step.index], [one for one in waiting if one > step.index]
            versions = [f"before_{one} = version()" for one in due]
            if isinstance(step, Arranged):
                what = "another writer commits files" if isinstance(step.step, Append) else "stray files are added"
                self._write(f"# Step {step.index}: {what}", *versions, *files.arranged(f"STEP_{step.index}", step))
            else:
                self._write_run(step, versions)
            if step.index in used and step is not plan.steps[-1]:
                self._write(f"after_{step.index} = version()")
        self._write("")
        if checked:
            self._write(*checked.after)
            if checked.what is not None:
                self._write(f"what = {quoted(checked.what, self._root)}")
            self._write(*LIBRARY.lines("verdict", what=Code("path" if checked.what is None else "what")))
        else:
            self._write(f"reason = {quoted(self._reason, self._root)}", *LIBRARY.lines("cannot_tell"))

    def _write_run(self, run: ScriptRun, versions: Sequence[str]) -> None:
        """The lines of a step that the engine runs."""
        at, words = clock_of(run.clock)
        self._write(f"# Step {run.index}, the clock at {words}")
        self._write(*self._dialect.clock(at, first=run is self._plan.scripted.runs[0]), *versions)
        checked = self._check if run.index == self._plan.judged else None
        self._write(*lines_of(run, self._dialect, checked, damaged=bool(self._plan.table.damaged_files)))
