"""The rehearsal against engines: what it says is what a right engine deletes of a copy, and not what a wrong one does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from deltalog.storage.listing import list_tree
from engines.port import Engine
from faults import FAULTS, KnownBadEngine
from model.vocabulary.steps import Mode, Vacuum
from reference_engine.engine import ReferenceEngine
from rehearsal.prediction import Prediction
from rehearsal.reading import read_table
from rehearsal.releases import release_of
from shapes.store import root_of
from tests.rehearsal.tables import AT, write_table


def rehearsed_and_gone(engine: Engine, vacuum: Vacuum, directory: Path) -> tuple[set[str], set[str]]:
    """What the rehearsal says of a table, and what the engine really deletes of a copy of it."""
    table = write_table(directory / "mine" / "table")
    read = read_table(root_of(str(table)), directory / "log")
    said = Prediction(read, release_of("4.4.0", objects=False), vacuum, AT).deleted
    copy = directory / "run" / "case" / "table"
    shutil.copytree(table, copy)
    before = list_tree(copy)
    outcome = engine.run(copy, vacuum, clock=AT, version=None)
    assert outcome.error is None
    return set(said), {path for path in before.keys() - list_tree(copy).keys() if not path.startswith("_delta_log/")}


@pytest.mark.parametrize("vacuum", [Vacuum(), Vacuum(mode=Mode.LITE), Vacuum(retain_hours=720)])
def test_a_right_engine_deletes_what_is_rehearsed(vacuum: Vacuum, tmp_path: Path) -> None:
    said, gone = rehearsed_and_gone(ReferenceEngine(), vacuum, tmp_path)
    assert said == gone and said


def test_a_wrong_engine_does_not(tmp_path: Path) -> None:
    engine = KnownBadEngine(ReferenceEngine(), FAULTS["vacuums-by-file-age"])
    said, gone = rehearsed_and_gone(engine, Vacuum(), tmp_path)
    assert gone - said == {"p=1/recent.parquet"}
