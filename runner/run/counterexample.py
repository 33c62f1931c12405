"""The counterexamples of a run's failures, in the report directory; each script is run as soon as it is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from engines.dialect import DialectFor
from records.run import Header
from reports.counterexamples import write_answer
from reports.counterexamples.checked import CANNOT_TELL, HOLDS, VIOLATED, ScriptResult, write_checked
from reports.counterexamples.examples import Script, shown, write_example
from reports.findings.failures import Failure

#: The most seconds of one script: on Spark it starts a JVM of its own.
_LIMIT = 240

#: What a script says by its exit code.
_WORDS = {0: HOLDS, 1: VIOLATED, 2: CANNOT_TELL}

#: How many scripts run at once.
_AT_ONCE = 2


def write_counterexamples(
    found: Sequence[Failure],
    *,
    header: Header,
    dialects: Sequence[DialectFor | None],
    directory: Path,
    workspace: Path,
    scripts: int | None,
) -> list[ScriptResult]:
    """Write the counterexamples of all examples, and run the scripts of the first ``scripts`` (None: of all).

    ``directory`` is the report directory; the scripts' tables are made below ``workspace``. A script that is run on the engine
    without the fault which the run's engine had on purpose must say HOLDS, unless it restores what that engine left; any other
    VIOLATED.
    """
    written = {
        folder: write_example(example, failure, header=header, dialects=dialects, directory=directory)
        for folder, (example, failure) in shown(found).items()
    }
    leads = [failure.lead.folder for failure in found]
    order = [*(folder for folder in leads if folder in written), *(folder for folder in written if folder not in leads)]
    running: set[subprocess.Popen[str]] = set()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            answers = list(pool.map(lambda folder: answer_of(written[folder], workspace, running), order[:scripts]))
        except BaseException:  # an interrupt
            for one in list(running):
                one.kill()
            raise
    checked = []
    for folder, (answer, said) in zip(order, answers):
        script = written[folder]
        holds = header.known_bad is not None and not script.shows_storage
        checked.append(ScriptResult(folder, script.clause, answer, said, HOLDS if holds else VIOLATED))
        write_answer(directory, checked[-1])
    write_checked(checked, directory)
    return checked


def answer_of(written: Script, workspace: Path, running: set[subprocess.Popen[str]]) -> tuple[str, str]:
    """Run a script as a process: its answer and its last line. Its table is made below ``workspace`` instead of its usual
    place, where another run may be at work. ``running`` holds the process while it runs.
    """
    home = Path(tempfile.mkdtemp(prefix="script-", dir=workspace))
    try:
        script = home / "reproduce.py"
        text = written.text.replace(written.home, str(home / "t"))
        script.write_text(text, encoding="utf-8", errors="backslashreplace")
        command = [sys.executable, "-I", str(script)]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, cwd=home, stdout=pipe, stderr=pipe, text=True) as process:
            running.add(process)
            try:
                out, errors = process.communicate(timeout=_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                return "nothing", f"it did not end within {_LIMIT} seconds"
            finally:
                running.remove(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    if process.returncode < 0:
        return CANNOT_TELL, f"the engine ended the process (signal {-process.returncode})"
    lines = _lines(out)
    # A script ends with its verdict: the exit code, and the line that says it. The engine may print such a line too, and
    # Python ends a script that breaks off with the code of VIOLATED.
    word = _WORDS.get(process.returncode)
    verdict = next((line for line in reversed(lines) if word is not None and line.startswith(f"{word}:")), None)
    ended = f"it ended with exit code {process.returncode}"
    said = verdict or next(reversed(_lines(errors)), ended)
    return word if word is not None and verdict is not None else "nothing", said[:500].replace(str(home / "t"), "…")


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
