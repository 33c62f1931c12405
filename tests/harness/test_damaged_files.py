"""Tables with a live file that nobody can read whole: how they are made, and what is accused of a DELETE from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltalog.storage.parquet import parquet_bytes, without_last_group
from engines.deltalake.adapter import DeltalakeEngine
from engines.port import Engine, Outcome
from engines.spark.adapter import SparkEngine
from engines.wrapped import WrappedEngine
from faults import FAULTS, KnownBadEngine
from harness.campaigns.shrinking import candidates
from harness.running.judge import Judge, JudgedCase
from harness.tables.plan import plan_table
from harness.tables.storage import write_table
from model.codec import InvalidCase, from_json, to_json
from model.vocabulary.case import Case
from model.vocabulary.predicate import IsNull, Or
from model.vocabulary.settings import Setting
from model.vocabulary.steps import Append, AtOnce, Delete, Request, Vacuum
from model.vocabulary.table import Damage, DataFile, Feature
from reference_engine import ReferenceEngine
from strategies.cases.corpus.telling_files import with_telling_files
from strategies.cases.damaged_files import damaged_deletes
from strategies.tables.initial_tables import live_files
from suites.catalogue import promised
from tests.handmade.damage import DAMAGED, LENIENT, case, damaged, equal
from tests.sampling import check_shares, sample
from tests.slow import slow_after

SAFE = {"DEL-SAFE-1", "DEL-SAFE-2", "DEL-SAFE-3"}


def judged(engine: Engine, one: Case, directory: Path) -> JudgedCase:
    found = Judge(engine, promised(engine), directory).judge(one)
    assert found.failure is None, found.failure
    return found


# On storage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group_rows", [1, 2, 4])
def test_all_row_groups_but_the_last_can_be_read(group_rows: int, tmp_path: Path) -> None:
    table = pa.table({"a": list(range(5)), "b": [str(number) for number in range(5)]})
    whole = parquet_bytes(table, group_rows=group_rows)
    spoilt = without_last_group(whole)
    assert len(spoilt) == len(whole)
    (tmp_path / "f").write_bytes(spoilt)
    file = pq.ParquetFile(tmp_path / "f")
    last = file.num_row_groups - 1
    read = pa.concat_tables([file.read_row_group(number) for number in range(last)])
    assert read.equals(table.slice(0, last * group_rows))
    for column in ("a", "b"):
        with pytest.raises(OSError, match=r"deserialize|EOF|zero"):
            file.read_row_group(last, columns=[column])


def test_a_file_of_one_row_group_has_no_last_of_several() -> None:
    with pytest.raises(ValueError, match="1 row group, and must have several"):
        without_last_group(parquet_bytes(pa.table({"a": [1]})))


@pytest.mark.parametrize("damage", Damage)
def test_actions_describe_the_file_as_if_it_were_whole(damage: Damage, tmp_path: Path) -> None:
    made = damaged(damage)
    whole = replace(made, files=tuple(replace(file, damage=None) for file in made.files))
    for name, table in (("damaged", made), ("whole", whole)):
        write_table(plan_table(table, tmp_path / name, start=10**12))
    log = "_delta_log/00000000000000000000.json"
    assert (tmp_path / "damaged" / log).read_bytes() == (tmp_path / "whole" / log).read_bytes()
    sizes = {
        path.name: (
            (tmp_path / "damaged" / path.name).stat().st_size if (tmp_path / "damaged" / path.name).exists() else 0
        )
        - path.stat().st_size
        for path in (tmp_path / "whole").glob("*.parquet")
    }
    smaller = [name for name, difference in sizes.items() if difference]
    assert len(smaller) == (damage is not Damage.LAST_GROUP)


# Cases ----------------------------------------------------------------------------------------------------------------


def test_a_damaged_row_group_needs_others() -> None:
    document = to_json(case(Damage.LAST_GROUP, equal("w", 1)))
    document["table"]["files"][0]["group_rows"] = 4
    with pytest.raises(InvalidCase, match=r"table.files\[0\].damage: needs several row groups"):
        from_json(document)


def test_no_other_writer_appends_a_damaged_file() -> None:
    file = DataFile(9, (), ((1, 1),), 0)
    whole = Case(damaged(Damage.MISSING), (Append((file,)),))
    assert from_json(to_json(whole)) == whole
    broken = replace(whole, steps=(Append((replace(file, damage=Damage.MISSING),)),))
    with pytest.raises(InvalidCase, match=r"steps\[0\].files\[0\].damage: is of the files"):
        from_json(to_json(broken))


def test_a_case_shrinks_to_one_without_a_damaged_file() -> None:
    first = case(Damage.LAST_GROUP, equal("w", 1))
    whole = replace(
        first, table=replace(first.table, files=tuple(replace(one, damage=None) for one in first.table.files))
    )
    assert whole in list(candidates(first))


def test_no_two_sessions_meet_a_damaged_file() -> None:
    made = Case(damaged(Damage.MISSING), (AtOnce(Delete(equal("w", 1)), Vacuum()),))
    with pytest.raises(InvalidCase, match="damaged file, with which no two sessions are tried"):
        from_json(to_json(made))


def test_no_file_is_made_to_tell_a_condition_apart_beside_a_damaged_one() -> None:
    made = damaged(Damage.MISSING)
    assert with_telling_files(made, equal("w", 1)) is made
    whole = replace(made, files=tuple(replace(one, damage=None) for one in made.files))
    assert with_telling_files(whole, equal("w", 1)) is not whole


@pytest.mark.slow
def test_what_is_drawn() -> None:
    def conditions(one: Case) -> dict[str, tuple[float, bool]]:
        (delete, *_) = one.steps
        assert isinstance(delete, Delete)
        file = next((file for file in live_files(one.table) if file.damage), None)
        assert len(one.table.damaged_files) == (file is not None)
        group = file is not None and file.damage is Damage.LAST_GROUP
        vectors = one.table.has(Feature.DELETION_VECTORS)
        ignores = Setting.IGNORE_CORRUPT_FILES in delete.settings
        return {
            **{damage.value: (5, file is not None and file.damage is damage) for damage in Damage},
            "a row group, corrupt files ignored, no vectors": (8, group and ignores and not vectors),
            "with vectors": (10, file is not None and vectors),
            "strict": (15, file is not None and not delete.settings),
            "another whole file": (20, file is not None and len(live_files(one.table)) > 1),
            "a VACUUM after it": (15, len(one.steps) > 1),
        }

    check_shares(sample(damaged_deletes()), conditions)


# Judged ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [(), LENIENT], ids=["strict", "lenient"])
@pytest.mark.parametrize("damage", [Damage.LAST_GROUP, Damage.TRUNCATED])
def test_vacuum_keeps_a_damaged_file(damage: Damage, settings: tuple[Setting, ...], tmp_path: Path) -> None:
    """Beside others' rows that match nothing, so that the DELETE leaves the table as it is."""
    bad = KnownBadEngine(ReferenceEngine(), FAULTS["vacuums-a-live-file"])
    for engine, violated in ((ReferenceEngine(), False), (bad, True)):
        found = judged(engine, case(damage, equal("w", 9), settings), tmp_path / str(violated))
        assert ("VAC-SAFE-1" in found.violated) == violated and not SAFE & set(found.violated)


class Rereading(WrappedEngine):
    """Reads the damaged file of a table from a copy, and rewrites it with all of its rows."""

    def __init__(self) -> None:
        super().__init__(ReferenceEngine())

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        whole = replace(MADE, files=tuple(replace(file, damage=None) for file in MADE.files))
        spoilt = {path: path.read_bytes() for path in root.glob("*.parquet")}
        write_table(plan_table(whole, root.with_name("copy"), start=10**12))
        for path in spoilt:
            path.write_bytes((root.with_name("copy") / path.name).read_bytes())
        outcome = self._engine.run(root, step, clock=clock, version=version)
        for path, content in spoilt.items():
            path.write_bytes(content)
        return outcome


MADE = damaged(Damage.LAST_GROUP)

UNREAD_LOST = "a damaged file is removed, and the rows of it that cannot be read are lost"


def test_who_knows_the_rows_may_rewrite_the_file(tmp_path: Path) -> None:
    """As one that reads on another replica. That the files have other times is DEL-PHYS-1's, which is not asked."""
    found = judged(Rereading(), Case(MADE, (Delete(equal("w", 1)),)), tmp_path)
    assert not found.violated and found.tallies["DEL-SAFE-1"].met == 1


def test_an_error_for_a_row_is_not_demanded_of_who_may_not_read_it(tmp_path: Path) -> None:
    either = Or(equal("w", 1), IsNull("v"))
    assert not judged(ReferenceEngine(), Case(MADE, (Delete(either, settings=LENIENT),)), tmp_path).violated


# Engines --------------------------------------------------------------------------------------------------------------


def test_delta_rs_refuses(tmp_path: Path) -> None:
    engine = DeltalakeEngine()
    try:
        for damage in Damage:
            found = judged(engine, Case(damaged(damage), (Delete(equal("w", 1)),)), tmp_path / damage.name)
            assert SAFE & found.tallies.keys() == {"DEL-SAFE-1", "DEL-SAFE-3"} and not SAFE & set(found.violated)
    finally:
        engine.close()


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("name", slow_after(2, sorted(DAMAGED, key=lambda name: "last row group, lenient" not in name)))
def test_delta_loses_the_rows_of_a_damaged_row_group_only_without_vectors(
    name: str, spark_engine: SparkEngine, tmp_path: Path
) -> None:
    found = judged(spark_engine, DAMAGED[name], tmp_path)
    loses = name == "last row group, lenient, rewrites"
    # With vectors it only looks for matching rows, and not where the statistics of a row group exclude them.
    succeeds = "lenient" in name or name == "last row group, strict, vectors"
    assert SAFE & set(found.violated) == ({"DEL-SAFE-1"} if loses else set())
    assert SAFE & found.tallies.keys() == {"DEL-SAFE-1", "DEL-SAFE-2" if succeeds else "DEL-SAFE-3"}
    assert {one.cause for one in found.tallies["DEL-SAFE-1"].violations} == ({UNREAD_LOST} if loses else set())
