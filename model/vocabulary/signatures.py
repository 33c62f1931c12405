"""Signatures of an engine's functions: with which types of arguments it takes a call, and the type of its result."""

from __future__ import annotations

from dataclasses import dataclass

#: The types of arguments for which engines are asked, by their names in SQL, each with an example that has no special meaning.
ARGUMENTS = {
    "BOOLEAN": "TRUE",
    "INT": "2",
    "BIGINT": "CAST(3 AS BIGINT)",
    "DOUBLE": "CAST(0.5 AS DOUBLE)",
    "DECIMAL(10, 2)": "CAST(1.25 AS DECIMAL(10, 2))",
    "STRING": "'b'",
    "BINARY": "X'61'",
    "DATE": "CAST('2020-02-03' AS DATE)",
    "TIMESTAMP": "CAST('2020-02-03 04:05:06' AS TIMESTAMP)",
    "ARRAY<STRING>": "",
}

#: Texts of arguments that many functions want as constants: a format, a unit, a place.
CONSTANTS = ("'a'", "'yyyy'", "'YEAR'", "1", "2", "'$.a'", "','")


#: The columns of a table to try calls on: one of each type of arguments.
_COLUMNS = {type: f"c{place}" for place, type in enumerate(ARGUMENTS)}


@dataclass(frozen=True)
class Signature:
    """``name(arguments)``. An argument is a type (a key of ``ARGUMENTS``) or the text of a constant (one of ``CONSTANTS``)."""

    name: str
    arguments: tuple[str, ...]
    result: str  # the name of a type in SQL

    @property
    def call(self) -> str:
        """The call in SQL, with the columns c0, c1, … for arguments of each type."""
        return f"{self.name}({', '.join(_COLUMNS.get(argument, argument) for argument in self.arguments)})"
