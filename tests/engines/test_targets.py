"""The targets of invalid commands that adapters share."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.targets import table_text, target_path
from model.vocabulary.steps import DeleteMistake, VacuumMistake


def test_a_path_in_sql() -> None:
    assert table_text(Path("/a `table`")) == "delta.`/a ``table```"


def test_a_target_is_the_table_or_a_path_beside_it_that_is_removed(tmp_path: Path) -> None:
    root = tmp_path / "table"
    with target_path(root, DeleteMistake.AGGREGATE) as path:
        assert path == root
    for mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
        with target_path(root, mistake) as path:
            assert path.is_dir() and not list(path.iterdir())
    with target_path(root, VacuumMistake.MISSING_PATH) as path:
        assert path.parent == tmp_path and not path.exists()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mistake", [DeleteMistake.NOT_A_TABLE, DeleteMistake.MISSING_PATH])
def test_what_a_refused_command_leaves_there_is_no_answer(mistake: DeleteMistake, tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match="the refused command created"),
        target_path(tmp_path / "t", mistake) as path,
    ):
        (path / "_delta_log").mkdir(parents=True)
