"""The counterexamples of a run's failures, in the report directory; each script is run as soon as it is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from engines.kind import Provider
from engines.port import Operation
from records.json_form import to_json
from records.run import Header
from reports.counterexamples import folder_of, write_answer, write_counterexample
from reports.counterexamples.checked import CANNOT_TELL, HOLDS, VIOLATED, Checked, write_checked
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import InvalidPlan, reproduction
from reports.failures import Example, Failure, examples

#: The most seconds of one script: on Spark it starts a JVM of its own.
_LIMIT = 240

#: How many scripts run at once.
_AT_ONCE = 2


def write_counterexamples(
    found: Sequence[Failure],
    *,
    header: Header,
    provider: Provider,
    directory: Path,
    workspace: Path,
    scripts: int | None,
) -> list[Checked]:
    """Write the counterexamples of all examples, and run the scripts of the first ``scripts`` (None: of all).

    ``directory`` is the report directory; the scripts' tables are made below ``workspace``. A script that is run on the engine
    without the fault which the run's engine had on purpose must say HOLDS, any other VIOLATED.
    """
    chosen = [example for examples_of in examples(found).values() for example in examples_of]
    ranked = [example for failure in found for example in failure.examples if example in chosen]
    entries = {entry.id: to_json(entry) for entry in header.clauses}
    packages = {**provider.packages, "option": header.option or header.engine}
    plans = {}
    for example in ranked:
        together = next(failure for failure in found if example in failure.examples)
        others = [other for other in together.examples if other.clause != example.clause]
        plans[_folder(example)] = _write(
            example, others, entries[example.clause], packages, provider.operation, directory
        )
    leads = [_folder(failure.lead) for failure in found]
    order = [*(folder for folder in leads if folder in plans), *(folder for folder in plans if folder not in leads)]
    expected = HOLDS if header.known_bad is not None else VIOLATED
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = list(pool.map(lambda folder: answer_of(plans[folder], workspace), order[:scripts]))
    checked = []
    for folder, (answer, said) in zip(order, answers):
        checked.append(Checked(folder, str(plans[folder]["clause"]), answer, said, expected))
        write_answer(directory, checked[-1])
    write_checked(checked, directory)
    return checked


def _folder(example: Example) -> str:
    return folder_of(example.clause, example.judged.id)


def _write(
    example: Example,
    others: Sequence[Example],
    entry: Mapping[str, Any],
    packages: Mapping[str, str],
    operation: Operation | None,
    directory: Path,
) -> dict[str, Any]:
    """Write a counterexample; return the plan of its script."""
    line, violation, case = to_json(example.judged), to_json(example.violation), example.judged.case
    plan = reproduction_plan(
        case,
        line=line,
        violation=violation,
        clause=entry,
        packages=packages,
        operation=operation,
    )
    try:
        write_counterexample(
            directory,
            case=case,
            line=line,
            violation=violation,
            clause=entry,
            plan=plan,
            others=[one.clause for one in others],
        )
    except InvalidPlan as invalid:
        raise RuntimeError(f"No script can be made for {example.clause}, case {line['id']}: {invalid}") from invalid
    return plan


def answer_of(plan: Mapping[str, Any], workspace: Path) -> tuple[str, str]:
    """Run the script of a plan in a process of its own: its answer and its last line.

    Its table is made below ``workspace`` instead of its usual place, where another run may be at work.
    """
    home = Path(tempfile.mkdtemp(prefix="script-", dir=workspace))
    try:
        script = home / "reproduce.py"
        text = reproduction(plan).replace(str(Path(plan["root"]).parent), str(home / "t"))
        script.write_text(text, encoding="utf-8", errors="backslashreplace")
        command = [sys.executable, "-I", str(script)]
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "nothing", f"it did not end within {_LIMIT} seconds"
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if done.returncode < 0:
        return CANNOT_TELL, f"the engine ended the process (signal {-done.returncode})"
    lines = _lines(done.stdout)
    said = (
        lines[-1] if lines else next(iter(reversed(_lines(done.stderr))), f"it ended with exit code {done.returncode}")
    )
    spoken = next(
        (word for word in (HOLDS, VIOLATED, CANNOT_TELL) if any(line.startswith(word) for line in lines)), None
    )
    return spoken or "nothing", said[:500].replace(str(home / "t"), "…")


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def disagreements(checked: Iterable[Checked], failed: Iterable[str]) -> tuple[list[Checked], bool]:
    """The scripts that contradict their verdicts, and whether no clause that ``failed`` is left without such a script."""
    found = [one for one in checked if one.disagrees]
    contradicted = {one.clause for one in found}
    return found, bool(found) and contradicted >= set(failed)
