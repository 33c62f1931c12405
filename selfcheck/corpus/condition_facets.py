"""Which small changes of a DELETE's condition would show in a table: mutation of the condition, and MC/DC.

A change that shows is a facet of the case, by what is changed, the kind of DELETE and the columns of the condition. It shows
where other rows are deleted; and in other files, where other files are touched.
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

#: Of each file, so many rows are looked at.
_ROWS = 200

_METHODS = {
    DeleteMethod.METADATA_ONLY: "whole files",
    DeleteMethod.REWRITE: "rewritten",
    DeleteMethod.DELETION_VECTORS: "vectors",
}


def condition_facets(observation: DeleteObservation) -> Iterator[tuple[Mutant, frozenset[str]]]:
    """The mutants of the condition, each with where it shows; nowhere: empty."""
    where, table = observation.step.where, observation.table
    if where is None:
        return
    columns = columns_of(where)
    inside = columns <= set(table.partition_by)
    over = "partition" if inside else "mixed" if columns & set(table.partition_by) else "data"
    prediction = observation.prediction
    if prediction.method is DeleteMethod.METADATA_ONLY and not inside:
        return  # an optimizer has made another condition of it
    files = list(_files(observation, whole=prediction.scope is not ConditionScope.ROWS))
    types = types_of(table)
    due = _matched(where, files, types, observation.step.zone)
    for mutant in mutants(where, types):
        found = _matched(mutant.where, files, types, observation.step.zone)
        places = set()
        if found != due:
            places.add(f"{_METHODS[prediction.method]}, {over}")
            if prediction.method is not DeleteMethod.METADATA_ONLY:
                if [any(one) for one in found] != [any(one) for one in due]:
                    places.add(f"{_METHODS[prediction.method]}, {over}{OTHER_FILES}")
                if table.has(Feature.CHANGE_DATA_FEED):
                    places.add(f"change feed, {over}")
        yield mutant, frozenset(places)


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
