"""``python -m tools.quick [ROOM ...]``: the quick tests that a change can break, without a JVM and without other processes.

What has changed is what differs from the main branch, and what is not committed; or the rooms that are named. A file of tests
runs if it imports some of it, also by way of other modules; tests/suites/test_recorded.py always. Ends with pytest's exit code.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

from grimp import ImportGraph, build_graph

from records.mistakes import UsageMistake
from runner.command_line.commands import ended
from tombstone.commands import Command, Word
from tombstone.reading import asked_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

ROOT = Path(__file__).resolve().parent.parent

ALWAYS = "tests/suites/test_recorded.py"

#: The marks that tests/conftest.py sets.
LEFT_OUT = "spark or process or long"


def rooms() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found: list[str] = settings["tool"]["importlinter"]["root_packages"]
    return found


def changed_files() -> list[str]:
    """What differs from where this branch left the main branch, and what is not committed."""
    base = next(filter(None, (_git("merge-base", "HEAD", main) for main in ("origin/main", "main"))), ["HEAD"])[0]
    return [*_git("diff", "--name-only", base), *_git("ls-files", "--others", "--exclude-standard")]


def _git(*arguments: str) -> list[str]:
    answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines()


def changed_modules(files: Iterable[str], graph: ImportGraph) -> set[str] | None:
    """A file's module, or the package that it lies in; None if it is of none, so that all tests may depend on it."""
    found = set()
    for file in map(PurePosixPath, files):
        if file.suffix == ".md":
            found.add("tests.docs")
            continue
        names = [".".join(path.parts) for path in (file.with_suffix(""), *file.parents)]
        name = next((name for name in names if name in graph.modules), "tests")
        if name in ("tests", "tests.conftest"):
            return None
        found.add(name)
    return found


def tests_of(modules: set[str] | None, graph: ImportGraph) -> list[str]:
    """The files of tests in these modules, and those that import some of them. None: all."""
    reached = set(graph.modules) if modules is None else set()
    for module in modules or ():
        reached |= {module, *graph.find_descendants(module), *graph.find_downstream_modules(module, as_package=True)}
    paths = [PurePosixPath(*name.split(".")).with_suffix(".py") for name in reached]
    of_tests = [path for path in paths if path.parts[0] == "tests" and path.parts[1:2] != ("browser",)]
    return sorted({ALWAYS, *(str(path) for path in of_tests if path.name.startswith("test_"))})


def main(arguments: list[str]) -> int:
    known = rooms()
    word = Word("ROOM", f"as if it had changed: {', '.join(known)}", 0, None)
    asked = Command("quick", "the quick tests that a change can break", (word,), program="python -m tools.quick")
    named = asked_of(asked, arguments).words
    if unknown := sorted(set(named) - set(known)):
        raise UsageMistake(f"{unknown[0]} is not a room: name some of {', '.join(known)}.")
    graph = build_graph(*known, "tests", cache_dir=None)
    modules = set(named) or changed_modules(changed_files(), graph)
    tests = tests_of(modules, graph)
    what = "all" if modules is None else ", ".join(sorted(modules)) or "nothing"
    print(f"Changed: {what}. {len(tests)} files of tests.", flush=True)
    return subprocess.run(command(tests), cwd=ROOT, check=False).returncode


def command(tests: Sequence[str]) -> list[str]:
    chosen = ["-m", f"not ({LEFT_OUT})", "-n", "auto", "--maxprocesses", "8", "--dist", "loadgroup"]
    return [sys.executable, "-m", "pytest", *tests, *chosen]


if __name__ == "__main__":
    ended(main)
