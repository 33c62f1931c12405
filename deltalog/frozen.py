"""An immutable mapping: equal to any mapping with the same items, and hashable if its values are. And dataclasses with such."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item", covariant=True)


class FrozenMap(Mapping[Key, Item]):
    """An immutable copy of ``items`` in their order, which comparisons ignore."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Item]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Item:
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


#: Without items.
NOTHING: FrozenMap[str, Any] = FrozenMap({})


class WithFrozenMaps:
    """A base of frozen dataclasses that copies the dicts in its fields, so that nobody changes them."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, dict):
                object.__setattr__(self, name, FrozenMap(value))
