"""How far a way to go wrong reaches, by a case that shows it: whether any table can meet it, and how many public tables have what
the case's table has."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from model.vocabulary.case import Case
from model.vocabulary.steps import AddStrayFiles, Append, AtOnce, Delete, OtherCommand, Step, Vacuum
from model.vocabulary.table import DataFile, Feature, Kind, StrayFile, Table
from model.vocabulary.table_roots import TableRoot
from shapes.document import read_shapes
from shapes.entries import OF_ALL
from shapes.names import flags_of
from shapes.needs import has_all, needs_of
from shapes.shape import Shape
from shapes.told import OnShape

#: The shapes of the test tables in Delta, delta-rs and delta-kernel-rs, as ``tombstone shape`` wrote them of 357 logs
#: (docs/reading-a-report.md#how-far-it-reaches).
PUBLIC = Path(__file__).with_name("public_tables.json")


@cache
def public_shapes() -> tuple[Shape, ...]:
    """Each once: how many tables have a shape says more of the test suites than of their users."""
    return tuple(one.shape for one in read_shapes(PUBLIC, option="the shapes of public tables").shapes)


class Reach(str, Enum):
    """Whom it can meet, the most first."""

    EVERYDAY = "everyday"
    FEATURE = "by a feature"
    RARE = "rare"


#: What a writer leaves that was killed or went wrong, or that no engine of today knows.
_ODD = (
    Feature.BROKEN_LAST_CHECKPOINT,
    Feature.HALF_CHECKPOINT,
    Feature.HALF_CHECKPOINT_NAMED,
    Feature.UNREADABLE_FILES,
    Feature.UNKNOWN_WRITER,
    Feature.UNKNOWN_READER,
)

#: The flags of names that are not odd.
_PLAIN_NAMES = frozenset({"begins-with-underscore", "upper-case"})

#: The partition values of STRING columns that are not odd.
_PLAIN_VALUE = re.compile(r"[\w.:+-][\w .:+-]*", re.ASCII)


@dataclass(frozen=True)
class Reached:
    """Whom something can meet, and how many of the public shapes have, or may have, what it needs. None: shapes do not tell."""

    reach: Reach
    shapes: int | None = None

    @property
    def words(self) -> str:
        """``by a feature, up to 14 % of public tables``. No share where shapes do not tell."""
        if self.shapes is None:
            return self.reach.value
        return f"{self.reach.value}, up to {math.ceil(100 * self.shapes / len(public_shapes()))} % of public tables"

    @property
    def place(self) -> tuple[int, int]:
        """Sorts what meets the most first."""
        return _PLACES[self.reach], -(len(public_shapes()) if self.shapes is None else self.shapes)

    @classmethod
    def by(cls, reach: Reach, shapes: int) -> Reached:
        return cls(reach, shapes if shapes < len(public_shapes()) else None)


#: What needs nothing of a table.
ANY = Reached(Reach.EVERYDAY)


def furthest(found: Iterable[Reached]) -> Reached:
    """What meets the most of these, the first of equal ones."""
    return min(found, key=lambda one: one.place)


_PLACES = {one: place for place, one in enumerate(Reach)}


@cache
def by_case(case: Case) -> Reached:
    """RARE: something in the case is damaged or killed, the log is made by hand, or a name is odd. BY A FEATURE: the table has a
    feature, a property or a rule, or files outside it, or a command has a setting. Else EVERYDAY: any table can meet it.
    """
    steps, needs = tuple(_single(case.steps)), needs_of(case.table)
    has_settings = any(isinstance(one, (Delete, Vacuum)) and (one.settings or one.given) for one in steps)
    if _is_odd(case.table) or any(map(_goes_wrong, steps)):
        reach = Reach.RARE
    else:
        reach = Reach.FEATURE if needs or has_settings else Reach.EVERYDAY
    return Reached.by(reach, sum(has_all(one, needs) for one in public_shapes()))


def by_shape(on_shape: OnShape, *, is_odd: bool) -> Reached:
    """The same of what needs tables of some shapes. RARE: no public table can have it, or it ``is_odd``. BY A FEATURE: none
    without features and properties can. Else EVERYDAY.
    """
    possible = [one for one in public_shapes() if on_shape(one) is not False]
    if is_odd or not possible:
        reach = Reach.RARE
    else:
        reach = Reach.EVERYDAY if any(map(_is_plain, possible)) else Reach.FEATURE
    return Reached.by(reach, len(possible))


def _is_plain(shape: Shape) -> bool:
    """Whether it has no feature, no property and no path that is not relative. Each table has the first two features."""
    own = shape.properties
    has_properties = own.known or own.constraints or own.unknown
    return not has_properties and {*shape.protocol.features} <= OF_ALL and {*shape.paths.forms} <= {"hive", "relative"}


def _single(steps: tuple[Step, ...]) -> Iterator[Step]:
    for one in steps:
        yield from one.steps if isinstance(one, AtOnce) else (one,)


def _goes_wrong(step: Step) -> bool:
    """Whether it is killed, meets a fault of storage, or brings odd files."""
    if isinstance(step, (Delete, Vacuum, OtherCommand)):
        return getattr(step, "crash", None) is not None or getattr(step, "io_fault", None) is not None
    files = step.files if isinstance(step, Append) else ()
    strays = step.stray_files if isinstance(step, AddStrayFiles) else ()
    return _has_odd_values(files) or _has_links(strays)


def _is_odd(table: Table) -> bool:
    return (
        table.has(*_ODD)
        or table.root is not TableRoot.PLAIN
        or not _PLAIN_NAMES.issuperset(flags_of(one.name for one in table.columns))
        or any(removal.deleted is None for commit in table.commits for removal in commit.removes)
        or any(one.damage is not None for one in table.files)
        or _has_odd_values(table.files)
        or _has_links(table.stray_files)
    )


def _has_odd_values(files: tuple[DataFile, ...]) -> bool:
    texts = {value for file in files for value in file.partition if isinstance(value, str)}
    return any(_PLAIN_VALUE.fullmatch(one) is None for one in texts)


def _has_links(strays: tuple[StrayFile, ...]) -> bool:
    return any(one.kind is Kind.LINK for one in strays)
