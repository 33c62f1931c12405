"""The releases that a VACUUM is rehearsed by, as users name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from engines.port import EngineUnavailable
from engines.provider import DEFAULT, kind_of
from engines.versions import judged_of, releases_of
from known_faults.known import known, known_faults_in, known_faults_of
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import DELTA_RS_ON_S3, SPARK, SPARK_ON_S3, RuleChange, Rules, with_changes
from model.vocabulary.steps import Mode, Vacuum
from model.vocabulary.versions import is_version, parse
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from reports.text.engines import engine_words


@dataclass(frozen=True)
class Release:
    """A version of an engine: what it supports, and its rules in the model."""

    named: str  # as users do: 3.3.2, deltalake==1.6.6
    engine: str
    version: str
    rules: Rules
    capabilities: Capabilities

    @property
    def title(self) -> str:
        """``Delta 4.4.0``."""
        return engine_words(self.engine, self.version)

    def knows(self, vacuum: Vacuum) -> bool:
        """Whether it has this kind of VACUUM."""
        return not vacuum.mode.lite or Mode.LITE in self.capabilities.modes


@cache
def listed(release: Release, place: str) -> tuple[KnownFault, ...]:
    """The release's known faults that hold on such storage, of ``known_faults.entries.PLACES``."""
    return tuple(known(known_faults_in(known_faults_of(release.engine), places=(place,)), release.version))


def newest() -> str:
    """The newest Delta on Spark that the suite judges."""
    return judged_of(DEFAULT)[-1]


def release_of(named: str, *, objects: bool) -> Release:
    """``objects``: the table is in an object store, which has no directories. The release need not be installed, nor run on
    this Python. Raises UsageMistake, with the remedy.
    """
    engine, equals, version = named.partition("==")
    if not equals:
        engine, version = DEFAULT, named.partition("@")[0]
    if not is_version(version):
        raise UsageMistake(f"{named} names no release: write, say, {newest()} or {judged_of('deltalake')[-1]}.")
    try:
        releases_of(engine).check(version)
        kind = kind_of(engine)
        rules = kind.rules_of(version)
    except EngineUnavailable as unavailable:
        raise UsageMistake(str(unavailable)) from None
    if objects:
        rules = with_changes(rules, SPARK_ON_S3 if rules.implementation == SPARK.implementation else DELTA_RS_ON_S3)
    return Release(named, engine, version, rules, kind.capabilities_of(version))


def for_iceberg(release: Release) -> Release:
    """The same for a table that is also an Iceberg table, where Delta on Spark hides the name ``metadata`` (docs/delta.md 5)."""
    if release.rules.implementation != SPARK.implementation or parse(release.version) < parse("3.1"):
        return release
    return replace(release, rules=replace(release.rules, reserved_names=frozenset({"metadata"})))


def changes_between(a: Release, b: Release) -> Iterator[RuleChange]:
    """The rules that the releases between the two changed, and by which ``b`` differs from ``a``."""
    if a.engine != b.engine:
        return
    low, high = sorted((parse(a.version), parse(b.version)))
    changes: Sequence[RuleChange] = kind_of(a.engine).rule_changes
    for change in changes:
        if low < parse(change.since) <= high and getattr(a.rules, change.field) != getattr(b.rules, change.field):
            yield change
