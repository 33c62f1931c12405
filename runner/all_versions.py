"""``python -m runner.all_versions [--write] [VERSION ...]``: the gate on several versions, and a table of the results.

Without a version, all judged versions of Delta on Spark, also on other PySparks; the name of another engine, ``deltalake``, means
all of its judged versions. The profile is smoke by default. Other versions keep the row of their last run; with ``--write``
also that of the page.

Exit 0: no version violates a clause; 1: one does; 2: a run did not end.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.kind import Version
from engines.provider import DEFAULT, ENGINES, is_engine, kind_of
from engines.spark.versions import on_other_pysparks
from engines.versions import name_of, releases_of
from model.vocabulary.versions import parse
from records.mistakes import StreamError, UsageMistake
from reports.document import Content
from reports.document import table as table_of
from reports.document.markdown import table as markdown
from reports.findings.verdicts import ATTENTION
from reports.render.index import write_index
from reports.stream.reading import read_run
from runner.command_line.commands import in_a_sentence
from runner.gate_version import ROOT, available, run_gate
from runner.judgeable import check_engine, check_gate
from tombstone.commands import VERSIONS
from tombstone.reading import asked_of

DIRECTORY = Path("build/versions")


@dataclass(frozen=True)
class VersionRow:
    """The result of one version. ``counts`` are clauses by verdict."""

    versions: tuple[str, ...]  # the engine's own first
    exit: int
    profile: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    cases: int = 0
    steps: int = 0
    failing: tuple[str, ...] = ()
    date: str = "–"


def row(engine: str, version: str, out: Path = ROOT / DIRECTORY) -> VersionRow | None:
    """The row of a version, as users write its number, from its report below ``out``; None if there is no complete report."""
    try:
        run = read_run(out / name_of(engine, version))
    except StreamError:
        return None
    return VersionRow(
        tuple(run.header.versions[name] for name in releases_of(engine).columns),
        run.footer.exit,
        run.header.profile,
        tuple((verdict.value, count) for verdict, count in run.footer.counts.items()),
        run.footer.cases,
        run.footer.steps,
        tuple(id for id, result in run.footer.verdicts.items() if result.verdict in ATTENTION),
        run.header.date or "–",
    )


def _not_run(version: Version) -> VersionRow:
    return VersionRow(tuple(version.parts.get(name, "–") for name in releases_of(version.engine).columns), 2)


def table(headings: Iterable[str], rows: Iterable[VersionRow]) -> str:
    """The rows as a Markdown table. ``headings``: of the columns that name the version."""
    columns = (*headings, "Answer", "Cases", "Steps", "Hold", "Known faults", "Not applicable", "Fail", "Date")
    return markdown(table_of(columns, map(_cells, rows)))


def _cells(row: VersionRow) -> Iterator[Content]:
    counts = dict(row.counts)
    yield from row.versions
    yield {0: "✅ PASS", 1: "❌ FAIL"}.get(row.exit, "⚠️ INCONCLUSIVE")
    yield row.cases
    yield row.steps
    yield from (counts.get(name, 0) for name in ("holds", "known fault", "not applicable"))
    yield ", ".join(row.failing) or "–"
    yield row.date


def marks(engine: str, about: str = "versions") -> tuple[str, str]:
    """The lines around an engine's table in the page that has it. ``about``: the subject of the table."""
    name = kind_of(engine).name
    return f"<!-- {name} {about}: begin -->", f"<!-- {name} {about}: end -->"


def page_of(engine: str, about: str = "versions") -> Path:
    """The page with the table. Raises UsageMistake if no page has it."""
    begin, end = marks(engine, about)
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = page.read_text(encoding="utf-8")
        if begin in text and end in text:
            return page
    raise UsageMistake(f"--write: no page has a place for the table: write {begin} and {end} into a page of docs/.")


def written(text: str, table: str, engine: str, about: str = "versions") -> str:
    """The text of a page with its table replaced, and the commit at which it is made."""
    first, last = marks(engine, about)
    before, _, rest = text.partition(first)
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    made = f"Made at commit {commit}.\n\n" if commit else ""
    return f"{before}{first}\n\n{table}\n\n{made}{last}{rest.partition(last)[2]}"


def _all_of(engine: str) -> tuple[str, ...]:
    """How users name what the table has."""
    return tuple(name_of(engine, number) for number in _numbers(engine))


def _numbers(engine: str) -> tuple[str, ...]:
    return (*releases_of(engine).judged, *(on_other_pysparks() if engine == DEFAULT else ()))


def with_kept(table: str, page: str, engine: str) -> str:
    """The table, with the rows that the page has of other versions, by what they are judged beside too; none of an older form."""
    begin, end = marks(engine)
    head, rule, *rows = table.splitlines()
    own = [line for line in page.partition(begin)[2].partition(end)[0].splitlines() if line.startswith("| ")]
    kept = own[2:] if own[:1] == [head] else []
    found = {tuple(line.split(" | ")[:2]): line for line in (*kept, *rows)}
    ordered = sorted(found.items(), key=lambda one: (parse(one[0][0].strip("| ")), one[0]))
    return "\n".join([head, rule, *(line for _, line in ordered)])


def versions_named(names: Sequence[str]) -> list[Version]:
    """The versions of one engine. Raises UsageMistake for versions of two."""
    texts = [text for name in names or [DEFAULT] for text in (_all_of(name) if is_engine(name) else (name,))]
    versions = [available(text) for text in texts]
    if len({version.engine for version in versions}) > 1:
        raise UsageMistake(
            f"A table has the versions of one engine: name {', or '.join(f'those of {engine}' for engine in ENGINES)}."
        )
    return versions


@in_a_sentence
def main(arguments: list[str]) -> int:
    asked = asked_of(VERSIONS, arguments)
    options = ["--profile", asked.profile, *asked.passed]
    versions = versions_named(asked.words)
    for version in versions:
        check_engine(asked.given, version)
    check_gate(versions[0].engine, {**asked.given, "profile": asked.profile})
    engine = versions[0].engine
    page, out = page_of(engine) if asked.write else None, (asked.out or ROOT / DIRECTORY).absolute()
    for version in versions:
        print(f"{version.title}.", flush=True)
        run_gate(version, options, report=out / name_of(engine, version.number))
    if not any(row(engine, version.number, out) for version in versions):
        raise UsageMistake("No gate finished (see above), so there is no table.")
    releases = releases_of(engine)
    rows = {number: found for number in _numbers(engine) if (found := row(engine, number, out)) is not None}
    rows |= {version.number: row(engine, version.number, out) or _not_run(version) for version in versions}
    ordered = sorted(rows.values(), key=lambda one: (parse(one.versions[0]), one.versions))
    text = table(releases.columns.values(), ordered)
    print(text)
    (out / f"{kind_of(engine).name}-versions.md").write_text(f"{text}\n", encoding="utf-8")
    write_index(out, out / "index.html")
    if page is not None:
        before = page.read_text(encoding="utf-8")
        page.write_text(written(before, with_kept(text, before, engine), engine), encoding="utf-8")
    return max(rows[version.number].exit for version in versions)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
