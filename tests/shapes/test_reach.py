"""How far a way to go wrong reaches, by its case and by the entry of a known fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.judging.excusing.conditions import CONDITIONS, SUBJECTS
from known_faults.reach import ODD, reach_of
from model.vocabulary.case import Case
from model.vocabulary.steps import Crash, CrashPoint, Delete, IOFault, Step, Vacuum
from model.vocabulary.table import (
    Column,
    Commit,
    Damage,
    DataFile,
    Feature,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
)
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import Type
from records.known_fault import KnownFault, Symptom
from shapes.reach import ANY, Reach, Reached, by_case, by_shape, public_shapes
from shapes.told import has_feature, untold

TABLE = Table(
    columns=(Column("_id", Type.LONG), Column("Region", Type.STRING)),
    partition_by=("Region",),
    files=(DataFile(0, ("south-west 1",), ((1,),), modified=-1),),
    commits=(Commit(-1, adds=(0,)),),
)


def _with(step: Step | None = None, **changed: object) -> Case:
    return Case(replace(TABLE, **changed), (Delete(),) if step is None else (step,))  # type: ignore[arg-type]


def _with_file(**changed: object) -> Case:
    return _with(files=(replace(TABLE.files[0], **changed),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "reach"),
    [
        (_with(), Reach.EVERYDAY),
        (_with(Vacuum(retain_hours=0, safety_check=False)), Reach.EVERYDAY),
        (_with(features=(Feature.DELETION_VECTORS.value,)), Reach.FEATURE),
        (_with(columns=(replace(TABLE.columns[0], identity=True), TABLE.columns[1])), Reach.FEATURE),
        (_with_file(reference=Reference.OUTSIDE), Reach.FEATURE),
        (_with(root=TableRoot.HASH), Reach.RARE),
        (_with(features=(Feature.HALF_CHECKPOINT.value,)), Reach.RARE),
        (_with_file(partition=("50%",)), Reach.RARE),
        (_with_file(damage=Damage.TRUNCATED), Reach.RARE),
        (_with(columns=(Column("a.b", Type.LONG), TABLE.columns[1])), Reach.RARE),
        (_with(commits=(*TABLE.commits, Commit(0, removes=(Removal(0, None),)))), Reach.RARE),
        (_with(stray_files=(StrayFile("l", Kind.LINK, target="t"),)), Reach.RARE),
        (_with(Delete(crash=Crash(CrashPoint.COMMITTED))), Reach.RARE),
        (_with(Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="x")), Reach.RARE),
    ],
)
def test_a_case_is_placed_by_the_oddest_that_it_has(case: Case, reach: Reach) -> None:
    assert by_case(case).reach is reach


def test_the_share_is_of_the_public_shapes_that_have_all_of_it() -> None:
    vectors, mapping = Feature.DELETION_VECTORS.value, Feature.COLUMN_MAPPING_NAME.value
    alone, both = (by_case(_with(features=one)).shapes for one in ((vectors,), (vectors, mapping)))
    assert alone == sum("deletionVectors" in one.protocol.features for one in public_shapes())
    assert both is not None and alone is not None and 0 < both < alone
    assert by_case(_with()) == ANY, "what any table can meet is no share"


def test_what_needs_shapes_is_placed_by_those_without_features() -> None:
    assert by_shape(untold, is_odd=False) == ANY
    assert by_shape(untold, is_odd=True) == Reached(Reach.RARE)
    assert by_shape(has_feature("deletionVectors"), is_odd=False).reach is Reach.FEATURE
    assert by_shape(lambda shape: bool(shape.columns.partition), is_odd=False).reach is Reach.EVERYDAY
    assert by_shape(lambda shape: False, is_odd=False) == Reached(Reach.RARE, 0)


def test_the_words_have_a_share_where_shapes_tell() -> None:
    assert ANY.words == "everyday"
    assert Reached(Reach.RARE, 1).words == "rare, up to 1 % of public tables", "never less than what is there"


def test_a_known_fault_is_placed_by_what_all_its_entries_are_bound_to() -> None:
    def entry(when: str | None, of: str | None = None) -> KnownFault:
        return KnownFault("VAC-SAFE-1", "r", "https://example.org", Symptom(("lost",), of=of), when=when)

    vectors, odd = entry("deletion vectors"), entry("broken _last_checkpoint")
    assert reach_of([]) is None and reach_of([vectors, entry(None)]) is None
    found = [reach_of(one) for one in ([vectors], [odd], [vectors, odd], [entry(None, "file of a deletion vector")])]
    assert [one and one.reach for one in found] == [Reach.FEATURE, Reach.RARE, Reach.FEATURE, Reach.FEATURE]


def test_what_is_odd_is_something_to_which_an_entry_may_be_bound() -> None:
    assert {*CONDITIONS, *SUBJECTS} >= ODD
