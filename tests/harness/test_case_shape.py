"""What the tables of the corpus have, as it is kept and as their logs say."""

from __future__ import annotations

import pytest

from harness.tables import case_shape
from harness.tables.case_shape import KEPT, read_entries, table_entries
from selfcheck.corpus.tables import tables

AGAIN = "run python -m selfcheck.corpus.tables, and read the diff"


@pytest.mark.long
def test_each_table_of_the_corpus_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_shape, "read_entries", lambda _: pytest.fail(AGAIN))
    table_entries.cache_clear()
    found = [table_entries(table) for table in tables()]
    assert len(found) > 900 and sum(own is None for own in found) < len(found) / 20


@pytest.mark.long
def test_what_is_kept_is_what_the_logs_say() -> None:
    for table in tables()[::25]:
        assert table_entries(table) == read_entries(table), AGAIN


@pytest.mark.slow
def test_the_file_is_as_it_would_be_written() -> None:
    found = {table: read_entries(table) for table in tables()}
    assert {table: table_entries(table) for table in found} == found, AGAIN
    assert KEPT.read_text(encoding="utf-8").count("\n") == len(found) + 3, AGAIN
