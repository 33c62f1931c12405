"""The functions that conditions may call though the model does not evaluate them, as their engines list them.

``python -m selfcheck.signatures ENGINE`` writes the files of this directory.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from model.vocabulary.predicate import Language, Verbatim
from model.vocabulary.signatures import ARGUMENTS, Signature

#: The file of each language.
FILES = {
    Language.SPARK: Path(__file__).with_name("spark.json"),
    Language.DATAFUSION: Path(__file__).with_name("datafusion.json"),
}

_CALLS = re.compile(r"(\w+)\(")

#: Functions whose result is as long as a number says: a column's would fill the memory. Their numbers are constants.
_GROWING = frozenset(
    """array_repeat array_resize factorial gen_series generate_series list_repeat list_resize lpad range repeat rpad
    sequence space""".split()  # noqa: SIM905 - a list would have a line for each
)

#: Functions that count from one argument to another: between the ends of a type they would never come to an end.
SERIES = frozenset({"gen_series", "generate_series", "range", "sequence"})


@cache
def signatures_of(language: Language) -> tuple[Signature, ...]:
    """The signatures of a language's functions, sorted by name."""
    rows = json.loads(FILES[language].read_text(encoding="utf-8"))
    known = (Signature(name, tuple(arguments), result) for name, arguments, result in rows)
    return tuple(one for one in known if one.name not in _GROWING or not any(map(ARGUMENTS.get, one.arguments[1:])))


def functions_in(test: Verbatim) -> frozenset[str]:
    """The names of the functions that a test calls."""
    names = {one.name for one in signatures_of(test.language)}
    return frozenset(name for name in _CALLS.findall(test.text) if name in names)


def text_of(signatures: list[Signature]) -> str:
    """The text of a file of signatures: a line for each."""
    lines = [json.dumps([one.name, list(one.arguments), one.result], ensure_ascii=False) for one in signatures]
    return "[\n" + ",\n".join(lines) + "\n]\n"
