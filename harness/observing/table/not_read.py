"""What stands for the values of data files that nobody reads, as stand-ins have their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn


class NotRead(Exception):
    """A value of a data file was asked for, and none was read. Who asks cannot be answered, neither well nor badly."""


class _Unread:
    """A value that was not read, or a collection of such. Whatever is asked of it raises NotRead."""

    def _ask(self, *_: object) -> NoReturn:
        raise NotRead

    def __hash__(self) -> NoReturn:
        raise NotRead

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = __getattr__ = _ask
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _ask  # type: ignore[assignment]
    __add__ = __radd__ = __sub__ = __rsub__ = __and__ = __rand__ = __or__ = __ror__ = _ask


UNREAD: Any = _Unread()


class UnreadByKey(Mapping[Any, Any]):
    """Values by keys, of which neither was read: each key that is asked for has such a value."""

    def __getitem__(self, key: object) -> Any:
        return UNREAD

    def __contains__(self, key: object) -> NoReturn:
        raise NotRead

    def __iter__(self) -> Iterator[Any]:
        raise NotRead

    def __len__(self) -> int:
        raise NotRead


def is_told(ask: Callable[[], bool]) -> bool:
    """What ``ask`` answers; False where that needs what was not read."""
    try:
        return ask()
    except NotRead:
        return False
