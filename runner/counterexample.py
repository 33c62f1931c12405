"""The counterexamples of a run's failures, in the report directory; each script is run as soon as it is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from engines.kind import Provider, Scripting
from engines.provider import rules_of
from records.run import Header, ListedClause
from reports.counterexamples import folder_of, write_answer, write_counterexample
from reports.counterexamples.checked import CANNOT_TELL, HOLDS, VIOLATED, Checked, write_checked
from reports.counterexamples.explanation import explanation
from reports.counterexamples.plan import reproduction_plan
from reports.counterexamples.script import InvalidPlan, reproduction
from reports.failures import Example, Failure, examples

#: The most seconds of one script: on Spark it starts a JVM of its own.
_LIMIT = 240

#: How many scripts run at once.
_AT_ONCE = 2


@dataclass(frozen=True)
class Script:
    """A script that was written. ``home``: the directory of its table. ``shows_storage``: it says the same on any engine."""

    clause: str
    text: str
    home: str
    shows_storage: bool = False


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
    without the fault which the run's engine had on purpose must say HOLDS, unless it restores what that engine left; any other
    VIOLATED.
    """
    chosen = [example for examples_of in examples(found).values() for example in examples_of]
    ranked = [example for failure in found for example in failure.examples if example in chosen]
    clauses = {clause.id: clause for clause in header.clauses}
    written = {}
    for example in ranked:
        together = next(failure for failure in found if example in failure.examples)
        others = [other.clause for other in together.examples if other.clause != example.clause]
        written[_folder(example)] = _write(example, others, clauses[example.clause], header, provider, directory)
    leads = [_folder(failure.lead) for failure in found]
    order = [*(folder for folder in leads if folder in written), *(folder for folder in written if folder not in leads)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = list(pool.map(lambda folder: answer_of(written[folder], workspace), order[:scripts]))
    checked = []
    for folder, (answer, said) in zip(order, answers):
        script = written[folder]
        holds = header.known_bad is not None and not script.shows_storage
        checked.append(Checked(folder, script.clause, answer, said, HOLDS if holds else VIOLATED))
        write_answer(directory, checked[-1])
    write_checked(checked, directory)
    return checked


def _folder(example: Example) -> str:
    return folder_of(example.clause, example.judged.id)


def _write(
    example: Example,
    others: Sequence[str],
    clause: ListedClause,
    header: Header,
    provider: Provider,
    directory: Path,
) -> Script:
    """Write a counterexample; return its script. ``others``: the clauses that fail in the same step."""
    judged, violation = example.judged, example.violation
    option = header.option or header.engine
    own_clock = rules_of(option, header.version).own_clock
    plan = reproduction_plan(judged, violation, clause)
    try:
        text = reproduction(plan, provider.dialect if isinstance(provider, Scripting) else None, option=option)
    except InvalidPlan as invalid:
        raise RuntimeError(f"No script can be made for {clause.id}, case {judged.id}: {invalid}") from invalid
    told = explanation(judged, violation, clause, engine=option, own_clock=own_clock, others=others)
    write_counterexample(directory, judged, clause.id, explanation=told, script=text)
    return Script(clause.id, text, str(Path(plan.scripted.root).parent), plan.shows_storage)


def answer_of(written: Script, workspace: Path) -> tuple[str, str]:
    """Run a script in a process of its own: its answer and its last line.

    Its table is made below ``workspace`` instead of its usual place, where another run may be at work.
    """
    home = Path(tempfile.mkdtemp(prefix="script-", dir=workspace))
    try:
        script = home / "reproduce.py"
        text = written.text.replace(written.home, str(home / "t"))
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
