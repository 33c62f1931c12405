"""The machinery of a reproduction script: it builds the table, runs the steps, looks at the storage, asks the law.

``reports.reproduction`` copies this module's source into each script, behind the plan and the law. So it uses the
standard library only (what it takes from ``reports`` is copied along), and it reads as part of a script: the plan's form
is said in ``reports.reproduction``. What is imported from ``reports.spark`` here is, in a script, of its engine's part.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reports.building import build, put, write_commit
from reports.instants import instant, now
from reports.laws.actions import actions_of
from reports.laws.evidence import Action, CannotJudge, Evidence, Finding, IOFault
from reports.laws.words import named
from reports.looking import (
    checkpoint_removes,
    listing,
    live_in,
    read_file,
    read_log,
    schema_of,
    stored_names,
)
from reports.plurals import counted
from reports.spark.asking import command, step_of
from reports.spark.reading import read_feed, read_row_ids, read_table
from reports.spark.session import answer, first_instant, grow_older, start_engine, stop_engine, versions_of

#: What a change file holds behind the table's columns. A data file may hold it too: it means nothing there.
CHANGE_TYPE = {"name": "_change_type", "type": "string"}


def main(
    plan: dict[str, Any], contents: dict[str, str], law: Callable[..., Finding], io_fault: IOFault | None = None
) -> int:
    """0: the law holds. 1: it is violated. 2: it could not be checked."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files may not fit the terminal's encoding
    os.environ["TZ"] = "UTC"  # PySpark gives timestamps in the local zone
    time.tzset()
    home = tempfile.mkdtemp(prefix="tombstone-")
    root = os.path.join(os.path.realpath(home), "case", "table")
    engine = None
    try:
        engine = start_engine(plan, home)
        return check(plan, contents, law, engine, root, io_fault)
    except CannotJudge as reason:
        print(f"{plan['clause']} COULD NOT BE CHECKED: {reason}")
        return 2
    except Exception as error:
        traceback.print_exc()
        print(f"{plan['clause']} COULD NOT BE CHECKED: the script failed, see above.")
        raise SystemExit(2) from error
    finally:
        if engine is not None:
            stop_engine(engine)
        if "--keep" in sys.argv:
            print(f"The table is kept in {root}")
        else:
            shutil.rmtree(home)


def check(
    plan: dict[str, Any],
    contents: dict[str, str],
    law: Callable[..., Finding],
    engine: Any,
    root: str,
    io_fault: IOFault | None = None,
) -> int:
    versions = versions_of(engine)
    print(f"{plan['clause']}: {plan['sentence']}")
    print(f"Case {plan['case']} on {', '.join(versions)}")
    start = first_instant(engine)
    log = build(plan, contents, engine, root, start)
    seen = run(plan, contents, engine, root, start, log, io_fault)
    holds, finding = law(seen, **plan["law"]["params"])
    print(f"{plan['clause']} {'HOLDS' if holds else 'IS VIOLATED'} on {versions[0]}: {finding}")
    return 0 if holds else 1


def run(
    plan: dict[str, Any],
    contents: dict[str, str],
    engine: Any,
    root: str,
    start: int,
    log: dict[int, list[Action]],
    io_fault: IOFault | None = None,
) -> Evidence:
    """Run the steps up to the one that the law speaks of, and say what was seen around that one.

    ``log`` has the commits that the table was made with: what cleanup takes from the log, the laws still know.
    """
    version_before: dict[int, int] = {}
    wrote: dict[int, list[int]] = {}  # step → the versions that it wrote
    stamps: dict[int | None, int] = {}  # step → the latest deletionTimestamp that it wrote, if any
    steps = [op.get("step", place) for place, op in enumerate(plan["ops"])]
    last = max(place for place, step in enumerate(steps) if step == plan["at_step"])
    for place, (step, op) in enumerate(zip(steps, plan["ops"])):
        log = {**log, **read_log(root)}
        version = max(log)
        version_before.setdefault(step, version)
        if op["do"] == "append":
            put({"directories": [], **op}, contents, root, start)
            write_commit(root, version + 1, op["lines"], op.get("modified", 0), start)
            print(f"Step {step}: another writer adds {counted(len(op['files']), 'file')}")
        elif op["do"] == "litter":
            put(op, contents, root, start)
            count = len(op["files"]) + len(op.get("links", []))
            print(f"Step {step}: {counted(count, 'stray file')}, {len(op['directories'])} stray directories appear")
        else:
            moment = op.get("clock") or {"offset": 0, "removed_by_step": None}
            clock = stamps.get(moment["removed_by_step"], start) + moment["offset"]
            by = grow_older(engine, root, clock)
            start, clock = start - by, clock - by
            stamps = {one: stamp - by for one, stamp in stamps.items()}
            if by:
                log = {**log, **read_log(root)}
            seen = engine_step(op, version_before, wrote, engine, root, clock, log, io_fault)
            removes = [remove for commit in seen.commits for remove in actions_of(commit, "remove")]
            if removes:
                stamps[step] = max(remove.get("deletionTimestamp", start) for remove in removes)
            result = counted(len(seen.rows), "row") if seen.rows is not None else named(seen.error or {})
            print(f"Step {step}, the clock at {instant(clock - start)}: {seen.text}: {result}")
            if place == last:
                return seen
        wrote.setdefault(step, []).extend(one for one in sorted(read_log(root)) if one > version)
    raise CannotJudge(f"Step {plan['at_step']} is none that the engine runs.")


def engine_step(
    op: dict[str, Any],
    version_before: dict[int, int],
    wrote: dict[int, list[int]],
    engine: Any,
    root: str,
    clock: int,
    log: dict[int, list[Action]],
    io_fault: IOFault | None,
) -> Evidence:
    text, ask = question(op, version_before, wrote, engine, root)
    before = listing(root)
    with step_of(op, engine, root, clock, io_fault):
        started = now()
        rows, error = answer(ask)
        ended = now()
    after, then = {**log, **read_log(root)}, listing(root)
    new = sorted(after.keys() - log.keys())
    schema, partition_by = schema_of(log)
    return Evidence(
        text=text,
        root=root,
        before=before,
        after=then,
        live=live_in(log, root),
        live_after=live_in(after, root),
        live_at=lambda version: live_in(log, root, version),
        commits=[after[version] for version in new],
        schema=schema,
        partition_by=partition_by,
        rows=rows,
        error=error,
        started=started,
        ended=ended,
        read_file=lambda add: read_file(engine, root, add, schema),
        read_changes=lambda cdc: read_file(engine, root, cdc, [*schema, CHANGE_TYPE]),
        read_table=lambda: answer(lambda: read_table(engine, root, None)),
        read_feed=lambda: (
            (rows, error) if op["do"] == "changes" else answer(lambda: read_feed(engine, root, schema, new))
        ),
        read_row_ids=lambda before: answer(lambda: read_row_ids(engine, root, max(log) if before else None)),
        read_bytes=lambda path: Path(root, path).read_bytes(),
        stored_names=lambda add: stored_names(engine, root, add),
        read_removes=lambda: checkpoint_removes(engine, root, then.keys() - before.keys()),
    )


def question(
    op: dict[str, Any], version_before: dict[int, int], wrote: dict[int, list[int]], engine: Any, root: str
) -> tuple[str, Callable[[], Any]]:
    """What is asked of the engine, in words, and the asking."""
    if op["do"] == "read":
        if op.get("before_step") is None:
            return "reading the current version", lambda: read_table(engine, root, None)
        version = version_before[op["before_step"]]
        return f"reading version {version}", lambda: read_table(engine, root, version)
    if op["do"] == "changes":
        versions = wrote.get(op["of_step"], [])
        schema, _ = schema_of(read_log(root))
        text = f"reading the changes of {named_list('version', versions)}"
        return text, lambda: read_feed(engine, root, schema, versions)
    return command(op, engine, root)


def named_list(noun: str, numbers: list[int]) -> str:
    return f"{noun}s {', '.join(map(str, numbers))}" if numbers else f"no {noun}"
