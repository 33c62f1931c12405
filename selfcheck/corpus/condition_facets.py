"""Which small changes of a DELETE's condition would show in a table: mutation of the condition, and MC/DC.

A change that shows is a facet of the case, by what is changed, the kind of DELETE and the columns. It shows where other rows are
deleted; and in other files, where other files are touched. An engine that skips files by their statistics may make the change
only after that. So a change of a test of data columns must show in a file in which the condition finds a row, which no engine
skips. A change of a test of partition columns beside others may be made in both, or only in one of them: these are two places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.observing.steps.observation import DeleteObservation
from model.prediction.delete import ConditionScope, DeleteMethod, types_of
from model.semantics.condition_mutants import Mutant, mutants
from model.semantics.evaluate import evaluate_avoiding_errors
from model.vocabulary.predicate import Predicate, columns_of
from model.vocabulary.table import Feature
from model.vocabulary.values import AnyType

#: The end of the name of a place in which other files would be touched.
OTHER_FILES = ": other files"

#: The end of the name of a place in which the change shows although files are skipped without it.
TOUCHED = ", in a file that the right condition touches"

#: Of each file, so many rows are looked at.
_ROWS = 200

_METHODS = {
    DeleteMethod.METADATA_ONLY: "whole files",
    DeleteMethod.REWRITE: "rewritten",
    DeleteMethod.DELETION_VECTORS: "vectors",
}


def condition_facets(observation: DeleteObservation) -> Iterator[tuple[Mutant, Mapping[str, bool]]]:
    """The mutants of the condition, each with the places in which it can show, and whether it does."""
    where, table = observation.step.where, observation.table
    if where is None:
        return
    partition = frozenset(table.partition_by)
    inside = columns_of(where) <= partition
    prediction = observation.prediction
    if prediction.method is DeleteMethod.METADATA_ONLY and not inside:
        return  # an optimizer has made another condition of it
    files = list(_files(observation, whole=prediction.scope is not ConditionScope.ROWS))
    types = types_of(table)
    due = _matched(where, files, types, observation.step.zone)
    for mutant in mutants(where, types):
        found = _matched(mutant.where, files, types, observation.step.zone)
        seen = [
            (ours, other)
            for ours, other in zip(due, found)
            if ours != other and (any(ours) or mutant.columns <= partition)
        ]
        over = _over(mutant.columns, columns_of(where), partition)
        places = {f"{_METHODS[prediction.method]}, {over}": bool(seen)}
        if not inside and mutant.columns <= partition:
            touched = any(any(ours) for ours, _ in seen)
            places[f"{_METHODS[prediction.method]}, {over}{TOUCHED}"] = touched
        if prediction.method is not DeleteMethod.METADATA_ONLY:
            others = any(any(ours) != any(other) for ours, other in seen)
            places[f"{_METHODS[prediction.method]}, {over}{OTHER_FILES}"] = others
            if table.has(Feature.CHANGE_DATA_FEED):
                places[f"change feed, {over}"] = bool(seen)
        yield mutant, places


def _over(changed: frozenset[str], all: frozenset[str], partition: frozenset[str]) -> str:
    """The kind of the columns that are changed, and of all columns of the condition if that is another one."""
    part, whole = (
        "partition" if columns <= partition else "mixed" if columns & partition else "data"
        for columns in (changed, all)
    )
    return whole if part == whole else f"{part} beside others"


def _files(observation: DeleteObservation, *, whole: bool) -> Iterator[list[Mapping[str, Any]]]:
    """Of each live file the rows on which the condition decides: one for a condition on partitions."""
    names = [column.name for column in observation.table.columns]
    for file in observation.live_files:
        rows = file.visible[: 1 if whole else _ROWS]
        if whole and not rows:
            rows = ((None,) * len(names),)
        partition = dict(zip(observation.table.partition_by, file.partition))
        yield [{**dict(zip(names, row)), **partition} for row in rows]


def _matched(
    where: Predicate, files: list[list[Mapping[str, Any]]], types: Mapping[str, AnyType], zone: str
) -> list[list[bool]]:
    return [[_is_true(where, row, types, zone) for row in rows] for rows in files]


def _is_true(where: Predicate, row: Mapping[str, Any], types: Mapping[str, AnyType], zone: str) -> bool:
    return evaluate_avoiding_errors(where, row, types=types, zone=zone) is True
