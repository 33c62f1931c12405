"""The circumstances of the machine in the header, and in the views."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.spark.kind import ENGINE as SPARK
from runner.run.circumstances import circumstances, file_system, locale, time_zone


def test_the_circumstances_of_this_process(tmp_path: Path) -> None:
    found = circumstances(tmp_path, SPARK, {"TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"})
    assert list(found) == ["processors", "time_zone", "locale", "file_system"] and all(found.values())
    assert 1 <= int(found["processors"]) <= (os.cpu_count() or 1)
    assert (found["time_zone"], found["locale"]) == ("Asia/Tokyo", "de_DE.UTF-8")
    given = {"spark_conf": ("spark.sql.session.timeZone=Europe/Berlin",)}
    assert (
        circumstances(tmp_path, SPARK.with_options(given), {"TZ": "UTC"})["time_zone"]
        == "UTC, of sessions Europe/Berlin"
    )


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_only_processors_that_the_process_may_use_are_counted(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        assert circumstances(tmp_path, SPARK, {})["processors"] == "1"
    finally:
        os.sched_setaffinity(0, before)


def test_the_time_zone_is_that_of_tz_or_of_the_system(tmp_path: Path) -> None:
    link = tmp_path / "localtime"
    link.symlink_to("/usr/share/zoneinfo/Pacific/Apia")
    assert time_zone({"TZ": "UTC"}, link) == "UTC"
    assert time_zone({}, link).endswith("Apia")
    assert time_zone({}, tmp_path / "none")


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"LC_ALL": "a", "LC_CTYPE": "b", "LANG": "c"}, "a"),
        ({"LC_CTYPE": "b", "LANG": "c"}, "b"),
        ({"LC_ALL": "", "LANG": "c"}, "c"),
        ({}, "C"),
    ],
)
def test_the_locale_is_found_as_posix_says(environ: dict[str, str], name: str) -> None:
    assert locale(environ) == name


def test_the_file_system_is_that_of_the_deepest_mount(tmp_path: Path) -> None:
    inner = tmp_path / "a b" / "inner"
    inner.mkdir(parents=True)
    escaped = str(tmp_path / "a b").replace(" ", "\\040")
    mounts = tmp_path / "mounts"
    mounts.write_text(
        f"x / ext4 rw 0 0\nx {escaped} ext3 rw 0 0\nx {escaped} xfs rw 0 0\nx {tmp_path}/a tmpfs rw 0 0\n"
    )
    assert file_system(inner, mounts) == "xfs"
    assert file_system(tmp_path, mounts) == "ext4"
    assert file_system(tmp_path, tmp_path / "none") == "unknown"
