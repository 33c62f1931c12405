"""The code that documents show is that of the file which its first line names."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]

#: Every block of Python whose first line names a file of the project: the document, the file, the code.
BLOCKS = [
    (page, *block)
    for page in sorted(chain(ROOT.glob("*.md"), (ROOT / "docs").glob("*.md")))
    for block in re.findall(
        r"^ *```python\n *# ([\w/]+\.py)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
]


def _lines(text: str) -> str:
    """The lines without what they are indented by in common, or at all in the first of a call."""
    return "\n".join(line.strip() for line in dedent(text).strip().splitlines())


def test_documents_show_code() -> None:
    assert {page.name for page, _, _ in BLOCKS} >= {"adding-a-clause.md"} and len(BLOCKS) >= 4


def test_the_code_is_that_of_its_file() -> None:
    for page, file, code in BLOCKS:
        assert _lines(code) in _lines((ROOT / file).read_text(encoding="utf-8")), f"{page.name}: {file}"
