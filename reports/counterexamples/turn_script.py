"""``reproduce.py`` of two engines in turn: it needs only the two engines, each in a Python of its own.

Its ``main`` restores the table and gives each side its turns. The steps of a side are a generator, which runs in a process of the
side's Python: between two of its steps it waits, so that what a step has opened stays open.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.dialect import COLUMNS, Dialect, DialectFor
from engines.quoting import Code, called, quoted
from engines.script_library import Library, free_names
from model.vocabulary.case import has_code
from model.vocabulary.steps import Append, AtOnce, Delete, Vacuum
from reports.counterexamples import files
from reports.counterexamples.checks import check
from reports.counterexamples.checks.pieces import CannotCheck, Check
from reports.counterexamples.plan import NO_CODE
from reports.counterexamples.runtime import LIBRARY
from reports.counterexamples.script import DATA
from reports.counterexamples.step_lines import clock_of, docstring, lines_of, listed, used_versions
from reports.counterexamples.turn_plan import SIDES, Turn, TurnPlan


@dataclass(frozen=True)
class TurnScript:
    """``decides``: whether it says HOLDS or VIOLATED; if not, its text says why not."""

    text: str
    decides: bool


def turn_reproduction(plan: TurnPlan, dialects: Sequence[DialectFor | None], replay: str) -> TurnScript:
    """The script ``reproduce.py``, the same for the same plan. ``dialects``: of A and of B; ``replay``: the command that judges
    the case again, for a reader to whom the script cannot tell."""
    a, b = dialects
    if a is None or b is None:
        name = plan.names[0] if a is None else plan.names[1]
        return _undecided(plan, f"the commands of {name} are not known where this was written", replay)
    made = (a(plan.scripted), b(plan.scripted))
    if (reason := _reason(plan, made)) is not None:
        return _undecided(plan, reason, replay)
    try:
        found = check(plan.expectation, made[SIDES.index(plan.judged.side)], plan.table)
    except CannotCheck as problem:
        return _undecided(plan, str(problem), replay)
    keeper = next((make(plan.scripted) for make, one in zip((a, b), made) if not one.own_clock), None)
    return TurnScript(_text(plan, dict(zip(SIDES, made)), keeper, found), decides=True)


def _reason(plan: TurnPlan, dialects: tuple[Dialect, Dialect]) -> str | None:
    """Why no script can run the steps; None if one can."""
    for turn in plan.turns:
        step = turn.run.step
        if has_code(step):
            return NO_CODE
        if isinstance(step, AtOnce):
            return f"a script cannot hold one of the two sessions of step {turn.run.index}"
        if isinstance(step, (Delete, Vacuum)) and step.crash is not None:
            return f"a script cannot kill an engine in step {turn.run.index}"
    if plan.cut:
        return "it shows only after a later step than the one that is wrong"
    clocks = {turn.run.clock for turn in plan.turns}
    if len({one.own_clock for one in dialects}) > 1 and len(clocks) > 1:
        return "only one of the two engines has a clock that can be set, and the case sets it"
    return None


def _opening(plan: TurnPlan) -> list[str]:
    who = plan.name_of(plan.judged)
    (other,) = set(plan.names) - {who}
    return [
        *textwrap.wrap(f"{plan.clause}: {plan.sentence}", 116),
        "",
        *textwrap.wrap(f"Seen of {who}, on a table that {other} works on too: {plan.message}", 116),
    ]


def _undecided(plan: TurnPlan, reason: str, replay: str) -> TurnScript:
    """The script for a case that no script can run or check."""
    end = f"sys.exit({called('undecided', reason, replay)})"
    parts = [f"{docstring([*_opening(plan), ''])}\n\nimport sys", LIBRARY.functions["undecided"], end]
    return TurnScript("\n\n\n".join(parts) + "\n", decides=False)


def _text(plan: TurnPlan, dialects: Mapping[str, Dialect], keeper: Dialect | None, found: Check) -> str:
    """The script with this check. ``keeper`` makes the table older, if an engine has no clock of its own."""
    steps = _steps(plan, dialects, keeper, found)
    main = _function("main", _main(plan))
    sides = {side: _function(side, lines) for side, lines in steps.items()}
    alike = dialects["a"].library == dialects["b"].library
    if alike:
        blocks = [_block("GIVEN.side", plan, dialects["a"], list(sides.values()))]
    else:
        blocks = [_block(f'GIVEN.side == "{side}"', plan, dialects[side], [sides[side]]) for side in SIDES]
    beginning = [
        "GIVEN = given()",
        f"ROOT = {quoted(plan.scripted.root)}",
        f"T = {(keeper or dialects['a']).now()}  # the start of the case",
        "KNOWN = {}  # versions of the table, before and after steps",
    ]
    end = ["if GIVEN.side:", '    sys.exit(serve(a() if GIVEN.side == "a" else b()))', *LIBRARY.lines("ending")]
    code = "\n\n".join(["\n".join(beginning), main, *sides.values(), *blocks, "\n".join(end)])
    data = files.constants(plan.things, plan.steps)
    called_by = LIBRARY.called_by("\n".join([code, *data]))
    functions = [LIBRARY.functions[name] for name in called_by if name != "given"]
    constants = {name: listed(value) for name, value in found.data.items()}
    for dialect in dialects.values():
        constants |= {name: files.block(text) for name, text in dialect.constants.items()}
    used = free_names("\n\n".join([LIBRARY.functions["given"], code, *functions]))
    library = LIBRARY | dialects["a"].library | dialects["b"].library
    sections = [
        "\n".join([_heading(plan, dialects), "", *library.import_lines(_of_python(used - constants.keys(), library))]),
        LIBRARY.functions["given"],
        "\n".join(beginning),
        main,
        *sides.values(),
        *functions,
        *blocks,
        DATA,
        *(f"{name} = {value}" for name, value in constants.items() if name in used),
        *data,
        "\n".join(end),
    ]
    return "\n\n\n".join(sections) + "\n"


def _heading(plan: TurnPlan, dialects: Mapping[str, Dialect]) -> str:
    run = "python reproduce.py --a A/bin/python --b B/bin/python    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL"
    installed = (f"    {side.upper()}/bin/pip install {dialects[side].pip}" for side in SIDES)
    return docstring([*_opening(plan), "", *installed, f"    {run}", ""])


def _function(name: str, lines: Sequence[str]) -> str:
    return f"def {name}():\n" + textwrap.indent("\n".join(lines), "    ")


# What is there only where an engine is installed ------------------------------------------------------------------------


def _block(condition: str, plan: TurnPlan, dialect: Dialect, code: Sequence[str]) -> str:
    """The imports and functions of an engine that the code uses, and the names of columns."""
    library = LIBRARY | dialect.library
    names = [name for name in library.called_by("\n\n".join(code)) if name in dialect.library.functions]
    functions = [dialect.library.functions[name] for name in names]
    used = free_names("\n\n".join([*functions, *code]))
    others = {name for name in used if name in library.imports and name not in library.functions}
    others -= _of_python(others, library)
    parts = ["\n".join(library.import_lines(others))]
    if COLUMNS in used:
        parts.append(f"{COLUMNS} = {listed([dialect.column(column.name) for column in plan.table.columns])}")
    return f"if {condition}:\n" + textwrap.indent("\n\n".join([*parts, *functions]) or "pass", "    ")


def _of_python(names: Iterable[str], library: Library) -> set[str]:
    """Those of the names that need no package."""
    found = {name: library.imports.get(name) for name in names}
    roots = {name: name if one is None else (one.module or one.name).partition(".")[0] for name, one in found.items()}
    return {name for name, root in roots.items() if root in sys.stdlib_module_names}


# The steps --------------------------------------------------------------------------------------------------------------


def _main(plan: TurnPlan) -> list[str]:
    """Restores the table, and gives each side its turns."""
    waiting = used_versions([turn.run for turn in plan.turns])
    needed, body = set(waiting), list[str]()
    for step in plan.steps:
        index = step.run.index if isinstance(step, Turn) else step.index
        due, waiting = [one for one in waiting if one <= index], [one for one in waiting if one > index]
        before = [f'KNOWN["before_{one}"] = version()' for one in due]
        if isinstance(step, Turn):
            call = f"return turn({step.side})" if step is plan.judged else f"turn({step.side})"
            body += ["", f"# {_named(step)}, by {plan.name_of(step)}", *before, call]
        else:
            what = "another writer commits files" if isinstance(step.step, Append) else "stray files are added"
            body += ["", f"# Step {index}: {what}", *before, *files.arranged(f"STEP_{index}", step)]
        aside = isinstance(step, Turn) and step.aside
        if index in needed and not aside and step is not plan.judged:
            body.append(f'KNOWN["after_{index}"] = version()')
    return [
        "if not two_pythons():",
        "    return 2",
        "shutil.rmtree(os.path.dirname(ROOT), ignore_errors=True)",
        *files.restored("TABLE", plan.things),
        'with started("a") as a, started("b") as b:',
        *textwrap.indent("\n".join(body[1:]), "    ").split("\n"),
    ]


def _steps(
    plan: TurnPlan, dialects: Mapping[str, Dialect], keeper: Dialect | None, found: Check
) -> dict[str, list[str]]:
    """The lines of each side's generator: the first of its parts starts the engine, each other one is a step."""
    lines = {side: list(dialects[side].start()) for side in SIDES}
    if found.local_times and dialects[plan.judged.side].local_times:
        zone = ['os.environ["TZ"] = "UTC"', "time.tzset()  # PySpark returns TIMESTAMPs in the local time zone"]
        lines[plan.judged.side] = [*zone, *lines[plan.judged.side]]
    begun = dict.fromkeys(SIDES, False)
    damaged = bool(plan.table.damaged_files)
    for turn in plan.turns:
        side, dialect = turn.side, dialects[turn.side]
        at, words = clock_of(turn.run.clock)
        clock: Sequence[str] = ()
        if keeper is not None and not dialect.own_clock:
            clock = keeper.clock(at, first=turn is plan.turns[0])
        elif keeper is None:
            clock = dialect.clock(at, first=not begun[side])
            begun[side] = True
        checked = found if turn is plan.judged else None
        own = lines_of(turn.run, dialect, checked, damaged=damaged)
        lines[side] += ["yield", "", f"# {_named(turn)}, the clock at {words}", *clock, *own]
    what = found.what
    lines[plan.judged.side] += [
        "",
        *found.after,
        *([f"what = {quoted(what, plan.scripted.root)}"] if what is not None else []),
        *LIBRARY.lines("verdict", what=Code("path" if what is None else "what")),
    ]
    other = next(side for side in SIDES if side != plan.judged.side)
    lines[other].append("yield")
    return lines


def _named(turn: Turn) -> str:
    """``Step 2``."""
    index = turn.run.index
    if index < 0:
        return "Before step 0"
    return f"A read after step {index}" if turn.aside else f"Step {index}"
