"""What modules declare, such as clauses."""

from __future__ import annotations

from types import ModuleType
from typing import TypeVar

D = TypeVar("D")


def declared(kind: type[D], key: str, *modules: ModuleType) -> dict[str, D]:
    """What the modules define of a kind, alone or in a tuple, by this attribute of it, in the order of their definition.

    Raises ValueError if it is the same of two.
    """
    values = [value for module in modules for value in vars(module).values()]
    found = [
        one for value in values for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, kind)
    ]
    by_key = {getattr(one, key): one for one in found}
    if len(by_key) < len(found):
        raise ValueError(f"two {kind.__name__.lower()}s have the same {key}")
    return by_key
