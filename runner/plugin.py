"""The hooks: what pytest does when, in a run of the suite. The suite's own tests use none of it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engines.port import Engine, EngineUnavailable
from engines.provider import open_adapter
from harness.campaign import MARKER, Shard, campaign_of
from harness.drawing import PromiseBroken
from runner.channel import Caller, Server
from runner.controller import Controller
from runner.link import Link, RemoteLink, handlers
from runner.options import Options, UsageMistake, add_options, options
from runner.replay import read_case
from runner.worker import Worker
from selfcheck.faults import FAULTS, KnownBadEngine
from suites.campaigns import shards
from suites.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT / "suites"

_OPTIONS = pytest.StashKey[Options]()
_CONTROLLER = pytest.StashKey[Controller]()
_SERVER = pytest.StashKey[Server]()

#: A user property of tests that failed because a promise is broken.
_BROKEN = "promise broken"
#: The tests of this process's session that failed for another reason.
_MISHAPS: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{MARKER}(campaign): where a test's cases come from (harness.campaign)")
    try:
        chosen = options(config, ROOT)
        _show_lists(chosen)
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


def _show_lists(chosen: Options) -> None:
    """``--known-bad list`` and ``--clause list``."""
    if chosen.known_bad == "list":
        for fault in FAULTS.values():
            print(f"{fault.name:32} {fault.sentence}  [{', '.join(fault.caught_by)}]")
        pytest.exit("that is all", returncode=0)
    if "list" in chosen.clauses:
        for clause in CATALOGUE.values():
            print(f"{clause.id:14} {clause.sentence}")
        pytest.exit("that is all", returncode=0)


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _is_run(config: pytest.Config) -> bool:
    """Whether tests of ``suites`` are asked for, and not only the suite's own tests."""
    asked = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    return any(path == SUITES or SUITES in path.parents or path in SUITES.parents for path in asked)


def _open(config: pytest.Config, chosen: Options) -> None:
    controller = Controller(chosen, Console(file=sys.stdout))
    config.stash[_CONTROLLER] = controller
    controller.start()
    if config.pluginmanager.hasplugin("dsession") or getattr(config.option, "numprocesses", None):
        config.stash[_SERVER] = Server(handlers(controller))


def _close(config: pytest.Config) -> None:
    if _SERVER in config.stash:
        config.stash[_SERVER].close()
        del config.stash[_SERVER]
    if _CONTROLLER in config.stash:
        config.stash[_CONTROLLER].close()
        del config.stash[_CONTROLLER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """An xdist worker is about to start: it gets the address of the controller."""
    if _SERVER in node.config.stash:
        server = node.config.stash[_SERVER]
        node.workerinput["tombstone"] = {"address": server.address, "key": server.key.hex()}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each shard of a campaign: ``test_row_deletes[3]``."""
    campaign = campaign_of(metafunc.function)
    if campaign is not None:
        found = [shard for shard in _plan(metafunc.config) if shard.campaign.name == campaign.name]
        metafunc.parametrize("shard", found, ids=[str(shard.number) for shard in found])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The shards in the order of the plan; tests that it leaves out are deselected. A replay is one test, and the only one."""
    replaying = config.stash[_OPTIONS].replay is not None
    places = {} if replaying else {shard.name: place for place, shard in enumerate(_plan(config))}

    def place(item: pytest.Item) -> int | None:
        """Where the item comes; None where it is left out."""
        if item.path.parent != SUITES:
            return -1  # the suite's own tests
        if item.get_closest_marker(MARKER) is None:
            return 0 if replaying else None
        assert isinstance(item, pytest.Function)
        shard = item.callspec.params["shard"]
        return places.get(shard.name) if isinstance(shard, Shard) else None  # pytest's NOTSET for a test without shards

    placed = [(place(item), item) for item in items]
    left_out = [item for at, item in placed if at is None]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    kept = sorted(((at, item) for at, item in placed if at is not None), key=lambda pair: pair[0])
    items[:] = [item for _, item in kept]


def _plan(config: pytest.Config) -> list[Shard]:
    chosen = config.stash[_OPTIONS]
    return shards(chosen.profile, chosen.clauses)


@pytest.fixture(scope="session")
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    """Judges cases on the engine of the command line."""
    config = request.config
    chosen = config.stash[_OPTIONS]
    link: Link
    if _is_worker(config):
        given = config.workerinput["tombstone"]  # type: ignore[attr-defined]
        link = RemoteLink(Caller(tuple(given["address"]), bytes.fromhex(given["key"])))
        name = config.workerinput["workerid"]  # type: ignore[attr-defined]
    else:
        link, name = config.stash[_CONTROLLER], "main"

    def open_engine() -> Engine:
        engine = open_adapter(chosen.engine, link.lease, time_limit=chosen.time_limit)
        return KnownBadEngine(engine, FAULTS[chosen.known_bad]) if chosen.known_bad else engine

    made = Worker(chosen, link, open_engine, name)
    yield made
    made.close()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    """A broken promise fails its test with one line, which names the gravest clause, not with Hypothesis's traceback."""
    try:
        return (yield)
    except PromiseBroken as broken:
        pyfuncitem.user_properties.append((_BROKEN, True))
        line = str(broken)
    pytest.fail(line, pytrace=False)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """A test that failed for another reason than a broken promise: then the run is no pass."""
    if report.failed and (_BROKEN, True) not in [tuple(pair) for pair in report.user_properties]:
        _MISHAPS.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """The exit code: 0 kept, 1 broken, 2 nothing proven."""
    config = session.config
    if _CONTROLLER not in config.stash:
        return
    ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    try:
        session.exitstatus = config.stash[_CONTROLLER].finish(complete=ended, mishaps=_MISHAPS)
    except Exception:  # noqa: BLE001 - whatever it is, a report that cannot be written proves nothing
        traceback.print_exc()
        session.exitstatus = 2


def pytest_unconfigure(config: pytest.Config) -> None:
    _close(config)
