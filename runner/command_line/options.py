"""The command line of a run (docs/options.md), checked before anything starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from engines.kind import EngineKind, Given
from engines.object_store import ObjectStore, Storage
from engines.port import EngineUnavailable
from engines.provider import ENGINES, is_pair, kind_of, limits_in
from harness.campaigns.campaign import Profile
from harness.judging.clause import matches
from known_faults.known import known_faults_of
from model.vocabulary.versions import is_version
from records.mistakes import UsageMistake
from runner.command_line.bucket import bucket_of
from shapes.document import read_shapes
from shapes.shape import Shapes
from suites.catalogue import CATALOGUE
from suites.profiles import PROFILES, drawing
from tombstone.near import meant
from tombstone.options import RUN, values_of
from tombstone.values import Budget


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


def options(texts: Mapping[str, Any], *, verbose: bool = False) -> Options:
    """The checked options, of the texts that are given for them. Raises UsageMistake or EngineUnavailable."""
    get = values_of(texts)
    engine = get["engine"]
    _kind("--engine", engine)
    for wanted in get["clause"]:
        if wanted != "list" and not any(matches(id, wanted) for id in CATALOGUE):
            remedy = meant(wanted, _selections(), otherwise="`--clause list` names them all.", most=1)
            raise UsageMistake(f"--clause {wanted} selects no clause: {remedy}")
    profile = _profile(get["profile"], get["budget"], get["draw"])
    if get["shard"] is not None and not profile.fixed and get["seed"] is None:
        raise UsageMistake(f"--shard: {profile.name} draws other cases in each run: give all parts the same --seed N.")
    if get["shard"] is not None and get["replay"] is not None:
        raise UsageMistake("--replay judges one case, which has no parts: leave out --shard.")
    given = _given(engine, get)
    bucket = bucket_of(get["table_root"], get["endpoint_url"])
    storage = _storage(Storage(get["storage"]), bucket, engine, given)
    return Options(
        engine=engine,
        profile=profile,
        seconds=get["budget"].seconds,
        scripts=_scripts(get["check_scripts"], engine, profile, given, storage),
        seed=get["seed"],
        known_bad=get["known_bad"],
        clauses=get["clause"],
        report_dir=get["report_dir"],
        known_faults=get["known_faults"] or known_faults_of(engine),
        given=given,
        table_root=get["table_root"],
        storage=storage,
        bucket=bucket,
        brief=get["brief"],
        like=None if get["like"] is None else read_shapes(get["like"], option="--like"),
        verbose=verbose,
        replay=get["replay"],
        shared_with=_shared_with(get["shared_with"]),
        shard=get["shard"] and (get["shard"].number, get["shard"].of),
        propose_known_faults=get["propose_known_faults"],
        again=tuple(_again(texts)),
        time_limit=get["step_limit"],
    )


def _selections() -> list[str]:
    """The possible values of ``--clause``: the ids, and their common prefixes."""
    return sorted({id for clause in CATALOGUE for id in (clause, clause.rpartition("-")[0], clause.partition("-")[0])})


def _again(texts: Mapping[str, Any]) -> Iterator[str]:
    """The options that judge a case of the run again, beside its engine and its built-in fault. Each is one word."""
    for one in RUN:
        found = texts.get(one.key) if one.again else None
        for text in (found or ()) if one.repeatable else (found,):
            if text not in (None, one.default):
                yield f"{one.name}={text}"


def _given(engine: str, values: Mapping[str, Any]) -> Given:
    """The options of engines. Those of another engine are checked and ignored, or refused.

    Raises UsageMistake or EngineUnavailable.
    """
    own = kind_of(engine).options
    of_engines = [option for option in RUN if option.engine]
    for option in of_engines:
        if option.only and option not in own and values[option.key] is not None:
            raise UsageMistake(f"{option.name} is for {option.only}, which {engine} does not run on: leave it out.")
    given = {option.key: values[option.key] for option in of_engines}
    for one in (*ENGINES, engine):
        kind_of(one).with_options(given)
    return given


def _scripts(number: int | None, engine: str, profile: Profile, given: Given, storage: Storage) -> int | None:
    """How many scripts are run. On Spark each starts a JVM. A script has no engine options, and no other storage."""
    if number is not None:
        return number
    if storage is not Storage.LOCAL or is_pair(engine):
        return 0
    kind = kind_of(engine)
    if not kind.costs.slow_scripts:
        return None
    return 3 if profile.name == "gate" and kind.with_options(given).is_scripted else 0


def _storage(storage: Storage, bucket: ObjectStore | None, engine: str, given: Given) -> Storage:
    if bucket is not None:
        if storage is not Storage.LOCAL:
            raise UsageMistake(
                f"--storage {storage.value} serves a local directory: leave it out, as --table-root names a bucket."
            )
        storage = Storage.BUCKET
    limits_in(engine, storage, given)
    return storage


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


def _profile(name: str, budget: Budget, drawn: int) -> Profile:
    profile = PROFILES[name]
    if profile.fixed and budget.share > 1:
        raise UsageMistake(
            f"--budget {budget.share:g}: {name} has no more cases; add random ones with --draw, such as --draw 200."
        )
    scaled = profile if budget.share == 1 else profile.scaled(budget.share)
    return drawing(scaled, drawn) if drawn else scaled
