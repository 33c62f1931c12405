"""Parses the user's VACUUM statement."""

from __future__ import annotations

import re

from model.vocabulary.steps import Mode, Vacuum
from records.mistakes import UsageMistake

_FORM = "VACUUM [table] [FULL | LITE] [RETAIN number HOURS] [DRY RUN]"

_CLAUSE = re.compile(r"(FULL|LITE)|RETAIN\s+(-?[0-9]+(?:\.[0-9]+)?)\s+HOURS|DRY\s+(RUN)", re.ASCII | re.IGNORECASE)

#: A part of the table's name: a word, or a name or path in quotation marks.
_PART = r"""(?:'(?:[^']|'')*'|"[^"]*"|`(?:[^`]|``)*`|[^\s'"`.;]+)"""
_STATEMENT = re.compile(
    rf"\s*VACUUM(?:\s+(?!(?:FULL|LITE|RETAIN|DRY|USING)\b)|(?=['\"`])){_PART}(?:\s*\.\s*{_PART})*(?P<rest>.*)"
    r"|\s*VACUUM\b(?P<all>.*)",
    re.IGNORECASE | re.DOTALL,
)


def vacuum_of(text: str, *, safety_check: bool = True) -> Vacuum:
    """The VACUUM that the text asks for. The table's name in it does not matter, and may be left out.

    ``safety_check``: spark.databricks.delta.retentionDurationCheck.enabled. Raises UsageMistake for any other text.
    """
    found = _STATEMENT.fullmatch(text)
    left = ";" if found is None else (found["rest"] or found["all"] or "").strip().removesuffix(";").strip()
    if re.match(r"USING\b", left, re.IGNORECASE):
        raise UsageMistake("USING INVENTORY cannot be rehearsed: leave it out, and the whole directory is looked at.")
    clauses = _CLAUSE.findall(left)
    modes, hours, dry = ([one for one in each if one] for each in zip(*clauses, strict=True)) if clauses else ([],) * 3
    if not re.fullmatch(rf"(?:(?:{_CLAUSE.pattern})(?:\s+|$))*", left, _CLAUSE.flags) or any(
        len(each) > 1 for each in (modes, hours, dry)
    ):
        raise UsageMistake(f"--vacuum {text!r} cannot be understood: write {_FORM}.")
    return Vacuum(
        retain_hours=float(hours[0]) if hours else None,
        dry_run=bool(dry),
        safety_check=safety_check,
        mode=Mode(modes[0].upper()) if modes else Mode.DEFAULT,
    )


def text_of(vacuum: Vacuum) -> str:
    """The statement without a table's name: ``VACUUM LITE RETAIN 720 HOURS DRY RUN``."""
    words = ["VACUUM", *([vacuum.mode.value] if vacuum.mode is not Mode.DEFAULT else [])]
    if vacuum.retain_hours is not None:
        words.append(retain_of(vacuum))
    return " ".join([*words, *(["DRY RUN"] if vacuum.dry_run else [])])


def retain_of(vacuum: Vacuum) -> str:
    """``RETAIN 720 HOURS``."""
    return f"RETAIN {vacuum.retain_hours:g} HOURS"
