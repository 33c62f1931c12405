"""Builders of small run streams: headers, case lines and runs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from model.vocabulary.case import Case
from reports.stream import SCHEMA_VERSION, CaseRecord, Footer, Header, Line, Run, RunWriter, sort_key
from reports.verdicts import footer_of, verdicts

Json = dict[str, Any]


class Collector(Protocol):
    def take(self, line: Line, /) -> None: ...


C = TypeVar("C", bound=Collector)

CLAUSES = ("DEL-ROW-1", "VAC-SAFE-1", "VAC-SAFE-2")

#: Steps as the JSON form of a case has them.
DELETE: Json = {"step": "delete"}
VACUUM: Json = {"step": "vacuum"}
READ: Json = {"step": "read"}


def header(version: str = "4.4.0", *, clauses: Iterable[str] = CLAUSES, **other: Any) -> Json:
    return {
        "type": "header",
        "schema": SCHEMA_VERSION,
        "engine": "spark",
        "versions": {"delta": version, "hypothesis": "6.170.15"},
        "profile": "gate",
        "seed": 4,
        "known_bad": None,
        "platform": "Linux",
        "machine": {"processors": "2", "time_zone": "UTC", "locale": "C", "file_system": "tmpfs"},
        "clauses": [
            {
                "id": name,
                "chapter": name.partition("-")[0],
                "sentence": f"The sentence of {name}.",
                "sources": ["S1"],
                "severity": "data loss",
                "status": "active",
                "reason": "",
            }
            for name in clauses
        ],
        "campaigns": [{"name": "strays", "planned": 2}],
        **other,
    }


def commit(operation: str, **other: Any) -> Json:
    return {"operation": operation, "keys": ["operation"], "values": {}, "parameters": {}, "metrics": {}, **other}


def error(condition: str | None, exception: str = "X", message: str = "m", sqlstate: str | None = None) -> Json:
    return {"exception": exception, "condition": condition, "sqlstate": sqlstate, "message": message}


def step(command: Json = VACUUM, index: int = 0, **observed: Any) -> Json:
    """The record of a step; its key ``command`` is the step itself, which ``case`` puts into the case."""
    failure = observed.pop("error", None)
    return {
        "command": command,
        "index": index,
        "text": json.dumps(command),
        "kind": command["step"],
        "seconds": 0.5,
        "outcome": {"rows": observed.pop("rows", None if failure else []), "error": failure},
        "observed": {"version": [1, 2], **observed},
    }


def case_document(number: int, commands: Iterable[Json]) -> Json:
    """A case of these steps on a table without files, whose column has the number in its name."""
    columns = [{"name": f"c{number}", "type": "integer"}]
    table = {"columns": columns, "partition_by": [], "files": [], "commits": [{"at": -1}]}
    return {"format": 1, "table": table, "steps": list(commands)}


def number_of(case: Case) -> int:
    """The number of a case that ``case_document`` made."""
    return int(case.table.columns[0].name.removeprefix("c"))


def case(
    number: int = 1, *steps: Json, failing: tuple[str, ...] = (), clauses: Iterable[str] = CLAUSES, **other: Any
) -> Json:
    """A case that judges ``clauses`` and fails ``failing``."""
    chosen = steps or (step(),)
    return {
        "type": "case",
        "id": f"{number:012x}",
        "campaign": "strays",
        "shard": 0,
        "index": number,
        "origin": "generated",
        "case": case_document(number, [one["command"] for one in chosen]),
        "steps": [{name: value for name, value in one.items() if name != "command"} for one in chosen],
        "clauses": {
            name: {"verdict": "fail" if name in failing else "pass", "met": 1, "subjects": 1, "seconds": 0.5}
            for name in clauses
        },
        "violations": [
            {
                "clause": name,
                "step": 0,
                "subject": None,
                "cause": "gone",
                "excused": None,
                "message": f"{name} is violated.",
                "evidence": ["A fact."],
                "expectation": None,
            }
            for name in failing
        ],
        "error": None,
        **other,
    }


def footer(first: Line, cases: Iterable[Line], *, seconds: float = 1.0) -> Json:
    lines = list(cases)
    return footer_of(verdicts(first, lines, deviations=()), lines, seconds=seconds)


def run_of_lines(first: Line, cases: Iterable[Line], last: Line) -> Run:
    """The run of these very lines. What they lack of the records, a reader of a stream must do without, too."""
    return Run(cast(Header, first), cast("Sequence[CaseRecord]", tuple(cases)), cast(Footer, last))


def run(*cases: Line, first: Line | None = None) -> Run:
    head = first or header()
    return run_of_lines(head, sorted(cases, key=sort_key), {**footer(head, cases), "digest": "0" * 64})


def written(lines: Iterable[Line]) -> bytes:
    """The stream of these lines, from the header to the footer."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "deep" / "run.jsonl"
        with RunWriter(path) as writer:
            for line in lines:
                {"header": writer.header, "case": writer.case, "footer": writer.footer}[line["type"]](line)
        return path.read_bytes()


def taken(collector: C, lines: Iterable[Line]) -> C:
    """What takes the lines of cases one after another, with these taken."""
    for line in lines:
        collector.take(line)
    return collector
