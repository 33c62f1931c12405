"""``reproduce.py``: one violation as a script that needs only the engine's own packages.

A plan (made by ``reports.counterexamples.plan``) is plain data, with instants in ms from the start of the case:

- ``clause``, ``sentence``, ``case``; ``engine`` (``spark`` or ``deltalake``), ``pip``, and for Spark ``packages``, the
  Maven coordinates; ``root``: where the script makes the table; ``columns``: their names; ``generated``: the number that
  stands for the start of the case in checkpoints;
- ``table``: what the table consists of, each ``{"path", "modified"}`` with ``text``, ``content`` (base64) or ``target`` (a link),
  or a directory. In texts ``"T-5"`` is the instant 5 ms before the start;
- ``steps``: each with ``step``, its index in the case, and ``do``: ``append`` and ``litter`` restore a ``table``,
  ``read`` and ``changes`` read, the others are commands; all but the first two have a ``clock``: ``{"offset",
  "removed_by_step"}``;
- ``step``: the judged one, and ``expectation``: what a script checks after it (``records.expectations``, as JSON).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reports.counterexamples import files
from reports.counterexamples.deltalake import Deltalake
from reports.counterexamples.dialect import Command, Dialect, Op, Plan, quoted
from reports.counterexamples.expectations import CannotCheck, Check, check
from reports.counterexamples.functions import FROM, FUNCTIONS, MODULES
from reports.counterexamples.spark import Spark
from reports.quantities import instant

DIALECTS: Mapping[str, Callable[[Plan], Dialect]] = {"spark": Spark, "deltalake": Deltalake}

#: Where the data of a script begins.
DATA = '# Data. Instants such as "T-1000" are in ms from T.'

_COMMANDS = ("delete", "bad delete", "vacuum", "bad vacuum", "read", "changes")


#: The script for an engine that has no dialect.
_NO_DIALECT = '''"""{clause}: {sentence}"""

import sys

print("CANNOT TELL: a script has no commands for this engine")
print("To check it: pytest suites --engine {option} --replay case.json")
sys.exit(2)
'''


class InvalidPlan(Exception):
    """No script can be made from the plan. The text is one sentence."""


def reproduction(plan: Plan, dialect: Dialect | None = None) -> str:
    """The text of ``reproduce.py``. The same plan gives the same text. Raises InvalidPlan."""
    if dialect is None and plan["engine"] not in DIALECTS:
        return _NO_DIALECT.format(clause=plan["clause"], sentence=plan["sentence"], option=_option(plan))
    dialect = dialect or DIALECTS[plan["engine"]](plan)
    judged = [place for place, op in enumerate(plan["steps"]) if op["step"] == plan["step"] and op["do"] in _COMMANDS]
    if not judged:
        raise InvalidPlan(f"The engine runs no step {plan['step']}.")
    reason, checked = "", None
    try:
        checked = check(plan["expectation"], dialect)
    except CannotCheck as problem:
        reason = str(problem)
    ops = plan["steps"][: judged[-1] + 1]
    main = _main(plan, ops, dialect, checked, reason)
    functions = _functions(plan, ops, dialect, main)
    code = f"{main}\n{functions}"
    constants = dict(checked.data if checked else {})
    if "COLUMNS" in code:
        constants["COLUMNS"] = [dialect.column(name) for name in plan["columns"]]
    sections = [
        f"{_opening(plan, reason)}\n\n{_imports(code, dialect)}",
        f'ROOT = "{plan["root"]}"\nT = {dialect.now()}  # the start of the case',
        main,
        functions,
        DATA,
        "\n".join(f"{name} = {_json(value)}" for name, value in constants.items()),
        files.data("TABLE", plan["table"]),
        *(files.data(f"STEP_{op['step']}", op["table"]) for op in ops if "table" in op),
        _END,
    ]
    return "\n\n\n".join(section for section in sections if section) + "\n"


_END = """try:
    sys.exit(main())
except Exception as problem:
    print("CANNOT TELL:", repr(problem))
    sys.exit(2)"""


_VERDICT = 'print("HOLDS:" if found == expected else "VIOLATED:", what, "- expected", expected, "and found", found)'


def _opening(plan: Plan, reason: str) -> str:
    lines = textwrap.wrap(f"{plan['clause']}: {plan['sentence']}", 116)
    if reason:
        lines += [
            "",
            *textwrap.wrap(f"This script runs case {plan['case']}, but cannot check the result: {reason}.", 116),
        ]
    lines += [
        "",
        f"    pip install {plan['pip']}",
        "    python reproduce.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL",
    ]
    text = "\n".join(lines).replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""'


def _imports(code: str, dialect: Dialect) -> str:
    modules = [one for one in MODULES if re.search(rf"\b{one}\.", code) or one in ("sys", "time")]
    own = [f"import {', '.join(modules)}", *(line for text, line in FROM.items() if text in code)]
    third = [line for line in dialect.imports if re.search(rf"\b{line.split()[-1]}\b", code)]
    return "\n".join([*own, *third])


def _json(value: Any) -> str:
    """A list as Python, one element on each line."""
    return "[\n" + "".join(f"    {one!r},\n" for one in value) + "]"


def _functions(plan: Plan, ops: Sequence[Op], dialect: Dialect, main: str) -> str:
    """The functions that ``main`` calls, directly or indirectly."""
    tables = [plan["table"], *(op.get("table", ()) for op in ops)]
    known = {**FUNCTIONS, **dialect.functions, **files.functions(tables, plan["generated"])}
    chosen: list[str] = []
    waiting = [main]
    while waiting:
        text = waiting.pop()
        called = [name for name in known if re.search(rf"(?<![\w.])({name}\(|map\({name},|{name}, base64)", text)]
        called = [name for name in called if name not in chosen]
        chosen += called
        waiting += [known[name] for name in called]
    return "\n\n\n".join(known[name].strip("\n") for name in chosen)


def _option(plan: Plan) -> str:
    """What ``--engine`` takes."""
    return str(plan.get("option", plan["engine"]))


def _main(plan: Plan, ops: Sequence[Op], dialect: Dialect, checked: Check | None, reason: str) -> str:
    lines = ["shutil.rmtree(os.path.dirname(ROOT), ignore_errors=True)"]
    if checked and any("plain(" in line for line in checked.after) and plan["engine"] == "spark":
        lines.append('os.environ["TZ"] = "UTC"\ntime.tzset()  # PySpark returns TIMESTAMPs in the local time zone')
    lines += [*files.calls("TABLE", plan["table"]), *dialect.start()]
    waiting = _used(ops)
    for op in ops:
        lines.append("")
        due, waiting = [step for step in waiting if step <= op["step"]], [step for step in waiting if step > op["step"]]
        versions = [f"before_{step} = version()" for step in due]
        if "table" in op:
            what = "another writer commits files" if op["do"] == "append" else "stray files are added"
            lines += [f"# Step {op['step']}: {what}", *versions, *files.calls(f"STEP_{op['step']}", op["table"])]
        else:
            lines += _command(op, ops, dialect, versions, checked if op is ops[-1] else None)
        if op["step"] in _used(ops) and op is not ops[-1]:
            lines.append(f"after_{op['step']} = version()")
    if checked:
        named = [] if checked.what == "{path}" else [f"what = {quoted(checked.what, str(plan['root']))}"]
        lines += [
            "",
            *checked.after,
            *named,
            _VERDICT if named else _VERDICT.replace("what", "path"),
            "return 0 if found == expected else 1",
        ]
    else:
        lines += [
            "",
            f"reason = {quoted(reason, str(plan['root']))}",
            'print(f"CANNOT TELL: {reason}")',
            f'print("To check it: pytest suites --engine {_option(plan)} --replay case.json")',
            "return 2",
        ]
    body = "\n".join(line for text in lines for line in text.split("\n"))
    return "def main():\n" + textwrap.indent(body, "    ")


def _command(op: Op, ops: Sequence[Op], dialect: Dialect, versions: Sequence[str], checked: Check | None) -> list[str]:
    """The lines of a step that the engine runs; ``checked`` is for the judged one."""
    first = op is next(one for one in ops if "clock" in one)
    at, words = _instant(op["clock"])
    command = _reading(op, dialect) or dialect.command(op)
    before = checked.before if checked else ()
    after = "\n".join(checked.after) if checked else ""
    lines = [f"# Step {op['step']}, the clock at {words}", *dialect.clock(at, first=first), *versions, *command.setup]
    return [*lines, *before, *_call(op, dialect, command, after), *command.cleanup]


def _call(op: Op, dialect: Dialect, command: Command, after: str) -> list[str]:
    """The command itself. Its error is caught if the check uses it, or if the command failed in the run."""
    reads = op["do"] in ("read", "changes")
    answered = bool(re.search(r"\banswer\b", after)) and not after.startswith("# The")
    returns = bool(command.rows) and (answered or reads)
    text = command.rows if returns else command.text
    when = f" if after_{op['of_step']} > before_{op['of_step']} else []" if op["do"] == "changes" else ""
    if not re.search(r"\berror\b", after.split("# The")[0]) and not op.get("failed"):
        return [f"answer = {text}{when}"] if answered else [f"{text}{when}"]
    call = f"answer = {text}{when}" if returns else text
    return [
        "answer, error = [], None" if answered else "error = None",
        "try:",
        textwrap.indent(call, "    "),
        f"except {dialect.errors} as problem:",
        "    error = problem",
    ]


def _reading(op: Op, dialect: Dialect) -> Command | None:
    if op["do"] == "read":
        text = dialect.read("" if op["before_step"] is None else f"before_{op['before_step']}")
    elif op["do"] == "changes":
        text = dialect.changes(f"before_{op['of_step']} + 1", f"after_{op['of_step']}")
    else:
        return None
    return Command(text, dialect.rows(text))


def _instant(moment: Mapping[str, Any]) -> tuple[str, str]:
    """The clock as an expression, and in words."""
    offset, removed = moment["offset"], moment["removed_by_step"]
    shift = f" {'+' if offset > 0 else '-'} {abs(offset)}" if offset else ""
    if removed is None:
        return f"T{shift}", instant(offset).replace("start", "T")
    words = f"the last deletionTimestamp of step {removed}"
    return f"removed_at(before_{removed} + 1, after_{removed}){shift}", words + (f"{shift} ms" if shift else "")


def _used(ops: Sequence[Op]) -> list[int]:
    """The steps before and after which later steps need the table's version."""
    found = {op["before_step"] for op in ops if op["do"] == "read"}
    found |= {op["of_step"] for op in ops if op["do"] == "changes"}
    found |= {op["clock"]["removed_by_step"] for op in ops if "clock" in op}
    return sorted(step for step in found if step is not None)
