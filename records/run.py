"""What the run stream says: a header, a judged case a line, a footer. Written and read by ``records.json_form``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from model.codec import from_json
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from records.expectations import Expectation

#: The only schema version that is written and read.
SCHEMA_VERSION = 4


class Verdict(str, Enum):
    """The result of a clause in a run; in a case only PASS, FAIL and XFAIL."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"  # fails, and is listed in the deviations
    STALE = "stale"  # listed and exercised, yet never fails; or listed with an end that is past
    UNSUPPORTED = "unsupported"  # the engine or its version lacks the feature
    DISABLED = "disabled"  # by the user: --clause or --budget
    UNEXERCISED = "unexercised"  # it applied to no step: never a pass
    ERROR = "error"  # not exercised, and cases that could have exercised it could not be judged


# The header -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedClause:
    """A clause of the catalogue. ``holds_for``: the engines that it holds for, as a part of a sentence; empty: every one.

    ``proven_by``: the known-bad engines that must violate it, or another clause in its place. ``status``: active, unsupported
    or disabled, the last two with a ``reason``. ``harm``: why it is as severe, in one sentence.
    """

    id: str
    chapter: str
    sentence: str
    sources: tuple[str, ...]
    severity: Severity
    status: str
    harm: str = ""
    holds_for: str = ""
    proven_by: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class ListedDeviation:
    """The known deviations with one reason."""

    reason: str
    clauses: tuple[str, ...]


@dataclass(frozen=True)
class PlannedCampaign:
    """A campaign, and how many cases were planned for it."""

    name: str
    planned: int


@dataclass(frozen=True)
class Header:
    """What was judged, with what, and by which clauses. ``option``: the engine as the option named it. ``date``: YYYY-MM-DD."""

    engine: str
    versions: Mapping[str, str]
    profile: str
    seed: int | None
    known_bad: str | None
    platform: str
    machine: Mapping[str, str]
    clauses: tuple[ListedClause, ...]
    campaigns: tuple[PlannedCampaign, ...]
    date: str | None = None
    option: str | None = None
    part: float | None = None
    left_out: int | None = None
    deviations: tuple[ListedDeviation, ...] | None = None
    type: str = "header"
    schema: int = SCHEMA_VERSION


# A case ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EngineError:
    """An error of the engine: its class, its error condition (None: it has none), the first line of its message."""

    exception: str
    condition: str | None
    sqlstate: str | None = field(default=None, kw_only=True)
    message: str


@dataclass(frozen=True)
class Outcome:
    """The engine's answer. ``rows``: None if it failed. ``answer``: what a real VACUUM answers, paths relative to the root."""

    rows: tuple[Any, ...] | None
    error: EngineError | None
    answer: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Commit:
    """What a commit says of itself: the members of commitInfo by name, and those values that do not differ between runs."""

    operation: str
    keys: tuple[str, ...]
    values: Mapping[str, Any]
    parameters: Mapping[str, str]
    metrics: Mapping[str, str]


@dataclass(frozen=True)
class Observed:
    """What a step did to the table. Paths are without random parts; what is empty is left out of the stream.

    ``version``: before and after. ``appeared``: files by kind. ``by_order``: deleted directories that may be kept or deleted.
    ``added``: partition values and rows of each new file. ``masked``: the path of each file whose hidden rows changed,
    followed by their places. ``last_vacuum``: the keys of _last_vacuum_info, if the step wrote it.
    """

    version: tuple[int, int]
    operations: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    added: tuple[Mapping[str, Any], ...] = ()
    places: tuple[str, ...] = ()
    masked: tuple[tuple[Any, ...], ...] = ()
    changed: int = 0
    remove_fields: tuple[str, ...] = ()
    add_fields: tuple[str, ...] = ()
    change_fields: tuple[str, ...] = ()
    by_order: tuple[str, ...] = ()
    appeared: Mapping[str, int] = field(default_factory=dict)
    changed_beside: tuple[str, ...] = ()
    checkpoints: tuple[int, ...] = ()
    commits: tuple[Commit, ...] = ()
    broken: bool = False
    last_vacuum: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Step:
    """A step of the engine. ``index``: its place among the case's steps. ``seconds``: what the engine took."""

    index: int
    kind: str
    text: str
    seconds: float
    outcome: Outcome | None
    observed: Observed | None


@dataclass(frozen=True)
class ClauseResult:
    """What a case says about a clause. ``met``: the steps that met its condition; ``seconds``: what the engine took for them."""

    verdict: Verdict
    met: int
    subjects: int
    seconds: float


@dataclass(frozen=True)
class Violation:
    """One subject that is wrong. ``severity``: None: that of the clause. ``excused``: why it is a known deviation.

    ``by_error``: the step ended in an error instead of a result. ``circumstances``, ``kinds``: the conditions that hold in the
    step, and the kinds of path that the subject is of.
    """

    clause: str
    step: int
    subject: str | None
    cause: str
    excused: str | None
    message: str
    evidence: tuple[str, ...]
    severity: Severity | None = None
    by_error: bool = False
    circumstances: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    expectation: Expectation | None = None


@dataclass(frozen=True)
class CaseError:
    """Why a case could not be judged: ``engine-died`` or ``harness``."""

    kind: str
    message: str
    log: str


@dataclass(frozen=True)
class JudgedCase:
    """A case, what the engine did, and what the clauses say. ``document`` is the case's own JSON form (``model.codec``)."""

    id: str
    campaign: str
    shard: int
    index: int
    origin: str
    document: Mapping[str, Any]
    steps: tuple[Step, ...]
    clauses: Mapping[str, ClauseResult]
    violations: tuple[Violation, ...]
    error: CaseError | None
    features: tuple[str, ...] = ()
    processors: int | None = None
    coverage: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    type: str = "case"

    @cached_property
    def case(self) -> Case:
        """The case itself."""
        return from_json(self.document)


# The footer -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClauseVerdict:
    """The verdict of the whole run on a clause."""

    verdict: Verdict
    met: int
    seconds: float
    subjects: int = 0
    reason: str = ""
    link: str | None = None


@dataclass(frozen=True)
class Footer:
    """The end of a run. ``digest``: of the lines before it, SHA-256; a line that is edited changes it."""

    cases: int
    steps: int
    seconds: float
    engine_seconds: float
    verdicts: Mapping[str, ClauseVerdict]
    counts: Mapping[str, int]
    exit: int
    digest: str = ""
    type: str = "footer"
