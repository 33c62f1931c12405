"""``python -m selfcheck.power``: every known-bad engine against the fixed cases of a profile, and what notices it.

Ends with 0 where every fault that applies to the engine is caught and every clause that it promises is proven; with 1 where
one is not; with 2 where cases could not be judged, or the command cannot be done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from selfcheck.faults import FAULTS, Fault
from selfcheck.bench import ENGINES, bench, worker, workers
from selfcheck.deck import deck, rest
from selfcheck.detection import Examiner, chapters, inapplicable, size_of
from selfcheck.power_document import document
from runner.commands import Parser, ended, whole
from runner.controller import FIXED_SEED
from runner.options import UsageMistake
from harness.clause import CATALOGUE
from suites.profiles import PROFILES, Profile

#: Lines of a run: a header, one for each fault, and one for each clause that was proven by more cases than the first
#: that shows a fault.
Line = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What to do with each fault. It can be sent to a worker."""

    engine: str
    profile: str
    alone: bool
    tries: int

    @property
    def cases(self) -> Profile:
        return PROFILES[self.profile]


# ---- in a worker


def header(plan: Plan) -> Line:
    """What was proven on what."""
    here = worker()
    return {
        "type": "header",
        "engine": plan.engine,
        "versions": dict(here.engine.versions),
        "profile": plan.profile,
        "seed": FIXED_SEED,
        "alone": plan.alone,
        "unpromised": here.unpromised,
        "broken": sorted(here.broken),
        "clauses": {id: clause.sentence for id, clause in CATALOGUE.items()},
    }


def examined(name: str, plan: Plan) -> Line:
    """The line of one fault."""
    fault, here = FAULTS[name], worker()
    line: Line = {
        "type": "fault",
        "name": name,
        "sentence": fault.sentence,
        "chapter": CATALOGUE[fault.caught_by[0]].chapter,
        "caught_by": list(fault.caught_by),
    }
    reason = inapplicable(fault, here.engine, here.unpromised, here.broken)
    if reason:
        return {**line, "status": "not applicable", "reason": reason}
    among = chapters(fault)
    cases = deck(plan.cases, among, here.engine.capabilities)
    if plan.alone:
        cases = chain(cases, rest(plan.cases, among, here.engine.capabilities))
    found = Examiner(here, fault).search(cases, tries=plan.tries, alone=plan.alone)
    line |= {"status": "caught" if found.shown else "missed", "judged": found.judged, "failures": found.failures}
    line["ever"] = [id for id in CATALOGUE if id in found.ever]
    if found.shown is not None:
        steps, size = size_of(found.shown.smallest)
        line |= {
            "clauses": list(found.shown.clauses),
            "cases": found.shown.cases,
            "seconds": round(found.shown.seconds, 3),
            "steps": steps,
            "bytes": size,
        }
    return line


def proven(clause: str, names: Sequence[str], plan: Plan) -> Line | None:
    """The line of a clause that notices one of these faults; None if it never does."""
    for name in names:
        fault = FAULTS[name]
        among = deck(plan.cases, chapters(fault), worker().engine.capabilities)
        cases = Examiner(worker(), fault).proves(clause, among)
        if cases is not None:
            return {"type": "proof", "clause": clause, "fault": name, "cases": cases}
    return None


# ---- the command


def run(plan: Plan, faults: Sequence[Fault], number: int, lines: Path) -> list[Line]:
    """Examine the faults in ``number`` processes; write each line when it is there."""
    lines.parent.mkdir(parents=True, exist_ok=True)
    with bench(plan.engine) as where, workers(where, number) as pool, lines.open("w", encoding="utf-8") as stream:
        found: list[Line] = []

        def keep(line: Line) -> None:
            found.append(line)
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            stream.flush()

        first = pool.submit(header, plan).result()
        keep(first)
        for done in as_completed([pool.submit(examined, fault.name, plan) for fault in faults]):
            line = done.result()
            keep(line)
            print(_told(line), flush=True)
        if len(faults) == len(FAULTS):
            for proof in as_completed(_proofs(pool, plan, found)):
                proof_line = proof.result()
                if proof_line is not None:
                    keep(proof_line)
        return found


def _proofs(pool: ProcessPoolExecutor, plan: Plan, found: Iterable[Line]) -> list[Future[Line | None]]:
    """Ask for each clause that no first case has shown, whether it notices a fault that it must notice."""
    caught = [line for line in found if line["type"] == "fault" and line["status"] == "caught"]
    wanted = unproven(found)
    by_clause = {id: [line["name"] for line in caught if id in line["caught_by"]] for id in wanted}
    return [pool.submit(proven, id, names, plan) for id, names in by_clause.items() if names]


def unproven(lines: Iterable[Line]) -> list[str]:
    """The promised clauses that notice no fault, and that the engine itself does not break."""
    lines = list(lines)
    head = next(line for line in lines if line["type"] == "header")
    shown = {id for line in lines if line["type"] == "fault" for id in line.get("ever", ())}
    shown |= {line["clause"] for line in lines if line["type"] == "proof"}
    return [
        id for id in head["clauses"] if id not in shown and id not in head["unpromised"] and id not in head["broken"]
    ]


def _told(line: Line) -> str:
    if line["status"] == "caught":
        return f"{line['name']}: caught by {', '.join(line['clauses'])}, case {line['cases']}, {line['seconds']:.1f} s"
    if line["status"] == "missed":
        return f"{line['name']}: MISSED in {line['judged']} cases"
    return f"{line['name']}: not applicable, {line['reason']}"


def exit_code(lines: Sequence[Line], *, chosen: bool) -> int:
    """The command's exit code. With some ``chosen`` faults only, clauses are not asked about."""
    faults = [line for line in lines if line["type"] == "fault"]
    if any(line["status"] == "missed" for line in faults) or (not chosen and unproven(lines)):
        return 1
    return 2 if any(line.get("failures") for line in faults) else 0


def read_lines(path: Path) -> list[Line]:
    """The lines of one run. Raises UsageMistake where it holds none."""
    lines: list[Line] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if not lines or lines[0]["type"] != "header":
        raise UsageMistake(f"{path} holds no run: remove it.")
    return lines


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m selfcheck.power", description=__doc__)
    parser.add_argument("--engine", default="model", metavar="NAME", help=f"{', '.join(ENGINES)} (default: model)")
    parser.add_argument("--profile", default="gate", metavar="NAME", help="a fixed profile (default: gate)")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="this one only, repeatable")
    parser.add_argument(
        "--alone", action="store_true", help="judge on until a second clause notices, to see what one alone notices"
    )
    parser.add_argument("--tries", type=whole, metavar="N", help="cases to make one smaller (default: the profile's)")
    parser.add_argument("--lines", type=Path, default=Path("build/power"), metavar="DIR", help="default: build/power")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: docs/power.md, unless faults are named")
    parser.add_argument(
        "--render", action="store_true", help="judge nothing: make the document of the lines in --lines"
    )
    parser.add_argument("-n", type=whole, default=2, metavar="N", help="processes (default: 2)")
    chosen = parser.parse_args(arguments)
    profile = PROFILES.get(chosen.profile)
    if profile is None or not profile.fixed:
        fixed = ", ".join(name for name, one in PROFILES.items() if one.fixed)
        raise UsageMistake(f"--profile {chosen.profile} draws no fixed cases: use one of {fixed}.")
    unknown = [name for name in chosen.fault if name not in FAULTS]
    if unknown:
        raise UsageMistake(f"--fault {unknown[0]} is not known: `pytest suites --known-bad list` names those that are.")
    code = 0
    if not chosen.render:
        plan = Plan(chosen.engine, chosen.profile, chosen.alone, chosen.tries or profile.tries)
        faults = [FAULTS[name] for name in chosen.fault] or list(FAULTS.values())
        part = "-chosen" if chosen.fault else ""
        lines = run(plan, faults, chosen.n, chosen.lines / f"{chosen.engine}{part}.jsonl")
        code = exit_code(lines, chosen=bool(chosen.fault))
        if not chosen.fault and unproven(lines):
            print(f"Unproven: {', '.join(unproven(lines))}")
    if not chosen.fault:
        runs = [read_lines(path) for path in sorted(chosen.lines.glob("*.jsonl")) if not path.stem.endswith("-chosen")]
        out = chosen.out or Path("docs/power.md")
        if not runs:
            raise UsageMistake(f"--lines {chosen.lines} holds no run: run without --render first.")
        out.write_text(document(runs), encoding="utf-8")
        print(f"Written: {out}")
    return code


if __name__ == "__main__":
    ended(main)
