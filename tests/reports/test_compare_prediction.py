"""The predictions for the comparison of two runs: each rule that a release changed changes what the reference engine does."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from engines.spark.releases import RULE_CHANGES, rules_of
from engines.spark.versions import JUDGED
from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.rules import RuleChange
from model.vocabulary.steps import ENGINE_STEPS, Delete, InvalidVacuum, Read, Vacuum, VacuumMistake
from model.vocabulary.table import WEEK, Column, Commit, DataFile, Feature, StrayFile, Table
from model.vocabulary.values import Type
from model.vocabulary.versions import parse
from reports.comparison.commands import command_of
from reports.comparison.differences import differences
from reports.comparison.facts import facts
from reports.comparison.prediction import prediction_of


def fields(older: str, newer: str) -> list[str]:
    return [change.field for change in prediction_of("spark", older, newer).changes]


def test_the_rules_that_differ_between_two_versions() -> None:
    assert fields("3.2.1", "3.3.2") == ["reserved_names", "utc_partition_values"]
    assert fields("3.0.0", "3.2.1") == ["checks_write_protocol", "reserved_names"]
    assert fields("3.0.0", "3.3.2") == ["checks_write_protocol", "utc_partition_values"], "names were hidden in between"
    since_4_1 = ["reads_struct_statistics", "blocks_expired_versions", "random_directories"]
    assert fields("4.0.0", "4.4.0") == ["row_versions_with_widening", "retain", "retain_error_class", *since_4_1]
    assert fields("3.3.3", "4.4.0")[-1] == "blocks_expired_versions", "3.3.3 has random directories, as 4.1 again"
    assert fields("4.1.0", "4.4.0") == [] and fields("2.4.0", "2.4.0") == []


def test_all_changes_up_to_a_release_give_its_rules() -> None:
    for version in JUDGED:
        prediction = prediction_of("spark", "2.4.0", version)
        rules = rules_of("2.4.0")
        for change in prediction.changes:
            rules = change.applied_to(rules)
        assert {name for name, value in vars(rules).items() if value != getattr(rules_of(version), name)} <= {"release"}


def table(*features: Feature, stray: str = "orphan") -> Table:
    """Two files with two rows each, and an old stray file."""
    return Table(
        columns=(Column("p", Type.STRING), Column("id", Type.INTEGER)),
        partition_by=("p",),
        files=tuple(DataFile(id, ("a",), ((10 * id,), (10 * id + 1,)), -4 * WEEK) for id in (0, 1)),
        commits=(Commit(-4 * WEEK, adds=(0, 1)),),
        stray_files=(StrayFile(stray, modified=-2 * WEEK),),
        features=tuple(feature.value for feature in features),
    )


WIDENED = replace(table(Feature.WIDENED), commits=(Commit(-4 * WEEK, adds=(0,)), Commit(-3 * WEEK, adds=(1,))))

ONE_ROW = Delete(Compare("id", Op.EQ, 0, Type.INTEGER))

#: By change: a case that shows it.
SHOWN = {
    ("3.0", "counts_vectors"): Case(table(), (ONE_ROW,)),
    ("3.0", "release"): Case(table(), (InvalidVacuum(VacuumMistake.PARTITION_DIRECTORY),)),
    ("3.1", "checks_write_protocol"): Case(table(Feature.UNKNOWN_WRITER), (Vacuum(dry_run=True),)),
    ("3.1", "reserved_names"): Case(table(stray="metadata/x"), (Vacuum(),)),
    ("3.3", "reserved_names"): Case(table(stray="metadata/x"), (Vacuum(),)),
    ("3.3", "utc_partition_values"): Case(
        Table(
            columns=(Column("p", Type.TIMESTAMP), Column("id", Type.INTEGER)),
            partition_by=("p",),
            files=(DataFile(0, (datetime(2020, 1, 31, tzinfo=timezone.utc),), ((0,), (1,)), -4 * WEEK),),
            commits=(Commit(-4 * WEEK, adds=(0,)),),
        ),
        (ONE_ROW,),
    ),
    ("4.0", "release"): Case(table(), (InvalidVacuum(VacuumMistake.TEMPORARY_VIEW),)),
    ("4.0", "row_versions_with_widening"): Case(WIDENED, (ONE_ROW,)),
    ("4.1", "row_versions_with_widening"): Case(WIDENED, (ONE_ROW,)),
    ("4.1", "retain"): Case(table(), (Vacuum(retain_hours=24 * 30),)),
    ("4.1", "retain_error_class"): Case(table(), (Vacuum(retain_hours=0),)),
    ("4.1", "reads_struct_statistics"): Case(
        replace(table(Feature.STRUCT_STATISTICS), commits=(Commit(-4 * WEEK, adds=(0, 1), checkpoint=True),)),
        (Delete(),),
    ),
    ("4.1", "blocks_expired_versions"): Case(table(), (ONE_ROW, Read(before_step=0))),
    **{
        (since, "random_directories"): Case(table(Feature.COLUMN_MAPPING_NAME), (ONE_ROW,))
        for since in ("3.3.3", "4.0", "4.1")
    },
}


@pytest.mark.parametrize("change", RULE_CHANGES, ids=lambda change: f"{change.since} {change.field}")
def test_each_change_changes_what_the_reference_engine_does(change: RuleChange) -> None:
    before = [one for one in JUDGED if parse(one) < parse(change.since)][-1]
    prediction = prediction_of("spark", before, f"{change.since}.9")
    assert change in prediction.changes
    case = SHOWN[change.since, change.field]
    last = case.steps[-1]
    assert isinstance(last, ENGINE_STEPS)
    command = command_of(last)
    one, other = (facts(prediction.steps(case, changes)[-1]) for changes in ((), (change,)))
    assert differences(command, one, other), "the comparison sees it"
    others = [facts(prediction.steps(case, (rule,))[-1]) for rule in prediction.changes if rule is not change]
    assert not any(differences(command, one, found) for found in others), "no other rule shows in this case"
