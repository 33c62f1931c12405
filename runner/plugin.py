"""The hooks: what pytest does when, for a run of the suite. The suite's own tests use none of it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import suites.clauses  # noqa: F401 - fills the catalogue
from selfcheck.faults import FAULTS, KnownBadEngine
from engines.port import Engine, EngineUnavailable
from engines.provider import open_adapter
from engines.spark.jvm import Lease
from runner.channel import Caller, Server
from runner.controller import Controller
from runner.options import Options, UsageMistake, add_options, options
from runner.referee import Link, Referee, read_case
from suites.campaigns import shards
from harness.clause import CATALOGUE
from suites.drawing import PromiseBroken

ROOT = Path(__file__).resolve().parent.parent

_OPTIONS = pytest.StashKey[Options]()
_CONTROLLER = pytest.StashKey[Controller]()
_SERVER = pytest.StashKey[Server]()

#: Marks the report of a test that failed because a promise is broken.
_BROKEN = "promise broken"
#: The tests of this process's session that failed for another reason.
_MISHAPS: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _is_run(config: pytest.Config) -> bool:
    """Whether the campaigns are asked for, and not only the suite's own tests."""
    campaigns = ROOT / "suites"
    asked = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path == campaigns or campaigns in path.parents or path in campaigns.parents for path in asked)


def pytest_configure(config: pytest.Config) -> None:
    try:
        chosen = options(config, ROOT)
        if chosen.known_bad == "list":
            for fault in FAULTS.values():
                print(f"{fault.name:32} {fault.sentence}  [{', '.join(fault.caught_by)}]")
            pytest.exit("that is all", returncode=0)
        if "list" in chosen.clauses:
            for clause in CATALOGUE.values():
                print(f"{clause.id:14} {clause.sentence}")
            pytest.exit("that is all", returncode=0)
        if chosen.known_bad is not None and chosen.known_bad not in FAULTS:
            raise UsageMistake(f"--known-bad {chosen.known_bad} is not known: `--known-bad list` names those that are.")
        if chosen.replay is not None:
            read_case(chosen.replay)
        config.stash[_OPTIONS] = chosen
        if _is_run(config) and not _is_worker(config) and not config.option.collectonly:
            _open(config, chosen)
    except (UsageMistake, EngineUnavailable) as mistake:
        _close(config)
        pytest.exit(str(mistake), returncode=2)


def _open(config: pytest.Config, chosen: Options) -> None:
    controller = Controller(chosen, Console(file=sys.stdout))
    config.stash[_CONTROLLER] = controller
    controller.start()
    if config.pluginmanager.hasplugin("dsession") or getattr(config.option, "numprocesses", None):
        handlers: dict[str, Callable[..., Any]] = {
            "lease": controller.lease,
            "begin": controller.begin,
            "claim": controller.claim,
            "case": controller.case,
        }
        config.stash[_SERVER] = Server(handlers)


def _close(config: pytest.Config) -> None:
    if _SERVER in config.stash:
        config.stash[_SERVER].close()
        del config.stash[_SERVER]
    if _CONTROLLER in config.stash:
        config.stash[_CONTROLLER].close()
        del config.stash[_CONTROLLER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker is about to start: tell it the way to us."""
    if _SERVER in node.config.stash:
        server = node.config.stash[_SERVER]
        node.workerinput["tombstone"] = {"address": server.address, "key": server.key.hex()}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "shard" in metafunc.fixturenames:
        chosen = metafunc.config.stash[_OPTIONS]
        found = shards(chosen.profile, chosen.clauses)
        metafunc.parametrize("shard", found, ids=[shard.name for shard in found])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A replay is one test; else all but it."""
    replaying = config.stash[_OPTIONS].replay is not None
    runs = [item for item in items if "referee" in getattr(item, "fixturenames", ())]
    unwanted = [item for item in runs if (item.name == "test_replay") != replaying]
    if unwanted:
        config.hook.pytest_deselected(items=unwanted)
        items[:] = [item for item in items if item not in unwanted]


class _Remote:
    """The controller, from a worker."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def lease(self, lost: int) -> Lease:
        lease: Lease = self._caller.call("lease", lost)
        return lease

    def begin(self, versions: dict[str, str], pid: int, unsupported: dict[str, str]) -> dict[str, Any]:
        told: dict[str, Any] = self._caller.call("begin", versions, pid, unsupported)
        return told

    def claim(self, clause: str) -> bool:
        return bool(self._caller.call("claim", clause))

    def case(self, line: dict[str, Any]) -> None:
        self._caller.call("case", line)


@pytest.fixture(scope="session")
def referee(request: pytest.FixtureRequest) -> Iterator[Referee]:
    """Judges cases on the engine of the command line."""
    config = request.config
    chosen = config.stash[_OPTIONS]
    link: _Remote | Controller
    if _is_worker(config):
        told = config.workerinput["tombstone"]  # type: ignore[attr-defined]
        link = _Remote(Caller(tuple(told["address"]), bytes.fromhex(told["key"])))
        worker = config.workerinput["workerid"]  # type: ignore[attr-defined]
    else:
        link, worker = config.stash[_CONTROLLER], "main"

    def open_engine() -> Engine:
        engine = open_adapter(chosen.engine, link.lease, time_limit=chosen.time_limit)
        return KnownBadEngine(engine, FAULTS[chosen.known_bad]) if chosen.known_bad else engine

    as_link: Link = link
    judging = Referee(chosen, as_link, open_engine, worker)
    yield judging
    judging.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """A broken promise is told by the report at the end, not by a traceback through Hypothesis."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(PromiseBroken):
        report.longrepr = str(call.excinfo.value)
        report.user_properties.append((_BROKEN, True))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test that failed without breaking a promise: our own fault, and no run that had one is a pass."""
    if report.failed and (_BROKEN, True) not in [tuple(pair) for pair in report.user_properties]:
        _MISHAPS.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Our exit code, by design: 0 kept, 1 broken, 2 nothing proven."""
    config = session.config
    if _CONTROLLER not in config.stash:
        return
    ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    try:
        session.exitstatus = config.stash[_CONTROLLER].finish(complete=ended, mishaps=_MISHAPS)
    except Exception:  # noqa: BLE001 - whatever it is, a report that cannot be made proves nothing
        traceback.print_exc()
        session.exitstatus = 2


def pytest_unconfigure(config: pytest.Config) -> None:
    _close(config)
