"""Whether a test notices a mutant: each is tried in a copy of a process in which all is ready.

Nothing is written into the tree. A function that is changed gets its new code in a copy of the process in which all tests are
collected already: so a trial takes as long as the tests that come by the changed line, or less. Where what is changed runs
while modules are imported, a copy that has imported nothing of ours yet imports the mutant instead.
"""

from __future__ import annotations

import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from coverage import Coverage
from hypothesis import settings

from selfcheck.mutants import Mutant

ROOT = Path(__file__).resolve().parent.parent

#: What the tests import of others, and what takes long: imported once, before any copy is made.
OTHERS = ("duckdb", "hypothesis.strategies", "jsonschema", "pyarrow.parquet", "pyroaring")

#: The context of what runs while modules are imported and tests collected.
IMPORT = "import"

#: What becomes of a mutant. One that is ended, for it takes much longer than the healthy program, is noticed too.
KILLED, TIMEOUT, SURVIVED = "killed", "timeout", "survived"

_MEMORY = 6 << 30  # bytes of address space that a copy may use


# What each test comes by ----------------------------------------------------------------------------------------------


@dataclass
class Covered:
    """What the tests do on the healthy program."""

    seconds: dict[str, float] = field(default_factory=dict)  # of the processor, for each test that passes, by its id
    lines: dict[str, dict[int, set[str]]] = field(default_factory=dict)  # the contexts of a module's lines

    def contexts(self, mutant: Mutant) -> set[str]:
        """The tests that come by the changed line; of a line inside a statement, by the last line above that is counted."""
        lines = self.lines.get(mutant.module, {})
        return next((lines[line] for line in range(mutant.line, 0, -1) if lines.get(line)), set())

    def while_importing(self, mutant: Mutant) -> bool:
        """Whether what is changed runs while modules are imported, so that it must be changed before that."""
        return not mutant.scope or IMPORT in self.contexts(mutant)

    def tests_of(self, mutant: Mutant) -> list[str]:
        """The tests that may notice a mutant: those named after the module first, then the quickest first.

        What is made while modules are imported is used without coming by its line: there it is the tests that come by any
        line of the module, and those named after its room.
        """
        found, known = self.contexts(mutant), self.seconds
        if self.while_importing(mutant):
            room = f"tests/test_{mutant.module.partition('/')[0]}_"
            found = set().union(*self.lines.get(mutant.module, {}).values())
            found |= {test for test in known if test.startswith(room)}
        named = re.compile(rf"/test_\w*{re.escape(Path(mutant.module).stem.split('_')[0])}")
        return sorted(found & known.keys(), key=lambda test: (not named.search(test), known[test], test))


class _Survey:
    """A plugin: which lines each test comes by, and how long it takes."""

    def __init__(self, coverage: Coverage) -> None:
        self._coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        began = time.process_time()
        yield
        self._coverage.switch_context(IMPORT)
        self.seconds[item.nodeid] = time.process_time() - began

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)


def survey(modules: Sequence[str], tests: Sequence[str]) -> dict[str, Any]:
    """What ``Covered`` holds, as JSON has it, with a test's place in ``tests`` for its id."""
    coverage = Coverage(data_file=None, include=[str(ROOT / module) for module in modules], config_file=False)
    coverage.start()
    coverage.switch_context(IMPORT)
    plugin = _Survey(coverage)
    pytest.main(_arguments(tests), plugins=[plugin])
    coverage.stop()
    data = coverage.get_data()
    ids = [IMPORT, *plugin.seconds]
    places = {id: place for place, id in enumerate(ids)}
    lines = {
        Path(file).relative_to(ROOT).as_posix(): {
            line: [places[id] for id in found if id] for line, found in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    return {"tests": ids, "seconds": list(plugin.seconds.values()), "failed": sorted(plugin.failed), "lines": lines}


def _covered(said: Mapping[str, Any]) -> Covered:
    """Without the tests that fail on the healthy program: they would notice every mutant."""
    ids, failed = said["tests"], set(said["failed"])
    for id in sorted(failed):
        print(f"It fails on the healthy program, and is not used: {id}", file=sys.stderr, flush=True)
    lines = {
        module: {int(line): {ids[place] for place in places} for line, places in found.items()}
        for module, found in said["lines"].items()
    }
    return Covered({id: time for id, time in zip(ids[1:], said["seconds"]) if id not in failed}, lines)


def _arguments(tests: Sequence[str]) -> list[str]:
    # In a copy of a process that has imported much, pytest cannot rewrite all that it wants to, and need not.
    quiet = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    return [*tests, "-q", "-s", "-p", "no:faulthandler", "-W", quiet, f"--rootdir={ROOT}"]


# Copies of the process ------------------------------------------------------------------------------------------------


class Copy:
    """A copy of this process that does some work, in a temporary directory of its own."""

    def __init__(self, work: Callable[[], Any], seconds: float = 0, *, quiet: bool = True) -> None:
        """``seconds`` of the processor are what it may use; 0: as many as it wants."""
        self._directory = Path(tempfile.mkdtemp(prefix="tombstone-mutant-"))
        self._pipe, theirs = os.pipe()
        self._pid = os.fork()
        if self._pid:
            os.close(theirs)
            return
        code = 1
        try:
            os.close(self._pipe)
            signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
            if quiet:
                nowhere = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(nowhere, stream)
            tempfile.tempdir = os.environ["TMPDIR"] = str(self._directory)
            with os.fdopen(theirs, "w", encoding="utf-8") as file:
                json.dump(work(), file)
            code = 0
        finally:
            os._exit(code)

    def answer(self) -> tuple[Any, bool]:
        """What it answered (None: it died), and whether it was ended because it took too long."""
        with os.fdopen(self._pipe, encoding="utf-8") as file:
            said = file.read()
        _, status = os.waitpid(self._pid, 0)
        shutil.rmtree(self._directory, ignore_errors=True)
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
        return (json.loads(said) if status == 0 else None), late


def trial(notices: Callable[[], bool], seconds: float) -> str:
    """What becomes of a mutant. A copy that dies of it has noticed it, too."""

    def work() -> bool:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        return notices()

    noticed, late = Copy(work, seconds).answer()
    if late:
        return TIMEOUT
    return SURVIVED if noticed is False else KILLED


# A changed function ---------------------------------------------------------------------------------------------------


class _Collected:
    """A plugin that does something else with the tests that are collected than to run them."""

    def __init__(self, work: Callable[[Sequence[pytest.Item]], None]) -> None:
        self._work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._work(session.items)
        return True


def functions() -> Mapping[tuple[str, str], Sequence[FunctionType]]:
    """All functions of ours, by the module's path and the function's name in it."""
    found: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename.startswith(f"{ROOT}/"):
            module = Path(thing.__code__.co_filename).relative_to(ROOT).as_posix()
            found[module, thing.__qualname__].append(thing)
    return dict(found)


def code_of(source: str, module: str, scope: str) -> CodeType:
    """The code of one function in a module's source."""
    code = compile(source, str(ROOT / module), "exec", dont_inherit=True)
    for name in scope.split("."):
        (code,) = (const for const in code.co_consts if isinstance(const, CodeType) and const.co_name == name)
    return code


def notices(items: Sequence[pytest.Item], of: Sequence[FunctionType], code: CodeType) -> bool:
    """Whether a test fails once the functions have other code."""
    for function in of:
        function.__code__ = code
    for item, after in zip(items, [*items[1:], None]):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
            return True
    return False


# A changed module -----------------------------------------------------------------------------------------------------


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a mutant where the module is asked for."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._source, self.path, "exec", dont_inherit=True)


class _Finder:
    def __init__(self, module: str, source: str) -> None:
        self._path, self._source = str(ROOT / module), source
        self._name = module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=_Loader(name, self._path, self._source))


class _Only:
    """A plugin: these tests alone, in this order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {id: place for place, id in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if item.nodeid in self._place]
        items[:] = sorted(kept, key=lambda item: self._place[item.nodeid])


def notices_anew(mutant: Mutant, source: str, tests: Sequence[str]) -> bool:
    """Whether a test fails, or nothing can be imported, where the module is a mutant."""
    sys.meta_path.insert(0, _Finder(mutant.module, source))  # type: ignore[arg-type]
    first = tests[0].partition("::")[0]
    files = sorted({id.partition("::")[0] for id in tests} - {first})
    return _fails([first], tests) or (bool(files) and _fails(files, tests))


def _fails(files: Sequence[str], tests: Sequence[str]) -> bool:
    return pytest.main([*_arguments(files), "-x"], plugins=[_Only(tests)]) != pytest.ExitCode.OK


# All of them ----------------------------------------------------------------------------------------------------------


def trials(
    found: Sequence[Mutant], sources: Mapping[str, str], tests: Sequence[str], number: int
) -> Iterator[tuple[Mutant, str]]:
    """What becomes of each mutant, by ``number`` processes at a time. ``sources`` are the modules' own, ``tests`` files.

    Raises RuntimeError where the tests of the healthy program do not come to an end, or a process dies.
    """
    # The same examples each time, and as much time for each as it takes on a busy machine.
    settings.register_profile("mutation", derandomize=True, database=None, deadline=None)
    settings.load_profile("mutation")
    for name in OTHERS:
        importlib.import_module(name)
    said, _ = Copy(lambda: survey(sorted(sources), tests)).answer()
    if said is None:
        raise RuntimeError("The tests of the healthy program did not come to an end.")
    covered = _covered(said)

    def share(first: int) -> list[list[Any]]:
        return _share(range(first, len(found), number), found, sources, tests, covered)

    for copy in [Copy(lambda first=first: share(first), quiet=False) for first in range(number)]:  # type: ignore[misc]
        answers, _ = copy.answer()
        if answers is None:
            raise RuntimeError("A process that tries mutants has died.")
        yield from ((found[place], status) for place, status in answers)


def _share(
    places: Sequence[int], found: Sequence[Mutant], sources: Mapping[str, str], tests: Sequence[str], covered: Covered
) -> list[list[Any]]:
    """What becomes of the mutants at these places: each with its place. Those of imports come first."""
    answers: list[list[Any]] = []

    def kept(place: int, noticing: Callable[[], bool]) -> None:
        mutant = found[place]
        tests = covered.tests_of(mutant)
        limit = 20 + 5 * sum(covered.seconds[id] for id in tests)
        status = trial(noticing, limit) if tests else SURVIVED
        answers.append([place, status])
        print(f"{len(answers)} of {len(places)}: {status} {mutant.module}:{mutant.line}", file=sys.stderr, flush=True)

    warm = []
    for place in places:
        mutant = found[place]
        if covered.while_importing(mutant):
            chosen, source = covered.tests_of(mutant), mutant.source(sources[mutant.module])
            kept(place, lambda m=mutant, s=source, c=chosen: notices_anew(m, s, c))  # type: ignore[misc]
        else:
            warm.append(place)

    def work(items: Sequence[pytest.Item]) -> None:
        by_id, known = {item.nodeid: item for item in items}, functions()
        gc.freeze()  # after the search: what is frozen is not found any more
        for place in warm:
            mutant = found[place]
            code = code_of(mutant.source(sources[mutant.module]), mutant.module, mutant.scope)
            chosen = [by_id[id] for id in covered.tests_of(mutant)]
            of = known[mutant.module, mutant.scope]
            kept(place, lambda c=code, i=chosen, o=of: notices(i, o, c))  # type: ignore[misc]

    if warm:
        pytest.main(_arguments(tests), plugins=[_Collected(work)])
    if len(answers) != len(places):  # pytest has printed what is wrong
        raise RuntimeError(f"Of {len(places)} mutants {len(answers)} only could be tried.")
    return answers
