"""From judged cases to one verdict for each clause, to the footer, and to the exit code."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from reports.deviations import Deviation
from reports.failures import Failure, examples, failures, simplest
from reports.quantities import counted
from reports.stream import Line, Run


class Verdict(str, Enum):
    """The result of a clause in a run."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"  # fails, and is listed in the deviations
    STALE = "stale"  # listed and exercised, yet never fails; or listed with an end that is past
    UNSUPPORTED = "unsupported"  # the engine or its version lacks the feature
    DISABLED = "disabled"  # by the user: --clause or --budget
    UNEXERCISED = "unexercised"  # it applied to no step: never a pass
    ERROR = "error"  # not exercised, and cases that could have exercised it could not be judged


#: The verdicts that need a person's attention.
ATTENTION = (Verdict.FAIL, Verdict.STALE, Verdict.ERROR, Verdict.UNEXERCISED)


@dataclass(frozen=True)
class ClauseResult:
    """The verdict on one clause in a run.

    ``met`` counts the steps that exercised it, ``subjects`` the files, rows or fields that it checked, and ``seconds`` the
    engine's seconds in those steps. ``failures`` counts the cases that fail it, ``example`` is the id of the case to show.
    """

    clause: str
    verdict: Verdict
    met: int = 0
    subjects: int = 0
    seconds: float = 0.0
    reason: str = ""
    link: str | None = None
    failures: int = 0
    example: str | None = None


def verdicts(
    header: Line,
    cases: Iterable[Line],
    *,
    deviations: Sequence[Deviation],
    ended: Sequence[Deviation] = (),
    stopped: bool = False,
) -> tuple[ClauseResult, ...]:
    """One result for each clause of the header, in the header's order.

    ``deviations`` are those in force, ``ended`` those that are past their end (``reports.deviations``): their clauses fail or
    are stale, whatever the cases show. Any case can fail a clause, but those made by shrinking do not count as exercising
    it: their number depends on how long shrinking ran. ``stopped``: the run ended at its first failure, with cases left.
    """
    lines = list(cases)
    listed, over = _by_clause(deviations), _by_clause(ended)
    erred = sum(1 for line in lines if line["error"] is not None)
    violated = {id for line in lines for id, result in line["clauses"].items() if result["verdict"] != "pass"}
    unasked = {clause["id"] for clause in header["clauses"] if clause["status"] == "disabled"}
    current = {_entry(one) for one in deviations if one.clause in violated | unasked}
    shown = examples(failures(header, lines))
    judged: dict[str, list[tuple[Line, Line]]] = {}
    for line in lines:
        for name, result in line["clauses"].items():
            judged.setdefault(name, []).append((line, result))
    results = []
    for clause in header["clauses"]:
        name = clause["id"]
        own = judged.get(name, [])
        counted = [result for line, result in own if line["origin"] != "shrunk"]
        broken = [line for line, result in own if result["verdict"] != "pass"]
        failing = [line for line, result in own if result["verdict"] == "fail"] or broken
        met = sum(result["met"] for result in counted)
        first = shown[name][0].line if name in shown else simplest(failing)
        known = listed.get(name, [])
        unknown = any(result["verdict"] == "fail" for _, result in own)
        verdict, reason = _judge(clause, bool(failing), met, erred, [] if unknown else known, current)
        if header.get("left_out", 0):
            verdict, reason = _of_part(verdict, reason, known)
        if stopped and verdict in (Verdict.PASS, Verdict.STALE, Verdict.UNEXERCISED, Verdict.ERROR):
            verdict, reason = Verdict.DISABLED, "Undecided: the run stopped at its first failure."
        past = over.get(name, []) if clause["status"] != "disabled" or failing else []
        if past:
            verdict, reason = (Verdict.FAIL if failing else Verdict.STALE), " ".join(map(_ended, past))
        results.append(
            ClauseResult(
                clause=name,
                verdict=verdict,
                met=met,
                subjects=sum(result["subjects"] for result in counted),
                seconds=round(sum(result["seconds"] for result in counted), 3),
                reason=reason,
                link=(past or known)[0].link if past or (known and verdict in (Verdict.XFAIL, Verdict.STALE)) else None,
                failures=len(failing),
                example=None if first is None else first["id"],
            )
        )
    return tuple(results)


def _by_clause(deviations: Iterable[Deviation]) -> dict[str, list[Deviation]]:
    found: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        found.setdefault(deviation.clause, []).append(deviation)
    return found


def _judge(
    clause: Line, failing: bool, met: int, erred: int, known: Sequence[Deviation], current: Container[Entry]
) -> tuple[Verdict, str]:
    if failing:
        return (Verdict.XFAIL, _reasons(known)) if known else (Verdict.FAIL, "")
    if clause["status"] != "active":
        return Verdict(clause["status"]), clause.get("reason", "")
    if met == 0 and erred:
        return Verdict.ERROR, f"No judged case exercised it, and {counted(erred, 'case')} ended in an error."
    if met == 0:
        return Verdict.UNEXERCISED, "No case exercised it: use a larger budget or profile."
    # With a condition it is stale only if all clauses of its entry were asked for and none failed: the condition may be rare.
    if known and not any(one.when is not None and _entry(one) in current for one in known):
        return Verdict.STALE, f"It is listed as a deviation ({_reasons(known)}), but it passes: remove the entry."
    return Verdict.PASS, ""


def _of_part(verdict: Verdict, reason: str, known: Sequence[Deviation]) -> tuple[Verdict, str]:
    """The verdict of a run whose budget left out cases: these may exercise a clause, or show that it fails as it is known to."""
    if verdict is Verdict.STALE:
        return Verdict.PASS, f"It is listed as a deviation ({_reasons(known)}): none of the judged cases fails it."
    if verdict is Verdict.UNEXERCISED:
        return Verdict.DISABLED, "The budget left out the cases that exercise it."
    return verdict, reason


def _ended(deviation: Deviation) -> str:
    what = f"Its deviation ({deviation.reason}) was accepted until {deviation.until}, which is past"
    return f"{what}: remove the entry, or decide on a new end."


#: What the clauses of one entry share: the reason and the condition.
Entry = tuple[str, "str | None"]


def _entry(deviation: Deviation) -> Entry:
    return deviation.reason, deviation.when


def _reasons(known: Sequence[Deviation]) -> str:
    """The reasons, each once."""
    return " ".join(dict.fromkeys(one.reason for one in known))


def results_of(run: Run) -> tuple[ClauseResult, ...]:
    """The results in a finished run's footer, in the header's order, with the failures and examples from its cases."""
    stated: Mapping[str, Any] = run.footer["verdicts"]
    found = []
    for result in verdicts(run.header, run.cases, deviations=()):
        own = stated[result.clause]
        found.append(
            replace(
                result,
                verdict=Verdict(own["verdict"]),
                met=own["met"],
                subjects=own.get("subjects", result.subjects),
                seconds=own["seconds"],
                reason=own.get("reason", result.reason),
                link=own.get("link"),
            )
        )
    return tuple(found)


def failures_of(run: Run) -> tuple[Failure, ...]:
    """The failures of a finished run, of the clauses that its footer gives the verdict fail, the gravest first."""
    failed = {clause for clause, result in run.footer["verdicts"].items() if result["verdict"] == Verdict.FAIL.value}
    return failures(run.header, run.cases, of=failed)


def counts(results: Iterable[ClauseResult]) -> dict[str, int]:
    """How many clauses have each verdict, in Verdict's order, without the zeros."""
    found = [result.verdict for result in results]
    return {verdict.value: found.count(verdict) for verdict in Verdict if verdict in found}


def exit_code(results: Iterable[ClauseResult], errors: int) -> int:
    """The exit code of a run. ``errors`` counts the cases that ended in an error.

    1 for any fail or stale; else 2 for any error or unexercised clause, or an error in a case; else 0.
    """
    found = {result.verdict for result in results}
    if found & {Verdict.FAIL, Verdict.STALE}:
        return 1
    return 2 if errors or found & {Verdict.ERROR, Verdict.UNEXERCISED} else 0


def footer_of(results: Sequence[ClauseResult], cases: Iterable[Line], *, seconds: float) -> dict[str, Any]:
    """The footer line for these results and case lines. ``seconds`` is how long the run took by the wall clock."""
    lines = list(cases)
    return {
        "type": "footer",
        "cases": len(lines),
        "steps": sum(len(line["steps"]) for line in lines),
        "seconds": round(seconds, 3),
        "engine_seconds": round(sum(step["seconds"] for line in lines for step in line["steps"]), 3),
        "verdicts": {
            result.clause: {
                "verdict": result.verdict.value,
                "met": result.met,
                "subjects": result.subjects,
                "seconds": result.seconds,
                "reason": result.reason,
                "link": result.link,
            }
            for result in results
        },
        "counts": counts(results),
        "exit": exit_code(results, sum(1 for line in lines if line["error"] is not None)),
    }
