"""``python -m tools.mutation [PATH ...]``: mutation tests of the model and of the clauses with mutmut.

``pyproject.toml`` (``tool.tombstone.mutation``) lists the modules to mutate and the tests to run;
``tools/survivors.toml`` lists the accepted survivors, each with a reason. mutmut runs in ``build/mutation``, on a
copy of the sources (``tools.mutable_source``); `mutmut browse` and `mutmut show` work there. Constants of modules and
classes are not mutated. Exits with 1 where another mutant survives, with 2 where a path does not exist or mutmut fails.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from runner.command_line.commands import ended
from tombstone.commands import Command, Word, option
from tombstone.reading import asked_of
from tombstone.values import NATURAL, POSITIVE, WHOLE
from tools.mutable_source import mutable

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).resolve().parent.parent

#: mutmut's exit codes of a mutant that survived; the last two mean that no test reaches it.
SURVIVED = (0, 5, 33)

#: Lines that are not mutated: those that raise errors, and those with a message for people (three words or more).
NOT_MUTATED = (r"^\s*raise ", r'(^|[\s(\[{=f])"[^"\s][^"]*[a-z] [a-z]+ [a-z]')


class MutationFailed(Exception):
    """mutmut failed."""


@dataclass(frozen=True)
class AcceptedSurvivors:
    """Why survivors are acceptable."""

    module: str  # a pattern of paths
    kind: str  # equivalent, wording or tolerated
    reason: str
    scope: str = ""  # a function or Class.method; empty: any
    after: str = ""  # a regular expression that must match the changed lines

    def covers(self, survivor: Survivor) -> bool:
        inside = fnmatch(survivor.module, self.module) and self.scope in ("", survivor.scope)
        return inside and re.search(self.after, survivor.after) is not None


@dataclass(frozen=True)
class Survivor:
    """A mutant that no test killed."""

    name: str  # mutmut's: module.x_function__mutmut_1, or module.xǁClassǁmethod__mutmut_1
    difference: str  # lines with "-" and "+"

    @property
    def module(self) -> str:
        return self.name.rpartition(".")[0].replace(".", "/") + ".py"

    @property
    def scope(self) -> str:
        mangled = self.name.rpartition(".")[2].rpartition("__mutmut_")[0]
        return mangled[2:] if mangled.startswith("x_") else mangled[2:].replace("ǁ", ".")

    @property
    def after(self) -> str:
        return "\n".join(line[1:].strip() for line in self.difference.splitlines() if line.startswith("+"))


def accepted(path: Path) -> list[AcceptedSurvivors]:
    """The entries of ``survivors.toml``. Raises ValueError for an unknown kind."""
    found = [AcceptedSurvivors(**fields) for fields in tomllib.loads(path.read_text(encoding="utf-8"))["survivor"]]
    for entry in found:
        if entry.kind not in ("equivalent", "wording", "tolerated"):
            raise ValueError(f"A survivor of {entry.module} is {entry.kind!r}: not equivalent, wording or tolerated.")
    return found


def settings() -> dict[str, Any]:
    """``mutate``, ``tests`` and ``leave-out`` of this checkout: patterns of paths."""
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(found["tool"]["tombstone"]["mutation"])


def matching(patterns: Iterable[str]) -> set[str]:
    """The files that match one of the patterns, from the root."""
    return {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}


def modules(arguments: Sequence[str]) -> list[str]:
    """The modules of these paths, or all that are mutated. Raises FileNotFoundError."""
    found = set()
    for argument in arguments:
        path = (ROOT / argument).resolve()
        if not path.exists():
            raise FileNotFoundError(f"{argument} is neither a module nor a directory of modules.")
        files = path.rglob("*.py") if path.is_dir() else [path]
        found |= {file.relative_to(ROOT).as_posix() for file in files}
    return sorted(found or matching(settings()["mutate"]))


def make_tree(directory: Path, chosen: Sequence[str]) -> None:
    """A checkout in which the chosen modules can be mutated, with mutmut's settings; the other rooms are links."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    rooms = {module.partition("/")[0] for module in chosen}
    for path in ROOT.iterdir():
        if path.name in rooms:
            shutil.copytree(path, directory / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif not path.name.startswith(".") and path.name != "build":
            (directory / path.name).symlink_to(path)
    for module in chosen:
        source = (directory / module).read_text(encoding="utf-8")
        (directory / module).write_text(mutable(source), encoding="utf-8")
    tests = matching(settings()["tests"]) - matching(settings().get("leave-out", ()))
    options: Mapping[str, Iterable[str]] = {
        "source_paths": rooms,
        "only_mutate": chosen,
        "do_not_mutate_patterns": NOT_MUTATED,
        "also_copy": {path.name for path in directory.iterdir()} - rooms,
        # With "fork" every mutant would inherit the caches that the original program has filled.
        "process_isolation": ["forkserver"],
        "pytest_add_cli_args": ["--hypothesis-profile=ci"],
        "pytest_add_cli_args_test_selection": tests,
    }
    lines = [f"{name} = " + "\n    ".join(sorted(of)) + "\n" for name, of in options.items()]
    (directory / "setup.cfg").write_text("[mutmut]\n" + "".join(lines), encoding="utf-8")


def python(directory: Path, code: str, *arguments: str, capture: bool = True) -> str:
    """Run Python in the directory of mutmut's settings. Returns its output, which without ``capture`` goes to stderr.

    Raises MutationFailed.
    """
    output = subprocess.PIPE if capture else 2
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, cwd=directory, stdout=output, text=True, check=False)
    if done.returncode:
        raise MutationFailed(f"mutmut failed in {directory}.\n{(done.stdout or '')[-4000:]}")
    return done.stdout or ""


_MUTMUT = "from mutmut.__main__ import cli; cli()"
_NAMES = """\
import sys
from pathlib import Path
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name
for module in sys.argv[1:]:
    for name in mutate_file_contents(module, Path(module).read_text(encoding="utf-8")).mutant_names:
        print(get_mutant_name(Path(module), name))
"""


def sampled(directory: Path, chosen: Sequence[str], number: int, seed: int) -> list[str]:
    """The names of some mutants, drawn at random."""
    names = python(directory, _NAMES, *chosen).split()
    return random.Random(seed).sample(names, min(number, len(names)))


def results(directory: Path) -> dict[str, int | None]:
    """mutmut's exit code of each mutant; None where it was not tried."""
    found: dict[str, int | None] = {}
    for path in sorted((directory / "mutants").rglob("*.py.meta")):
        found |= json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
    return found


def survivors(directory: Path) -> Iterator[Survivor]:
    """The mutants that survived, in the order of modules, each with its difference."""
    for name, code in results(directory).items():
        if code in SURVIVED:
            shown = python(directory, _MUTMUT, "show", name).splitlines()
            lines = [line for line in shown if re.match(r"[-+](?![-+]{2} )", line)]
            yield Survivor(name, "\n".join(lines))


def summary(codes: Mapping[str, int | None], found: Sequence[tuple[Survivor, AcceptedSurvivors | None]]) -> str:
    """The counts, and the score: the share of killed mutants among those tried that are not known to be equivalent."""
    tried = sum(code is not None for code in codes.values())
    kinds = Counter(known.kind if known else "unexplained" for _, known in found)
    killed, counted = tried - len(found), tried - kinds["equivalent"]
    share = f"{killed * 1000 // counted / 10:.1f} %" if counted else "none"
    counts = ", ".join(f"{kinds[kind]} {kind}" for kind in ("equivalent", "wording", "tolerated", "unexplained"))
    return (
        f"{len(codes)} mutants, {tried} tried: {killed} killed, {len(found)} survived ({counts}). "
        f"Killed: {share} of those that are not equivalent."
    )


def report(codes: Mapping[str, int | None], found: Sequence[tuple[Survivor, AcceptedSurvivors | None]]) -> str:
    """The full result, as Markdown: every module with its counts, every survivor with its difference and reason."""
    tried = Counter(name.rpartition(".")[0] for name, code in codes.items() if code is not None)
    survived = Counter(survivor.name.rpartition(".")[0] for survivor, _ in found)
    lines = [summary(codes, found), "", "| module | tried | survived |", "|---|--:|--:|"]
    lines += [f"| `{module}` | {number} | {survived[module]} |" for module, number in sorted(tried.items())]
    for survivor, known in found:
        lines += ["", f"`{survivor.name}`", "", "```diff", survivor.difference, "```", ""]
        lines += [f"{known.kind}: {known.reason}" if known else "unexplained"]
    return "\n".join(lines) + "\n"


_COMMAND = Command(
    "mutation",
    "the model and the clauses with one small thing changed: which tests notice it",
    (Word("PATH", "modules, or directories of them (default: all)", 0, None),),
    options=(
        option("--sample", "N", "try N of the mutants, drawn at random", NATURAL),
        option("--seed", "N", "of the sample (default: 1)", WHOLE, default="1"),
        option("-n", "N", "processes (default: 1)", POSITIVE, default="1"),
        option("--again", "", "try only the mutants that survived the last run"),
        option("--write", "", "write build/mutation.md"),
    ),
    program="python -m tools.mutation",
)


def main(arguments: list[str]) -> int:
    options = asked_of(_COMMAND, arguments)
    directory = ROOT / "build" / "mutation"
    try:
        names: list[str] = []
        if options.again:
            names = [name for name, code in results(directory).items() if code in SURVIVED]
        else:
            chosen = modules(options.words)
            make_tree(directory, chosen)
            if options.sample is not None:
                names = sampled(directory, chosen, options.sample, options.seed)
        if names or not options.again:
            python(directory, _MUTMUT, "run", "--max-children", str(options.n), *names, capture=False)
        known = accepted(ROOT / "tools" / "survivors.toml")
        found = [(left, next((why for why in known if why.covers(left)), None)) for left in survivors(directory)]
    except (FileNotFoundError, MutationFailed) as mistake:
        print(mistake, file=sys.stderr)
        return 2
    for survivor, why in found:
        if why is None:
            print(f"{survivor.name}\n{survivor.difference}")
    codes = results(directory)
    print(summary(codes, found))
    if options.write:
        (ROOT / "build" / "mutation.md").write_text(report(codes, found), encoding="utf-8")
    return 1 if any(why is None for _, why in found) else 0


if __name__ == "__main__":
    ended(main)
