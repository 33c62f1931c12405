"""``python -m selfcheck.power``: every known-bad engine against the fixed cases of a profile, and the clauses that catch it.

Exits with 0 if every fault that applies to the engine is caught and every clause that the engine promises has caught one;
with 1 if not; with 2 if cases could not be judged, or the command cannot be executed. Writes a line for each fault to
``build/power/ENGINE.jsonl``, and tables of the lines of all engines to ``build/power.md``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

from deltalog.storage.lines import json_lines
from engines.kind import Given
from engines.object_store import Storage
from engines.port import version_of
from engines.provider import DEFAULT, kind_of, limits_in
from faults import FAULTS, Fault, KnownBadEngine
from harness.campaigns.campaign import Profile
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reference_engine import ReferenceEngine
from runner.command_line.bucket import bucket_of
from runner.command_line.commands import ended
from runner.run.bench import Place
from runner.run.controller import FIXED_SEED
from selfcheck.case_order import Ordered, other_cases, relevant_cases
from selfcheck.detection import Examiner, chapters, inapplicable, size_of
from selfcheck.engine_pool import MODEL, hosted, worker, workers
from selfcheck.options import ENGINE, asked, number_of_processes, shard
from selfcheck.power_tables import EngineRun, tables
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES
from tombstone.commands import option
from tombstone.parts import WHOLE
from tombstone.reading import Asked
from tombstone.values import NATURAL, PATH, POSITIVE, one_of

#: A line of a run: the header; a fault; or, as a "proof", a clause that catches a fault only in a later case than the first
#: that shows the fault.
Line = dict[str, Any]


@dataclass(frozen=True)
class PowerPlan:
    """How each fault is examined. Can be pickled."""

    engine: str
    profile: str
    alone: bool
    tries: int
    given: Given  # of the engine's options
    place: Place
    predicted: bool  # the cases that show a fault on the reference engine are judged first
    most: int | None  # cases, for each fault

    @property
    def cases(self) -> Profile:
        return PROFILES[self.profile]


# ---- in a worker process


def header(plan: PowerPlan) -> Line:
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


def examined(name: str, plan: PowerPlan) -> Line:
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
    about = plan.cases, chapters(fault), here.engine.capabilities
    drawn = chain(relevant_cases(*about), other_cases(*about) if plan.alone else ())
    cases = (
        Ordered(drawn, _shown_by_reference(fault, plan.engine)) if plan.predicted and plan.engine != MODEL else drawn
    )
    found = Examiner(here, fault).search(islice(cases, plan.most), tries=plan.tries, alone=plan.alone)
    line |= {"status": "caught" if found.first else "missed", "judged": found.judged, "failures": found.failures}
    line["ever"] = [id for id in CATALOGUE if id in found.ever]
    if found.first is not None:
        steps, size = size_of(found.first.smallest)
        line |= {
            "clauses": list(found.first.clauses),
            "cases": cases.place(found.first.case) if isinstance(cases, Ordered) else found.first.cases,
            "case": found.first.case,
            "seconds": round(found.first.seconds, 3),
            "steps": steps,
            "bytes": size,
        }
    return line


def _shown_by_reference(fault: Fault, engine: str) -> Callable[[Case], bool]:
    """Whether a case shows the fault on the reference engine, with the rules of this one on local files."""
    here = worker()
    rules = kind_of(engine).rules_of(version_of(here.engine))
    rules = replace(rules, own_clock=here.engine.rules.own_clock)
    judge = here.predictor(KnownBadEngine(ReferenceEngine(rules=rules, capabilities=here.engine.capabilities), fault))
    return lambda case: bool(judge.judge(case).failed)


def proven(clause: str, names: Sequence[str], plan: PowerPlan) -> Line | None:
    """The line of a clause that catches one of these faults; None if it catches none."""
    for name in names:
        fault = FAULTS[name]
        cases = relevant_cases(plan.cases, chapters(fault), worker().engine.capabilities)
        number = Examiner(worker(), fault).cases_until(clause, cases)
        if number is not None:
            return {"type": "proof", "clause": clause, "fault": name, "cases": number}
    return None


# ---- the command


def run(plan: PowerPlan, faults: Sequence[Fault], number: int, path: Path) -> list[Line]:
    """Examine the faults in ``number`` processes; append each line to the file as soon as it is known."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        hosted(plan.engine, given=plan.given, place=plan.place) as host,
        workers(host, number) as pool,
        path.open("w", encoding="utf-8") as stream,
    ):
        found: list[Line] = []

        def keep(line: Line) -> None:
            found.append(line)
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            stream.flush()

        keep(pool.submit(header, plan).result())
        for done in as_completed([pool.submit(examined, fault.name, plan) for fault in faults]):
            keep(done.result())
            print(_sentence(found[-1]), flush=True)
        if len(faults) == len(FAULTS):
            for proof in as_completed(_proofs(pool, plan, found)):
                line = proof.result()
                if line is not None:
                    keep(line)
        return found


def _proofs(pool: ProcessPoolExecutor, plan: PowerPlan, found: Sequence[Line]) -> list[Future[Line | None]]:
    """For each clause that is still unproven: whether it catches a fault that it should catch."""
    caught = [line for line in found if line.get("status") == "caught"]
    wanted = {id: [line["name"] for line in caught if id in line["caught_by"]] for id in EngineRun(found).unproven}
    return [pool.submit(proven, id, names, plan) for id, names in wanted.items() if names]


def _sentence(line: Line) -> str:
    if line["status"] == "caught":
        return f"{line['name']}: caught by {', '.join(line['clauses'])}, case {line['cases']}, {line['seconds']:.1f} s"
    if line["status"] == "missed":
        return f"{line['name']}: MISSED in {line['judged']} cases"
    return f"{line['name']}: not applicable, {line['reason']}"


def exit_code(lines: Iterable[Line], *, chosen: bool) -> int:
    """The command's exit code. With some ``chosen`` faults only, clauses may stay unproven."""
    found = EngineRun(lines)
    if found.of("missed") or (not chosen and found.unproven):
        return 1
    return 2 if any(line.get("failures") for line in found.faults.values()) else 0


def _given(options: Asked) -> Given:
    """The engine's options. Raises UsageMistake, EngineUnavailable."""
    given = {"spark_cluster": options.spark_cluster, "spark_remote": options.spark_remote}
    for key, value in given.items():
        if value is not None and options.engine != DEFAULT:
            raise UsageMistake(
                f"--{key.replace('_', '-')} needs --engine {DEFAULT}: leave it out, or name that engine."
            )
    return {key: value for key, value in given.items() if value is not None}


def _place(options: Asked, given: Given) -> Place:
    """What tables are on. Raises UsageMistake, EngineUnavailable."""
    storage, bucket = Storage(options.storage), bucket_of(options.table_root, None)
    if bucket is not None:
        if storage is not Storage.LOCAL:
            raise UsageMistake(
                f"--storage {storage.value} serves a local directory: leave it out, as --table-root names a bucket."
            )
        storage = Storage.BUCKET
    if options.engine == MODEL:
        if storage is not Storage.LOCAL:
            option = f"--storage {storage.value}" if bucket is None else f"--table-root {options.table_root}"
            raise UsageMistake(f"{option} is not for the reference engine: name another with --engine.")
    else:
        limits_in(options.engine, storage, given)
    return Place(storage, options.table_root, bucket)


def read_lines(path: Path) -> list[Line]:
    """The lines of one run. Raises UsageMistake if there is no header."""
    lines: list[Line] = json_lines(path.read_bytes())
    if not lines or lines[0]["type"] != "header":
        raise UsageMistake(f"{path} holds no run: remove it.")
    return lines


_STORAGES = [storage.value for storage in Storage if storage is not Storage.BUCKET]


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.power",
        __doc__,
        arguments,
        ENGINE,
        option("--profile", "NAME", "a fixed profile (default: gate)", default="gate"),
        option("--fault", "NAME", "only this fault; repeatable", repeatable=True),
        shard("only part K of the N parts of the faults, by their names: the N parts together try all"),
        option(
            "--alone",
            "",
            "continue until a second clause fails: shows which faults only one clause catches",
            default=False,
        ),
        option("--tries", "N", "cases to shrink one in (default: the profile's; 0: none is shrunk)", NATURAL),
        option("--predicted", "", "begin with the cases that show the fault on the reference engine"),
        option("--cases", "N", "judge at most N cases for each fault (default: all)", POSITIVE),
        option("--lines", "DIR", "default: build/power", PATH, default="build/power"),
        option("--out", "FILE", "default: build/power.md", PATH, default="build/power.md"),
        option("--render", "", "judge nothing: write the tables of the lines in --lines"),
        option(
            "--spark-cluster", "N", "Spark's tasks run on a standalone cluster of N workers (of the gate)", POSITIVE
        ),
        option("--spark-remote", "URI", "Spark is a server of Spark Connect (of the gate)"),
        option(
            "--table-root",
            "URI",
            "where tables are made: a new or empty directory, or s3://bucket/prefix (of the gate)",
        ),
        option(
            "--storage", "NAME", "what tables are on, as of the gate", one_of(*_STORAGES), default=Storage.LOCAL.value
        ),
        number_of_processes(),
    )
    profile = PROFILES.get(options.profile)
    if profile is None or not profile.fixed:
        fixed = ", ".join(name for name, profile in PROFILES.items() if profile.fixed)
        raise UsageMistake(f"--profile {options.profile} draws no fixed cases: use one of {fixed}.")
    unknown = [name for name in options.fault if name not in FAULTS]
    if unknown:
        raise UsageMistake(
            f"--fault {unknown[0]} is not known: `tox -e gate -- --known-bad list` names those that are."
        )
    code, chosen = 0, bool(options.fault) or options.shard != WHOLE
    if not options.render:
        tries = profile.tries if options.tries is None else options.tries
        given = _given(options)
        place = _place(options, given)
        plan = PowerPlan(
            options.engine, options.profile, options.alone, tries, given, place, options.predicted, options.cases
        )
        faults = [FAULTS[name] for name in options.fault or FAULTS if options.shard.has(name)]
        where = "".join(f"-{key.removeprefix('spark_')}" for key in given)
        where += "" if place.storage is Storage.LOCAL else f"-{place.storage.value}"
        where += "-chosen" if chosen else ""
        lines = run(plan, faults, options.n, options.lines / f"{options.engine}{where}.jsonl")
        code = exit_code(lines, chosen=chosen)
        if not chosen and EngineRun(lines).unproven:
            print(f"Unproven: {', '.join(EngineRun(lines).unproven)}")
    if not chosen:
        paths = [path for path in sorted(options.lines.glob("*.jsonl")) if not path.stem.endswith("-chosen")]
        if not paths:
            raise UsageMistake(f"--lines {options.lines} holds no run: run without --render first.")
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(tables(EngineRun(read_lines(path)) for path in paths), encoding="utf-8")
        print(f"Written: {options.out}")
    return code


if __name__ == "__main__":
    ended(main)
