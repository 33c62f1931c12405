"""Targets of commands for adapters of Spark's SQL: tables by path, and the paths that an invalid command must refuse."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from model.vocabulary.steps import DeleteMistake, VacuumMistake


def table_text(path: Path | str) -> str:
    """The table at a path, in SQL."""
    return f"delta.`{str(path).replace('`', '``')}`"


@contextmanager
def target_path(root: Path, mistake: DeleteMistake | VacuumMistake) -> Iterator[Path]:
    """The path of an invalid command's target: ``root``, or one beside it that is no table.

    That one is an empty directory or does not exist. Asserts that the command leaves it so, and removes it.
    """
    beside = root.with_name(f"{root.name}-target")  # names no table: the suite's tables have no such names
    if mistake in (DeleteMistake.NOT_A_TABLE, VacuumMistake.NOT_A_TABLE):
        beside.mkdir()
        try:
            yield beside
        finally:
            left = sorted(path.name for path in beside.iterdir())
            assert not left, f"the refused command created {', '.join(left)} in {beside}"
            beside.rmdir()
    elif mistake in (DeleteMistake.MISSING_PATH, VacuumMistake.MISSING_PATH):
        try:
            yield beside
        finally:
            assert not os.path.exists(beside), f"the refused command created {beside}"
    else:
        yield root
