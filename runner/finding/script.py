"""The script of a finding: the suite's own (``reports.counterexamples``), or the one by hand."""

from __future__ import annotations

from dataclasses import replace

from reports.counterexamples.plan import plan_of
from reports.counterexamples.script import reproduction
from runner.finding.entries import ROOT, Finding


def script_of(finding: Finding, release: str) -> str:
    """The script, with the packages of the release in its first lines. Raises EngineUnavailable for a release that is not
    judged."""
    shown = finding.shown
    if shown is None:
        return (ROOT / finding.script).read_text(encoding="utf-8")
    plan = plan_of(shown.case, f"{finding.title}.", shown.expectation, step=shown.step, failed=shown.failed)
    dialect = finding.kind.dialect_of(finding.version(release).parts)
    return reproduction(replace(plan, file=f"{finding.name}.py"), dialect)
