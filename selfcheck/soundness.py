"""``python -m selfcheck.soundness``: random cases on a healthy engine, and the false positives in a thousand cases.

A run judges the batches of the nightly profile, seed after seed, for the given time, and skips those in the history.
Exits with 0 if there was no false positive, with 1 if there was one, and with 2 if that says nothing: cases could not be
judged, or none was. Earlier runs of the same suite on the same engine count too; the cases of their false positives are
judged again, because what they violate may be a known fault by now.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator, Set
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from itertools import count
from pathlib import Path

from reports.text.replaying import command_with, python_here
from runner.command_line.commands import ended
from selfcheck.engine_pool import MODEL, ROOT, Host, hosted, workers
from selfcheck.false_positives import is_known, judged, version
from selfcheck.history import HistoryFile, Line, Subject, Totals, suite_digest
from selfcheck.options import ENGINE, OF, SEED, asked, number_of_processes
from selfcheck.random_cases import random_batches
from tombstone.commands import option
from tombstone.values import NUMBER, PATH, POSITIVE

DIRECTORY = Path("build/soundness")


def run(
    host: Host,
    history: HistoryFile,
    *,
    first: int,
    minutes: float | None,
    cases: int | None,
    number: int,
    campaigns: Collection[str] = (),
) -> Subject:
    """Judge until the time is up, or this many cases are judged. Started batches are judged to their end.

    ``campaigns`` are the names of those that draw; none: all.
    """
    ends = None if minutes is None else time.monotonic() + 60 * minutes
    with workers(host, number) as pool:
        subject = Subject(host.engine, pool.submit(version).result(), suite_digest(ROOT, host.engine))
        clauses = {found["case"]: found["clause"] for found in history.totals(subject).false_positives}
        for id, clause in clauses.items():
            case = _file(history.directory, clause, id)
            if case.exists() and pool.submit(is_known, case, clause).result():
                history.append({**asdict(subject), "settled": id})
        todo = _todo(first, history.judged(subject), campaigns)
        pending: set[Future[Line]] = set()
        done = 0
        while True:
            over = (ends is not None and time.monotonic() >= ends) or (cases is not None and done >= cases)
            while not over and len(pending) < 2 * number and (cases is None or _expected(pending, done) < cases):
                pending.add(pool.submit(judged, *next(todo)))
            if over:
                pending = {future for future in pending if not future.cancel()}
            if not pending:
                return subject
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in finished:
                line = {**asdict(subject), **future.result()}
                done += line["cases"]
                _write_replays(line, history.directory)
                history.append(line)
                _print(line)


def _expected(pending: set[Future[Line]], done: int) -> int:
    """The number of cases once all pending batches are judged: a batch has about twenty distinct cases."""
    return done + 20 * len(pending)


def _todo(first: int, judged: Set[tuple[int, str]], campaigns: Collection[str]) -> Iterator[tuple[int, str]]:
    """The batches of these campaigns (none: of all) that are not judged yet, seed after seed."""
    names = [batch.name for batch in random_batches() if not campaigns or batch.campaign.name in campaigns]
    for seed in count(first):
        yield from ((seed, name) for name in names if (seed, name) not in judged)


def _write_replays(line: Line, directory: Path) -> None:
    """Write the case of each false positive and error to a file, and add to the entry how to replay it."""
    for entry in (*line["alarms"], *line["errors"]):
        value = entry.pop("value")
        if value is None:
            continue
        path = _file(directory, entry.get("clause", "error"), entry["case"])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        command = command_with(python_here(), "--engine", line["engine"], case=path)
        entry["replay"] = command if line["engine"] != MODEL else str(path)  # pytest cannot judge the reference engine


def _file(directory: Path, name: str, case: str) -> Path:
    return directory / f"{name}-{case}.json"


def _print(line: Line) -> None:
    """Report false positives and errors at once."""
    for found in line["alarms"]:
        print(f"FALSE POSITIVE: {found['clause']}: {found['message']}\n  {found['replay']}", flush=True)
    for error in line["errors"]:
        print(f"NOT JUDGED: {error['message']}\n  {error.get('replay', line['batch'])}", flush=True)


def summary(subject: Subject, totals: Totals, before: Totals) -> str:
    """The totals, as text."""
    rate = f"{1000 * totals.failing_cases / totals.cases:.2f}" if totals.cases else "?"
    lines = [
        f"{subject.engine} {subject.version}, suite {subject.suite}: {totals.cases:,} cases, {totals.steps:,} steps."
    ]
    if totals.seconds:
        lines.append(f"{60 * totals.steps / totals.seconds:,.0f} steps a minute in each process.")
    lines.append(
        f"{totals.failing_cases} false positives, {rate} per thousand cases; {len(totals.errors)} cases not judged."
    )
    if before.cases:
        lines.append(
            f"Other states of the suite judged {before.cases:,} more, with {before.failing_cases} false positives."
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    options = asked(
        "selfcheck.soundness",
        __doc__,
        arguments,
        ENGINE,
        option("--minutes", "M", "judge for this long (default: 30)", NUMBER),
        option("--cases", "N", "judge this many cases, and finish started batches", POSITIVE),
        SEED,
        option("--history", "FILE", "of earlier runs", PATH, default=str(DIRECTORY / "history.jsonl")),
        OF,
        number_of_processes(),
    )
    minutes = 30.0 if options.minutes is None and options.cases is None else options.minutes
    history = HistoryFile(options.history)
    with hosted(options.engine) as host:
        subject = run(
            host,
            history,
            first=options.seed,
            minutes=minutes,
            cases=options.cases,
            number=options.n,
            campaigns=options.of,
        )
    totals = history.totals(subject)
    print(summary(subject, totals, history.totals_before(subject)))
    return totals.exit_code


if __name__ == "__main__":
    ended(main)
