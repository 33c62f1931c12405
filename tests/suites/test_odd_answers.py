"""Odd answers of an engine: each is broken, or tolerated where PROTOCOL.md allows it; none stops the suite."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from deltalog.storage.lines import json_lines
from deltalog.storage.names import LOG_DIRECTORY
from engines.port import Outcome
from engines.wrapped import WrappedEngine
from faults import Fault, KnownBadEngine
from faults.answers import odd_answers
from faults.machinery import actions, documents, files
from faults.machinery.fault import Tamper, delete_fault
from faults.machinery.members import Edit, put, within
from faults.machinery.tampering import Tampering
from model.vocabulary.case import Case
from model.vocabulary.commands import Optimize
from model.vocabulary.predicate import IsNull
from model.vocabulary.steps import Delete, OtherCommand, Read, Request, Vacuum
from model.vocabulary.table import HOUR, WEEK, Column, Commit, DataFile, Feature, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge
from tests.handmade.steps import AGED, IN_A, PARTITIONED, TamperingEngine, right

VECTORS = replace(PARTITIONED, features=(Feature.DELETION_VECTORS,))
TRACKED = replace(PARTITIONED, features=(Feature.ROW_TRACKING, Feature.CHANGE_DATA_FEED))
CHECKPOINTED = replace(PARTITIONED, features=(Feature.FREQUENT_CHECKPOINTS,))

# The faults -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", odd_answers.TOLERATED, ids=lambda fault: fault.name)
def test_what_the_protocol_allows_is_tolerated(fault: Fault, tmp_path: Path) -> None:
    written: list[bytes] = []

    class Looking(WrappedEngine):
        """Notes the files of the last commit, and of deletion vectors."""

        def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
            outcome = super().run(root, step, clock=clock, version=version)
            commit = max((root / LOG_DIRECTORY).glob("[0-9]*.json"))
            written.append(b"".join(path.read_bytes() for path in (commit, *sorted(root.glob("*.bin")))))
            return outcome

    case = Case(VECTORS, (IN_A, Read(), Vacuum()))
    healthy = full_judge(Looking(ReferenceEngine()), tmp_path / "healthy").judge(case)
    plain, written = written[0], []
    odd = full_judge(Looking(KnownBadEngine(ReferenceEngine(), fault)), tmp_path / "odd").judge(case)
    assert len(written[0]) > len(plain), "it has something more"
    assert odd.failure is None and not odd.failed
    judged = {id for id in healthy.tallies if not id.startswith("DEL-CRC")}  # a changed commit has no checksum
    assert odd.tallies.keys() == judged
    assert fault.caught_by[0] in odd.tallies, "what would notice it was asked"


@pytest.mark.parametrize("spelled", [None, ""])
def test_a_null_partition_value_is_null_or_the_empty_string(spelled: str | None, tmp_path: Path) -> None:
    """PROTOCOL.md, "Partition Value Serialization": a remove may have the one where the add has the other."""
    columns = (Column("p", Type.STRING), Column("v", Type.INTEGER))
    file = DataFile(0, (None,), ((1,),), modified=-WEEK, empty_nulls=spelled is None)
    case = Case(Table(columns, ("p",), (file,), (Commit(-HOUR, adds=(0,)),)), (Delete(IsNull("p")),))
    tamper = actions.first(actions.removes, put(partitionValues={"p": spelled}))
    fault = delete_fault(
        "spells-null-otherwise", "DEL-REM-1B", tamper, "A remove spells NULL differently from the add."
    )
    judged = full_judge(KnownBadEngine(ReferenceEngine(), fault), tmp_path).judge(case)
    assert judged.failure is None and judged.tallies["DEL-REM-1B"].subjects == 1
    assert not [id for id in judged.failed if not id.startswith("DEL-CRC")]  # a changed commit has no checksum


# Anything, anywhere -----------------------------------------------------------------------------------------------------

#: Values of other types than a field has.
ODD: tuple[object, ...] = (
    None,
    "x",
    "",
    -1,
    10**30,
    1.5,
    True,
    [],
    ["a"],
    {},
    {"a": 1},
    "\ud800",
    "9" * 40,
    "[" * 3000,
)

CASES = {
    "DELETE": Case(PARTITIONED, (IN_A, Delete())),
    "DELETE with deletion vectors": Case(VECTORS, (IN_A, Delete())),
    "DELETE with row tracking": Case(TRACKED, (IN_A, Delete())),
    "DELETE with a checkpoint": Case(CHECKPOINTED, (IN_A, Delete())),
    "VACUUM": Case(AGED, (Vacuum(), Read())),
    "OPTIMIZE": Case(PARTITIONED, (OtherCommand(Optimize()), Read())),
}


def members(document: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all members of a JSON object; those of statistics, which are JSON in a text, too."""
    for name, member in document.items() if isinstance(document, dict) else ():
        yield (*before, name)
        inner = json.loads(member) if name == "stats" and isinstance(member, str) else member
        yield from members(inner, (*before, name))


def edits(path: str, actions: list[Any]) -> Iterator[tuple[str, Tamper]]:
    """Each member of each object in a file, with another value: which it is, and the change."""
    for number, action in enumerate(actions):
        for names in members(action):
            for value in ODD:
                edit = put(**{names[-1]: value})
                for name in reversed(names[:-1]):
                    edit = within(name, edit)
                tamper = documents.in_files(files.these(path), partial(edit_one, number, edit))
                yield f"{path}: {'.'.join(names)} is {value!r:.40}", tamper


def edit_one(number: int, edit: Edit, actions: list[Any]) -> None:
    edit(actions[number])


def odd(first: Tamper) -> TamperingEngine:
    """The reference engine with a change of what its first step wrote into the log."""
    return TamperingEngine(first, right, right)


@pytest.mark.parametrize("name", CASES)
def test_no_value_in_the_log_stops_the_suite(name: str, tmp_path: Path) -> None:
    """A sample of all values in all places: the suite judges each, whatever it is."""
    seen: dict[str, list[Any]] = {}

    def look(t: Tampering) -> None:
        for path in sorted(path for path in (t.root / LOG_DIRECTORY).iterdir() if path.suffix in ("", ".json", ".crc")):
            old = t.before / LOG_DIRECTORY / path.name
            if path.is_file() and not (old.exists() and old.read_bytes() == path.read_bytes()):
                seen[f"{LOG_DIRECTORY}/{path.name}"] = json_lines(path.read_bytes())

    assert full_judge(odd(look), tmp_path / "probe").judge(CASES[name]).failure is None
    ways = [way for path, actions in seen.items() for way in edits(path, actions)]
    assert len(ways) > 300
    broken = 0
    for number, (what, tamper) in enumerate(random.Random(11).sample(ways, 60)):
        judged = full_judge(odd(tamper), tmp_path / str(number)).judge(CASES[name])
        assert judged.failure is None, f"{what}: {judged.failure}"
        broken += bool(judged.failed)
    assert broken, "most of what a DELETE or a VACUUM commits is promised"
