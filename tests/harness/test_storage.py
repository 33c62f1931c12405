"""Tables that are objects of a bucket: what is asked of an engine there, and by which rules it is judged."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from deltalog.entries.actions import Add
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.listing import list_beside, list_tree
from engines.deltalake.adapter import DeltalakeEngine
from engines.deltalake.tables import Tables
from engines.object_store import ObjectStore, Storage
from engines.port import Engine, EngineDied, EngineUnavailable
from engines.provider import kind_of, limits_in
from engines.spark.adapter import SparkEngine
from harness.observing.steps.expected_versions import ExpectedVersions
from harness.tables.case_clock import CaseClock
from harness.tables.plan import plan_table
from model.prediction.fates import Fate, Reason
from model.prediction.refusals import checks_writer
from model.prediction.scans import FullScan, LiteScan, ObjectScan
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, DELTA_RS_ON_S3, SPARK, SPARK_ON_S3, with_changes
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import AddStrayFiles, Delete, Vacuum
from model.vocabulary.table import Column, Commit, DataFile, Feature, Kind, Reference, StrayFile, Table
from model.vocabulary.values import Type
from runner.run.circumstances import set_up
from runner.run.plan import limits_of
from strategies.restriction.capabilities import restricted_to
from tests.builders.listings import file, predict, unspecified
from tests.runner.test_options import chosen

STORE = ObjectStore("http://127.0.0.1:1", "bucket", "key", "secret")
OUTSIDE = "tests.outside_engine:ENGINE"


def shared(engine: str) -> Capabilities:
    """What an engine is asked for in a bucket."""
    found = EVERYTHING
    for limits in limits_in(engine, Storage.S3):
        assert limits.reason.endswith(".") and limits.capabilities != EVERYTHING
        found = found.shared(limits.capabilities)
    return found


# Capabilities -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["spark", "deltalake"])
def test_in_a_bucket_are_no_links_and_no_directories_and_no_files_of_this_machine(engine: str) -> None:
    assert not limits_in(engine, Storage.LOCAL)
    found = shared(engine)
    assert not (found.links or found.directories) and found.references == EVERYTHING.references
    assert not found.spellings & {Spelling.LINK, Spelling.RELATIVE, Spelling.FILE, Spelling.FILE_HOST}
    assert (Spelling.DOUBLED_SLASH in found.spellings) is (engine == "spark")


def test_spark_has_no_faults_there() -> None:
    found = shared("spark")
    assert not (found.io_faults or found.crashes or found.sessions) and found.commands == EVERYTHING.commands


@pytest.mark.parametrize(
    "place", [{"spark_remote": "sc://host:15002"}, {"spark_cluster": 2}, {"spark_remote": "local"}]
)
def test_a_bucket_of_the_users_serves_a_spark_with_more_processes(place: dict[str, object]) -> None:
    there = {one.reason for one in limits_in("spark", Storage.LOCAL, place)}
    limits = limits_in("spark", Storage.BUCKET, place)
    assert there < {one.reason for one in limits}, "what holds of the master, and of the bucket"
    assert reduce(lambda found, one: found.shared(one.capabilities), limits, EVERYTHING).streams is False


def test_a_cluster_with_a_bucket_takes_no_patch(tmp_path: Path) -> None:
    place = {"spark_cluster": 2, "extra_classpath": (tmp_path,)}
    assert limits_in("spark", Storage.LOCAL, place)
    with pytest.raises(EngineUnavailable, match="name that with --jars"):
        limits_in("spark", Storage.BUCKET, place)


def test_another_engine_is_judged_on_local_file_systems_only() -> None:
    assert limits_in(OUTSIDE, Storage.LOCAL) == ()
    with pytest.raises(EngineUnavailable, match="is judged on local file systems only"):
        limits_in(OUTSIDE, Storage.S3)


def test_a_case_is_restricted_to_what_a_bucket_has() -> None:
    strays = (
        StrayFile("f"),
        StrayFile("d", Kind.DIRECTORY, size=0),
        StrayFile("l", Kind.LINK, size=0, target="f"),
    )
    table = Table((Column("n", Type.LONG),), (), (), (Commit(-1),), stray_files=strays)
    steps = (AddStrayFiles(strays), Delete(spelling=Spelling.LINK), Vacuum(spelling=Spelling.DOT))
    found = restricted_to(Case(table, steps), capabilities=shared("deltalake"))
    assert found.table.stray_files == strays[:1]
    assert found.steps == (
        AddStrayFiles(strays[:1]),
        Delete(spelling=Spelling.TRAILING_SLASH),
        Vacuum(spelling=Spelling.DOT),
    )


# The command line ---------------------------------------------------------------------------------------------------


def test_storage_is_an_option() -> None:
    assert chosen().storage is Storage.LOCAL and not limits_of(chosen())
    assert len(limits_of(chosen("--storage=s3"))) == len(limits_in("spark", Storage.S3))


@pytest.mark.parametrize("engine", ["spark", "deltalake"])
def test_scripts_which_make_local_tables_are_not_run(engine: str) -> None:
    assert chosen("--storage=s3", f"--engine={engine}").scripts == 0
    assert chosen("--storage=s3", f"--engine={engine}", "--check-scripts=2").scripts == 2


def test_the_header_names_the_storage() -> None:
    assert set_up(kind_of("spark"), Storage.S3) == {"storage": "s3"}


@pytest.mark.parametrize(
    "engine",
    [SparkEngine(lambda lost: pytest.fail("no JVM is needed"), STORE), DeltalakeEngine(STORE)],
    ids=lambda one: one.name,
)
def test_no_step_begins_without_the_server(engine: Engine, tmp_path: Path) -> None:
    """Each would try again for a while."""
    with pytest.raises(EngineDied, match="is gone"):
        engine.run(tmp_path, Vacuum(), clock=0, version=0)


# Rules --------------------------------------------------------------------------------------------------------------


def test_the_rules_of_a_bucket_have_sources_and_are_those_of_the_adapters() -> None:
    assert all(change.sentence.endswith(".") and change.source.startswith("https://") for change in SPARK_ON_S3)
    assert DeltalakeEngine().rules == DELTA_RS
    rules = with_changes(DELTA_RS, DELTA_RS_ON_S3)
    assert DeltalakeEngine(STORE).rules == replace(rules, file_uris="s3://bucket") != rules
    here, there = SparkEngine(lambda lost: None).rules, SparkEngine(lambda lost: None, STORE).rules  # type: ignore[arg-type,return-value]
    assert there == replace(with_changes(here, SPARK_ON_S3), file_uris="s3a://bucket") != here


@pytest.mark.parametrize("scan", [FullScan(), ObjectScan(), LiteScan()])
def test_a_prefix_of_keys_may_go_or_stay(scan: FullScan | ObjectScan | LiteScan) -> None:
    found = predict({"d/live": file(), "e/_hidden/x": file()}, live=["d/live"], scan=scan, directories=False)
    assert found["d/live"].fate is Fate.KEEP
    prefixes = {path: found[path] for path in ("d", "e", "e/_hidden")}
    assert prefixes == dict.fromkeys(prefixes, unspecified(Reason.HOLDS_OLD, None))


def test_times_are_rounded_down_to_what_the_storage_tells(tmp_path: Path) -> None:
    root = tmp_path / "case" / "table"
    write_commit(root, 0, (), modified=12_345)
    (root.parent / "beside").write_bytes(b"x")
    os.utime(root.parent / "beside", ns=(0, 9_999_999_999))
    for unit, commit, beside in ((1, 12_345, 9_999), (1000, 12_000, 9_000)):
        listing = list_tree(root, unit=unit)
        assert listing["_delta_log/00000000000000000000.json"].modified == commit
        assert list_beside(root, unit=unit)["../beside"].modified == beside
        assert read_log(root, unit=unit).commits[0].modified == commit


def test_versions_are_as_old_as_the_storage_tells() -> None:
    table = Table((Column("n", Type.LONG),), (), (), (Commit(-1500),))
    assert ExpectedVersions(table, start=10_000, unit=1000).by_version[0].committed == 8_000
    stamped = replace(table, features=(Feature.IN_COMMIT_TIMESTAMPS.value,))
    assert ExpectedVersions(stamped, start=10_000, unit=1000).by_version[0].committed == 8_500


def test_vacuum_commits_by_default_where_the_storage_is_known_for_it() -> None:
    rules = replace(SPARK, checks_write_protocol=False)
    quiet = with_changes(rules, SPARK_ON_S3)
    for logging, here, there in ((None, True, False), (True, True, True), (False, False, False)):
        assert checks_writer(Vacuum(logging=logging), rules) is here
        assert checks_writer(Vacuum(logging=logging), quiet) is there


# URIs of objects ----------------------------------------------------------------------------------------------------


def test_the_log_of_a_table_in_a_bucket_has_uris_of_objects(tmp_path: Path) -> None:
    files = tuple(
        DataFile(id, (), ((1,),), modified=-1, reference=reference)
        for id, reference in enumerate((Reference.ABSOLUTE, Reference.OUTSIDE))
    )
    table = Table((Column("n", Type.LONG),), (), files, (Commit(-1, adds=(0, 1)),))
    plan = plan_table(table, tmp_path / "a table", start=0, uris="s3://bucket")
    adds = [action.path for action in plan.commits[0].actions if isinstance(action, Add)]
    above = f"s3://bucket{tmp_path}"
    assert [path.rpartition("/")[0] for path in adds] == [f"{above}/a%20table", f"{above}/elsewhere"]


@pytest.mark.parametrize("returned", ["s3://bucket/case/a%20b", "s3:/bucket/case/a%20b"])
def test_what_delta_rs_returns_by_its_uri_is_a_path(returned: str) -> None:
    assert Tables(STORE).path_of(returned) == "/case/a b"
    assert Tables().path_of(returned) == returned
    assert Tables(STORE).path_of("a%20b") == "a%20b"
    assert Tables(STORE).named("/case/a b") == "s3://bucket/case/a%20b"


# Where a cutoff can be met ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1, 1000])
def test_a_case_starts_at_a_time_that_the_storage_can_tell(tmp_path: Path, unit: int) -> None:
    clock = CaseClock(tmp_path, settable=True, unit=unit)
    assert clock.start == clock.now and clock.start % unit == 0
