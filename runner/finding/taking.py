"""Makes a finding of a case: judges it on the installed engine, and writes a file in which its author fills in the words."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from engines.provider import ENGINES
from harness.campaigns.record import case_record
from harness.campaigns.regressions import files
from harness.running.judge import Judge
from model.codec import case_id, loads
from model.vocabulary.case import Case
from records.expectations import ByReplay
from records.json_form import expectation_to_json
from records.mistakes import UsageMistake
from records.run import RecordedCase, RecordedViolation
from runner.finding.entries import FOLDER, OUTSIDE, ROOT
from runner.replay import read_case
from runner.run.bench import Bench, ChosenEngine
from suites.catalogue import CATALOGUE, unsupported

_FILE = '''title = ""
chapter = ""
harm = ""  # one of Harm in runner/finding/entries.py
clauses = ["{clause}"]
{case}step = {step}
{failed}expectation = \'\'\'{expectation}\'\'\'
fault = ["{release}"]
right = []
unknown = []
upstream = ""
promised = ""
cause = ""
actual = ""
text = """
{message}
"""
'''


def take(path: Path, name: str, clause: str = "") -> Path:
    """Write ``docs/findings/NAME.toml``, ``name`` being ``ENGINE/NAME``, for the first violation in the case that a script can
    check, of this clause if one is named; and the case beside it, unless it is a kept one.

    Raises UsageMistake, EngineUnavailable.
    """
    engine = name.partition("/")[0]
    if engine not in (known := (*ENGINES, *OUTSIDE)):
        raise UsageMistake(
            f"{name} does not begin with an engine: write {' or '.join(f'{one}/NAME' for one in known)}."
        )
    chosen = ChosenEngine(OUTSIDE.get(engine, engine), {})
    judged = _judged(read_case(path), chosen)
    checked = [one for one in judged.violations if not isinstance(one.expectation, (ByReplay, type(None)))]
    found = next((one for one in checked if clause in ("", one.clause)), None)
    if found is None:
        others = ", ".join(dict.fromkeys(one.clause for one in checked)) or "none"
        raise UsageMistake(
            f"{path} violates no such clause of which a script can check it; those that it can: {others}."
        )
    file = FOLDER / f"{name}.toml"
    file.write_text(_text(judged, found, file, chosen.kind.installed_version()), encoding="utf-8")
    return file


def _judged(case: Case, chosen: ChosenEngine) -> RecordedCase:
    """The case, judged on the installed engine, without known faults."""
    with closing(Bench(chosen)) as bench:
        bench.start()
        opened = chosen.opened(bench.provider.lease, None)
        unpromised = unsupported(opened)
        promised = [clause for id, clause in CATALOGUE.items() if id not in unpromised]
        judge = Judge(opened, promised, bench.directory / "tables")
        return case_record(judge.judge(case), campaign="replay", batch=0, index=0, origin="replayed")


def _text(judged: RecordedCase, violation: RecordedViolation, file: Path, release: str) -> str:
    kept = {case_id(loads(path.read_text(encoding="utf-8"))): path for path in files()}.get(judged.id)
    if kept is None:
        file.with_suffix(".json").write_text(json.dumps(judged.document, ensure_ascii=False) + "\n", encoding="utf-8")
    failed = [step.index for step in judged.steps if step.outcome.error is not None and step.index <= violation.step]
    return _FILE.format(
        clause=violation.clause,
        case=f'case = "{kept.relative_to(ROOT).as_posix()}"\n' if kept else "",
        step=violation.step,
        failed=f"failed = {failed}\n" if failed else "",
        expectation=json.dumps(expectation_to_json(violation.expectation), ensure_ascii=False),
        release=release,
        message=violation.message,
    )
