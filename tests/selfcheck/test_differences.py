"""What would show in a case: changes of a condition, errors of a VACUUM, pairs of commands; the tables of docs/coverage.md."""

from __future__ import annotations

from dataclasses import replace

from model.semantics.condition_mutants import Mutation
from model.vocabulary.case import Case
from model.vocabulary.commands import Checkpoint
from model.vocabulary.pairs import FIRSTS, Pair, Second
from model.vocabulary.predicate import And, Compare, Op
from model.vocabulary.steps import Delete, Mode, OpenSession, OtherCommand, Vacuum
from model.vocabulary.table import DEFAULT_RETENTION, Column, Commit, DataFile, Removal, StrayFile, Table
from model.vocabulary.values import Type
from reference_engine import ReferenceEngine
from reports.document.markdown import text
from selfcheck.difference_tables import BEGIN, END, PAGE, Differences, differences, page, possible_pairs

COLUMNS = (Column("p", Type.INTEGER), Column("a", Type.INTEGER))
ROWS = tuple((value,) for value in (1, 2, 3))
TABLE = Table(
    columns=COLUMNS,
    partition_by=("p",),
    files=(DataFile(0, (1,), ROWS, modified=-1), DataFile(1, (2,), ROWS, modified=-1)),
    commits=(Commit(at=-1, adds=(0, 1)),),
)


def found(*steps: Delete | Vacuum | OpenSession | OtherCommand, table: Table = TABLE) -> Differences:
    return differences([Case(table, steps)], ReferenceEngine())


def test_a_bound_matters_where_a_row_is_at_it() -> None:
    at_it = found(Delete(Compare("a", Op.LE, 2, Type.INTEGER)))
    assert at_it.shown[Mutation.LE_AS_LT] == 1
    places = {place: count for (mutation, place), count in at_it.places.items() if mutation is Mutation.LE_AS_LT}
    assert places == {"rewritten, data": 1, "rewritten, data: other files": 0}
    beside = found(Delete(Compare("a", Op.LE, 7, Type.INTEGER)))
    assert beside.made[Mutation.LE_AS_LT] == 1 and not beside.shown[Mutation.LE_AS_LT]
    assert not beside.equivalent[Mutation.LE_AS_LT]


def test_a_change_of_data_shows_only_in_a_file_that_no_engine_skips() -> None:
    where = Compare("a", Op.LE, 2, Type.INTEGER)
    skipped = replace(TABLE, files=(replace(TABLE.files[0], rows=((1,),)), replace(TABLE.files[1], rows=((3,),))))
    assert found(Delete(where), table=skipped).shown[Mutation.LITERAL_ABOVE] == 0
    assert found(Delete(where)).shown[Mutation.LITERAL_ABOVE] == 1
    mixed = found(Delete(And(Compare("p", Op.EQ, 1, Type.INTEGER), where))).places
    assert mixed[Mutation.AND_LEFT, "rewritten, partition beside others"] == 1
    assert mixed[Mutation.AND_RIGHT, "rewritten, data beside others"] == 1


def test_each_operand_matters_where_it_alone_decides() -> None:
    where = And(Compare("p", Op.EQ, 1, Type.INTEGER), Compare("p", Op.GT, 0, Type.INTEGER))
    seen = found(Delete(where))
    assert seen.places[Mutation.AND_LEFT, "whole files, partition"] == 1  # p > 0 alone takes both
    assert seen.made[Mutation.AND_RIGHT] == 1 and not seen.shown[Mutation.AND_RIGHT]


def test_a_change_that_no_value_tells_is_said_so() -> None:
    seen = found(Delete(Compare("a", Op.EQ, 2, Type.INTEGER)))
    assert seen.made[Mutation.EQ_AS_NULL_SAFE] == seen.equivalent[Mutation.EQ_AS_NULL_SAFE] == 1


def test_a_time_matters_where_a_path_is_at_the_cutoff() -> None:
    edge = -DEFAULT_RETENTION
    table = replace(
        TABLE,
        files=(TABLE.files[0], replace(TABLE.files[1], modified=edge - 1)),
        commits=(*TABLE.commits, Commit(at=0, removes=(Removal(1, deleted=edge),))),
        stray_files=(StrayFile("old", modified=edge),),
    )
    seen = found(Vacuum(), table=table)
    assert seen.noticed["removes one ms later: FULL"] == seen.noticed["files modified one ms earlier: FULL"] == 1
    assert seen.errors["removes one ms earlier: FULL"] == 1 and not seen.noticed["removes one ms earlier: FULL"]
    assert seen.noticed["live files forgotten: FULL"] == 0, "they are young"
    assert found(Vacuum(dry_run=True), table=table).noticed["removes one ms later: DRY RUN"] == 1


def test_a_safety_check_matters_at_its_limit() -> None:
    assert found(Vacuum(retain_hours=0)).noticed == {"the safety check ignored: FULL": 1, "RETAIN ignored: FULL": 1}
    zero = replace(TABLE, retention_hours=0)
    assert found(Vacuum(retain_hours=0), table=zero).noticed["the safety check refuses what is equal: FULL"] == 1
    hour = replace(TABLE, retention_hours=1)
    assert found(Vacuum(retain_hours=0), table=hour).noticed["the safety check one hour lower: FULL"] == 1
    off = found(Vacuum(retain_hours=0, safety_check=False), table=hour)
    assert off.noticed["the safety check cannot be switched off: FULL"] == 1


def test_retentions_matter_in_parts_of_their_unit() -> None:
    edge = StrayFile("old", modified=-5_000_000)  # 83 minutes
    table = replace(TABLE, retention_hours=1.5, stray_files=(edge,))
    seen = found(Vacuum(), table=table).noticed
    assert seen["the table's retention in whole hours: FULL"] == 1
    half = found(Vacuum(retain_hours=0.5, safety_check=False), table=table).noticed
    assert half["RETAIN rounded down: FULL"] == 1 and half["RETAIN rounded up: FULL"] == 0
    less = found(Vacuum(retain_hours=0.4, safety_check=False), table=table).noticed
    assert less["RETAIN rounded down: FULL"] == 0 and less["RETAIN rounded up: FULL"] == 1
    assert found(Vacuum(retain_hours=-0.6), table=table).noticed["a negative RETAIN refused: FULL"] == 1


def test_pairs_of_the_same_session_and_of_an_earlier_one() -> None:
    none, checkpoint = Delete(Compare("a", Op.EQ, 9, Type.INTEGER)), OtherCommand(Checkpoint())
    seen = found(checkpoint, none, Delete(), Vacuum(mode=Mode.LITE)).pairs
    assert set(seen) == {
        Pair("checkpoint", Second.DELETE_NOTHING),
        Pair("checkpoint", Second.DELETE_ALL),  # the DELETE of nothing changed nothing
        Pair("checkpoint", Second.LITE),
        Pair("DELETE", Second.LITE),
    }
    earlier = replace(none, by_earlier=True)
    assert set(found(OpenSession(), checkpoint, earlier).pairs) == {
        Pair("checkpoint", Second.DELETE_NOTHING, earlier=True)
    }
    assert not found(checkpoint, OpenSession(), earlier).pairs, "the session has seen the checkpoint"


def test_the_page_has_each_change_and_what_does_not_show() -> None:
    table = PAGE.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]
    assert all(f"\n| {text(one.value)} | " in table for one in Mutation)
    assert len(possible_pairs()) == len(FIRSTS) * 13 - 16
    seen = found(Delete(Compare("a", Op.LE, 2, Type.INTEGER)), Vacuum())
    said = page(seen, Differences())
    assert f"| {text('<= as <')} | 1 | 1 | 1 of 2 |" in said
    assert "live files forgotten (FULL)" in said, "no file is old"
    assert f"the gate has 1 of {len(possible_pairs())} pairs on Delta, and 0 on deltalake." in said
    assert "by the first command: DELETE 12, VACUUM 13, " in said
