"""``python -m runner.upgrade_table [--run] [--write] [VERSION ...]``: the answer for each upgrade, as a table to look it up in.

Of the releases that all-versions judges: from each to the next one, and from each to the newest. Without a version those of
Delta on Spark; the name of another engine, ``deltalake``, stands for all of it; two or more versions for the upgrades between
them, and the others keep their rows. Exit 0: the table is made, whatever the answers; 2: a run is missing, or cannot be used.

An answer is that of ``tox -e upgrade``: both versions judge what both can be asked for, and then run in turn on the same tables,
unless ``--no-together`` is given. The runs of all-versions serve where they have nearly the same cases. Else ``--run`` runs the
gate with ``--shared-with``, once for all releases that make the same of it. It also runs what all-versions did not. What has
finished is not run again.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.provider import kind_of
from engines.versions import name_of, releases_of, version_of
from records.mistakes import StreamError, UsageMistake
from reports.comparison.comparison import Comparison, compare
from reports.comparison.pairs import Incomparable
from reports.comparison.prediction import prediction_between
from reports.document import Link, line
from reports.document.markdown import heads, markdown, row
from reports.render.comparison.document import brief_document
from reports.render.comparison.files import write_comparison
from reports.render.marks import COMPARISON, require_own
from reports.stream.reading import Run, read_run, stream_path
from reports.text.ladder import Word
from reports.together.answer import TurnReport
from runner import all_versions
from runner.command_line.commands import in_a_sentence
from runner.gate_version import ROOT, run_gate
from runner.kept_turns import kept_in_turn
from tombstone import commands
from tombstone.commands import ALONE, Command, option
from tombstone.reading import asked_of
from tombstone.values import PATH

#: Where the comparisons go, and the runs that all-versions does not make.
DIRECTORY = Path("build/upgrade-table")

#: Where the pages of the upgrades are kept.
PAGES = Path("docs/upgrades")

#: What the table in a page of the documents is of (``all_versions.marks``).
ABOUT = "upgrades"

_QUIET = ("--brief", "--no-header", "-qq")


@dataclass(frozen=True)
class UpgradePair:
    """An upgrade, by the engine's own versions."""

    base: str
    candidate: str


@dataclass(frozen=True)
class UpgradeSide:
    """A version on what it can be asked for. ``other``: on what this version can be asked for too; None: on all."""

    version: str
    other: str | None = None


@dataclass(frozen=True)
class UpgradeRow:
    """An upgrade with its answer. ``reason`` is Markdown, and ``page`` the name of its page."""

    pair: UpgradePair
    mark: str
    word: Word
    reason: str
    page: str


def pairs_of(releases: Sequence[str]) -> tuple[UpgradePair, ...]:
    """From each release to the next one and to the newest, oldest first, each once."""
    last = len(releases) - 1
    return tuple(UpgradePair(releases[i], releases[j]) for i in range(last) for j in sorted({i + 1, last}))


def sides_of(engine: str, pair: UpgradePair) -> tuple[UpgradeSide, UpgradeSide]:
    """The runs of the same cases. Releases that leave the same of a version's cases stand for one another."""
    return _side(engine, pair.base, pair.candidate), _side(engine, pair.candidate, pair.base)


def _side(engine: str, version: str, other: str) -> UpgradeSide:
    kind = kind_of(engine)
    own = kind.capabilities_of(version)
    shared = own.shared(kind.capabilities_of(other))
    if shared == own:
        return UpgradeSide(version)
    alike = (one for one in releases_of(engine).judged if own.shared(kind.capabilities_of(one)) == shared)
    return UpgradeSide(version, next(alike, other))


# The runs -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Runs:
    """The runs of an engine with a profile: in ``own`` those that all-versions leaves, in ``shared`` the others. In ``together``
    those of two versions in turn; None: each is compared alone.
    """

    engine: str
    profile: str
    own: Path
    shared: Path
    together: Path | None = None

    def place(self, side: UpgradeSide) -> Path:
        name = name_of(self.engine, side.version)
        return self.own / name if side.other is None else self.shared / f"{name}-with-{side.other}"

    def of(self, side: UpgradeSide, *, make: bool) -> Run:
        """A run. ``make``: run the gate if it is not there, or has no end. Raises UsageMistake without one."""
        place = self.place(side)
        if not make and not stream_path(place).exists():
            raise UsageMistake(f"{place} is missing: add --run to make what is missing (a few minutes each).")
        try:
            return self._read(side)
        except StreamError:
            if not make:
                raise
        version = version_of(name_of(self.engine, side.version))
        on = "" if side.other is None else f", on what {side.other} can be asked for too"
        print(f"{version.title}{on}.", flush=True)
        shared = [] if side.other is None else ["--shared-with", f"{self.engine}=={side.other}"]
        run_gate(version, [*_QUIET, *shared, "--profile", self.profile], report=place)
        try:
            return self._read(side)
        except StreamError as fault:
            raise UsageMistake(
                f"The gate on {version.title} did not finish, as is said above: the same command goes on there."
            ) from fault

    def _read(self, side: UpgradeSide) -> Run:
        """Raises StreamError if it is not there or has no end, UsageMistake if it is not what all-versions makes of a version."""
        place = self.place(side)
        run = read_run(place)
        head = run.header
        selected = all(one.status != "disabled" for one in head.clauses)
        restricted = side.other is None and head.shared_with is not None
        whole = selected and not (head.known_bad or head.left_out or head.options or restricted)
        if (head.version, head.profile) != (side.version, self.profile) or not whole:
            raise UsageMistake(
                f"{place} has no run of all cases of {self.profile} on {name_of(self.engine, side.version)}: name another "
                "directory with --from, or remove it, and use --run."
            )
        return run

    def in_turn(self, pair: UpgradePair, *, make: bool) -> TurnReport | None:
        """Both versions in turn on the same tables; None if they are compared each alone. ``make``: run it if it is not there.

        Raises UsageMistake if it is not there, or is of other versions.
        """
        if self.together is None:
            return None
        names = [name_of(self.engine, version) for version in (pair.base, pair.candidate)]
        remedy = "add --run, which makes it in minutes, or --no-together"
        return kept_in_turn(names, self.together, make=make, remedy=remedy)


# The table ----------------------------------------------------------------------------------------------------------------


def page_name(engine: str, pair: UpgradePair) -> str:
    return f"{kind_of(engine).name}-{pair.base}-{pair.candidate}.md"


_ANSWERS = "|".join(word.value for word in (Word.UPGRADE, Word.LOOK_FIRST, Word.DO_NOT_UPGRADE))


def row_of(pair: UpgradePair, page: str, name: str) -> UpgradeRow:
    """The row of a page, by its first line. Raises UsageMistake if it is not that of an upgrade."""
    found = re.match(rf"# (\S+) ({_ANSWERS}): (.*)", page)
    if found is None:
        raise UsageMistake(f"{PAGES / name} does not begin with an answer: remove it, and make it again.")
    return UpgradeRow(pair, found[1], Word(found[2]), found[3], name)


def table(rows: Iterable[UpgradeRow], folder: str) -> str:
    """The rows as a Markdown table. ``folder``: that of the pages, from the page that has the table."""
    lines = [heads(("From", "To", "Answer", "Why"))]
    for one in rows:
        answer = line(f"{one.mark} ", Link(one.word.value, f"{folder}/{one.page}"))
        why = one.reason.replace("|", "\\|")
        lines.append(f"{row((one.pair.base, one.pair.candidate, answer))} {why} |")
    return "\n".join(lines)


def _asked(names: Sequence[str]) -> tuple[str, list[UpgradePair]]:
    """The engine, and the pairs of the table between the named versions."""
    versions = all_versions.versions_named(names)
    engine = versions[0].engine
    judged, named = releases_of(engine).judged, {one.version for one in versions}
    found = [pair for pair in pairs_of(judged) if {pair.base, pair.candidate} <= named]
    if not found or not named <= set(judged):
        raise UsageMistake(
            f"The table has the upgrades from one of {', '.join(judged)} to the next and to the newest: name both of one, and "
            "use tox -e upgrade for others."
        )
    return engine, found


def _answered(runs: Runs, pairs: Sequence[UpgradePair], out: Path, *, make: bool) -> dict[UpgradePair, str]:
    """The page of each pair. Its comparison is left below ``out``. ``make``: run what is missing."""
    pages = {}
    for pair in pairs:
        names = [name_of(runs.engine, version) for version in (pair.base, pair.candidate)]
        place = out / "-".join(names)
        require_own(place, COMPARISON, option="--out")
        found = _compared(runs, pair, make=make)
        write_comparison(found, place)
        alone = "" if found.shared else " --no-together"
        again = f".venv/bin/tox -e upgrade -- {' '.join(names)} --profile {runs.profile}{alone}"
        pages[pair] = markdown(brief_document(found, again=again))
    return pages


def _compared(runs: Runs, pair: UpgradePair, *, make: bool) -> Comparison:
    """Both versions on all that each can be asked for, else on what both can. Raises UsageMistake."""

    def both(base: UpgradeSide, candidate: UpgradeSide) -> tuple[Run, Run]:
        return runs.of(base, make=make), runs.of(candidate, make=make)

    base, candidate = both(UpgradeSide(pair.base), UpgradeSide(pair.candidate))
    together = runs.in_turn(pair, make=make)
    try:
        return compare(base, candidate, prediction_between, together=together)
    except Incomparable:
        base, candidate = both(*sides_of(runs.engine, pair))
    try:
        return compare(base, candidate, prediction_between, together=together)
    except Incomparable as fault:
        raise UsageMistake(f"{pair.base} → {pair.candidate}: {fault}") from fault


def _rows(engine: str, made: Mapping[UpgradePair, str]) -> list[UpgradeRow]:
    """The rows of the new pages, and of the kept pages of other pairs."""
    rows = []
    for pair in pairs_of(releases_of(engine).judged):
        name = page_name(engine, pair)
        kept = ROOT / PAGES / name
        if pair in made:
            rows.append(row_of(pair, made[pair], name))
        elif kept.is_file():
            rows.append(row_of(pair, kept.read_text(encoding="utf-8"), name))
    return rows


_COMMAND = Command(
    "upgrade-table",
    "the answer for each upgrade, as a table",
    (
        commands.Word(
            "VERSION",
            "the versions, or an engine for all of its own (default: those of Delta on Spark that all-versions judges)",
            0,
            None,
        ),
    ),
    options=(
        option("--profile", "NAME", "the profile of the runs (default: smoke)", default="smoke"),
        option(
            "--from",
            "DIR",
            f"where all-versions left its reports (default: {all_versions.DIRECTORY})",
            PATH,
        ),
        option("--out", "DIR", f"where the comparisons and the other runs go (default: {DIRECTORY})", PATH),
        option("--run", "", "run what is missing or has no end"),
        ALONE,
        option("--write", "", f"put the pages into {PAGES}, and the table into the page that has a place for it"),
    ),
    program="python -m runner.upgrade_table",
)


@in_a_sentence
def main(arguments: list[str]) -> int:
    asked = asked_of(_COMMAND, arguments)
    engine, pairs = _asked(asked.words)
    page = all_versions.page_of(engine, ABOUT) if asked.write else ROOT / PAGES.with_suffix(".md")
    out = (asked.out or ROOT / DIRECTORY).absolute()
    runs = Runs(
        engine,
        asked.profile,
        (asked.options["from"] or ROOT / all_versions.DIRECTORY).absolute(),
        out / "runs",
        None if asked.no_together else out / "together",
    )
    made = _answered(runs, pairs, out, make=asked.run)
    text = table(_rows(engine, made), Path(os.path.relpath(ROOT / PAGES, page.parent)).as_posix())
    print(text)
    if asked.write:
        (ROOT / PAGES).mkdir(exist_ok=True)
        for pair, own in made.items():
            (ROOT / PAGES / page_name(engine, pair)).write_text(own, encoding="utf-8", newline="\n")
        whole = all_versions.written(page.read_text(encoding="utf-8"), text, engine, ABOUT)
        page.write_text(whole, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
