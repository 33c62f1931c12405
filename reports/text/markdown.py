"""Markdown of any text: cells, code spans, tables and folded parts; and documents of a limited size."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from reports.text.cut import cut
from reports.text.quantities import counted

#: GitHub refuses a step summary of more than 1 MiB (docs, "Workflow commands", job summaries). Bytes.
LIMIT = 1_000_000

#: Longer sentences and messages are cut, in characters. The stream has the full text.
_LONGEST = 400


def limited(parts: Callable[[int], Iterable[str]], rows: int, limit: int) -> str:
    """A document of at most ``limit`` bytes in UTF-8. ``parts`` makes its paragraphs with at most that many rows in a table."""
    while True:
        whole = "\n\n".join(parts(rows)) + "\n"
        if len(whole.encode("utf-8", "surrogatepass")) <= limit or rows == 0:
            return whole.encode("utf-8", "backslashreplace").decode("utf-8")
        rows //= 2


def text(value: object) -> str:
    """``value`` as Markdown that shows it literally, on one line. White space is collapsed; long texts are cut."""
    line = " ".join(_visible(str(value)).split())
    line = _cut(line)
    line = re.sub(r"[\\`*_\[\]<~$]", r"\\\g<0>", line).replace("&", "&amp;")
    # Lists, headings and quotes begin at a line's start only; GitHub shows ``:name:`` as an emoji.
    line = re.sub(r"^([-+#>=]|\d+(?=[.)]))", _leading, line)
    return re.sub(r":(?=[a-z0-9_+-]+:)", "&#58;", line)


def command(text: str) -> str:
    """A command as a block of its own, which is never cut."""
    return f"    {_visible(text)}"


def code(value: object) -> str:
    """``value`` as a code span on one line, with its spaces; long texts are cut. Empty for an empty text."""
    line = _cut(
        "".join(char if char == " " or not char.isspace() else ascii(char)[1:-1] for char in _visible(str(value)))
    )
    if not line:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    # Markdown strips one space at both ends, unless the span has only spaces.
    pad = " " if line.strip() and (line[0] in "` " or line[-1] in "` ") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def row(*cells: object) -> str:
    """A table's row of Markdown cells. A pipe inside a cell does not end it."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _leading(match: re.Match[str]) -> str:
    return f"&#{ord(match[0][0])};{match[0][1:]}"


def _visible(value: str) -> str:
    return "".join(char if char.isprintable() or char.isspace() else ascii(char)[1:-1] for char in value)


def _cut(line: str) -> str:
    return cut(line, _LONGEST)


def table(heading: str, rows: Sequence[str], limit: int, *, whole: str = "the run stream") -> str:
    """A Markdown table of rows made by ``row``, ``limit`` of them at most. ``whole`` names where all of them are."""
    left_out = len(rows) - limit
    columns = heading.replace("\\|", "").count("|") - 1
    lines = [heading, "|" + " --- |" * columns, *rows[:limit]]
    if left_out > 0:
        lines += ["", f"… and {counted(left_out, 'more row')}, left out for size: all are in {whole}."]
    return "\n".join(lines)


def folded(summary: str, *parts: str) -> list[str]:
    """Paragraphs that are hidden until someone opens them."""
    line = _cut(" ".join("".join(char if char.isprintable() else " " for char in summary).split()))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return [f"<details><summary>{line}</summary>", *parts, "</details>"]
