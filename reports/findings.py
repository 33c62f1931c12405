"""What the views need of the cases of a run, found in one pass over them, once for each run.

A case is decoded anew by each pass over the cases of a stream: views take what they show from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from reports.failures import Failing, Failure, examples, failures_among
from reports.known import Excused, ShownDeviation
from reports.page.drawn import Drawing, Drawn
from reports.stream import Line, Run
from reports.verdicts import ClauseResult, Judged, Verdict, results_among, stated
from reports.views.coverage import Coverage, Covered, FeaturePairs, OperationShares


@dataclass(frozen=True)
class CaseError:
    """A case that ended in an error."""

    case: str
    campaign: str
    kind: str
    message: str
    log: str


@dataclass(frozen=True)
class Findings:
    """``results``: those of the footer, in the header's order, with the failures and examples of the cases. ``failures``: of the
    clauses that the footer gives the verdict fail. ``known``: the known deviations that cases show. Both have the gravest first.
    ``drawn``: by clause, what the cases that exercised it have."""

    results: tuple[ClauseResult, ...]
    failures: tuple[Failure, ...]
    known: tuple[ShownDeviation, ...]
    errors: tuple[CaseError, ...]
    coverage: tuple[Coverage, ...]
    operations: OperationShares
    features: FeaturePairs
    drawn: Mapping[str, Drawn]


_FOUND: WeakKeyDictionary[Run, Findings] = WeakKeyDictionary()


def findings_of(run: Run) -> Findings:
    """What the cases of a finished run show. Only the first call for a run reads them."""
    if run not in _FOUND:
        _FOUND[run] = _found_in(run)
    return _FOUND[run]


def _found_in(run: Run) -> Findings:
    judged, failing, excused, covered = Judged(), Failing(), Excused(run.header), Covered()
    drawing = Drawing()
    errors: list[CaseError] = []
    for number, line in enumerate(run.cases):
        judged.take(line)
        failing.take(number, line)
        excused.take(line)
        covered.take(line)
        drawing.take(line)
        if line["error"] is not None:
            errors.append(_error(line))
    failed = {clause for clause, result in run.footer["verdicts"].items() if result["verdict"] == Verdict.FAIL.value}
    found = failures_among(failing, run.header, run.cases, of=failed)
    return Findings(
        results=stated(run.footer, results_among(judged, run.header, examples(found), deviations=())),
        failures=found,
        known=excused.shown(),
        errors=tuple(errors),
        coverage=covered.tables(),
        operations=covered.operations(),
        features=covered.features(),
        drawn=drawing.of_clauses(),
    )


def _error(line: Line) -> CaseError:
    error = line["error"]
    return CaseError(line["id"], line["campaign"], error["kind"], error["message"], error["log"])
