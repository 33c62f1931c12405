"""``python -m selfcheck.soundness``: random cases on a healthy engine, and how many false alarms there are in a thousand.

A run judges the shards of the nightly profile, seed after seed, for the time that it is given, and passes over those that
the ledger has. It ends with 0 where there was no alarm, with 1 where there was one, and with 2 where nothing is proven:
cases could not be judged, or none was. The earlier runs of the same suite on the same engine count too; but the cases that
raised an alarm in them are judged once more, for what breaks them may be a known deviation by now.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Set
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from itertools import count
from pathlib import Path

from engines.provider import ENGINES as JUDGED
from selfcheck.alarms import is_known, judged, version
from selfcheck.bench import ENGINES, ROOT, Bench, bench, workers
from selfcheck.ledger import Ledger, Line, Subject, Sums, suite_digest
from selfcheck.random_cases import random_shards
from runner.commands import Parser, ended, positive, whole

DIRECTORY = Path("build/soundness")


def run(where: Bench, ledger: Ledger, *, first: int, minutes: float | None, cases: int | None, number: int) -> Subject:
    """Judge until the time is over, or this many cases are judged. What is under way then is judged to its end."""
    ends = None if minutes is None else time.monotonic() + 60 * minutes
    with workers(where, number) as pool:
        subject = Subject(where.engine, pool.submit(version).result(), suite_digest(ROOT, where.engine))
        for alarm in {alarm["case"]: alarm for alarm in ledger.sums(subject).alarms}.values():
            case = _file(ledger.directory, alarm["clause"], alarm["case"])
            if case.exists() and pool.submit(is_known, case, alarm["clause"]).result():
                ledger.append({**asdict(subject), "settled": alarm["case"]})
        todo = _todo(first, ledger.judged(subject))
        under_way: set[Future[Line]] = set()
        done = 0
        while True:
            over = (ends is not None and time.monotonic() >= ends) or (cases is not None and done >= cases)
            while not over and len(under_way) < 2 * number and (cases is None or _expected(under_way, done) < cases):
                under_way.add(pool.submit(judged, *next(todo)))
            if over:
                under_way = {future for future in under_way if not future.cancel()}
            if not under_way:
                return subject
            finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                line = {**asdict(subject), **future.result()}
                done += line["cases"]
                _replays(line, subject.engine, ledger.directory)
                ledger.append(line)
                _tell(line)


def _expected(under_way: set[Future[Line]], done: int) -> int:
    """How many cases there will be when all is done that is under way: shards are of some twenty different cases."""
    return done + 20 * len(under_way)


def _todo(first: int, judged: Set[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Seed after seed, the shards that are not judged yet."""
    for seed in count(first):
        yield from ((seed, shard.name) for shard in random_shards() if (seed, shard.name) not in judged)


def _replays(line: Line, engine: str, directory: Path) -> None:
    """Put each alarm's case, and each that could not be judged, into a file that can be replayed."""
    for kind, entries in (("alarms", line["alarms"]), ("errors", line["errors"])):
        for entry in entries:
            value = entry.pop("value")
            if value is None:
                continue
            path = _file(directory, entry["clause"] if kind == "alarms" else "error", entry["case"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            # Our own engine is none that pytest judges on: its cases are there to be looked at.
            command = f"python -m pytest suites --engine {engine} --replay {path}"
            entry["replay"] = command if engine in JUDGED else str(path)


def _file(directory: Path, name: str, case: str) -> Path:
    """Where the case of an alarm is kept: by the clause and the case's id."""
    return directory / f"{name}-{case}.json"


def _tell(line: Line) -> None:
    """Say what is not as it should be, at once."""
    for alarm in line["alarms"]:
        print(f"ALARM: {alarm['clause']}: {alarm['message']}\n  {alarm['replay']}", flush=True)
    for error in line["errors"]:
        print(f"NOT JUDGED: {error['message']}\n  {error.get('replay', line['shard'])}", flush=True)


def told(subject: Subject, sums: Sums, before: Sums) -> str:
    """The sum, in sentences."""
    rate = f"{1000 * sums.alarming / sums.cases:.2f}" if sums.cases else "?"
    lines = [f"{subject.engine} {subject.version}, suite {subject.suite}: {sums.cases:,} cases, {sums.steps:,} steps."]
    if sums.seconds:
        lines.append(f"{60 * sums.steps / sums.seconds:,.0f} steps a minute in each process.")
    lines.append(f"{sums.alarming} false alarms, {rate} per thousand cases; {len(sums.errors)} cases not judged.")
    if before.cases:
        lines.append(f"Other states of the suite judged {before.cases:,} more, with {before.alarming} false alarms.")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    parser = Parser(prog="python -m selfcheck.soundness", description=__doc__)
    parser.add_argument("--engine", default="model", metavar="NAME", help=f"{', '.join(ENGINES)} (default: model)")
    parser.add_argument("--minutes", type=positive, metavar="M", help="judge for this long (default: 30)")
    parser.add_argument("--cases", type=whole, metavar="N", help="judge so many cases, shards to their end")
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="the first seed (default: 1)")
    parser.add_argument("--ledger", type=Path, default=DIRECTORY / "ledger.jsonl", metavar="FILE")
    parser.add_argument("-n", type=whole, default=2, metavar="N", help="processes (default: 2)")
    chosen = parser.parse_args(arguments)
    minutes = 30.0 if chosen.minutes is None and chosen.cases is None else chosen.minutes
    ledger = Ledger(chosen.ledger)
    with bench(chosen.engine) as where:
        subject = run(where, ledger, first=chosen.seed, minutes=minutes, cases=chosen.cases, number=chosen.n)
    sums = ledger.sums(subject)
    print(told(subject, sums, ledger.before(subject)))
    return sums.code


if __name__ == "__main__":
    ended(main)
