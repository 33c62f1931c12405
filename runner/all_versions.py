"""``python -m runner.all_versions [--write] [VERSION ...]``: the gate on several versions of Delta, and a table of the results.

The profile is smoke by default. Versions that are not named keep the row of their last run. Exit 0: no version breaks a
clause; 1: one does; 2: a run did not end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engines.versions import JUDGED, Pair, pair_of
from model.versions import parse
from reports.stream import StreamError, read_run
from runner.commands import Parser, in_a_sentence
from runner.gate_version import ROOT, run_gate

DIRECTORY = Path("build/versions")

#: The lines around the table in README.md.
BEGIN, END = "<!-- versions: begin -->", "<!-- versions: end -->"


@dataclass(frozen=True)
class Row:
    """The result of one version. ``counts`` are clauses by verdict."""

    pair: Pair
    exit: int
    profile: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    cases: int = 0
    steps: int = 0
    failing: tuple[str, ...] = ()


def row(pair: Pair) -> Row | None:
    """The row of a version, from its report; None if there is no complete one."""
    try:
        run = read_run(ROOT / DIRECTORY / pair.delta)
    except StreamError:
        return None
    verdicts = run.footer["verdicts"]
    return Row(
        Pair(pair.delta, run.header["versions"]["pyspark"]),
        run.footer["exit"],
        run.header["profile"],
        tuple(run.footer["counts"].items()),
        run.footer["cases"],
        run.footer["steps"],
        tuple(id for id, result in verdicts.items() if result["verdict"] in ("fail", "stale", "unexercised", "error")),
    )


def table(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| Delta | PySpark | Verdict | Cases | Steps | Pass | Known deviations | Not promised there | Broken |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        counts = dict(row.counts)
        verdict = {0: "✅ kept", 1: "❌ broken"}.get(row.exit, "⚠️ incomplete")
        cells = [row.pair.delta, row.pair.pyspark, verdict, row.cases, row.steps]
        cells += [counts.get(name, 0) for name in ("pass", "xfail", "unsupported")]
        lines.append(f"| {' | '.join(map(str, [*cells, ', '.join(row.failing) or '–']))} |")
    return "\n".join(lines)


def written(text: str, table: str) -> str:
    """The text of a document with its table replaced. Raises ValueError if it lacks the lines around the table."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"The document has no place for the table: write {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


@in_a_sentence
def main(arguments: list[str]) -> int:
    parser = Parser(prog="tox -e all-versions --", description=(__doc__ or "").partition("\n")[2])
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"default: {', '.join(JUDGED)}")
    parser.add_argument("--profile", default="smoke", metavar="NAME", help="the budget (default: smoke)")
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    asked, options = parser.parse_known_args(arguments)
    pairs = [pair_of(version) for version in asked.versions or JUDGED]
    for pair in pairs:
        print(f"Delta {pair.delta} on PySpark {pair.pyspark}.", flush=True)
        run_gate(pair, ["--profile", asked.profile, *options], report=ROOT / DIRECTORY / pair.delta)
    rows = {version: found for version in JUDGED if (found := row(pair_of(version))) is not None}
    rows |= {pair.delta: row(pair) or Row(pair, 2) for pair in pairs}
    text = table(sorted(rows.values(), key=lambda row: parse(row.pair.delta)))
    print(text)
    (ROOT / DIRECTORY / "versions.md").write_text(f"{text}\n", encoding="utf-8")
    if asked.write:
        readme = ROOT / "README.md"
        readme.write_text(written(readme.read_text(encoding="utf-8"), text), encoding="utf-8")
    return max(rows[pair.delta].exit for pair in pairs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
