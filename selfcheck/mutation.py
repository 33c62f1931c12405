"""``python -m selfcheck.mutation [PATH ...]``: mutants of the model and of the clauses, and which of them no test notices.

A mutant is a module with one small thing changed (``selfcheck.mutants``). It is tested by the tests that come by the changed
line, the quickest first, until one fails (``selfcheck.mutant_trials``). What is changed, and by which tests that must be noticed,
stands in ``pyproject.toml`` (``tool.tombstone.mutation``); the survivors that are of no consequence in
``selfcheck/survivors.toml``, each with the reason. Ends with 1 where another mutant survives, with 2 where a path does not exist.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from selfcheck.mutant_trials import ROOT, SURVIVED, trials
from selfcheck.mutants import Mutant, is_python, mutants
from selfcheck.mutation_report import Report, Row, explanations

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

#: What became of each mutant of the last run: one line of JSON each.
RESULTS = ROOT / "build" / "mutation" / "results.jsonl"

DOCUMENT = ROOT / "docs" / "mutation.md"


@dataclass(frozen=True)
class Settings:
    """What ``pyproject.toml`` says: patterns of paths, from the root."""

    mutate: tuple[str, ...]
    tests: tuple[str, ...]
    leave_out: tuple[str, ...]

    @property
    def test_files(self) -> list[str]:
        """The files of tests, by path from the root, sorted."""
        return sorted(path.relative_to(ROOT).as_posix() for path in _all(self.tests) - _all(self.leave_out))


def settings() -> Settings:
    """The settings of this checkout."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        said = tomllib.load(file)["tool"]["tombstone"]["mutation"]
    return Settings(tuple(said["mutate"]), tuple(said["tests"]), tuple(said["leave-out"]))


def _all(patterns: Iterable[str]) -> set[Path]:
    return {path for pattern in patterns for path in ROOT.glob(pattern)}


def modules(arguments: Iterable[str], chosen: Settings) -> list[Path]:
    """The modules of these paths, or of all that is mutated, sorted. Raises FileNotFoundError."""
    found: set[Path] = set()
    for argument in arguments:
        path = (ROOT / argument).resolve()
        if not path.exists():
            raise FileNotFoundError(f"{argument} is neither a module nor a directory of modules.")
        found |= set(path.rglob("*.py")) if path.is_dir() else {path}
    return sorted(found or _all(chosen.mutate))


def shuffled(found: Sequence[Mutant], sources: Mapping[str, str], seed: int) -> list[Mutant]:
    """The mutants in an order that hangs on the seed, and for each on what it changes alone.

    So a sample of a seed has the smaller ones in it, and stays nearly the same where modules change.
    """
    same: Counter[tuple[str, ...]] = Counter()
    places = []
    for place, mutant in enumerate(found):
        said = (mutant.module, mutant.scope, *mutant.lines(sources[mutant.module]))
        places.append((hashlib.sha256(repr((seed, same[said], said)).encode()).digest(), place))
        same[said] += 1
    return [found[place] for _, place in sorted(places)]


def _kept() -> list[Row]:
    """What became of the mutants of the last run. Raises FileNotFoundError where there was none."""
    return [Row(**json.loads(line)) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def main(arguments: list[str]) -> int:
    """The command. Answers with its exit code."""
    parser = argparse.ArgumentParser(prog="python -m selfcheck.mutation", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", metavar="PATH", help="modules, or directories of them (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of the mutants, drawn at random")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the sample (default: 1)")
    parser.add_argument("-n", type=int, default=1, metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--again", action="store_true", help="try those only that survived the last run of the same mutants"
    )
    parser.add_argument("--write", action="store_true", help="write docs/mutation.md")
    asked = parser.parse_args(arguments)
    chosen = settings()
    try:
        found = mutants(modules(asked.paths, chosen), ROOT)
    except FileNotFoundError as mistake:
        print(mistake, file=sys.stderr)
        return 2
    made = len(found)
    sources = {mutant.module: (ROOT / mutant.module).read_text(encoding="utf-8") for mutant in found}
    found = [
        mutant
        for mutant in shuffled(found, sources, asked.seed)[: asked.sample]
        if is_python(mutant.source(sources[mutant.module]))
    ]
    print(f"{len(found)} of {made} mutants.", flush=True)

    def row(mutant: Mutant, status: str) -> Row:
        return Row(mutant.module, mutant.line, mutant.scope, *mutant.lines(sources[mutant.module]), status)

    rows = []
    if asked.again:
        rows = [one for one in _kept() if one.status != SURVIVED]
        found = [mutant for mutant in found if row(mutant, SURVIVED) in _kept()]
    rows += [row(mutant, status) for mutant, status in trials(found, sources, chosen.test_files, asked.n)]
    report = Report(rows, explanations(), made=made, seed=asked.seed)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text("".join(json.dumps(vars(one)) + "\n" for one in rows), encoding="utf-8")
    for one in report.unexplained:
        print(f"{one.place}\n{one.difference}")
    print(report.summary)
    if asked.write:
        DOCUMENT.write_text(report.document(), encoding="utf-8")
    return 1 if report.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
