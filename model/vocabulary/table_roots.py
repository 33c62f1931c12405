"""The names of a table's own directory. What an engine does must not depend on them."""

from __future__ import annotations

from enum import Enum


class TableRoot(str, Enum):
    """The name of the directory; a case's other files and directories are in it or beside it."""

    PLAIN = "table"
    BLANK = "a table"
    PERCENT = "100% table"
    ENCODED = "a%20table"  # decoded, the name of another directory
    HASH = "table#1"
    PLUS = "a+table"
    QUESTION = "table?1"
    COLON = "table:1"
    NON_ASCII = "größe"
    DECOMPOSED = "e\u0301te\u0301"
    UNDERSCORE = "_table"  # inside a table it would be hidden
    DOT = ".table"
    PARTITION = "p=1"
    LONG = "table" * 40  # bytes, with room for the names of what the suite puts beside it
