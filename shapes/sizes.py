"""Size classes: powers of ten."""

from __future__ import annotations


def size_class(number: int) -> int:
    """The greatest power of ten that is not above ``number``; 0 for none.

    >>> [size_class(number) for number in (0, 1, 9, 10, 999, 1000)]
    [0, 1, 1, 10, 100, 1000]
    """
    return 10 ** (len(str(number)) - 1) if number > 0 else 0
