"""Faults of DELETE on tables with odd columns, and of the ways to say it."""

from __future__ import annotations

from typing import Any

from selfcheck.faults.fault import fault
from selfcheck.faults.tampering import Tampering, removal, without
from engines.port import Outcome
from model.steps import Delete, Form


@fault(
    "forgets-a-ruled-column",
    "A generated, identity, defaulted or constrained column is NULL after a rewrite.",
    on=Delete,
    caught_by="DEL-GEN-1A",
)
def forgets_a_ruled_column(t: Tampering) -> Outcome | None:
    names = t.physical_names()
    has_checks = any(key.startswith("delta.constraints.") for key in t.metadata["configuration"])
    ruled = [field["name"] for field in t.fields if _rules(field) or has_checks]
    t.forget([names[name] for name in ruled])
    return None


def _rules(field: dict[str, Any]) -> bool:
    said = without(field["metadata"], "delta.columnMapping.id", "delta.columnMapping.physicalName")
    return bool(said) or not field["nullable"]


#: Types that rewriting leaves alone most surely.
_PLAIN = ("string", "byte", "short", "integer", "long", "boolean", "date")


@fault(
    "forgets-a-rare-type",
    "A column of a type that is not among the usual ones is NULL after a rewrite.",
    on=Delete,
    caught_by="DEL-GEN-1B",
)
def forgets_a_rare_type(t: Tampering) -> Outcome | None:
    names = t.physical_names()
    t.forget([names[field["name"]] for field in t.fields if field["type"] not in _PLAIN])
    return None


@fault(
    "forgets-an-odd-name",
    "A column with an unusual name is NULL after a rewrite.",
    on=Delete,
    caught_by="DEL-GEN-1C",
)
def forgets_an_odd_name(t: Tampering) -> Outcome | None:
    names = t.physical_names()
    odd = [field["name"] for field in t.fields if not field["name"].isascii() or not field["name"].isalnum()]
    t.forget([names[name] for name in odd])
    return None


@fault(
    "forgets-columns-of-wide-tables",
    "A table of more than a hundred columns loses the values of one beyond the fiftieth.",
    on=Delete,
    caught_by="DEL-GEN-1D",
)
def forgets_columns_of_wide_tables(t: Tampering) -> Outcome | None:
    if len(t.fields) >= 100:
        names = t.physical_names()
        t.forget([names[field["name"]] for field in t.fields[50:]])
    return None


@fault(
    "deletes-more-by-name",
    "A DELETE that is not said in SQL by path removes a file too many.",
    on=Delete,
    caught_by="DEL-NAME-1",
)
def deletes_more_by_name(t: Tampering) -> Outcome | None:
    assert isinstance(t.step, Delete)
    if t.step.form is not Form.SQL_PATH and t.written:
        for path in t.untouched()[:1]:
            t.append_actions(removal(t.live[path], deleted=t.outcome.ended))
    return None
