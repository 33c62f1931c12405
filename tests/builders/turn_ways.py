"""A way in which one of two engines in turn goes wrong on tables of the other, and runs that show such ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from model.vocabulary.severity import Severity
from records.known_fault import KnownFault
from records.run import RecordedCase
from reports.stream.reading import Run
from reports.together.answer import TurnReport, TurnWay
from reports.together.reading import report_of
from tests.builders.small_streams import READ, Json, case, footer, header, step, violation, written

#: Delta 4.4.0 reads a row that Delta 3.3.2 has deleted.
WAY = TurnWay(
    side="Delta 4.4.0",
    other="Delta 3.3.2",
    clauses=("READ-1A", "DEL-ROW-5B"),
    cause="wrong: rows",
    severity=Severity.DATA_LOSS,
    message="3 rows are read, 2 are there.",
    inherited=None,
    known=None,
    cases=1,
    case="50fe18cd8156",
    pattern="AB",
    step=1,
)

_CLAUSES = ("READ-1A", "DEL-ROW-5B")


def run_in_turn(pair: tuple[str, str], *ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> Run:
    """A run of so many cases at least: one for each way and error, and others that show nothing."""
    judged = [_showing(number, way) for number, way in enumerate(ways, start=1)]
    judged += [_erred(number, message) for number, message in enumerate(errors, start=len(judged) + 1)]
    judged += [case(number, clauses=_CLAUSES) for number in range(len(judged) + 1, cases + 1)]
    listed = [KnownFault(clause, way.known) for way in ways if way.known is not None for clause in way.clauses]
    first = header(
        engine="together",
        option="together:4.0.1,4.4.0",
        pair=pair,
        versions=dict(zip("AB", pair, strict=True)),
        clauses=_CLAUSES,
        known_faults=[
            {"reason": way.known or way.inherited, "clauses": list(way.clauses), "concerns": way.concerns}
            for way in ways
            if way.known or way.inherited
        ],
    )
    return Run(first, judged, replace(footer(first, judged, known_faults=listed), digest="0" * 64))


def report(pair: tuple[str, str], *ways: TurnWay, cases: int = 3, errors: Sequence[str] = ()) -> TurnReport:
    return report_of(run_in_turn(pair, *ways, cases=cases, errors=errors))


def write_in_turn(run: Run, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "run.jsonl").write_bytes(written([run.header, *run.cases, run.footer]))


def _showing(number: int, way: TurnWay) -> RecordedCase:
    turns = enumerate([way.other, way.side] * (1 + way.step // 2))
    steps = [step(READ, index) | {"side": side, "pattern": way.pattern} for index, side in turns]
    violations = [_violation(clause, way) for clause in way.clauses]
    return case(number, *steps[: way.step + 1], clauses=_CLAUSES, violations=violations)


def _violation(clause: str, way: TurnWay) -> Json:
    found = {"step": way.step, "cause": f"{way.side}: {way.cause}", "severity": way.severity.value, "evidence": []}
    names = ("side", "other", "pattern", "inherited", "also_alone")
    return violation(clause, way.message, **found, excused=way.known, turn={name: getattr(way, name) for name in names})


def _erred(number: int, message: str) -> RecordedCase:
    return case(number, clauses=(), error={"kind": "harness", "message": message, "log": ""})
