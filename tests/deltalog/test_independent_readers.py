"""Independent readers read the same rows as deltalog, after every DELETE and VACUUM of the reference engine and of Delta."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from engines.port import Engine, Outcome
from engines.spark.adapter import SparkEngine
from harness.campaigns.corpus import corpus_cases
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.case import Case
from model.vocabulary.rules import SPARK
from model.vocabulary.steps import Delete, Request, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Feature, Kind, Table, VectorStorage
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge, make
from tests.deltalog.independent_readers import READERS, differing, unsupported
from tests.slow import slow_after

#: Known faults of Delta on Spark.
LISTED = ("DEL-REM-1C", "VAC-SAFE-7C", "VAC-SAFE-8C", "VAC-INV-1C", "VAC-LIVE-6")


class Compared:
    """Compares all readers after each DELETE, and after each VACUUM that ran."""

    name = "compared"
    versions: Mapping[str, str] = {"delta": "4.4.0"}
    capabilities = EVERYTHING
    rules = SPARK

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.wrong: list[str] = []
        self.compared = 0

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        outcome = self.engine.run(root, step, clock=clock, version=version)
        vacuumed = isinstance(step, Vacuum) and not step.dry_run and outcome.error is None
        if isinstance(step, Delete) or vacuumed:
            self.compared += 1
            self.wrong += differing(root)
        return outcome

    def use_processors(self, number: int) -> None:
        self.engine.use_processors(number)

    def close(self) -> None:
        self.engine.close()


def kept(kind: type[Delete] | type[Vacuum]) -> list[Case]:
    """The smoke profile's cases with such a step, of tables whose files and checkpoints can be read."""
    unreadable = (Feature.UNREADABLE_FILES, Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED)
    return [
        case
        for case in corpus_cases("smoke")
        if any(isinstance(step, kind) for step in case.steps)
        if not (case.table.has(*unreadable) or any(file.damage for file in case.table.files))
    ]


def loses_nothing(case: Case) -> bool:
    """Whether Delta on Spark keeps what must be kept: no vector by an absolute path, no link to a directory."""
    deletion_vectors = [vector for commit in case.table.commits for vector in commit.deletion_vectors]
    links = [stray for stray in case.table.stray_files if stray.kind is Kind.LINK]
    return not links and all(vector.storage is not VectorStorage.ABSOLUTE for vector in deletion_vectors)


def compare(engine: Engine, cases: list[Case], directory: Path, *, least: int) -> None:
    compared = Compared(engine)
    judge = full_judge(compared, directory, LISTED)
    for case in cases:
        result = judge.judge(case)
        assert result.failure is None, result.failure
        assert not set(result.violated) - set(LISTED), f"{case}: {result.violated}"
        assert not compared.wrong, f"{case}: {compared.wrong}"
    assert compared.compared >= least


@pytest.mark.long
@pytest.mark.parametrize(("kind", "every"), [(Delete, 3), (Vacuum, 4), *slow_after(0, [(Delete, 1), (Vacuum, 1)])])
def test_other_readers_agree_after_a_command(kind: type[Delete] | type[Vacuum], every: int, tmp_path: Path) -> None:
    cases = kept(kind)[::every]
    compare(ReferenceEngine(), cases, tmp_path, least=3 * len(cases) // 4)  # some tables no other reader supports


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "every"), [(Delete, 12), (Vacuum, 12)])
def test_other_readers_agree_on_tables_of_delta(
    kind: type[Delete] | type[Vacuum], every: int, spark_engine: SparkEngine, tmp_path: Path
) -> None:
    """Few cases, since a VACUUM takes seconds."""
    cases = [case for case in kept(kind) if loses_nothing(case)][::every]
    compare(spark_engine, cases, tmp_path, least=4)


def test_what_a_reader_does_not_support_is_named() -> None:
    plain = Table((Column("v", Type.LONG), Column("p", Type.LONG)), ("p",), (), ())
    mapped = Table(plain.columns, ("p",), (), (), features=(Feature.COLUMN_MAPPING_NAME.value,))
    assert {name: unsupported(name, plain) for name in READERS} == dict.fromkeys(READERS)
    assert unsupported("deltalake", mapped) is None
    assert "column mapping" in str(unsupported("duckdb", mapped))
    assert "vacuumProtocolCheck" in str(unsupported("deltalake", plain, features=["vacuumProtocolCheck"]))
    assert "URI" in str(unsupported("duckdb", plain, ["part-0", "/tmp/t/part-1"]))


@pytest.mark.parametrize("name", READERS)
def test_a_reader_that_misses_a_row_is_reported(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(READERS, name, lambda root, view: Counter())
    table = Table((Column("v", Type.LONG),), (), (DataFile(0, (), ((1,),), -1),), (Commit(-1, adds=(0,)),))
    assert differing(make(table, tmp_path)) == [f"{name} misses [(1,)], and has [] more than deltalog"]
