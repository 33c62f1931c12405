"""The patterns of LIKE and RLIKE as Python regular expressions."""

from __future__ import annotations

import re


def like_expression(pattern: str) -> re.Pattern[str]:
    """The regular expression that the whole value must match for ``LIKE pattern`` to be TRUE.

    ``%`` matches any characters, ``_`` one code point, line ends included; a backslash escapes ``%``, ``_`` and a
    backslash. Raises ValueError for a backslash at the end or before anything else, which Spark refuses (error class
    INVALID_FORMAT).
    """
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == "%":
            parts.append(".*")
        elif character == "_":
            parts.append(".")
        elif character == "\\":
            escaped = next(characters, None)
            if escaped is None or escaped not in "%_\\":
                raise ValueError(f"in the LIKE pattern {pattern!r} a backslash is not followed by %, _ or a backslash")
            parts.append(re.escape(escaped))
        else:
            parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


#: Java's line terminators. Python knows only the first.
_LINE_ENDS = "\n\r\u0085\u2028\u2029"

_END = rf"(?:(?=\r\n\Z)|(?<!\r)(?=\n\Z)|(?=[{_LINE_ENDS[1:]}]\Z)|\Z)"

_CLASSES = {"d": "[0-9]", "w": "[a-zA-Z0-9_]", "s": r"[ \t\n\x0b\f\r]"}

_TOKEN = re.compile(
    r"""
    (?P<set>\[\^?(?:\\[\]\[\\^&-]|[^\]\[\\&])+\])      # without nested sets and &&, which Java has
    | (?P<count>[*+?]|\{[0-9]{1,3}(?:,[0-9]{0,3})?\})
    | \\(?P<class>[dws])
    | \\(?P<escaped>[\\^$.|?*+()\[\]{}])
    | (?P<structure>[()|])
    | (?P<any>\.)
    | (?P<anchor>[\^$])
    | (?P<plain>[^\\^$.|?*+()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)


def rlike_expression(pattern: str) -> re.Pattern[str]:
    r"""The Python regular expression to search in the value for ``RLIKE pattern``.

    Spark uses ``java.util.regex``. Supported are: literal characters, ``.``, ``^``, ``$``, sets such as ``[a-z]`` or
    ``[^0-9_]``, ``\d \w \s`` outside of sets (ASCII only), escaped special characters, the greedy quantifiers
    ``* + ? {m} {m,} {m,n}``, ``|`` and plain groups. Raises ValueError for anything else.
    """
    parts: list[str] = []
    place, countable = 0, False
    while place < len(pattern):
        found = _TOKEN.match(pattern, place)
        kind = found.lastgroup if found else None
        if found is None or kind is None or (kind == "count" and not countable):
            raise ValueError(f"the RLIKE pattern {pattern!r} is not supported from its character {place} on")
        text = found[kind]
        parts.append(_translated(kind, text))
        countable = kind not in ("count", "anchor") and text not in ("(", "|")
        place = found.end()
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise ValueError(f"the RLIKE pattern {pattern!r} is not a regular expression: {error}") from None


def _translated(kind: str, text: str) -> str:
    if kind == "any":
        return f"[^{_LINE_ENDS}]"
    if kind == "anchor":
        return r"\A" if text == "^" else _END
    if kind == "class":
        return _CLASSES[text]
    if kind == "structure":
        return "(?:" if text == "(" else text
    return re.escape(text) if kind in ("plain", "escaped") else text
