"""``python -m runner.surface [VERSION [VERSION]]``: what an engine offers, and whether the suite draws it.

One version (default: the Delta of this environment; ``deltalake==1.6.6``) is asked itself, in an environment for that version
if it is not installed. Exit 0: each item is drawn, left out with an experiment, or counted as open; 1: items are unlisted, or
the lists name items that no version offers, or are wrong about the code. Two versions are compared, by their kept inventories
if there are any: what the second offers that the first does not, and the verdict on it; 1 if some of that is unlisted.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from engines.kind import Version
from engines.port import EngineUnavailable
from engines.provider import DEFAULT, ENGINES, kind_of
from engines.versions import name_of, version_of
from records.mistakes import UsageMistake
from runner.command_line import launched
from runner.command_line.commands import in_a_sentence
from runner.gate_version import ROOT, available, variables
from runner.processes.child_process import exit_code_of
from runner.surface import drawn, inventory, judgements, page
from runner.surface.comparison import changes
from runner.surface.inventory import EngineSurface, SurfaceItem
from runner.surface.judgements import ItemVerdict, JudgedItem, SurfaceEntry
from tombstone.commands import SURFACE
from tombstone.reading import asked_of

PAGE, COVERAGE = ROOT / "docs" / "surface.md", ROOT / "docs" / "coverage.md"
BEGIN, END = "<!-- surface: begin -->", "<!-- surface: end -->"


def offered(version: Version) -> EngineSurface:
    """What a version offers: a new process asks it, in this environment or in one that tox makes for it.

    Raises UsageMistake if it cannot be asked.
    """
    with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
        file = Path(directory) / "inventory.json"
        ask = ["-m", "runner.surface.ask", version.engine, str(file)]
        environ = {key: value for key, value in os.environ.items() if not key.startswith(("TOX_", "PYTEST_"))}
        if _installed(version.engine) == version.version:
            command = [sys.executable, *ask]
        else:
            if find_spec("tox") is None:
                raise UsageMistake(
                    f"{version.title} is not installed here, and without tox no environment can be made for it: run "
                    f"`tox -e surface -- {name_of(version.engine, version.version)}`, or install it."
                )
            available(name_of(version.engine, version.version))
            environ |= variables(version)
            command = [sys.executable, launched.__file__, "tox", "exec", "-q", "-e", "versioned", "--", "python", *ask]
        if exit_code_of(command, directory=ROOT, environ=environ) or not file.is_file():
            raise UsageMistake(f"{version.title} could not be asked, as is said above: there is no inventory.")
        return inventory.read(file)


def _installed(engine: str) -> str | None:
    try:
        return kind_of(engine).installed_version()
    except EngineUnavailable:
        return None


def _kept_or_asked(version: Version) -> EngineSurface:
    path = inventory.path_of(version.engine, version.version)
    return inventory.read(path) if path.is_file() else offered(version)


def _items(inventories: Iterable[EngineSurface]) -> frozenset[SurfaceItem]:
    return frozenset(item for one in inventories for item in one.items())


def _report(found: EngineSurface, entries: tuple[SurfaceEntry, ...]) -> int:
    """Print the verdicts on an inventory; returns the exit code."""
    kept = inventory.kept(found.engine)
    items = judgements.judged(found, entries, _items(kept))
    old = list(judgements.stale(entries, _items([*kept, found])))
    wrong = list(drawn.undrawn(entries))
    print(f"{found.title} offers {page.counted(items)}.")
    for kind, counts in page.by_kind(items).items():
        print(f"  {kind}: {', '.join(f'{counts[word]} {word.text}' for word in ItemVerdict if counts[word])}")
    for heading, lines in (
        (
            "Unlisted: put each into the lists, or keep the inventory if a family shall cover it (--keep).",
            page.unlisted(items),
        ),
        ("Stale: no version offers these, so take them off the lists.", (f"  {name}" for name in old)),
        ("Not so: the lists say this of the code.", (f"  {sentence}" for sentence in wrong)),
    ):
        if shown := list(lines):
            print(heading, *shown, sep="\n")
    return 1 if old or wrong or any(one.word is ItemVerdict.UNLISTED for one in items) else 0


def _compare(old: EngineSurface, new: EngineSurface, entries: tuple[SurfaceEntry, ...]) -> int:
    found = {one.item: one for one in judgements.judged(new, entries, _items(inventory.kept(new.engine)))}
    print(*page.compared(old, new, changes(old, new), found), sep="\n")
    return 1 if any(one.word is ItemVerdict.UNLISTED and old.detail(one.item) is None for one in found.values()) else 0


def _newest() -> dict[str, list[JudgedItem]]:
    """The verdicts on the newest kept version of each engine."""
    found: dict[str, list[JudgedItem]] = {}
    for engine in ENGINES:
        *_, newest = kept = inventory.kept(engine)
        entries = judgements.read(judgements.path_of(engine))
        found[newest.title] = judgements.judged(newest, entries, _items(kept))
    return found


def tables() -> str:
    """The tables of docs/surface.md, from what is kept."""
    found = _newest()
    return f"{page.table(found)}\n\n{page.opened(found)}\n\n{page.left_out(found)}"


def totals() -> str:
    """The table of docs/coverage.md, from what is kept."""
    return page.totals(_newest())


def write() -> None:
    """Write these tables into their pages."""
    for path, text in ((PAGE, tables()), (COVERAGE, totals())):
        before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
        path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def _version(text: str) -> Version:
    """The version that a user names; for an engine's name alone, the installed one."""
    return version_of(name_of(text, kind_of(text).installed_version()) if text in ENGINES else text)


@in_a_sentence
def main(arguments: list[str]) -> int:
    asked = asked_of(SURFACE, arguments)
    if asked.write and not asked.keep:
        write()
        return 0
    versions = [_version(text) for text in asked.words or [DEFAULT]]
    engine = versions[0].engine
    if len({version.engine for version in versions}) > 1:
        raise UsageMistake(f"Two versions of one engine can be compared: name two of {engine}.")
    entries = judgements.read(judgements.path_of(engine))
    if len(versions) == 2:
        return _compare(_kept_or_asked(versions[0]), _kept_or_asked(versions[1]), entries)
    found = offered(versions[0])
    if asked.keep:
        inventory.write(found, inventory.path_of(engine, found.version))
    if asked.write:
        write()
    return _report(found, entries)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
