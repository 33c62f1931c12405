"""``python -m runner.command_line.page``: writes docs/options.md from the tables of options and commands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tombstone.commands import COMMANDS
from tombstone.options import PYTEST, RUN, Option

PAGE = Path(__file__).resolve().parents[2] / "docs" / "options.md"

_BEGIN = """# Options

*For who runs a gate: the options follow `tombstone gate`, or in a clone `tox -e gate --`.*

This page is made of the table in `tombstone/options.py`; `tombstone COMMAND --help` shows the same. pytest's own options work
too. `tombstone upgrade`, `together`, `versions` and `replay` pass them to their gates, and have a few more (below, and in
[gating-an-upgrade.md](gating-an-upgrade.md#options-of-the-comparison)). With `tombstone`, relative paths start in the current
directory; with tox, in the checkout.
"""


def _table(options: Iterable[Option]) -> list[str]:
    rows = []
    for one in options:
        name = " ".join(filter(None, (one.names[0], one.metavar)))
        more = one.more if one.more.startswith("(") else f". {one.more}" if one.more else ""
        text = f"{one.help}{' ' if more.startswith('(') else ''}{more}".replace("|", "\\|")
        rows.append(f"| `{name}` | {text} |")
    return ["| option | meaning |", "| --- | --- |", *rows]


def page() -> str:
    lines = [_BEGIN]
    for about in dict.fromkeys(one.about for one in RUN):
        lines += [f"## {about}", "", *_table(one for one in (*RUN, *PYTEST) if one.about == about), ""]
    lines += ["## Options of other commands", ""]
    for command in COMMANDS.values():
        if command.options:
            lines += [f"`tombstone {command.usage}`: {command.sentence}.", "", *_table(command.options), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
