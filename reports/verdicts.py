"""From judged cases to one verdict for each clause, to the footer, and to the exit code (design, "Verdicts")."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from reports.deviations import Deviation
from reports.plurals import counted
from reports.stream import Line, Run, sort_key


class Verdict(str, Enum):
    """What a run says of a clause."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"  # fails, and is listed in the deviations
    STALE = "stale"  # listed, exercised, and yet never fails
    UNSUPPORTED = "unsupported"  # the engine or its version lacks the feature
    DISABLED = "disabled"  # the user switched it off
    UNEXERCISED = "unexercised"  # nothing drawn met its condition: never a pass
    ERROR = "error"  # not exercised, and cases that could have met it could not be judged


@dataclass(frozen=True)
class ClauseResult:
    """The verdict on one clause, over a whole run.

    ``met`` counts the steps that met its condition, ``subjects`` the files, rows or fields that it looked at, and
    ``seconds`` the engine's seconds in those steps. ``failures`` counts the cases that fail it. ``example`` is the id
    of the case to show: the simplest that fails it.
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


def verdicts(header: Line, cases: Iterable[Line], *, deviations: Sequence[Deviation]) -> tuple[ClauseResult, ...]:
    """One result for each clause of the header, in the header's order.

    ``deviations`` are those in force (``deviations.in_force``). Any case can fail a clause. Cases made by shrinking
    do not count as exercise, though: how many there are depends on how long shrinking ran.
    """
    lines = list(cases)
    listed: dict[str, list[Deviation]] = {}
    for deviation in deviations:
        listed.setdefault(deviation.clause, []).append(deviation)
    erred = sum(1 for line in lines if line["error"] is not None)
    broken_ids = {id for line in lines for id, result in line["clauses"].items() if result["verdict"] != "pass"}
    alive = {_entry(one) for one in deviations if one.clause in broken_ids}
    results = []
    for clause in header["clauses"]:
        name = clause["id"]
        own = [(line, line["clauses"][name]) for line in lines if name in line["clauses"]]
        counted = [result for line, result in own if line["origin"] != "shrunk"]
        broken = [line for line, result in own if result["verdict"] != "pass"]
        failing = [line for line, result in own if result["verdict"] == "fail"] or broken
        met = sum(result["met"] for result in counted)
        example = simplest(failing)
        known = listed.get(name, [])
        unknown = any(result["verdict"] == "fail" for _, result in own) and all(one.when for one in known)
        verdict, reason = _judge(clause, bool(failing), met, erred, [] if unknown else known, alive)
        results.append(
            ClauseResult(
                clause=name,
                verdict=verdict,
                met=met,
                subjects=sum(result["subjects"] for result in counted),
                seconds=round(sum(result["seconds"] for result in counted), 3),
                reason=reason,
                link=known[0].link if known and verdict in (Verdict.XFAIL, Verdict.STALE) else None,
                failures=len(failing),
                example=None if example is None else example["id"],
            )
        )
    return tuple(results)


def _judge(
    clause: Line, failing: bool, met: int, erred: int, known: Sequence[Deviation], alive: Container[Entry]
) -> tuple[Verdict, str]:
    if failing:
        return (Verdict.XFAIL, _reasons(known)) if known else (Verdict.FAIL, "")
    if clause["status"] != "active":
        return Verdict(clause["status"]), clause.get("reason", "")
    if met == 0 and erred:
        return Verdict.ERROR, f"No judged case met its condition, and {counted(erred, 'case')} ended in an error."
    if met == 0:
        return Verdict.UNEXERCISED, "No case met its condition, so nothing is known: raise the budget or the profile."
    # One that is bound to a circumstance is stale where nothing of its entry was met: few clauses meet it in a small run.
    if known and not any(one.when is not None and _entry(one) in alive for one in known):
        return Verdict.STALE, f"It is listed as a deviation ({_reasons(known)}), yet it passes: remove the entry."
    return Verdict.PASS, ""


#: What makes the clauses of one entry belong together: the reason and the circumstance.
Entry = tuple[str, "str | None"]


def _entry(deviation: Deviation) -> Entry:
    return deviation.reason, deviation.when


def _reasons(known: Sequence[Deviation]) -> str:
    """Why the clause is known to fail, each reason once."""
    return " ".join(dict.fromkeys(one.reason for one in known))


def results_of(run: Run) -> tuple[ClauseResult, ...]:
    """The results that a finished run's footer states, in the header's order, with failures and examples looked up."""
    stated: Mapping[str, Any] = run.footer["verdicts"]
    return tuple(
        ClauseResult(
            clause=result.clause,
            verdict=Verdict(stated[result.clause]["verdict"]),
            met=stated[result.clause]["met"],
            subjects=stated[result.clause].get("subjects", result.subjects),
            seconds=stated[result.clause]["seconds"],
            reason=stated[result.clause].get("reason", result.reason),
            link=stated[result.clause].get("link"),
            failures=result.failures,
            example=result.example,
        )
        for result in verdicts(run.header, run.cases, deviations=())
    )


def simplest(cases: Iterable[Line]) -> Line | None:
    """The case to show a person first: a shrunk one if there is one, then the fewest steps, then the shortest text."""

    def key(case: Line) -> tuple[bool, int, int, tuple[str, int, int, str]]:
        return (case["origin"] != "shrunk", len(case["steps"]), len(json.dumps(case["case"])), sort_key(case))

    return min(cases, key=key, default=None)


def counterexample(clause: str, cases: Iterable[Line]) -> Line | None:
    """The simplest case that fails ``clause``, or ``None``. It is the one that the views name as the example."""
    return simplest(case for case in cases if case["clauses"].get(clause, {"verdict": "pass"})["verdict"] != "pass")


def counts(results: Iterable[ClauseResult]) -> dict[str, int]:
    """How many clauses have each verdict, in Verdict's order, without the zeros."""
    found = [result.verdict for result in results]
    return {verdict.value: found.count(verdict) for verdict in Verdict if verdict in found}


def exit_code(results: Iterable[ClauseResult], errors: int) -> int:
    """The exit code of a run (design, "Verdicts and exit codes"). ``errors`` counts the cases that ended in an error.

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
