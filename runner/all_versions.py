"""``python -m runner.all_versions [--write] [VERSION ...]``: the gate on several versions, and a table of the results.

Without a version those of Delta on Spark; ``deltalake`` stands for all of delta-rs that are judged. The profile is smoke by
default. Versions that are not named keep the row of their last run. Exit 0: no version breaks a clause; 1: one does; 2: a
run did not end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engines.versions import JUDGED, JUDGED_DELTALAKE, Pair, Version, version_of
from model.vocabulary.versions import parse
from records.mistakes import StreamError, UsageMistake
from reports.page.html import write_index
from reports.stream import read_run
from reports.verdicts import ATTENTION
from runner.commands import Parser, in_a_sentence
from runner.gate_version import ROOT, available, run_gate

DIRECTORY = Path("build/versions")


@dataclass(frozen=True)
class Kind:
    """An engine whose versions get a table. ``columns`` name its versions, the engine's own first."""

    judged: tuple[str, ...]  # as a user names them
    columns: tuple[tuple[str, str], ...]  # heading, and the name in the header's versions
    document: str  # the page that has the table
    mark: str

    @property
    def lines(self) -> tuple[str, str]:
        """The lines around the table in its document."""
        return f"<!-- {self.mark}: begin -->", f"<!-- {self.mark}: end -->"


KINDS = {
    "spark": Kind(JUDGED, (("Delta", "delta"), ("PySpark", "pyspark")), "README.md", "versions"),
    "deltalake": Kind(
        tuple(f"deltalake=={version}" for version in JUDGED_DELTALAKE),
        (("deltalake", "deltalake"), ("pyarrow", "pyarrow")),
        "docs/versions.md",
        "deltalake versions",
    ),
}


@dataclass(frozen=True)
class Row:
    """The result of one version. ``counts`` are clauses by verdict."""

    versions: tuple[str, ...]  # the engine's own first
    exit: int
    profile: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    cases: int = 0
    steps: int = 0
    failing: tuple[str, ...] = ()


def directory(version: Version) -> Path:
    """Where the report of the version is."""
    return ROOT / DIRECTORY / (version.version if version.engine == "spark" else version.requirement)


def row(version: Version) -> Row | None:
    """The row of a version, from its report; None if there is no complete one."""
    try:
        run = read_run(directory(version))
    except StreamError:
        return None
    return Row(
        tuple(run.header.versions[name] for _, name in KINDS[version.engine].columns),
        run.footer.exit,
        run.header.profile,
        tuple((verdict.value, count) for verdict, count in run.footer.counts.items()),
        run.footer.cases,
        run.footer.steps,
        tuple(id for id, result in run.footer.verdicts.items() if result.verdict in ATTENTION),
    )


def _not_run(version: Version) -> Row:
    return Row((version.version, version.pyspark if isinstance(version, Pair) else "–"), 2)


def table(kind: Kind, rows: Iterable[Row]) -> str:
    """The rows as a Markdown table."""
    names = [heading for heading, _ in kind.columns]
    names += ["Verdict", "Cases", "Steps", "Pass", "Known deviations", "Not promised there", "Broken"]
    lines = [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]
    for row in rows:
        counts = dict(row.counts)
        verdict = {0: "✅ kept", 1: "❌ broken"}.get(row.exit, "⚠️ incomplete")
        cells = [*row.versions, verdict, row.cases, row.steps]
        cells += [counts.get(name, 0) for name in ("pass", "xfail", "unsupported")]
        lines.append(f"| {' | '.join(map(str, [*cells, ', '.join(row.failing) or '–']))} |")
    return "\n".join(lines)


def written(text: str, table: str, kind: Kind) -> str:
    """The text of a document with its table replaced. Raises ValueError if it lacks the lines around the table."""
    first, last = kind.lines
    before, begin, rest = text.partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise ValueError(f"The document has no place for the table: write {first} and {last}.")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"


def _asked(names: Sequence[str]) -> list[Version]:
    """The versions of one engine. Raises UsageMistake for versions of two."""
    texts = [text for name in names or JUDGED for text in (KINDS[name].judged if name in KINDS else (name,))]
    versions = [available(text) for text in texts]
    if len({version.engine for version in versions}) > 1:
        raise UsageMistake(
            "A table has the versions of one engine: name those of Delta on Spark, or those of deltalake."
        )
    return versions


@in_a_sentence
def main(arguments: list[str]) -> int:
    parser = Parser(prog="tox -e all-versions --", description=(__doc__ or "").partition("\n")[2])
    of_deltalake = f"; `deltalake`: {', '.join(JUDGED_DELTALAKE)}"
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"default: {', '.join(JUDGED)}{of_deltalake}")
    parser.add_argument("--profile", default="smoke", metavar="NAME", help="the budget (default: smoke)")
    parser.add_argument("--write", action="store_true", help="put the table into README.md, or docs/versions.md")
    asked, options = parser.parse_known_args(arguments)
    versions = _asked(asked.versions)
    kind = KINDS[versions[0].engine]
    for version in versions:
        print(f"{version.title}.", flush=True)
        run_gate(version, ["--profile", asked.profile, *options], report=directory(version))
    rows = {known.version: found for known in map(version_of, kind.judged) if (found := row(known)) is not None}
    rows |= {version.version: row(version) or _not_run(version) for version in versions}
    text = table(kind, sorted(rows.values(), key=lambda row: parse(row.versions[0])))
    print(text)
    (ROOT / DIRECTORY / f"{kind.mark.replace(' ', '-')}.md").write_text(f"{text}\n", encoding="utf-8")
    with suppress(StreamError):  # no run came to its end, as the table says
        write_index(ROOT / DIRECTORY, ROOT / DIRECTORY / "index.html")
    if asked.write:
        document = ROOT / kind.document
        document.write_text(written(document.read_text(encoding="utf-8"), text, kind), encoding="utf-8")
    return max(rows[version.version].exit for version in versions)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
