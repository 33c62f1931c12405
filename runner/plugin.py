"""The pytest hooks and fixtures of a run of the suite. The suite's own tests use none of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engines.pair import PairKind
from engines.port import Engine, EngineUnavailable
from engines.working_copy import UploadingEngine, WorkingCopy
from faults import FAULTS, KnownBadEngine
from harness.campaigns.campaign import MARKER, Batch, campaign_of
from harness.campaigns.drawing import PromiseBroken
from harness.turns.questions import with_questions
from records.mistakes import UsageMistake, told
from runner.command_line.commands import INTERRUPTED, INTERRUPTED_CODE
from runner.command_line.launched import end_with_launcher
from runner.command_line.options import Options, options
from runner.gate_version import python_in, python_of
from runner.judgeable import require_judgeable
from runner.pair import PairProvider, two_engines
from runner.processes.channel import Caller, Server
from runner.run.bench import chosen_in
from runner.run.controller import Controller, remote_controller
from runner.run.plan import RunPlan, plan_of
from runner.run.worker import EngineWorker, one_engine
from suites.catalogue import CATALOGUE
from tombstone.options import RUN
from tombstone.reading import unknown_option

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT / "suites"

_OPTIONS = pytest.StashKey[Options]()
_CONTROLLER = pytest.StashKey[Controller]()
_SERVER = pytest.StashKey[Server]()
_PLAN = pytest.StashKey[RunPlan]()

#: A user property of tests that failed because a clause is broken.
_BROKEN = "promise broken"
#: The tests of this session that failed for another reason.
_MISHAPS: list[str] = []
#: The verbosity at which pytest does not count its tests: "37 passed" is about batches, not about clauses.
_NO_TALLY = -2
#: How often the user has interrupted this session.
_INTERRUPTS: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tombstone", "Tombstone: a conformance suite for Delta Lake's DELETE and VACUUM")
    for one in RUN:
        how = {"metavar": one.metavar, "action": "append" if one.repeatable else "store"}
        default = [] if one.repeatable else one.default
        group.addoption(*one.names, default=default, help=one.help, **how if one.metavar else {"action": "store_true"})


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: list[str]) -> None:
    """End with 2, as for any mistake in a run's command, where pytest would end with 4 and its usage."""
    paths, unknown = parser.parse_known_and_unknown_args(args)
    mistake = unknown_option(unknown)
    if mistake is not None and any(_is_in_suites(early_config, path) for path in paths.file_or_dir):
        print(mistake, file=sys.stderr)
        raise SystemExit(2)


def pytest_configure(config: pytest.Config) -> None:
    end_with_launcher()
    config.addinivalue_line(
        "markers", f"{MARKER}(campaign): where a test's cases come from (harness.campaigns.campaign)"
    )
    try:
        chosen = options({one.key: config.getoption(one.key) for one in RUN}, verbose=config.get_verbosity() > 0)
        _show_lists(chosen)
        require_judgeable(chosen, stops=bool(config.getoption("maxfail")))
        config.stash[_OPTIONS] = chosen
        if _is_run(config) and not _is_worker(config) and not config.option.collectonly:
            _open(config, chosen)
    except (UsageMistake, EngineUnavailable) as mistake:
        _close(config)
        pytest.exit(str(mistake), returncode=2)
    except KeyboardInterrupt:
        _close(config)
        pytest.exit(INTERRUPTED, returncode=INTERRUPTED_CODE)


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
    """Whether the arguments select tests of ``suites``, and not only the suite's own tests."""
    return any(_is_in_suites(config, argument) for argument in config.args)


def _is_in_suites(config: pytest.Config, argument: str) -> bool:
    """Whether an argument selects tests of ``suites``."""
    path = (config.invocation_params.dir / argument.partition("::")[0]).resolve()
    return path == SUITES or SUITES in path.parents or path in SUITES.parents


def _open(config: pytest.Config, chosen: Options) -> None:
    kind, provider = chosen.kind, None
    if isinstance(kind, PairKind):
        for version in kind.sides:
            if not python_in(version).exists():  # `tox -e together` has made them
                python_of(version)
        provider = partial(PairProvider, kind)
    controller = Controller(chosen, Console(file=sys.stdout), provider)
    config.stash[_CONTROLLER] = controller
    controller.start()
    if config.pluginmanager.hasplugin("dsession") or getattr(config.option, "numprocesses", None):
        config.stash[_SERVER] = Server(controller.handlers)


def _close(config: pytest.Config) -> None:
    if _SERVER in config.stash:
        config.stash[_SERVER].close()
        del config.stash[_SERVER]
    if _CONTROLLER in config.stash:
        config.stash[_CONTROLLER].close()
        del config.stash[_CONTROLLER]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Give a worker of pytest-xdist the controller's address."""
    if _SERVER in node.config.stash:
        server = node.config.stash[_SERVER]
        node.workerinput["tombstone"] = {"address": server.address, "key": server.key.hex()}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each batch of a campaign: ``test_row_deletes[3]``."""
    campaign = campaign_of(metafunc.function)
    if campaign is not None:
        found = [batch for batch in _plan(metafunc.config) if batch.campaign.name == campaign.name]
        metafunc.parametrize("batch", found, ids=[str(batch.number) for batch in found])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort the batches as planned, and deselect the others. A replay is a single test."""
    replaying = config.stash[_OPTIONS].replay is not None
    judges = any(item.path.parent == SUITES for item in items)
    order = {batch.name: number for number, batch in enumerate(_plan(config))} if judges and not replaying else {}

    def position(item: pytest.Item) -> int | None:
        """The item's position; None: deselected."""
        if item.path.parent != SUITES:
            return -1  # the suite's own tests
        if item.get_closest_marker(MARKER) is None:
            return 0 if replaying else None
        assert isinstance(item, pytest.Function)
        batch = item.callspec.params["batch"]
        return order.get(batch.name) if isinstance(batch, Batch) else None  # pytest's NOTSET for a test without batches

    positions = {item: position(item) for item in items}
    if left_out := [item for item in items if positions[item] is None]:
        config.hook.pytest_deselected(items=left_out)
    items[:] = sorted((item for item in items if positions[item] is not None), key=lambda item: positions[item] or 0)


def _plan(config: pytest.Config) -> list[Batch]:
    """The batches to judge, which every worker plans alike."""
    if _PLAN not in config.stash:
        try:
            config.stash[_PLAN] = plan_of(config.stash[_OPTIONS])
        except EngineUnavailable as unavailable:  # with --collect-only: else the run has begun without it
            pytest.exit(str(unavailable), returncode=2)
    return list(config.stash[_PLAN].batches)


@pytest.fixture(scope="session")
def worker(request: pytest.FixtureRequest) -> Iterator[EngineWorker]:
    """Judges cases on the engine of the command line."""
    config = request.config
    if _is_worker(config):
        given = config.workerinput["tombstone"]  # type: ignore[attr-defined]
        controller = remote_controller(Caller(tuple(given["address"]), bytes.fromhex(given["key"])))
        made = _worker(config, controller, config.workerinput["workerid"])  # type: ignore[attr-defined]
    else:
        made = _worker(config, config.stash[_CONTROLLER], "main")
    yield made
    made.close()


def _worker(config: pytest.Config, controller: Controller, name: str) -> EngineWorker:
    chosen = config.stash[_OPTIONS]
    kind = chosen.kind
    if isinstance(kind, PairKind):
        return EngineWorker(chosen, controller, partial(two_engines, kind), name, with_questions)

    def open_engine(copy: WorkingCopy | None) -> Engine:
        engine = chosen_in(chosen).opened(controller.lease, copy, time_limit=chosen.time_limit)
        if not chosen.known_bad:
            return engine
        bad = KnownBadEngine(engine, FAULTS[chosen.known_bad])
        return bad if copy is None else UploadingEngine(bad, copy)

    return EngineWorker(chosen, controller, lambda _: one_engine(chosen, open_engine), name)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    """Fail a test for a broken clause with one line that names the gravest, not with Hypothesis's traceback.

    End the session where the engine cannot be had any more: the controller says why. An interrupt begins here too: pytest fails
    to show one that came before the first line of a function.
    """
    line: str | None = None
    lost = False
    try:
        return (yield)
    except EngineUnavailable as reason:
        if SUITES not in pyfuncitem.path.parents:  # one of the suite's own tests, which fails for it
            raise
        pyfuncitem.session.shouldstop = line = str(reason)
        lost = True
    except PromiseBroken as broken:
        pyfuncitem.user_properties.append((_BROKEN, True))
        line = str(broken)
    except KeyboardInterrupt as interrupt:
        if type(interrupt) is not KeyboardInterrupt:
            raise
    if line is None:
        raise KeyboardInterrupt
    if lost:
        pytest.skip(line)
    pytest.fail(line, pytrace=False)


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport, config: pytest.Config) -> tuple[str, str, Any] | None:
    """No dot for a batch, as there is a progress line; and a broken clause is in the answer, not among pytest's failures."""
    if _CONTROLLER not in config.stash or config.stash[_OPTIONS].replay is not None:
        return None
    if _is_broken(report):
        return "broken", "", ("FAIL", {"red": True}) if config.get_verbosity() > 0 else ""
    if report.passed and config.get_verbosity() <= 0:
        return "passed" if report.when == "call" else "", "", ""
    return None


def _is_broken(report: pytest.TestReport) -> bool:
    """Whether a test failed for a broken clause."""
    return report.failed and (_BROKEN, True) in [tuple(pair) for pair in report.user_properties]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember tests that failed for another reason than a broken clause: the run then does not pass."""
    if report.failed and not _is_broken(report):
        _MISHAPS.append(report.nodeid)


def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Remember that the user ended the session: pytest and pytest-xdist end it by subclasses of KeyboardInterrupt too."""
    if excinfo.type is KeyboardInterrupt:
        _INTERRUPTS.append(excinfo.typename)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Iterator[None]:
    """Set the exit code: 0 all clauses hold, 1 one is broken, 2 inconclusive, 130 interrupted.

    Around all other hooks, so that the run's answer is printed after what pytest says of its tests, as the last line.
    """
    config = session.config
    if _CONTROLLER not in config.stash:
        return (yield)
    if config.stash[_OPTIONS].replay is None:
        config.option.verbose = _NO_TALLY
    yield
    # With -x or --maxfail pytest itself ends the run, and pytest-xdist interrupts it.
    stopped = 0 < (config.getoption("maxfail") or 0) <= session.testsfailed
    ended = stopped or exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    controller = config.stash[_CONTROLLER]
    try:
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and controller.plan.is_empty_part:
            with closing(_worker(config, controller, "main")) as worker:
                worker.open()  # so that the stream of the part has its header
            ended = True
        if _INTERRUPTS:
            session.exitstatus = controller.interrupted()
        else:
            session.exitstatus = controller.finish(complete=ended, stopped=stopped, mishaps=_MISHAPS)
    except KeyboardInterrupt:
        session.exitstatus = controller.interrupted()
    except Exception as error:  # noqa: BLE001 - without a report, the run is inconclusive
        session.exitstatus = told(error, "The report")


def pytest_unconfigure(config: pytest.Config) -> None:
    _close(config)
