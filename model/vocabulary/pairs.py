"""Pairs of commands, the unit of coverage of programs: what changed the table, and the DELETE or VACUUM that comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from model.vocabulary.commands import SWITCHED, CommandKind, DropFeature, SetRetention, Switch, kind_of
from model.vocabulary.steps import Append, Delete, Insert, OtherCommand, Step, Vacuum
from model.vocabulary.table import Feature


class Second(str, Enum):
    """The kinds of DELETE and VACUUM that must work after whatever came before."""

    DELETE_ALL = "DELETE without a condition"
    DELETE_FILES = "DELETE of whole files"
    DELETE_ROWS = "DELETE of rows"
    DELETE_NOTHING = "DELETE of nothing"
    VACUUM = "VACUUM"
    LITE = "VACUUM LITE"
    DRY_RUN = "VACUUM DRY RUN"

    @property
    def deletes(self) -> bool:
        """Whether it is a DELETE."""
        return self.value.startswith("DELETE")


#: The kinds of ``Second`` that the API of a table has, through which a session goes on with what it opened earlier.
OF_EARLIER_SESSIONS = tuple(second for second in Second if second is not Second.DRY_RUN)


@dataclass(frozen=True)
class Pair:
    """``first`` is in ``FIRSTS``. With ``earlier``, a session that opened the table before ``first`` issues ``second``."""

    first: str
    second: Second
    earlier: bool = False

    def __str__(self) -> str:
        return f"{self.first}, then {self.second.value}{' of a session that opened the table before' if self.earlier else ''}"


#: Commands with one name in pairs.
_PLAIN = tuple(
    kind
    for kind in CommandKind
    if kind not in (CommandKind.SWITCH, CommandKind.DROP_FEATURE, CommandKind.SET_RETENTION, CommandKind.AS_WRITTEN)
)
_INSERT, _APPEND = "append by the engine", "append by another writer"
_DELETE, _VACUUM, _LITE = "DELETE", "VACUUM", "VACUUM LITE"
_OF_FILES, _OF_LOG = "retention of files set", "retention of the log set"

#: The features that Delta can drop.
DROPPABLE = (Feature.DELETION_VECTORS, Feature.ROW_TRACKING, Feature.IN_COMMIT_TIMESTAMPS)


def switched(feature: Feature, *, on: bool) -> str:
    """The name of a switch of a feature."""
    return f"{feature.value} switched {'on' if on else 'off'}"


def dropped(feature: Feature) -> str:
    """The name of the removal of a feature."""
    return f"DROP FEATURE {feature.value}"


#: The names of all steps that can be the first of a pair.
FIRSTS = (
    *(_DELETE, _VACUUM, _LITE, _INSERT, _APPEND),
    *(kind.value for kind in _PLAIN),
    *(_OF_FILES, _OF_LOG),
    *(switched(feature, on=on) for feature in SWITCHED for on in (True, False)),
    *(dropped(feature) for feature in DROPPABLE),
)


def first_of(step: Step) -> str | None:
    """The name of a step as the first of a pair; None of one that changes neither the table nor its files, or is killed.

    A command that sets a property is named by the property, one that switches or drops a feature by the feature.
    """
    if isinstance(step, Delete):
        return None if step.crash is not None else _DELETE
    if isinstance(step, Vacuum):
        if step.dry_run or step.crash is not None or step.io_fault is not None:
            return None
        return _LITE if step.mode.lite else _VACUUM
    if isinstance(step, Insert):
        return _INSERT
    if isinstance(step, Append):
        return _APPEND
    if not isinstance(step, OtherCommand):
        return None
    command = step.command
    if isinstance(command, Switch):
        return switched(command.feature, on=command.on)
    if isinstance(command, DropFeature):
        return dropped(command.feature)
    if isinstance(command, SetRetention):
        return _OF_LOG if command.of_log else _OF_FILES
    return kind_of(command).value


def firsts(steps: Sequence[Step]) -> list[tuple[int, str]]:
    """The steps that are the first of a pair with what comes next, by place and name: the latest command other than DELETE and
    VACUUM, and the latest of these if it is later. What the first did to a table is seen by all of those after it."""
    named = [(place, name) for place, step in enumerate(steps) if (name := first_of(step)) is not None]
    others = [one for one in named if not isinstance(steps[one[0]], (Delete, Vacuum))]
    return list(dict.fromkeys([*others[-1:], *named[-1:]]))
