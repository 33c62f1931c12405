"""Which tests start a process: found by what they name, and guarded, so that no other does."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

#: What Python reports when a process is started.
_STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}

#: What a module has that starts one.
_NAMES = {"Controller", "ProcessPoolExecutor", "Served", "Workspace", "subprocess", "sync_playwright"}

#: The test that runs, if it must not start one.
_running: list[pytest.Item] = []


def starts_process(item: pytest.Function) -> bool:
    """Whether the test or one of its fixtures names what starts one."""
    functions = [item.obj]
    for name in item.fixturenames:
        functions += [fixture.func for fixture in item._fixtureinfo.name2fixturedefs.get(name, ())[-1:]]
    seen: set[object] = set()
    return any(_names_a_start(function, seen) for function in functions)


def _names_a_start(function: object, seen: set[object]) -> bool:
    """Something of a module that starts processes, also by way of functions and classes of the tests."""
    function = inspect.unwrap(getattr(getattr(function, "hypothesis", None), "inner_test", function))  # type: ignore[arg-type]
    if isinstance(function, type):
        return any(_names_a_start(one, seen) for one in vars(function).values())
    if not isinstance(function, FunctionType) or function in seen:
        return False
    seen.add(function)
    for name in _names(function.__code__):
        named = function.__globals__.get(name)
        module = named if isinstance(named, ModuleType) else sys.modules.get(str(getattr(named, "__module__", None)))
        if module is None:
            continue
        if module.__name__.startswith("tests."):
            if _names_a_start(named, seen):
                return True
        elif module is subprocess or not _NAMES.isdisjoint(vars(module)):
            return True
    return False


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


@contextmanager
def guarded(item: pytest.Item) -> Iterator[None]:
    """While the test runs, it fails if it starts a process and is not marked."""
    if not (item.get_closest_marker("process") or item.get_closest_marker("spark")):
        _running.append(item)
    try:
        yield
    finally:
        _running.clear()


def _guard(event: str, _: tuple[Any, ...]) -> None:
    if event in _STARTS and _running:
        pytest.fail("This test starts a process: mark it, @pytest.mark.process, so that `tox -e quick` leaves it out.")


sys.addaudithook(_guard)
