"""``python -m runner.together A B``: two versions in turn on the same tables, as before and after an upgrade.

Each case runs in both orders; after each step the other version reads the table. What a version does wrong by itself, on the
same case, does not count. A and B are versions of Delta, such as 3.3.2, or of another engine: deltalake==1.6.6.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engines.kind import Version
from engines.port import EngineUnavailable, version_of
from engines.provider import kind_of
from engines.versions import name_of
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import kept_cases
from harness.judging.excusing.excuses import Excuses
from harness.judging.side import Side
from harness.running.judge import severity_of
from harness.turns.turn_judge import News, TurnCase, TurnJudge
from known_faults.concerns import concerns
from known_faults.known import known, known_faults_in, known_faults_of
from model.codec import case_id, to_json
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.case import Case
from records.mistakes import UsageMistake
from reports.counterexamples.turn_plan import turn_plan
from reports.counterexamples.turn_script import turn_reproduction
from reports.document.printing import visible
from reports.render.together import CASES, PAGE, prepare, write_case, write_files, write_script
from reports.text.quantities import counted
from reports.together.answer import TurnReport, TurnWay, answer_of, directions, sentence
from runner.command_line.commands import INTERRUPTED, INTERRUPTED_CODE, Parser, ended, positive
from runner.gate_version import ROOT, available, python_of
from runner.processes.engine_host import WALL_CLOCK
from runner.processes.hosted_engine import HostedEngine
from runner.processes.workspace import Workspace
from runner.replay import read_case
from strategies.restriction.capabilities import fits
from suites.campaigns import CORPUS, REGRESSIONS
from suites.catalogue import CATALOGUE, promised

DIRECTORY = Path("build/together")


def side_of(version: Version, python: Path, workspace: Workspace, *, wall_clock: bool) -> Side:
    """The version, with its promises and its known faults, in a process."""
    engine = HostedEngine(python, version.engine, workspace, options=[WALL_CLOCK] * wall_clock)
    listed = known(known_faults_in(known_faults_of(version.engine)), version_of(engine))
    return Side(engine, promised(engine), Excuses(listed), short(version))


def short(version: Version) -> str:
    """``Delta 4.4.0``."""
    return version.title.partition(" on ")[0]


#: How many cases two versions on Spark run in turn: a step of Spark takes a second, one of delta-rs milliseconds.
ON_TWO_SPARKS = 30


def cases_for(
    capabilities: Capabilities, replayed: Sequence[Case], *, all_cases: bool = False, most: int | None = None
) -> list[Case]:
    """Those replayed; without any, the first ``most`` (None: all) of those that show most in turn, or all regression cases and
    smoke's: as far as both engines support them."""
    for case in replayed:
        # A kept case may have times near a cutoff: it is judged as it is.
        if not fits(case, capabilities=replace(capabilities, sets_clock=True)):
            raise UsageMistake(
                f"--replay: one of the versions does not support all of case {case_id(case)}: replay another."
            )
    if replayed:
        return list(replayed)
    campaigns = [REGRESSIONS, CORPUS.of(corpus_cases("smoke"))] if all_cases else [CORPUS.of(corpus_cases("together"))]
    found = [case for campaign in campaigns for case in kept_cases(campaign, capabilities)]
    distinct = list({case_id(case): case for case in found}.values())
    return distinct if all_cases else distinct[:most]


@dataclass
class TurnFindings:
    """The news of a run, by their kinds."""

    news: dict[tuple[Any, ...], list[News]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    cases: int = 0  # that were judged in both orders
    steps: int = 0
    interrupted: int | None = None  # of how many cases, if the user ended the run

    def add(self, judged: TurnCase) -> Iterator[News]:
        """Add a case in one order; yields what is new in a way that no case has shown yet."""
        self.steps += len(judged.taken)
        if judged.failure is not None:
            self.errors.append(f"{case_id(judged.case)} {judged.pattern}: {judged.failure.message}")
        for one in judged.news:
            if one.kind not in self.news:
                yield one
            self.news.setdefault(one.kind, []).append(one)

    @property
    def ways(self) -> Iterator[Sequence[News]]:
        """The news of each way, those of its smallest case first; the gravest way first, and what is new before what is known.

        One known fault is one way. So are the new violations that the smallest case of the gravest one shows.
        """
        kinds = sorted(map(_smallest_first, self.news.values()), key=_gravest_first)
        while kinds:
            lead, *others = kinds
            alike = [many for many in others if _is_one_way(lead[0], many)]
            kinds = [many for many in others if many not in alike]
            yield [*lead, *(one for many in alike for one in many)]


def _smallest_first(news: Sequence[News]) -> Sequence[News]:
    return sorted(news, key=lambda one: len(json.dumps(to_json(one.case))))


def _gravest_first(found: Sequence[News]) -> tuple[bool, int]:
    return found[0].violation.excused is not None, min(severity_of(one.violation).rank for one in found)


def _is_one_way(lead: News, others: Sequence[News]) -> bool:
    """Whether findings of another kind show the same fault as these."""
    if (lead.side, lead.violation.excused) != (others[0].side, others[0].violation.excused):
        return False
    if lead.violation.excused is not None:
        return True
    place = lead.case, lead.pattern, lead.violation.step
    return any((one.case, one.pattern, one.violation.step) == place for one in others)


def way_of(found: Sequence[News], sides: tuple[str, str], script: str, concerned: Mapping[str, str]) -> TurnWay:
    """The way that the news show, those of the smallest case first. ``concerned``: by known fault, whom it concerns."""
    smallest, *_ = found
    (other,) = set(sides) - {smallest.side}
    known = smallest.violation.excused
    return TurnWay(
        smallest.side,
        other,
        tuple(dict.fromkeys(one.violation.clause for one in found)),
        smallest.violation.cause,
        min((severity_of(one.violation) for one in found), key=lambda severity: severity.rank),
        smallest.violation.message,
        smallest.inherited,
        known,
        tuple(dict.fromkeys(case_id(one.case) for one in found)),
        smallest.pattern,
        smallest.violation.step,
        script,
        concerned.get(known or smallest.inherited or "", ""),
        all(one.also_alone for one in found),
    )


def script_of(found: Sequence[News], sides: Sequence[Side], versions: Sequence[Version]) -> str:
    """The script of a way: of the first of its violations in the smallest case that a script can check."""
    smallest = [one for one in found if (one.case, one.pattern) == (found[0].case, found[0].pattern)]
    names = (sides[0].name, sides[1].name)
    replay = f"tox -e together -- {' '.join(name_of(one.engine, one.version) for one in versions)} --replay "
    scripts = (
        turn_reproduction(
            turn_plan(one, names, CATALOGUE[one.violation.clause].sentence),
            [side.engine.dialect if isinstance(side.engine, HostedEngine) else None for side in sides],
            f"{replay}cases/{case_id(one.case)}.json",
        )
        for one in smallest
    )
    first = next(scripts)
    return first.text if first.decides else next((one.text for one in scripts if one.decides), first.text)


def _line(one: News) -> str:
    known = "known: " if one.violation.excused is not None else ""
    return f"{one.side}: {known}{one.violation.clause}: {one.violation.message} ({case_id(one.case)}, {one.pattern})"


def judge(judge: TurnJudge, cases: Sequence[Case], *, minutes: float | None, every: float = 30) -> TurnFindings:
    """Judge the cases, or as many as the time allows, or until the user interrupts it. Each new way is printed when it is found,
    and a line of progress every so many seconds at most."""
    found = TurnFindings()
    try:
        _judge_all(judge, cases, found, minutes=minutes, every=every)
    except KeyboardInterrupt:
        found.interrupted = len(cases)
    return found


def _judge_all(
    judge: TurnJudge, cases: Sequence[Case], found: TurnFindings, *, minutes: float | None, every: float
) -> None:
    begun = time.monotonic()
    shown = begun
    for number, case in enumerate(cases, start=1):
        now = time.monotonic()
        if minutes is not None and now - begun > 60 * minutes:
            break
        if now - shown >= every:
            shown = now
            print(
                f"{number - 1} of {len(cases)} cases, {counted(found.steps, 'step')}, {now - begun:.0f} s", flush=True
            )
        for judged in judge.judge(case):
            for one in found.add(judged):
                print(visible(_line(one)), flush=True)
        found.cases = number


@dataclass(frozen=True)
class Asked:
    """What is judged in turn, and for how long. ``prelude``: A first writes each table itself."""

    replayed: Sequence[Case] = ()
    all_cases: bool = False
    minutes: float | None = None
    prelude: bool = False


def judged_in_turn(a: Version, b: Version, *, out: Path, asked: Asked) -> TurnReport:
    """What both versions do wrong in turn on the same tables; its files are written into ``out``. If the user interrupts it, that
    is what was found until then. Raises EngineUnavailable."""
    begun = time.monotonic()
    pythons = [python_of(version) for version in (a, b)]
    with ExitStack() as opened:
        workspace = Workspace(None)
        opened.callback(workspace.close)
        wall_clock = not all(kind_of(one.engine).rules_of(one.version).own_clock for one in (a, b))
        sides = []
        for version, python in zip((a, b), pythons, strict=True):
            print(f"Starting {version.title}.", flush=True)
            side = side_of(version, python, workspace, wall_clock=wall_clock and version.engine == "spark")
            opened.callback(side.engine.close)
            sides.append(side)
        capabilities = sides[0].engine.capabilities.shared(sides[1].engine.capabilities)
        turns = TurnJudge(sides[0], sides[1], workspace.directory / "tables", prelude=asked.prelude)
        most = ON_TWO_SPARKS if a.engine == b.engine == "spark" else None
        cases = cases_for(capabilities, asked.replayed, all_cases=asked.all_cases, most=most)
        found = judge(turns, cases, minutes=asked.minutes)
    run = _reported(found, sides, (a, b), out, seconds=time.monotonic() - begun)
    write_files(run, out)
    return run


def reported_in_turn(a: Version, b: Version, *, out: Path) -> TurnReport:
    """The same of the chosen cases; where an environment or an engine is not to be had, a report that says why.

    Raises KeyboardInterrupt if the user interrupts it, when the files are written.
    """
    try:
        run = judged_in_turn(a, b, out=out, asked=Asked())
    except EngineUnavailable as error:
        run = TurnReport((short(a), short(b)), 0, 0, 0, (), (str(error),))
        write_files(run, out)
    if run.interrupted is not None:
        raise KeyboardInterrupt
    return run


def _reported(
    found: TurnFindings, sides: Sequence[Side], versions: tuple[Version, Version], out: Path, *, seconds: float
) -> TurnReport:
    """The report of the findings; the cases of its ways and their scripts are written into ``out``."""
    names = (sides[0].name, sides[1].name)
    concerned = {
        fault.reason: concerns(fault)
        for version in versions
        for fault in known_faults_in(known_faults_of(version.engine))
        if fault.reason is not None
    }
    ways = []
    for many in found.ways:
        case, id = many[0].case, case_id(many[0].case)
        write_case(case, id, out)
        script = write_script(script_of(many, sides, versions), id, out)
        ways.append(way_of(many, names, script, concerned))
    return TurnReport(names, found.cases, found.steps, seconds, tuple(ways), tuple(found.errors), found.interrupted)


def show(run: TurnReport, out: Path) -> int:
    """Print the answer and the ways; the exit code."""
    answer = answer_of(run)
    print(answer, *directions(run), sep="\n")
    for way in run.in_order:
        shown = f"{', '.join(way.clauses)}; {counted(len(way.cases), 'case')}; {way.cases[0]}"
        print(visible(f"- {way.side}: {sentence(way)} ({shown})"))
    print(f"report: {out / PAGE}")
    if run.interrupted is not None:
        print(INTERRUPTED, file=sys.stderr)
        return INTERRUPTED_CODE
    return answer.exit


def main(arguments: list[str]) -> int:
    parser = Parser(prog="tox -e together --", description=(__doc__ or "").partition("\n")[2], allow_abbrev=False)
    parser.add_argument(
        "a", metavar="A", help="a version of Delta, such as 3.3.2; or of another engine: deltalake==1.6.6"
    )
    parser.add_argument("b", metavar="B", help="another version")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where the report goes (default: build/together/A-B, or …/replay)"
    )
    parser.add_argument("--minutes", type=positive, metavar="M", help="judge for this long (default: all cases)")
    parser.add_argument(
        "--all-cases",
        action="store_true",
        help="all regression cases and smoke's (default: those that show most in turn)",
    )
    parser.add_argument("--prelude", action="store_true", help="A first writes each table itself")
    parser.add_argument(
        "--replay", type=Path, action="append", default=[], metavar="FILE", help="judge this case, repeatable"
    )
    asked = parser.parse_args(arguments)
    replayed = [read_case(path) for path in asked.replay]
    a, b = available(asked.a), available(asked.b)
    if (a.engine, a.version) == (b.engine, b.version):
        raise UsageMistake(f"{a.title} is named twice: name two versions.")
    out = ROOT / (asked.out or DIRECTORY / f"{asked.a}-{asked.b}" / ("replay" if replayed else ""))
    for path in asked.replay:
        if path.resolve().parent == (out / CASES).resolve():
            raise UsageMistake(
                f"--replay {path} is of the report in --out {out}, which is replaced: name another directory."
            )
    prepare(out, option="--out")
    how = Asked(replayed, asked.all_cases, asked.minutes, asked.prelude)
    return show(judged_in_turn(a, b, out=out, asked=how), out)


if __name__ == "__main__":
    ended(main)
