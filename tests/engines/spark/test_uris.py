"""Paths of objects that are written as URIs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.spark.storage.uris import written_as_uri

ROOT = written_as_uri(Path("/team/run/case-1/table"), "s3a://lake")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (ROOT, "s3a://lake/team/run/case-1/table"),
        (ROOT / "p=a b", "s3a://lake/team/run/case-1/table/p=a b"),
        (ROOT.with_name(f"{ROOT.name}-target"), "s3a://lake/team/run/case-1/table-target"),
        (ROOT.parent, "s3a://lake/team/run/case-1"),
    ],
)
def test_what_is_made_of_it_is_written_so_too(path: Path, text: str) -> None:
    assert str(path) == f"{path}" == text


def test_it_is_no_path_of_a_file(tmp_path: Path) -> None:
    assert not os.path.exists(written_as_uri(tmp_path, "s3a://lake"))
    assert (
        ROOT.name == "table" and written_as_uri(Path("/team/run/case-1/table"), "s3a://lake").parent / "table" == ROOT
    )
