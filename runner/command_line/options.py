"""The command line of a run (docs/options.md), checked before anything starts."""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import pytest

from engines.kind import EngineKind, Given, Option
from engines.object_store import ObjectStore, Storage
from engines.port import EngineUnavailable
from engines.provider import DEFAULT, ENGINES, is_pair, kind_of, limits_in
from harness.campaigns.campaign import Profile
from harness.judging.clause import matches
from known_faults.known import known_faults_of
from model.vocabulary.versions import is_version
from records.mistakes import UsageMistake
from runner.command_line.bucket import bucket_of
from runner.command_line.near import meant
from runner.command_line.parts import part
from shapes.document import read_shapes
from shapes.shape import Shapes
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES, drawing


@dataclass(frozen=True)
class Options:
    engine: str
    profile: Profile
    seed: int | None
    known_bad: str | None
    clauses: tuple[str, ...]  # ids or prefixes; empty: all
    report_dir: Path
    known_faults: Path
    table_root: str | None  # a directory, or a bucket, which is ``bucket``
    replay: Path | None
    brief: bool  # whether a run prints its progress and its answer only
    verbose: bool  # ... or all its tables too
    time_limit: float  # seconds for one step of the engine
    shared_with: tuple[str, str | None] | None = None  # another engine and its version: only what it supports is drawn
    scripts: int | None = None  # how many reproduction scripts are run; None: all
    seconds: float | None = None  # the budget, if it is a time; else the profile is scaled already
    storage: Storage = Storage.LOCAL
    bucket: ObjectStore | None = None  # of the user's, where tables are made
    shard: tuple[int, int] | None = None  # the part of the run to judge: its number, from 1, and of how many
    propose_known_faults: Path | None = None  # a new file: what failed, as entries of a known faults file
    again: tuple[str, ...] = ()  # with which a case of the run is judged again, as on the command line
    given: Given = field(default_factory=dict)  # of the options of engines
    like: Shapes | None = None  # of the user's own tables, to compare the cases with

    @cached_property
    def kind(self) -> EngineKind:
        """The engine with its options."""
        return kind_of(self.engine).with_options(self.given)

    def selects(self, clause: str) -> bool:
        """Whether the clause of this id is to be judged."""
        return not self.clauses or any(matches(clause, prefix) for prefix in self.clauses)


#: What ``--storage`` takes.
_SERVED = (Storage.LOCAL.value, Storage.S3.value)


class OptionGroup(Protocol):
    """Declares options: pytest's group, or a replacement of it."""

    def addoption(self, *names: str, **attributes: Any) -> None: ...


class OptionParser(Protocol):
    """Has groups of options: pytest's parser, or a replacement of it."""

    def getgroup(self, name: str, description: str = "") -> OptionGroup: ...


def add_options(parser: OptionParser) -> None:
    group = parser.getgroup("tombstone", "Tombstone: a conformance suite for Delta Lake's DELETE and VACUUM")
    add = group.addoption
    judged = f"the engine to judge: {', '.join(ENGINES)}, or module:name of your own (default: {DEFAULT})"
    add("--engine", default=DEFAULT, metavar="NAME", help=judged)
    shared = "use only cases that this engine supports too, so that both are judged by the same cases"
    add("--shared-with", default=None, metavar="NAME[==VERSION]", help=shared)
    add("--profile", default="gate", metavar="NAME", help=f"the budget: {', '.join(PROFILES)} (default: gate)")
    budget = (
        "a time, such as 3m, for the most revealing cases of the profile; or a part of it, such as 0.5 (default: 1)"
    )
    add("--budget", default="1", metavar="TIME", help=budget)
    like = "say what concerns your own tables, and what of them is covered: their shapes, from `tombstone shape`"
    add("--like", default=None, metavar="FILE", help=like)
    add("--draw", default="0", metavar="N", help="judge N more cases, random, the same for each engine and --seed")
    add("--seed", default=None, metavar="N", help="the seed of the random cases")
    part = "judge the K-th of N parts of the run; `python -m reports merge` puts their reports together"
    add("--shard", default=None, metavar="K/N", help=part)
    add(
        "--known-bad",
        default=None,
        metavar="NAME",
        help="judge the engine with this fault built in; `list` names the faults",
    )
    judged = "judge these only; ids or prefixes, repeatable; `list` names all"
    add("--clause", action="append", default=[], metavar="ID", help=judged)
    add("--report-dir", default="build/report", metavar="DIR", help="where the report goes (default: build/report)")
    add("--known-faults", default=None, metavar="FILE", help="the list of known faults (default: the engine's own)")
    add(
        "--propose-known-faults",
        default=None,
        metavar="FILE",
        help="write what failed into this new file, as entries for a known faults file",
    )
    scripts = (
        "run the scripts of the N gravest failures (default: on delta-rs all; on Spark 3 in the profile gate, else 0)"
    )
    add("--check-scripts", default=None, metavar="N", help=scripts)
    for option in _own_options():
        if option.repeatable:
            add(option.name, action="append", default=[], metavar=option.metavar, help=option.help)
        else:
            add(option.name, default=None, metavar=option.metavar, help=option.help)
    stores = ", ".join(_SERVED)
    add("--storage", default="local", metavar="NAME", help=f"where tables lie: {stores} (default: local)")
    add(
        "--table-root",
        default=None,
        metavar="URI",
        help="where tables are made: a new or empty directory, or s3://bucket/prefix",
    )
    server = "the server of that bucket (default: AWS_ENDPOINT_URL, or Amazon's)"
    add("--endpoint-url", default=None, metavar="URL", help=server)
    add("--brief", action="store_true", help="print only the progress and the answer")
    add("--replay", default=None, metavar="CASE.json", help="judge this one case: FIXED (0), FAILED (1), ERROR (2)")
    add(
        "--step-limit", default="120", metavar="SECONDS", help="the time limit of one step of the engine (default: 120)"
    )


def _own_options() -> list[Option]:
    """The options of the built-in engines."""
    return [option for engine in ENGINES for option in kind_of(engine).options]


def options(config: pytest.Config) -> Options:
    """The checked options. Raises UsageMistake or EngineUnavailable."""
    get = config.getoption
    engine = get("engine")
    _kind("--engine", engine)
    clauses = tuple(get("clause"))
    for wanted in clauses:
        if wanted != "list" and not any(matches(id, wanted) for id in CATALOGUE):
            remedy = meant(wanted, _selections(), otherwise="`--clause list` names them all.", most=1)
            raise UsageMistake(f"--clause {wanted} selects no clause: {remedy}")
    seconds = _seconds(get("budget"))
    profile = _profile(get("profile"), "1" if seconds else get("budget"), _number("--draw", get("draw")))
    seed = _whole("--seed", get("seed"))
    shard = _shard(get("shard"))
    if shard is not None and not profile.fixed and seed is None:
        raise UsageMistake(f"--shard: {profile.name} draws other cases in each run: give all parts the same --seed N.")
    if shard is not None and get("replay") is not None:
        raise UsageMistake("--replay judges one case, which has no parts: leave out --shard.")
    given = _given(engine, get)
    bucket = bucket_of(get("table_root"), get("endpoint_url"))
    storage = _storage(get("storage"), bucket, engine, given)
    return Options(
        engine=engine,
        profile=profile,
        seconds=seconds,
        scripts=_scripts(get("check_scripts"), engine, profile, given, storage),
        seed=seed,
        known_bad=get("known_bad"),
        clauses=clauses,
        report_dir=Path(get("report_dir")),
        known_faults=_file("--known-faults", get("known_faults")) or known_faults_of(engine),
        given=given,
        table_root=get("table_root"),
        storage=storage,
        bucket=bucket,
        brief=get("brief"),
        like=_like(get("like")),
        verbose=config.get_verbosity() > 0,
        replay=_file("--replay", get("replay")),
        shared_with=_shared_with(get("shared_with")),
        shard=shard,
        propose_known_faults=_new_file("--propose-known-faults", get("propose_known_faults")),
        again=_again(get),
        time_limit=_positive("--step-limit", get("step_limit"), "a time in seconds", "120"),
    )


def _selections() -> list[str]:
    """The possible values of ``--clause``: the ids, and their common prefixes."""
    return sorted({id for clause in CATALOGUE for id in (clause, clause.rpartition("-")[0], clause.partition("-")[0])})


#: The options that decide what a case does, beside the engine, its own options and its built-in fault: by name, the default.
_DECIDE: Mapping[str, str | None] = {
    "known_faults": None,
    "table_root": None,
    "endpoint_url": None,
    "storage": Storage.LOCAL.value,
    "step_limit": "120",
}


def _again(get: Callable[[str], Any]) -> tuple[str, ...]:
    """The options that judge a case of the run again. Each is one word."""
    values = [(one.name, get(one.key) if one.repeatable else [get(one.key)]) for one in _own_options()]
    own = [(name, value) for name, found in values for value in found if value is not None]
    others = [(f"--{name.replace('_', '-')}", get(name)) for name in _DECIDE if get(name) != _DECIDE[name]]
    return tuple(f"{name}={value}" for name, value in (*own, *others))


def _given(engine: str, get: Callable[[str], Any]) -> Given:
    """The options of engines. Those of another engine are checked and ignored, or refused.

    Raises UsageMistake or EngineUnavailable.
    """
    own = kind_of(engine).options
    for option in _own_options():
        if option.runs_on and option not in own and get(option.key) is not None:
            raise UsageMistake(f"{option.name} is for {option.runs_on}, which {engine} does not run on: leave it out.")
    given = {option.key: _value(option, get(option.key)) for option in _own_options()}
    for one in (*ENGINES, engine):
        kind_of(one).with_options(given)
    return given


def _value(option: Option, texts: Any) -> Any:
    """The value of an option, as its type."""
    types: Mapping[type, Callable[[str, str], object]] = {int: _number, Path: _existing, str: lambda _, text: text}
    read = types[option.type]
    if option.repeatable:
        return tuple(read(option.name, text) for text in texts)
    return None if texts is None else read(option.name, texts)


def _scripts(text: str | None, engine: str, profile: Profile, given: Given, storage: Storage) -> int | None:
    """How many scripts are run. On Spark each starts a JVM. A script has no engine options, and no other storage."""
    if text is not None:
        return _number("--check-scripts", text)
    if storage is not Storage.LOCAL or is_pair(engine):
        return 0
    kind = kind_of(engine)
    if not kind.costs.slow_scripts:
        return None
    return 3 if profile.name == "gate" and kind.with_options(given).is_scripted else 0


def _storage(name: str, bucket: ObjectStore | None, engine: str, given: Given) -> Storage:
    storage = Storage(_one_of("--storage", name, _SERVED))
    if bucket is not None:
        if storage is not Storage.LOCAL:
            raise UsageMistake(
                f"--storage {name} serves a local directory: leave it out, as --table-root names a bucket."
            )
        storage = Storage.BUCKET
    limits_in(engine, storage, given)
    return storage


def _one_of(option: str, value: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    if value not in known:
        raise UsageMistake(f"{option} {value} is not known: use one of {', '.join(known)}.")
    return value


def _shared_with(text: str | None) -> tuple[str, str | None] | None:
    if text is None:
        return None
    engine, equals, version = text.partition("==")
    kind = _kind("--shared-with", engine)
    if equals and not is_version(version):
        raise UsageMistake(f"--shared-with {text} names no version: write, say, --shared-with spark==3.3.2.")
    if equals and kind.releases is not None:
        kind.releases.check(version)
    return engine, version or None


def _kind(option: str, engine: str) -> EngineKind:
    try:
        return kind_of(engine)
    except EngineUnavailable as unknown:
        raise UsageMistake(f"{option} {unknown}") from unknown


def _profile(name: str, budget: str, drawn: int) -> Profile:
    profile = PROFILES[_one_of("--profile", name, PROFILES)]
    factor = _positive("--budget", budget, "a time or a factor", "3m")
    if profile.fixed and factor > 1:
        raise UsageMistake(
            f"--budget {budget}: {name} has no more cases; add random ones with --draw, such as --draw 200."
        )
    scaled = profile if factor == 1 else profile.scaled(factor)
    return drawing(scaled, drawn) if drawn else scaled


def _seconds(budget: str) -> float | None:
    """The seconds of a budget that is a time; None if it is a part."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", budget)
    return float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]] or None if match else None


def _whole(option: str, text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        raise UsageMistake(f"{option} {text} is not a whole number: give one, such as {option} 7.") from None


def _number(option: str, text: str) -> int:
    number = _whole(option, text)
    if number is None or number < 0:
        raise UsageMistake(f"{option} {text} is negative: give a number, such as {option} 3.")
    return number


def _positive(option: str, text: str, what: str, example: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < math.inf:
        raise UsageMistake(f"{option} {text} is not {what}: give one, such as {option} {example}.")
    return number


def _shard(text: str | None) -> tuple[int, int] | None:
    """The number of a part, and the number of parts."""
    if text is None:
        return None
    try:
        given = part(text)
    except ArgumentTypeError as mistake:
        raise UsageMistake(f"--shard {mistake}.") from None
    return given.number, given.of


def _file(option: str, text: str | None) -> Path | None:
    if text is not None and not Path(text).is_file():
        raise UsageMistake(f"{option} {text} is not a file: name an existing one.")
    return None if text is None else Path(text)


def _like(text: str | None) -> Shapes | None:
    file = _file("--like", text)
    return None if file is None else read_shapes(file, option="--like")


def _new_file(option: str, text: str | None) -> Path | None:
    if text is not None and Path(text).exists():
        raise UsageMistake(f"{option} {text} exists already: name a new file.")
    if text is not None and not Path(text).absolute().parent.is_dir():
        raise UsageMistake(f"{option} {text} is in no directory: name a file in an existing one.")
    return None if text is None else Path(text)


def _existing(option: str, text: str) -> Path:
    if not Path(text).exists():
        raise UsageMistake(f"{option} {text} does not exist: name an existing jar or directory.")
    return Path(text).absolute()
