"""The command: judges the cases in worker processes, and compares the result with the list."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

from engines.port import Engine
from harness.campaigns.corpus import corpus_cases
from harness.judging.clause import Clause
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from model.codec import case_id
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reports.document import Document, Text
from reports.document import table as table_of
from reports.document.markdown import markdown
from selfcheck.case_order import relevant_cases
from selfcheck.engine_pool import hosted, worker, workers
from selfcheck.options import ENGINE, asked, number_of_processes, shard
from selfcheck.tampering.tampered_run import FAILED, Result, TamperedRun
from selfcheck.tampering.unpromised import LISTED, Unpromised, unpromised
from strategies.restriction.capabilities import knows_types, restricted_to
from suites.campaigns import chapters_of
from suites.profiles import PROFILES
from tombstone.commands import option
from tombstone.parts import WHOLE, Part
from tombstone.values import PATH, POSITIVE


@dataclass
class Tried:
    """One way: in how many cases it was tried, in how many of these it was noticed, and by which clauses."""

    tried: int = 0
    noticed: int = 0
    clauses: Counter[str] = field(default_factory=Counter)

    @property
    def is_noticed(self) -> bool:
        """In most cases."""
        return 2 * self.noticed > self.tried

    def add(self, other: Tried) -> None:
        self.tried += other.tried
        self.noticed += other.noticed
        self.clauses += other.clauses


@dataclass(frozen=True)
class TamperingPlan:
    """Can be pickled."""

    profile: str | None  # None: cases of its own
    pattern: str  # of the ways' names
    cases_per_way: int  # 0: all
    parts: int  # of the cases: one for each process
    shard: Part = WHOLE  # of the ways

    def selects(self, way: str) -> bool:
        return self.shard.has(way) and fnmatchcase(way, self.pattern)


# ---- in a worker process


def _cases(profile: str | None, capabilities: Capabilities) -> Iterator[Case]:
    """The cases of a profile; without one, those for which it was found out what nobody promises."""
    if profile is not None:
        return relevant_cases(PROFILES[profile], ("DEL", "VAC"), capabilities)
    kept = (
        case for case in corpus_cases("cases", Path(__file__).parent) if knows_types(case, capabilities=capabilities)
    )
    found = (restricted_to(case, capabilities=capabilities) for case in kept)
    return (case for case in found if not chapters_of(case).isdisjoint(("DEL", "VAC")))


def examined(plan: TamperingPlan, part: int) -> dict[str, Tried]:
    """Every way in this part of the profile's cases."""
    here = worker()
    # In the order of their ids, which mixes the campaigns: the cases in which a way is tried are a fair sample.
    cases = sorted(_cases(plan.profile, here.engine.capabilities), key=case_id)
    here.directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=here.directory) as scratch:
        mine = islice(cases, part, None, plan.parts)
        return tampered_with(here.engine, here.clauses, Excuses(here.known), Path(scratch), mine, plan)


def tampered_with(
    engine: Engine,
    clauses: Sequence[Clause[Any]],
    excuses: Excuses,
    directory: Path,
    cases: Iterable[Case],
    plan: TamperingPlan,
) -> dict[str, Tried]:
    """Every way in these cases: in at most ``cases_per_way`` of them, and in each of them until it is noticed.

    Ways that the plan leaves out are named, tried in no case.
    """
    found: dict[str, Tried] = {}
    for number, case in enumerate(cases):
        seen: dict[str, set[str]] = {}  # in this case: the clauses by way

        def wanted(way: str, seen: Mapping[str, set[str]] = seen) -> bool:
            before = found.setdefault(way, Tried()).tried
            enough = plan.cases_per_way and before >= plan.cases_per_way
            return plan.selects(way) and not enough and not seen.get(way)

        def add(result: Result, seen: dict[str, set[str]] = seen) -> None:
            seen.setdefault(result.way, set()).update(result.clauses)

        root = directory / f"case-{number}" / case.table.root.value
        run = TamperedRun(Side(engine, tuple(clauses), excuses), case.table, root, wanted=wanted, found=add)
        for step in case.steps:
            if run.take(step):
                break
        if run.failure is not None:
            raise RuntimeError(f"The case {case_id(case)} cannot be judged: {run.failure.message}\n{run.failure.log}")
        shutil.rmtree(root.parent, ignore_errors=True)
        for way, violated in seen.items():
            found.setdefault(way, Tried()).add(Tried(1, int(bool(violated)), Counter(violated)))
    return found


# ---- the command


def run(plan: TamperingPlan, engine: str) -> dict[str, Tried]:
    """Every way in the profile's cases, in ``plan.parts`` processes; by name."""
    found: dict[str, Tried] = {}
    with hosted(engine) as host, workers(host, plan.parts) as pool:
        for part in [pool.submit(examined, plan, part) for part in range(plan.parts)]:
            for way, tried in part.result().items():
                found.setdefault(way, Tried()).add(tried)
    return dict(sorted(found.items()))


def problems(found: Mapping[str, Tried], listed: Sequence[Unpromised], *, whole: bool) -> list[str]:
    """What contradicts the list. A pattern that no way matches does so only if the ``whole`` profile was judged."""
    wrong = []
    for way, tried in found.items():
        if not tried.tried:
            continue
        if tried.clauses[FAILED]:
            wrong.append(f"THE SUITE FAILS: {way} ({tried.clauses[FAILED]} of {tried.tried} cases)")
        entry = next((entry for entry in listed if entry.covers(way)), None)
        if entry is None and not tried.is_noticed:
            wrong.append(f"NOT NOTICED: {way} ({tried.noticed} of {tried.tried} cases)")
        if entry is not None and tried.is_noticed:
            wrong.append(f"LISTED, YET NOTICED: {way} ({tried.noticed} of {tried.tried} cases, {_clauses(tried)})")
    for entry in listed if whole else ():
        wrong += [f"LISTED, NEVER TRIED: {pattern}" for pattern in entry.ways if not any(map(_match(pattern), found))]
    return wrong


def table(found: Mapping[str, Tried], listed: Sequence[Unpromised], title: str) -> str:
    """The ways that were tried, in Markdown."""
    found = {way: tried for way, tried in found.items() if tried.tried}
    noticed = sum(tried.is_noticed for tried in found.values())
    rows = []
    for way, tried in found.items():
        entry = next((entry for entry in listed if entry.covers(way)), None)
        by = _clauses(tried) if tried.is_noticed or entry is None else f"not promised: {entry.reason}"
        rows.append((way, tried.tried, tried.noticed, by))
    told = Text(f"{len(found)} ways: {noticed} are noticed, {len(found) - noticed} are not.")
    return markdown(Document(title, (told, table_of(("way", "cases", "noticed", "by"), rows))))


def _match(pattern: str) -> Callable[[str], bool]:
    return lambda way: fnmatchcase(way, pattern)


def _clauses(tried: Tried) -> str:
    return ", ".join(clause for clause, _ in tried.clauses.most_common(3))


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.tampering",
        __doc__,
        arguments,
        ENGINE,
        option("--profile", "NAME", "the cases of a fixed profile (default: cases of its own)"),
        option("--way", "PATTERN", "only ways whose names match: 'DELETE: commit*'", default="*"),
        shard("try the K-th of N parts of the ways, chosen by their names"),
        option("--cases-per-way", "N", "try each way in so many cases (default: 12)", POSITIVE, default="12"),
        option("--every-case", "", "try each way in every case"),
        number_of_processes(),
        option("--out", "FILE", "default: build/tampering.md", PATH, default="build/tampering.md"),
    )
    fixed_profiles = [name for name, profile in PROFILES.items() if profile.fixed]
    if options.profile is not None and options.profile not in fixed_profiles:
        raise UsageMistake(f"--profile {options.profile} draws no fixed cases: use one of {', '.join(fixed_profiles)}.")
    limit = 0 if options.every_case else -(-options.cases_per_way // options.n)
    plan = TamperingPlan(options.profile, options.way, limit, options.n, options.shard)
    found = run(plan, options.engine)
    number = sum(tried.tried > 0 for tried in found.values())
    if not number:
        raise UsageMistake(f"--way {options.way} matches no way of this part: run without it to see all.")
    listed = unpromised(LISTED, options.engine)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    title = f"Tampering with {options.engine}, {'cases of its own' if options.profile is None else options.profile}"
    options.out.write_text(table(found, listed, title), encoding="utf-8")
    wrong = problems(found, listed, whole=options.way == "*")
    print(*wrong, sep="\n")
    print(f"{number} ways, {len(wrong)} problems. The table is in {options.out}.")
    return 1 if wrong else 0
