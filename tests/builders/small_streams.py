"""Builders of small run streams: headers, case lines and runs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from model.vocabulary.case import Case
from records.json_form import from_json, to_json
from records.known_fault import KnownFault
from records.run import Footer, Header, RecordedCase
from reports.findings.failures import Failing, Failure, failures
from reports.findings.verdicts import CaseFold, footer_of, verdicts
from reports.stream.checks import sort_key
from reports.stream.lines import line_of
from reports.stream.reading import Run
from reports.stream.writing import RunWriter

Json = dict[str, Any]


class Collector(Protocol):
    def take(self, case: RecordedCase, /) -> None: ...


C = TypeVar("C", bound=Collector)
R = TypeVar("R", Header, RecordedCase, Footer)

CLAUSES = ("DEL-ROW-1", "VAC-SAFE-1", "VAC-SAFE-2")

#: Steps as the JSON form of a case has them.
DELETE: Json = {"step": "delete"}
VACUUM: Json = {"step": "vacuum"}
READ: Json = {"step": "read"}


def header(version: str = "4.4.0", *, clauses: Iterable[str] = CLAUSES, **other: Any) -> Header:
    """``other``: members of its JSON form."""
    document = {
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
    return from_json(document, Header)


def commit(operation: str, **other: Any) -> Json:
    return {"operation": operation, "keys": ["operation"], "values": {}, "parameters": {}, "metrics": {}, **other}


def error(condition: str | None, exception: str = "X", message: str = "m", sqlstate: str | None = None) -> Json:
    return {"exception": exception, "condition": condition, "sqlstate": sqlstate, "message": message}


def step(command: Json = VACUUM, index: int = 0, **observed: Any) -> Json:
    """The JSON form of a step's record; its key ``command`` is the step itself, which ``case`` puts into the case."""
    failure = observed.pop("error", None)
    instants = {name: observed.pop(name) for name in ("clock", "cutoff") if observed.get(name) is not None}
    observed.pop("cutoff", None)
    return {
        **instants,
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


def violation(clause: str, message: str = "", **other: Any) -> Json:
    """The JSON form of a violation."""
    return {
        "clause": clause,
        "step": 0,
        "subject": None,
        "cause": "gone",
        "excused": None,
        "message": message or f"{clause} is violated.",
        "evidence": ["A fact."],
        "expectation": None,
        **other,
    }


def case(
    number: int = 1,
    *steps: Json,
    failing: tuple[str, ...] = (),
    clauses: Iterable[str] = CLAUSES,
    violations: Sequence[Json] | None = None,
    **other: Any,
) -> RecordedCase:
    """A case that judges ``clauses`` and fails ``failing``, or has these violations. ``other``: members of its JSON form."""
    chosen = steps or (step(),)
    wrong = [violation(name) for name in failing] if violations is None else [*violations]
    words = dict.fromkeys(clauses, "holds") | dict.fromkeys([one["clause"] for one in wrong], "known fault")
    words |= dict.fromkeys([one["clause"] for one in wrong if one["excused"] is None], "fails")
    document = {
        "id": f"{number:012x}",
        "campaign": "strays",
        "batch": 0,
        "index": number,
        "origin": "generated",
        "case": case_document(number, [one["command"] for one in chosen]),
        "steps": [{name: value for name, value in one.items() if name != "command"} for one in chosen],
        "clauses": {name: {"verdict": word, "met": 1, "subjects": 1, "seconds": 0.5} for name, word in words.items()},
        "violations": wrong,
        "error": None,
        **other,
    }
    return from_json(document, RecordedCase)


def plain(record: Header | RecordedCase | Footer) -> Json:
    """Its JSON form, to be edited."""
    return cast(Json, json.loads(json.dumps(to_json(record))))


def changed(record: R, **members: Any) -> R:
    """The record with these members of its JSON form."""
    return from_json({**plain(record), **members}, type(record))


def footer(
    first: Header,
    cases: Iterable[RecordedCase],
    *,
    known_faults: Sequence[KnownFault] = (),
    seconds: float = 1.0,
    part: bool = False,
) -> Footer:
    judged = taken(CaseFold(), cases)
    return footer_of(verdicts(judged, first, known_faults=known_faults), judged, seconds=seconds, part=part)


def failures_in(first: Header, cases: Iterable[RecordedCase], of: Iterable[str] | None = None) -> tuple[Failure, ...]:
    """The failures in these cases. ``of``: only these clauses (None: all of the header)."""
    listed = list(cases)
    clauses = [clause.id for clause in first.clauses] if of is None else [*of]
    return failures(taken(Failing(), listed), first, listed.__getitem__, of=clauses)


def run(*cases: RecordedCase, first: Header | None = None) -> Run:
    head = first or header()
    return Run(head, sorted(cases, key=sort_key), replace(footer(head, cases), digest="0" * 64))


def written(records: Iterable[Header | RecordedCase | Footer]) -> bytes:
    """The stream of these records, from the header to the footer."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "deep" / "run.jsonl"
        with RunWriter(path) as writer:
            for record in records:
                if isinstance(record, Header):
                    writer.header(record)
                elif isinstance(record, RecordedCase):
                    writer.case(line_of(record))
                else:
                    writer.footer(record)
        return path.read_bytes()


def kept(directory: Path, *cases: RecordedCase, first: Header | None = None) -> Path:
    """The directory with the stream of a run of these cases."""
    directory.mkdir(parents=True, exist_ok=True)
    head = first or header()
    (directory / "run.jsonl").write_bytes(written([head, *cases, footer(head, cases)]))
    return directory


def taken(collector: C, cases: Iterable[RecordedCase]) -> C:
    """What takes cases one after another, with these taken."""
    for one in cases:
        collector.take(one)
    return collector
