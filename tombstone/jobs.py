"""What each command asks of tox, and of the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tombstone.commands import COMMANDS, REPORTS
from tombstone.mistakes import Mistake
from tombstone.near import meant
from tombstone.reading import Asked, asked_of

#: The environment of tox.ini that runs modules of the suite which need no engine.
MODULES = "command"

#: The engines whose gate has an environment of its own in tox.ini: the newest release of each.
GATES = {"spark": "gate", "deltalake": "gate-deltalake", "sail": "gate-sail"}


@dataclass(frozen=True)
class Job:
    """An environment of tox.ini and the arguments of its command; and the versions that must be able to run on this machine."""

    environment: str
    arguments: tuple[str, ...]
    versions: tuple[str, ...] = ()


def job_of(words: Sequence[str], here: Path) -> Job:
    """What a command line asks for. Raises Mistake, or SystemExit after a help."""
    name, *rest = words
    if name not in COMMANDS:
        remedy = meant(name, COMMANDS, otherwise="`tombstone --help` lists them.", most=1)
        raise Mistake(f"{name} is not a command: {remedy}")
    return _JOBS[name](asked_of(COMMANDS[name], rest, here), here / REPORTS)


def _gate(asked: Asked, reports: Path) -> Job:
    if "list" in (asked.given.get("known_bad"), *asked.given.get("clause", ())):
        return Job(MODULES, ("pytest", "-c", "tox.ini", "suites", *asked.passed))
    named = {"report_dir", "replay"} & asked.given.keys()
    return _judging(asked.words, (*(() if named else (f"--report-dir={reports / 'gate'}",)), *asked.passed))


def _replay(asked: Asked, _: Path) -> Job:
    case, *version = asked.words
    return _judging(version, (f"--replay={case}", *asked.passed))


def _judging(named: Sequence[str], options: tuple[str, ...]) -> Job:
    """The gate of a version, of the newest release of an engine, or of Delta's."""
    version = "".join(named) or "spark"
    if version in GATES:
        return Job(GATES[version], options, () if version == "sail" else (version,))
    return Job(MODULES, ("runner.gate_version", version, *options), (version,))


def _module(
    asked: Asked, *module: str, out: Path | None = None, versions: tuple[str, ...] = (), environment: str = MODULES
) -> Job:
    """A module of the suite with the words that are given. ``out``: where its report goes, if the user does not say it."""
    place = () if out is None or "out" in asked.own else (f"--out={out}",)
    own = chain.from_iterable(asked.own.values())
    return Job(environment, (*module, *asked.words, *place, *own, *asked.passed), versions)


def _rehearse(asked: Asked, reports: Path) -> Job:
    runs = () if asked.model_only else asked.words[1:]
    return _module(asked, "rehearsal", out=reports / "rehearsal", versions=runs)


def _of_two(module: str) -> Callable[[Asked, Path], Job]:
    def job(asked: Asked, reports: Path) -> Job:
        out = reports / module.rpartition(".")[2] / "-".join(asked.words)
        return _module(asked, module, out=out, versions=asked.words)

    return job


_JOBS: Mapping[str, Callable[[Asked, Path], Job]] = {
    "gate": _gate,
    "upgrade": _of_two("runner.upgrade"),
    "together": _of_two("runner.together"),
    "versions": lambda asked, reports: _module(asked, "runner.all_versions", out=reports / "versions"),
    "surface": lambda asked, _: _module(asked, environment="surface"),
    "replay": _replay,
    "merge": lambda asked, reports: _module(asked, "reports", "merge", out=reports / "merged"),
    "compare": lambda asked, reports: _module(asked, "reports", "compare", out=reports / "comparison"),
    "demo": lambda asked, reports: _module(asked, "runner.demo", out=reports / "demo"),
    "shape": lambda asked, reports: _module(asked, "shapes", f"--relative-to={reports.parent}"),
    "rehearse": _rehearse,
    "explain": lambda asked, reports: _module(asked, "runner.explain", f"--reports={reports}"),
    "finding": lambda asked, _: _module(asked, "runner.finding"),
}  # doctor is not among them: it runs without an environment
