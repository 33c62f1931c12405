"""What the cases of a run show: found in one pass over them, by the run itself as they come, or by who reads its stream.

A case is decoded again by each pass over the cases of a stream: views take what they show from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final
from weakref import WeakKeyDictionary

from records.run import CaseError, ClauseVerdict, Header, RecordedCase, Verdict
from reports.findings.coverage import Coverage, Covered, FeaturePairs, OperationShares
from reports.findings.drawn import Drawing, Drawn
from reports.findings.failures import Failing, Failure, examples, failures
from reports.findings.known import Excused, ShownFault
from reports.findings.like import Likened, TablesCovered
from reports.findings.verdicts import CaseFold, ClauseFinding, results
from reports.stream.checks import LineKey, sort_key
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
    clauses that the footer gives the verdict fail. ``known``: the known faults that cases show. Both have the gravest first.
    ``drawn``: by clause, what the cases that exercised it have. ``like``: the user's tables, of ``--like``."""

    results: tuple[ClauseFinding, ...]
    failures: tuple[Failure, ...]
    known: tuple[ShownFault, ...]
    errors: tuple[Erred, ...]
    coverage: tuple[Coverage, ...]
    operations: OperationShares
    features: FeaturePairs
    drawn: Mapping[str, Drawn]
    like: TablesCovered | None = None


@final
class FindingsSoFar:
    """What the cases of a run show, taken one after another, in any order: no case is kept."""

    def __init__(self, header: Header) -> None:
        self.judged = CaseFold()
        self._header = header
        self._failing, self._excused, self._covered, self._drawing = Failing(), Excused(header), Covered(), Drawing()
        self._likened = Likened(header)
        self._errors: list[tuple[LineKey, Erred]] = []

    def take(self, case: RecordedCase) -> None:
        self.judged.take(case)
        self._failing.take(case)
        self._excused.take(case)
        self._covered.take(case)
        self._drawing.take(case)
        self._likened.take(case)
        if case.error is not None:
            self._errors.append((sort_key(case), Erred(case.id, case.campaign, case.error)))

    def failures(
        self, verdicts: Mapping[str, ClauseVerdict], case_at: Callable[[int], RecordedCase]
    ) -> tuple[Failure, ...]:
        """The failures of the clauses with the verdict fail. ``case_at``: the case that was taken at a place, from 0."""
        failed = {clause for clause, one in verdicts.items() if one.verdict is Verdict.FAILS}
        return failures(self._failing, self._header, case_at, of=failed)

    def finished(self, run: Run, found: tuple[Failure, ...]) -> Findings:
        """What the whole run shows, with its ``failures``; ``findings_of`` returns the same for this run."""
        _FOUND[run] = Findings(
            results=results(self.judged, run.footer, run.header, examples(found)),
            failures=found,
            known=self._excused.shown(),
            errors=tuple(one for _, one in sorted(self._errors, key=lambda pair: pair[0])),
            coverage=self._covered.tables(),
            operations=self._covered.operations(),
            features=self._covered.features(),
            drawn=self._drawing.of_clauses(),
            like=self._likened.covered(),
        )
        return _FOUND[run]


_FOUND: WeakKeyDictionary[Run, Findings] = WeakKeyDictionary()


def findings_of(run: Run) -> Findings:
    """What the cases of a finished run show. Of a run that was read, only the first call reads its cases."""
    if run in _FOUND:
        return _FOUND[run]
    found = FindingsSoFar(run.header)
    for case in run.cases:
        found.take(case)
    return found.finished(run, found.failures(run.footer.verdicts, run.cases.__getitem__))
