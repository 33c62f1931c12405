"""What the views need of the cases of a run, found in one pass over them, once for each run.

A case is decoded anew by each pass over the cases of a stream: views take what they show from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from records.run import CaseError, Verdict
from reports.findings.coverage import Coverage, Covered, FeaturePairs, OperationShares
from reports.findings.drawn import Drawing, Drawn
from reports.findings.failures import Failing, Failure, examples, failures_among
from reports.findings.known import Excused, ShownDeviation
from reports.findings.verdicts import ClauseResult, Judged, results_among, stated
from reports.stream.reading import Run


@dataclass(frozen=True)
class Erred:
    """A case that ended in an error."""

    case: str  # its id
    campaign: str
    error: CaseError


@dataclass(frozen=True)
class Findings:
    """``results``: those of the footer, in the header's order, with the failures and examples of the cases. ``failures``: of the
    clauses that the footer gives the verdict fail. ``known``: the known deviations that cases show. Both have the gravest first.
    ``drawn``: by clause, what the cases that exercised it have."""

    results: tuple[ClauseResult, ...]
    failures: tuple[Failure, ...]
    known: tuple[ShownDeviation, ...]
    errors: tuple[Erred, ...]
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
    errors: list[Erred] = []
    for number, case in enumerate(run.cases):
        judged.take(case)
        failing.take(number, case)
        excused.take(case)
        covered.take(case)
        drawing.take(case)
        if case.error is not None:
            errors.append(Erred(case.id, case.campaign, case.error))
    failed = {clause for clause, result in run.footer.verdicts.items() if result.verdict is Verdict.FAIL}
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
