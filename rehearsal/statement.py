"""Parses the user's VACUUM statement."""

from __future__ import annotations

import re
from collections.abc import Iterator

from model.vocabulary.steps import Mode, Vacuum
from records.mistakes import UsageMistake

_FORM = "VACUUM [table] [FULL | LITE] [RETAIN number HOURS] [DRY RUN]"

#: A quoted name or path, a word, a number, or a sign.
_TOKEN = re.compile(r"""\s*('(?:[^']|'')*'|"[^"]*"|`(?:[^`]|``)*`|-?[0-9]+\.[0-9]+(?!\w)|[^\s'"`.;]+|[.;])""")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?", re.ASCII)
_CLAUSES = ("FULL", "LITE", "RETAIN", "DRY", "USING")


def vacuum_of(text: str, *, safety_check: bool = True) -> Vacuum:
    """The VACUUM that the text asks for. The table's name in it does not matter, and may be left out.

    ``safety_check``: spark.databricks.delta.retentionDurationCheck.enabled. Raises UsageMistake for any other text.
    """
    words = list(_tokens(text))
    if words and words[-1] == ";":
        words.pop()
    if not words or words.pop(0).upper() != "VACUUM":
        raise UsageMistake(f"--vacuum {text!r} is no VACUUM: write {_FORM}.")
    words = _without_name(words)
    retain: float | None = None
    mode = Mode.DEFAULT
    dry_run = False
    said: set[str] = set()
    while words:
        word = words.pop(0).upper()
        clause = "FULL or LITE" if word in ("FULL", "LITE") else word
        if clause in said:
            raise UsageMistake(f"--vacuum {text!r} says {clause} twice: leave one out.")
        said.add(clause)
        if word in ("FULL", "LITE"):
            mode = Mode(word)
        elif word == "RETAIN":
            retain = _hours(words[:2], text)
            del words[:2]
        elif word == "DRY" and words[:1] and words.pop(0).upper() == "RUN":
            dry_run = True
        elif word == "USING":
            raise UsageMistake(
                "USING INVENTORY cannot be rehearsed: leave it out, and the whole directory is looked at."
            )
        else:
            raise UsageMistake(f"--vacuum {text!r} cannot be understood at {word}: write {_FORM}.")
    return Vacuum(retain_hours=retain, dry_run=dry_run, safety_check=safety_check, mode=mode)


def text_of(vacuum: Vacuum) -> str:
    """The statement without a table's name: ``VACUUM LITE RETAIN 720 HOURS DRY RUN``."""
    words = ["VACUUM", *([vacuum.mode.value] if vacuum.mode is not Mode.DEFAULT else [])]
    if vacuum.retain_hours is not None:
        words.append(retain_of(vacuum))
    return " ".join([*words, *(["DRY RUN"] if vacuum.dry_run else [])])


def retain_of(vacuum: Vacuum) -> str:
    """``RETAIN 720 HOURS``."""
    return f"RETAIN {vacuum.retain_hours:g} HOURS"


def _tokens(text: str) -> Iterator[str]:
    """Raises UsageMistake for a quotation mark that is not closed."""
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise UsageMistake(f"--vacuum {text!r} has a quotation mark that is not closed: close it.")
        yield match[1]
        place = match.end()


def _without_name(words: list[str]) -> list[str]:
    """The words after the table's name: a path in quotation marks, or names with dots between them."""
    if not words or words[0].upper() in _CLAUSES:
        return words
    end = 1
    while words[end : end + 1] == ["."]:
        end += 2
    return words[end:]


def _hours(words: list[str], text: str) -> float:
    if len(words) < 2 or not _NUMBER.fullmatch(words[0]) or words[1].upper() != "HOURS":
        raise UsageMistake(f"--vacuum {text!r} has a RETAIN without hours: write RETAIN 720 HOURS, with your number.")
    return float(words[0])
