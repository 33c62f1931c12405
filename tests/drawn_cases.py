"""Cases of the campaigns, the same in every run, and the rows that their DELETEs match."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hypothesis.strategies import SearchStrategy

from model.prediction.history import hidden_rows, visible_rows
from model.semantics.evaluate import WouldFail, evaluate
from model.vocabulary.case import Case
from model.vocabulary.predicate import Constant
from model.vocabulary.steps import Delete
from model.vocabulary.values import Value
from strategies.cases import commands as command_cases
from strategies.cases import crashes, spellings, table_roots
from strategies.cases import deletes as cases
from strategies.cases import vacuum_commands as vacuum_command_cases
from strategies.cases import vacuums as vacuum_cases
from strategies.cases.corpus import pairs, telling_cases
from strategies.tables.initial_tables import live_files
from tests.sampling import sample

#: Each strategy, with the least and the most engine steps of a case.
ALL: dict[str, tuple[Callable[[], SearchStrategy[Case]], int, int]] = {
    "partition_deletes": (cases.partition_deletes, 1, 5),
    "row_deletes": (cases.row_deletes, 2, 5),
    "feature_deletes": (cases.feature_deletes, 2, 5),
    "typed_deletes": (cases.typed_deletes, 2, 4),
    "telling_deletes": (telling_cases.telling_deletes, 3, 5),
    "refused_deletes": (cases.refused_deletes, 4, 4),
    "delete_forms": (cases.delete_forms, 2, 4),
    "vacuum_retentions": (vacuum_cases.vacuum_retentions, 4, 7),
    "vacuum_stray_files": (vacuum_cases.vacuum_stray_files, 4, 6),
    "vacuum_commands": (vacuum_command_cases.vacuum_commands, 7, 7),
    "vacuum_modes": (vacuum_command_cases.vacuum_modes, 4, 7),
    "telling_vacuums": (telling_cases.telling_vacuums, 4, 5),
    "vacuum_vectors": (vacuum_cases.vacuum_vectors, 2, 4),
    "vacuum_histories": (vacuum_cases.vacuum_histories, 4, 5),
    "vacuum_old_versions": (vacuum_cases.vacuum_old_versions, 7, 9),
    "spelling_cases": (spellings.spelling_cases, 4, 4),
    "table_root_cases": (table_roots.table_root_cases, 6, 6),
    "vacuum_io_faults": (vacuum_command_cases.vacuum_io_faults, 5, 5),
    "refused_vacuums": (vacuum_command_cases.refused_vacuums, 4, 9),
    "programs": (cases.programs, 1, 6),
    "command_cases": (command_cases.command_cases, 3, 10),
    "pairs": (pairs.pairs, 4, 9),
    "crash_cases": (crashes.crash_cases, 5, 7),
}


@cache
def drawn(name: str) -> tuple[Case, ...]:
    """Up to four hundred cases of a campaign."""
    return tuple(sample(ALL[name][0]()))


def drawn_by(name: str, number: int) -> list[Case]:
    """Up to twenty cases of one seed."""
    return sample(ALL[name][0](), examples=20, seeds=[number])


def by_file(case: Case, step: Delete) -> dict[int, list[bool]]:
    """For each live file with visible rows, by its id: which of these rows the DELETE matches.

    A row for which the condition is an error does not match.
    """
    table = case.table
    types = {column.name: column.type for column in table.columns}
    where = Constant(True) if step.where is None else step.where
    hidden = hidden_rows(table)

    def matches_row(row: dict[str, Value]) -> bool:
        try:
            return evaluate(where, row, types=types, zone=step.zone) is True
        except WouldFail:
            return False

    rows = {file: visible_rows(file, hidden.get(file.id, frozenset())) for file in live_files(table)}
    return {
        file.id: [matches_row(dict(zip(types, table.row(file.partition, row)))) for row in visible]
        for file, visible in rows.items()
        if visible
    }


def matches(case: Case, step: Delete) -> list[list[bool]]:
    """``by_file`` without the ids."""
    return list(by_file(case, step).values())
