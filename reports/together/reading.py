"""A run of two engines in turn as ways in which they do not work on the same tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from model.vocabulary.severity import Severity
from records.mistakes import StreamError, UsageMistake
from records.run import InTurn, RecordedCase, RecordedViolation
from reports.findings.answers import answer_of
from reports.findings.failures import Failure
from reports.findings.of_run import findings_of
from reports.stream.reading import Run, read_run
from reports.text.circumstances import catalogue_of
from reports.together.answer import TurnReport, TurnWay


def read_together(directory: Path) -> TurnReport:
    """The run whose report is in the directory. Raises UsageMistake if there is none, or it is not of two engines in turn."""
    try:
        run = read_run(directory)
    except StreamError as error:
        raise UsageMistake(f"--together {directory}: {error}") from error
    if run.header.pair is None:
        raise UsageMistake(f"--together {directory} is of one engine: name a directory that `tox -e together` wrote.")
    return report_of(run)


def report_of(run: Run) -> TurnReport:
    """The run of a pair: its failures are new ways, and each known fault that one side brings about is one."""
    pair = run.header.pair
    assert pair is not None, "it is of two engines in turn"
    found = findings_of(run)
    concerned = {one.reason: one.concerns for one in run.header.known_faults or ()}
    new = [_new(one, concerned) for one in found.failures]
    errors = tuple(f"{one.case}: {one.error.message}" for one in found.errors)
    ways = (*new, *_known(run, concerned))
    return TurnReport(
        pair,
        answer_of(run),
        run.footer.cases,
        run.footer.steps,
        run.footer.seconds,
        ways,
        errors,
        catalogue_of(run.header),
    )


def _new(failure: Failure, concerned: dict[str, str]) -> TurnWay:
    lead = failure.lead
    turn = _turn(lead.violation)
    clauses = (lead.clause, *failure.clauses)
    return _way(lead.violation, turn, lead.judged.id, clauses, lead.severity, lead.cases, concerned, lead.folder)


def _known(run: Run, concerned: dict[str, str]) -> Iterator[TurnWay]:
    """One for each side and known fault: by its smallest case."""
    shown: dict[tuple[str, str], list[tuple[RecordedCase, RecordedViolation]]] = {}
    for case in run.cases:
        for one in case.violations:
            if one.excused is not None:
                shown.setdefault((_turn(one).side, one.excused), []).append((case, one))
    own = {clause.id: clause.severity for clause in run.header.clauses}
    for found in shown.values():
        case, first = min(found, key=lambda pair: len(str(pair[0].document)))
        severities = (one.severity or own[one.clause] for _, one in found)
        gravest = min(severities, key=lambda one: one.rank)
        clauses = tuple(dict.fromkeys(one.clause for _, one in found))
        yield _way(first, _turn(first), case.id, clauses, gravest, len({one.id for one, _ in found}), concerned, "")


def _way(
    violation: RecordedViolation,
    turn: InTurn,
    case: str,
    clauses: tuple[str, ...],
    severity: Severity,
    cases: int,
    concerned: dict[str, str],
    folder: str,
) -> TurnWay:
    return TurnWay(
        side=turn.side,
        other=turn.other,
        clauses=clauses,
        cause=violation.cause,
        severity=severity,
        message=violation.message,
        inherited=turn.inherited,
        known=violation.excused,
        cases=cases,
        case=case,
        pattern=turn.pattern,
        step=violation.step,
        folder=folder,
        concerns=concerned.get(violation.excused or turn.inherited or "", ""),
        also_alone=turn.also_alone,
    )


def _turn(violation: RecordedViolation) -> InTurn:
    assert violation.turn is not None, "two engines in turn record it with each violation"
    return violation.turn
