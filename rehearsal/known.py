"""A release's known faults of VACUUM: which of them affect the user's table.

Some conditions follow from the table's shape (``Condition.on_shape``). The others are evaluated on the log and the listing,
with the judge's own code; no condition of a VACUUM needs rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from harness.judging.excusing.conditions import CONDITIONS, SUBJECTS, Circumstances
from known_faults.entries import FILES, S3
from model.prediction.fates import Fate
from model.vocabulary.table import VectorStorage
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from rehearsal.prediction import Prediction
from rehearsal.reading import ReadTable
from rehearsal.rehearsed import Concern
from rehearsal.releases import listed
from shapes.reading import RefusedTable, Wanted
from shapes.reading import read_table as read_shape
from shapes.shape import Shape
from shapes.store import LocalStore, Root, root_of
from shapes.told import Told, all_of, any_of
from suites.catalogue import CATALOGUE

#: What a rehearsal cannot do: VACUUM ... USING INVENTORY.
_NOT_REHEARSED = ("VAC-INV-",)
_OF_DRY_RUNS = ("VAC-DRY-",)

#: Conditions about files of the log that are not copied: a shape tells at most that a table cannot have them.
_OF_FILES_OF_THE_LOG = frozenset({"broken _last_checkpoint", "checkpoint beside one in parts"})

#: How the cause of a violation begins that is about one path, with the fate that the path must have; the model's reason follows.
_CAUSES = {
    "deleted: ": Fate.KEEP,
    "listed: ": Fate.KEEP,
    "not deleted: ": Fate.DELETE,
    "not listed: ": Fate.DELETE,
}

#: The cause of a violation outside of the root, where a table that can be rehearsed has nothing.
_OUTSIDE = "deleted outside the root: "


def shape_of(read: ReadTable) -> Shape:
    """The table's shape, from the copy of its log. Raises UsageMistake."""
    found = read_shape(read.root.path, Root(root_of(str(read.copy)).store, read.root.path), Wanted())
    if isinstance(found, RefusedTable):
        raise UsageMistake(f"The shape of {read.root.path} cannot be read: {found.sentence.rstrip('.')}.")
    return found.shape


class KnownOfTable:
    """The known faults of a release's VACUUM, for one table and one statement."""

    def __init__(self, prediction: Prediction, shape: Shape) -> None:
        self._prediction, self._shape = prediction, shape
        place = FILES if isinstance(prediction.read.root.store, LocalStore) else S3
        left_out = _NOT_REHEARSED if prediction.vacuum.dry_run else (*_NOT_REHEARSED, *_OF_DRY_RUNS)
        self._faults = [
            one
            for one in listed(prediction.release, place)
            if one.clause.startswith("VAC-") and not one.clause.startswith(left_out)
        ]
        self._circumstances = Circumstances(prediction.observation)

    def concerns(self) -> tuple[Concern, ...]:
        """The faults that concern the table, in the order of the file, each reason once; then those that may concern it."""
        told: dict[str, list[Told]] = {}
        links: dict[str, str] = {}
        for fault in self._faults:
            told.setdefault(fault.reason, []).append(self._concerned(fault))
            links.setdefault(fault.reason, fault.link)
        found = [(reason, any_of(answers)) for reason, answers in told.items()]
        return tuple(
            Concern(reason, links[reason], answer is True)
            for wanted in (True, None)
            for reason, answer in found
            if answer is wanted
        )

    def _holds(self, name: str) -> Told:
        """Whether a condition holds; None if neither the shape nor the log and the listing tell."""
        told = CONDITIONS[name].on_shape(self._shape)
        if told is not None or name in _OF_FILES_OF_THE_LOG:
            return told
        return self._circumstances.hold(name)

    def _concerned(self, fault: KnownFault) -> Told:
        told = [] if fault.when is None else [self._holds(fault.when)]
        told.append(self._can_occur(fault.symptom.causes))
        if fault.symptom.of is not None and SUBJECTS[fault.symptom.of].on_shape(self._shape) is False:
            told.append(False)
        if _is_of_vectors(fault) and "deletionVectors" not in self._shape.protocol.features:
            told.append(False)
        if fault.when is None and not fault.symptom.causes:
            told.append(None)  # nothing says when the error comes
        return all_of(told)

    def _can_occur(self, causes: Sequence[str]) -> bool:
        """Whether one of these causes can occur on a path of the table; a cause that no path decides can."""
        found = []
        for cause in causes:
            if cause.startswith(_OUTSIDE):
                continue
            prefix = next(filter(cause.startswith, _CAUSES), None)
            if prefix is None:
                return True
            found.append((_CAUSES[prefix], cause.removeprefix(prefix)))
        return not causes or any(one in self._fates for one in found)

    @cached_property
    def _fates(self) -> frozenset[tuple[Fate, str]]:
        return frozenset((one.fate, one.reason.value) for one in self._prediction.fates.values())


def _is_of_vectors(fault: KnownFault) -> bool:
    """Whether the fault's clause is only about tables with deletion vectors."""
    needs = CATALOGUE[fault.clause].needs
    return bool(needs) and all(isinstance(one, VectorStorage) for one in needs)
