"""Values as literals of Python: the only way for data and text to get into a reproduction script."""

from __future__ import annotations

import math

#: The longest literal of a text on one line, and the most characters of each line of a longer one.
_LONGEST, _LINE = 75, 85


class Code(str):
    """Text that is code already, such as the name of a variable: it stands as it is."""

    __slots__ = ()


def quoted(value: object, root: str = "") -> str:
    """A value as a literal. In a text, which has double quotes unless they need an escape, the path ``root`` is ``ROOT``; a
    long one takes several lines, in parentheses."""
    if isinstance(value, Code) or not isinstance(value, str):
        return _literal(value)
    pieces = _pieces(value, root)
    prefix = "f" if pieces != list(value) else ""
    if sum(map(len, pieces)) <= _LONGEST:
        return prefix + _literal("".join(pieces))
    parts = []
    while pieces:
        line = _line(pieces) if sum(map(len, pieces)) > _LINE else len(pieces)
        parts.append("".join(pieces[:line]))
        pieces = pieces[line:]
    return "(\n" + "\n".join(f"    {prefix if set(part) & set('{}') else ''}{_literal(part)}" for part in parts) + "\n)"


def called(function: str, *arguments: object, root: str = "") -> str:
    """A call with these values, and with code. The only argument, a long text, brings its own parentheses."""
    written = ", ".join(quoted(argument, root) for argument in arguments)
    return f"{function}{written}" if written.startswith("(\n") and len(arguments) == 1 else f"{function}({written})"


def _literal(value: object) -> str:
    if isinstance(value, Code):
        return str(value)
    if isinstance(value, str):
        found = repr(value)  # with double quotes already if the text has single ones alone
        return found if '"' in value or "'" in value else f'"{found[1:-1]}"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, (bool, int, float)):
        return repr(value)
    raise TypeError(f"a {type(value).__name__} has no literal")


def _pieces(text: str, root: str) -> list[str]:
    """The characters of a literal, in which the table's path is one piece, and then each brace of the text another."""
    if not root or root not in text:
        return list(text)
    first, *others = (
        [character * 2 if character in "{}" else character for character in part] for part in text.split(root)
    )
    return first + [piece for part in others for piece in ("{ROOT}", *part)]


def _line(pieces: list[str]) -> int:
    """How many pieces a line of a long literal has: up to a space, if there is one among its characters."""
    room, space = 0, 0
    for number, piece in enumerate(pieces):
        if room + len(piece) > _LINE:
            return space or max(number, 1)
        room += len(piece)
        if piece == " " and number:
            space = number + 1
    return len(pieces)
