"""Equal shapes become one, with a count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from hashlib import sha256

from records.json_form import to_json
from records.suite_version import VERSION
from shapes.reading import ReadTable, RefusedTable
from shapes.refusals import RefusalReason
from shapes.shape import Counted, KeptNames, Shape, Shapes, Unreadable


class Folded:
    """Keeps one of each shape, and names only where they are kept."""

    def __init__(self, *, names: bool) -> None:
        self._names = names
        self._shapes: dict[str, Shape] = {}
        self._counts: Counter[str] = Counter()
        self._named: defaultdict[str, list[KeptNames]] = defaultdict(list)
        self._refused: Counter[RefusalReason] = Counter()
        self._refused_tables: defaultdict[RefusalReason, list[str]] = defaultdict(list)

    @property
    def read(self) -> int:
        return sum(self._counts.values())

    @property
    def refused(self) -> int:
        return sum(self._refused.values())

    def take(self, found: ReadTable | RefusedTable) -> None:
        if isinstance(found, RefusedTable):
            self._refused[found.reason] += 1
            if self._names:
                self._refused_tables[found.reason].append(found.table)
            return
        id = id_of(found.shape)
        self._shapes[id] = found.shape
        self._counts[id] += 1
        if found.names is not None:
            self._named[id].append(found.names)

    @property
    def shapes(self) -> Shapes:
        ordered = sorted(self._counts, key=lambda one: (-self._counts[one], one))
        return Shapes(
            schema_version=1,
            suite=VERSION,
            tables=self.read,
            shapes=tuple(
                Counted(
                    id,
                    self._counts[id],
                    self._shapes[id],
                    tuple(sorted(self._named.get(id, ()), key=lambda one: one.table)),
                )
                for id in ordered
            ),
            unreadable=tuple(
                Unreadable(reason.value, self._refused[reason], tuple(sorted(self._refused_tables.get(reason, ()))))
                for reason in sorted(self._refused)
            ),
        )


def id_of(shape: Shape) -> str:
    """A digest of what the shape itself contains, and of nothing else."""
    return sha256(json.dumps(to_json(shape), sort_keys=True).encode("utf-8")).hexdigest()[:12]
