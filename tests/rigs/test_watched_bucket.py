"""What a run has left in a bucket, and asked for there, is told from the server's directory and its log."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rigs.watched_bucket import PREFIX, left_in, strange_in

#: A line of versitygw 1.8.0, cut off.
LINE = "aec1 lake [28/November/2026:13:40:45 +0000] 127.0.0.1 aec1 M1SH s3_{} {} /lake/{} 200 - 0 9 1 1 - Boto3/1.44.8"

PUT = LINE.format("PutObject", f"{PREFIX}/probe", f"{PREFIX}/probe")


@pytest.mark.parametrize(
    ("asked", "key", "strange"),
    [
        ("PutObject", f"{PREFIX}/case-1/x", False),
        ("GetObject", "team/other", False),
        ("HeadObject", "team/other", False),
        ("ListObjectsV2", "-", False),
        ("DeleteObjects", "-", False),
        ("PutObject", f"{PREFIX}s/part-00000.parquet", True),
        ("DeleteObject", "team/other", True),
        ("CopyObject", "team/other", True),
        ("CreateMultipartUpload", "team/other", True),
    ],
)
def test_a_request_that_writes_elsewhere_is_told(asked: str, key: str, strange: bool, tmp_path: Path) -> None:
    log = tmp_path / "requests"
    log.write_text(f"{PUT}\n{LINE.format(asked, key, key)}\n", encoding="utf-8")
    assert list(strange_in(log)) == ([f"The run has asked for {asked} of {key}."] if strange else [])


def test_a_log_that_shows_no_writing_is_told(tmp_path: Path) -> None:
    """A run always writes: the log has another form then, and would hide all."""
    log = tmp_path / "requests"
    log.write_text('127.0.0.1 "PUT /lake/team/other" 200\n', encoding="utf-8")
    (told,) = strange_in(log)
    assert told.startswith("The log of the server shows no request that writes")


def test_what_is_left_and_what_is_changed_is_told(tmp_path: Path) -> None:
    neighbour = tmp_path / "team/tombstones/part-00000.parquet"
    neighbour.parent.mkdir(parents=True)
    neighbour.write_bytes(b"of somebody else")
    assert not list(left_in(tmp_path))
    neighbour.write_bytes(b"other")
    (tmp_path / "x").touch()
    assert list(left_in(tmp_path)) == [
        "The run has changed team/tombstones/part-00000.parquet.",
        "The run has left x in the bucket.",
    ]
