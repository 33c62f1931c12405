"""The commands: what each asks of tox, and of the machine."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tombstone.mistakes import Mistake
from tombstone.paths import existing, file, resolved

#: Where reports go, below the directory where the user stands.
REPORTS = "tombstone-reports"

#: The environment of tox.ini that runs modules of the suite which need no engine.
MODULES = "command"

#: The engines whose gate has an environment of its own in tox.ini: the newest release of each.
GATES = {"spark": "gate", "deltalake": "gate-deltalake", "sail": "gate-sail"}

#: The gate's options after which nothing is judged.
_LISTS = frozenset({"--help", "-h", "list", "--clause=list", "--known-bad=list"})


@dataclass(frozen=True)
class Job:
    """An environment of tox.ini and the arguments of its command; and the versions that must be able to run on this machine."""

    environment: str
    arguments: tuple[str, ...]
    versions: tuple[str, ...] = ()


@dataclass(frozen=True)
class LauncherCommand:
    usage: str
    sentence: str
    job: Callable[[Sequence[str], Path], Job]


def job_of(words: Sequence[str], here: Path) -> Job:
    """What a command line asks for. Raises Mistake."""
    name, *arguments = words
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, 1, 0.5)
        remedy = f"did you mean {near[0]}?" if near else "`tombstone --help` lists them."
        raise Mistake(f"{name} is not a command: {remedy}")
    return COMMANDS[name].job(resolved(arguments, here), here)


def _gate(words: Sequence[str], here: Path) -> Job:
    named, options = _leading(words, 1)
    if _LISTS & set(words):
        return Job(MODULES, ("pytest", "-c", "tox.ini", "suites", *options))
    replays = any(word.startswith("--replay=") for word in options)
    return _judging(named, [] if replays else _reported("--report-dir", options, here, "gate"), options)


def _judging(named: Sequence[str], place: Sequence[str], options: Sequence[str]) -> Job:
    """The gate of a version, of the newest release of an engine, or of Delta's."""
    version = "".join(named) or "spark"
    if version in GATES:
        return Job(GATES[version], (*place, *options), () if version == "sail" else (version,))
    return Job(MODULES, ("runner.gate_version", version, *place, *options), (version,))


def _upgrade(words: Sequence[str], here: Path) -> Job:
    return _of_two("upgrade", words, here)


def _together(words: Sequence[str], here: Path) -> Job:
    return _of_two("together", words, here)


def _of_two(name: str, words: Sequence[str], here: Path) -> Job:
    versions, options = _leading(words, 2)
    asks_help = {"--help", "-h"} & set(words)
    if len(versions) < 2 and not asks_help:
        raise Mistake(f"Name two versions: tombstone {name} 3.3.2 4.4.0, or deltalake==1.5.1 deltalake==1.6.6.")
    place = [] if asks_help else _reported("--out", options, here, name, "-".join(versions))
    return Job(MODULES, (f"runner.{name}", *versions, *place, *options), tuple(versions))


def _versions(words: Sequence[str], here: Path) -> Job:
    place = _reported("--out", words, here, "versions")
    return Job(MODULES, ("runner.all_versions", *place, *words))


def _replay(words: Sequence[str], here: Path) -> Job:
    (*case,), rest = _leading(words, 1)
    if not case:
        raise Mistake(
            "Name the file of a case: tombstone replay case.json, then a version if it is not the newest Delta."
        )
    version, options = _leading(rest, 1)
    return _judging(version, [], [f"--replay={file(case[0], here)}", *options])


def _merge(words: Sequence[str], here: Path) -> Job:
    place = _reported("--out", words, here, "merged")
    return Job(MODULES, ("reports", "merge", *_runs(words, here, 1), *place))


def _compare(words: Sequence[str], here: Path) -> Job:
    place = _reported("--out", words, here, "comparison")
    return Job(MODULES, ("reports", "compare", *_runs(words, here, 2), *place))


def _demo(words: Sequence[str], here: Path) -> Job:
    return Job(MODULES, ("runner.demo", *_reported("--out", words, here, "demo"), *words))


def _explain(words: Sequence[str], here: Path) -> Job:
    if not words:
        raise Mistake("Name a clause, a case or a known fault: tombstone explain VAC-SAFE-2.")
    named = [str(here / word) if (here / word).is_file() else word for word in words]
    return Job(MODULES, ("runner.explain", f"--reports={here / REPORTS}", *named))


def _shape(words: Sequence[str], here: Path) -> Job:
    return Job(MODULES, ("shapes", f"--relative-to={here}", *words))


def _rehearse(words: Sequence[str], here: Path) -> Job:
    asks_help = {"--help", "-h"} & set(words)
    place = [] if asks_help else _reported("--out", words, here, "rehearsal")
    named, _ = _leading(words, 3)
    runs = () if "--model-only" in words or asks_help else tuple(named[1:])
    return Job(MODULES, ("rehearsal", f"--relative-to={here}", *place, *words), runs)


def _leading(words: Sequence[str], most: int) -> tuple[list[str], list[str]]:
    """At most so many words before the first option, and the others."""
    count = next((index for index, word in enumerate(words) if word.startswith("-")), len(words))
    return list(words[: min(most, count)]), list(words[min(most, count) :])


def _runs(words: Sequence[str], here: Path, least: int) -> list[str]:
    """The words; all except options are runs that must exist. Raises Mistake."""
    runs = [word for word in words if not word.startswith("-")]
    if len(runs) < least and not {"--help", "-h"} & set(words):
        raise Mistake("Name the runs: directories of reports, or files run.jsonl.")
    return [existing(word, here) if word in runs else word for word in words]


def _reported(option: str, words: Sequence[str], here: Path, *place: str) -> list[str]:
    """The option for the report's place, if the user does not name it."""
    if any(word.startswith(f"{option}=") for word in words):
        return []
    return [f"{option}={here.joinpath(REPORTS, *place)}"]


COMMANDS: Mapping[str, LauncherCommand] = {
    "gate": LauncherCommand(
        "gate [VERSION] [OPTIONS]", "judge one version: 3.3.2, deltalake==1.6.6; without one the newest Delta", _gate
    ),
    "upgrade": LauncherCommand("upgrade FROM TO [OPTIONS]", "judge two versions, and say whether to upgrade", _upgrade),
    "together": LauncherCommand(
        "together A B [OPTIONS]", "let two versions work in turn on the same tables", _together
    ),
    "versions": LauncherCommand("versions [VERSION ...]", "judge several versions, and make a table", _versions),
    "replay": LauncherCommand("replay CASE.json [VERSION]", "judge one case again", _replay),
    "merge": LauncherCommand("merge PART ...", "make one report of the parts of a run (--shard)", _merge),
    "compare": LauncherCommand("compare BASE CANDIDATE", "compare two runs of the same cases", _compare),
    "demo": LauncherCommand("demo", "make the pages of kept runs, without an engine", _demo),
    "shape": LauncherCommand(
        "shape PATH ...", "say what the logs of your tables have, without names and values", _shape
    ),
    "rehearse": LauncherCommand(
        "rehearse PATH [A [B]]", "say what a VACUUM would do to a table of yours, without touching it", _rehearse
    ),
    "explain": LauncherCommand("explain ID", "say what a clause, a case or a known fault is", _explain),
}  # doctor is not among them: it runs without an environment
