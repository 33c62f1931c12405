"""``python -m runner.turn_table [--run] [--write] [VERSION ...]``: Delta on Spark beside delta-rs on the same tables, as a table.

The newest judged release of each with every judged release of the other. With versions (``4.4.0 deltalake==1.6.6``) the pairs
between them, and the other pairs keep their rows. Two releases of one engine in turn are in the table of upgrades. Exit 0: the
table is made, whatever the answers; 2: a run is missing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.provider import DEFAULT, kind_of
from engines.versions import judged_of
from records.mistakes import UsageMistake
from reports.document import Link, line
from reports.document.markdown import heads, markdown, row
from reports.render.together import turn_document
from reports.together.answer import TurnReport, direction
from runner import all_versions
from runner.command_line.commands import in_a_sentence
from runner.gate_version import ROOT
from runner.kept_turns import kept_in_turn
from tombstone.commands import Command, Word, option
from tombstone.reading import asked_of
from tombstone.values import PATH

#: Where the runs go.
DIRECTORY = Path("build/turn-table")

#: Where the pages of the pairs are kept.
PAGES = Path("docs/together")

#: What the table in a page of the documents is of (``all_versions.marks``).
ABOUT = "together"

#: The engine that Delta on Spark shares tables with.
OTHER = "deltalake"

_REMEDY = "add --run, which makes it in minutes"


@dataclass(frozen=True)
class TurnPair:
    """A version of Delta on Spark and one of the other engine, as users name them."""

    spark: str
    other: str

    @property
    def page(self) -> str:
        return f"{kind_of(DEFAULT).name}-{self.spark}-{self.other.replace('==', '-')}.md"


def pairs() -> tuple[TurnPair, ...]:
    """The newest release of each engine with every release of the other, the oldest first, each pair once."""
    spark, other = judged_of(DEFAULT), judged_of(OTHER)
    beside = [TurnPair(spark[-1], one) for one in other]
    return tuple(dict.fromkeys([*beside, *(TurnPair(one, other[-1]) for one in spark)]))


def chosen(names: Sequence[str]) -> tuple[TurnPair, ...]:
    """The pairs between these versions; all pairs without names. Raises UsageMistake if there are none."""
    found = tuple(pair for pair in pairs() if not names or {pair.spark, pair.other} <= set(names))
    spark, other = judged_of(DEFAULT), judged_of(OTHER)
    if not found or not set(names) <= {*spark, *other}:
        both = f"{spark[-1]} with each of {', '.join(other)}, and {other[-1]} with each of {', '.join(spark)}"
        raise UsageMistake(f"The table has {both}: name both of one pair, and use tox -e together for others.")
    return found


def cells(pair: TurnPair, report: TurnReport) -> str:
    """The row of a pair. The page that has the table lies beside the folder of the pages."""
    spark, other = report.sides
    answer = report.answer
    word = line(f"{answer.mark} ", Link(answer.word.value, f"{PAGES.name}/{pair.page}"))
    number = pair.other.partition("==")[2]
    return row((pair.spark, number, word, direction(report, spark), direction(report, other), report.cases))


def table(rows: Sequence[str]) -> str:
    columns = ("Delta", OTHER, "Answer", f"Delta on tables of {OTHER}", f"{OTHER} on tables of Delta", "Cases")
    return "\n".join([heads(columns), *rows])


def page_text(pair: TurnPair, report: TurnReport) -> str:
    """The page of a pair, with the command that makes the report again, with its cases."""
    again = f".venv/bin/tox -e together -- {pair.spark} {pair.other}"
    return f"{markdown(turn_document(report))}\nThis makes it again, with the cases:\n\n    {again}\n"


def rows_of(made: Mapping[TurnPair, str], before: str) -> list[str]:
    """The rows that are made, and those that the table of ``before`` has of the other pairs."""
    kept = {pair: line for line in before.splitlines() for pair in pairs() if f"({PAGES.name}/{pair.page})" in line}
    return [row for pair in pairs() if (row := made.get(pair) or kept.get(pair))]


_COMMAND = Command(
    "turn-table",
    "Delta on Spark beside delta-rs on the same tables, as a table",
    (Word("VERSION", "both versions of a pair, or of several (default: all)", 0, None),),
    options=(
        option("--out", "DIR", f"where the runs go (default: {DIRECTORY})", PATH),
        option("--run", "", "run what is missing"),
        option("--write", "", f"put the pages into {PAGES}, and the table into the page that has a place for it"),
    ),
    program="python -m runner.turn_table",
)


@in_a_sentence
def main(arguments: list[str]) -> int:
    asked = asked_of(_COMMAND, arguments)
    page = all_versions.page_of(DEFAULT, ABOUT)
    before = page.read_text(encoding="utf-8")
    out = (asked.out or ROOT / DIRECTORY).absolute()
    reports = {
        pair: kept_in_turn((pair.spark, pair.other), out, make=asked.run, remedy=_REMEDY)
        for pair in chosen(asked.words)
    }
    text = table(rows_of({pair: cells(pair, report) for pair, report in reports.items()}, before))
    print(text)
    if asked.write:
        (ROOT / PAGES).mkdir(exist_ok=True)
        for pair, report in reports.items():
            (ROOT / PAGES / pair.page).write_text(page_text(pair, report), encoding="utf-8", newline="\n")
        whole = all_versions.written(before, text, DEFAULT, ABOUT)
        page.write_text(whole, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
