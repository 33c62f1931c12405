"""How alike tables are by their shapes, and the file of shapes that a run reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from shapes.__main__ import main
from shapes.document import read_shapes
from shapes.entries import name_of
from shapes.likeness import likeness
from tests.shapes.tables import write_small

PLAIN = ("feature rowTracking", "column long", "path relative", "files 1")


def test_equal_tables_are_alike_and_each_difference_counts() -> None:
    assert likeness(PLAIN, PLAIN) == 1
    vectors = (*PLAIN, "feature deletionVectors", "vectors relative")
    assert 0 < likeness(PLAIN, vectors) < likeness(PLAIN, (*PLAIN[:-1], "files 10")) < 1
    assert likeness(PLAIN, vectors) == likeness(vectors, PLAIN)


def test_an_entry_has_a_name_for_readers() -> None:
    assert name_of("property delta.appendOnly = true") == "delta.appendOnly = true"
    assert name_of("column array") == "columns of array"
    assert name_of("files 0") == "no file"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    main([str(write_small(tmp_path / "table")), "--out", str(tmp_path / "shapes.json")])
    return tmp_path / "shapes.json"


def test_what_the_command_writes_is_read(file: Path) -> None:
    found = read_shapes(file, option="--like")
    assert found.tables == 1 and found.shapes[0].shape.sizes.files == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": 2}, "has version 2 of the form, and this release reads 1"),
        ({"schema_version": None}, "has no shapes of tables: write one with tombstone shape"),
        ({"tables": "many"}, "is not as tombstone shape writes it"),
        ({"shapes": []}, "has no table that was read"),
    ],
)
def test_another_document_is_refused(file: Path, change: dict[str, object], said: str) -> None:
    file.write_text(json.dumps({**json.loads(file.read_text()), **change}))
    with pytest.raises(UsageMistake, match=said):
        read_shapes(file, option="--like")


@pytest.mark.parametrize(("text", "said"), [("{", "is not JSON"), ("[1]", "has no shapes of tables")])
def test_what_is_no_document_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "wrong.json").write_text(text)
    with pytest.raises(UsageMistake, match=said):
        read_shapes(tmp_path / "wrong.json", option="--like")
    with pytest.raises(UsageMistake, match="cannot be read"):
        read_shapes(tmp_path / "none.json", option="--like")
