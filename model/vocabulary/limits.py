"""What a value must be besides its type, as ``Annotated`` types of fields: the reader and the schema go by them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple


class Limit(NamedTuple):
    """A keyword of JSON Schema, and its value. ``said``: what a value must be, where the keyword does not say it well."""

    keyword: str
    value: Any
    said: str = ""


Natural = Annotated[int, Limit("minimum", 0)]
Positive = Annotated[int, Limit("minimum", 1)]

AT_LEAST_ONE = Limit("minItems", 1)
ONCE = Limit("uniqueItems", True)

#: Texts of which none is there twice.
Names = Annotated[tuple[str, ...], ONCE]

#: A text that is not empty, and some of them.
Text = Annotated[str, Limit("pattern", r"\S", "must not be empty")]
Texts = Annotated[tuple[Text, ...], AT_LEAST_ONE]

#: The IANA name of a time zone.
Zone = Annotated[str, "time zone"]

#: A path below the table's root, and one that may also be below a directory beside it.
PathBelow = Annotated[str, "path below the root"]
PathNearby = Annotated[str, "path below the root or beside it"]

#: Hours that are not negative; whole ones are read as an int.
RetentionHours = Annotated[float, "hours"]
