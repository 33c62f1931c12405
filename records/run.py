"""What the run stream says: a header, a judged case a line, a footer. Written and read by ``records.json_form``.

``records.schema`` makes the JSON schema of a line of these classes, with what the types below ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Annotated, Any, Final, Literal

from model.codec import from_json
from model.vocabulary.case import Case
from model.vocabulary.limits import AT_LEAST_ONE, Limit, Natural, Positive
from model.vocabulary.rules import Rules
from model.vocabulary.severity import Severity
from records.expectations import Expectation

#: The only schema version that is written and read.
SCHEMA_VERSION: Final = 6


Name = Annotated[str, Limit("minLength", 1)]
Count = Natural
Seconds = Annotated[float, Limit("minimum", 0)]
ClauseId = Annotated[str, Limit("pattern", "^[A-Z][A-Z0-9]*(-[A-Z0-9]+)+$", "must be an id such as VAC-SAFE-1")]
CaseId = Annotated[str, Limit("pattern", "^[0-9a-f]{12}$")]


class Verdict(str, Enum):
    """The result of a clause in a run; in a case only HOLDS, FAILS and KNOWN_FAULT."""

    HOLDS = "holds"
    FAILS = "fails"
    KNOWN_FAULT = "known fault"  # fails, and is listed in the known faults
    LISTED_BUT_GONE = "listed but gone"  # listed and exercised, yet never fails; or listed with an end that is past
    NOT_APPLICABLE = "not applicable"  # the engine or its version lacks the feature
    DISABLED = "disabled"  # by the user: --clause or --budget
    NOT_TESTED = "not tested"  # it applied to no step: never a pass
    ERROR = "error"  # not exercised, and cases that could have exercised it could not be judged; or the clause itself raised


#: What a case says about a clause.
CaseVerdict = Annotated[Verdict, Limit("enum", (Verdict.HOLDS.value, Verdict.FAILS.value, Verdict.KNOWN_FAULT.value))]


# The header -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedClause:
    """A clause of the catalogue. ``holds_for``: the engines that it holds for, as a part of a sentence; empty: every one.

    ``proven_by``: the known-bad engines that must violate it, or another clause in its place. ``status``: active, not applicable
    or disabled, the last two with a ``reason``. ``harm``: why it is as severe, in one sentence.
    """

    id: ClauseId
    chapter: str
    sentence: str
    sources: tuple[str, ...]
    severity: Severity
    status: Annotated[str, Limit("enum", ("active", "not applicable", "disabled"))]
    harm: str = ""
    holds_for: str = ""
    proven_by: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class ConcernedTables:
    """How many of the user's tables something concerns: those that it does by their shape, and those that it does or may."""

    certain: Count
    possible: Count


@dataclass(frozen=True)
class ListedFault:
    """The known faults with one reason. ``link``: to a page about it. ``concerns``: the end of "Concerns you only if …".

    Both are empty where nothing is known. ``tables``: those of the user that it concerns (None: a run without ``--like``).
    """

    reason: Name
    clauses: Annotated[tuple[ClauseId, ...], AT_LEAST_ONE]
    link: str = ""
    concerns: str = ""
    tables: ConcernedTables | None = None


@dataclass(frozen=True)
class ShapeOfTables:
    """A shape of the user's, and how many tables have it. ``entries``: what it has, as places in ``LikeTables.entries``.

    ``has`` and ``lacks``: the conditions that its tables meet, and those that they cannot meet, as places in
    ``LikeTables.conditions``; ``faults`` and ``spared``: the known faults that concern them, and those that do not, as places in
    ``Header.known_faults``. Of what is in neither a shape does not tell.
    """

    id: CaseId
    tables: Positive
    entries: tuple[Count, ...]
    has: tuple[Count, ...] = ()
    lacks: tuple[Count, ...] = ()
    faults: tuple[Count, ...] = ()
    spared: tuple[Count, ...] = ()


@dataclass(frozen=True)
class LikeTables:
    """The user's tables, of ``--like``: how many were read and how many could not be, and their shapes, the most frequent first.

    ``entries``: what they have, such as ``feature deletionVectors``. ``conditions``: those to which a known fault may be bound,
    and the rules that a release may change, by their field.
    """

    tables: Count
    unreadable: Count
    entries: tuple[Name, ...]
    conditions: tuple[Name, ...]
    shapes: tuple[ShapeOfTables, ...]


@dataclass(frozen=True)
class ListedRuleChange:
    """Which release of an engine from outside changed which of its rules, in one sentence for users."""

    since: str
    field: Name
    sentence: str
    source: str


@dataclass(frozen=True)
class PlannedCampaign:
    """A campaign, and how many cases were planned for it."""

    name: Name
    planned: Count


#: What every run records of its machine; on Spark also the master.
_MACHINE = {
    "required": ("processors", "time_zone", "locale", "file_system"),
    "properties": {"processors": {"type": "string", "pattern": "^[1-9][0-9]*$"}},
}
_MACHINES = {"items": {"type": "object", "additionalProperties": {"type": "string"}, **_MACHINE}}


@dataclass(frozen=True)
class Part:
    """One of the parts in which a run is judged, each by itself. ``number``: its place among so many, from 1. ``plan``: a digest
    of what the whole run judges in which part."""

    number: Positive
    of: Positive
    plan: Annotated[str, Limit("pattern", "^[0-9a-f]{16}$")]

    def __str__(self) -> str:
        return f"part {self.number} of {self.of}"


@dataclass(frozen=True)
class Header:
    """What was judged, with what, and by which clauses.

    ``versions``: the engine's own first. ``known_bad``: the fault built into the engine on purpose. ``machine``: what an engine
    may depend on besides its version. ``date``: the day on which the run began, in UTC. ``option``: the engine as the option
    named it. ``budget_share``: of a fixed profile's corpus, by the seconds that its cases take. ``left_out``: the cases that the
    budget left out. ``known_faults``: what is known of this version, and excused. ``shard``: which part of a run this is; None: a
    whole run. ``machines``: of a run that was merged, the machine of each part: the first is also ``machine``. ``rules``: of the
    engine in this version, so that who reads a stream need not have the engine (None: an older stream, where only those of a
    built-in engine are known). ``rule_changes``: of an engine from outside, what its releases changed of them.
    ``interpreter``: the run's Python, as named from the suite's checkout, and ``options`` those with which a case of it is judged
    again. ``suite``: the version of the suite. ``like``: the user's tables to compare the cases with (None: none). ``pair``: the
    two engines that were judged in turn, A and B (None: one engine). ``shared_with``: the other version, as the option named it,
    that can be asked for all of the cases too (None: the cases are chosen by this one alone).
    """

    engine: Name
    versions: Mapping[str, str]
    profile: Name
    seed: int | None
    known_bad: str | None
    platform: str
    machine: Mapping[str, str] = field(metadata=_MACHINE)
    clauses: tuple[ListedClause, ...]
    campaigns: tuple[PlannedCampaign, ...]
    date: Annotated[str, Limit("pattern", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] | None = None
    option: Name | None = None
    budget_share: Annotated[float, Limit("exclusiveMinimum", 0), Limit("maximum", 1)] | None = None
    left_out: Count | None = None
    known_faults: tuple[ListedFault, ...] | None = None
    shard: Part | None = None
    machines: tuple[Mapping[str, str], ...] | None = field(default=None, metadata=_MACHINES)
    rules: Rules | None = None
    rule_changes: tuple[ListedRuleChange, ...] | None = None
    interpreter: str | None = None
    options: tuple[str, ...] = ()
    suite: Name | None = None
    like: LikeTables | None = None
    pair: tuple[str, str] | None = None
    shared_with: Name | None = None
    type: Literal["header"] = "header"
    schema: Literal[6] = SCHEMA_VERSION

    @property
    def version(self) -> str:
        """The engine's own version: the first of ``versions``; empty if there is none."""
        return next(iter(self.versions.values()), "")


# A case ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordedError:
    """An error of the engine: its class, its error condition (None: it has none), the first line of its message."""

    exception: str
    condition: str | None
    sqlstate: str | None = field(default=None, kw_only=True)
    message: str


@dataclass(frozen=True)
class SecondAnswer:
    """The answer to the second of two sessions at once, and whether the first was held meanwhile."""

    held: bool
    rows: Sequence[Any] | None
    error: RecordedError | None


@dataclass(frozen=True)
class RecordedOutcome:
    """The engine's answer. ``rows``: None if it failed. ``answer``: what a real VACUUM answers, paths relative to the root.

    Of two sessions at once it is the answer to the first.
    """

    rows: Sequence[Any] | None
    error: RecordedError | None
    answer: tuple[str, ...] | None = None
    second: SecondAnswer | None = None


@dataclass(frozen=True)
class RecordedCommit:
    """What a commit says of itself: the members of commitInfo by name, and those values that do not differ between runs.

    ``metrics``: counts as they are; of bytes, 0 or > 0; … for times.
    """

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
    changed: Count = 0
    remove_fields: tuple[str, ...] = ()
    add_fields: tuple[str, ...] = ()
    change_fields: tuple[str, ...] = ()
    by_order: tuple[str, ...] = ()
    appeared: Mapping[str, Count] = field(default_factory=dict)
    changed_beside: tuple[str, ...] = ()
    checkpoints: tuple[Count, ...] = ()
    commits: tuple[RecordedCommit, ...] = ()
    broken: bool = False
    last_vacuum: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Asked:
    """How often a step asked the same of storage, of how many different paths, and the bytes that it read."""

    calls: Positive
    paths: Positive
    size: Count = 0


@dataclass(frozen=True)
class RecordedStep:
    """A step of the engine. ``index``: its place among the case's steps. ``seconds``: what the engine took.

    ``clock``: the engine's, in ms from the start of the case; of one that uses the machine's, to the minute. ``cutoff``: what was
    removed or written before it may go (None: a VACUUM that is refused for its RETAIN). Older streams have neither.
    Where the clock counts from what a command wrote by the machine's clock, both differ from run to run, as ``seconds`` do.
    ``side``: which of two engines in turn ran it, in a run by this ``pattern``; ``aside``: a read by the other one after a step,
    which the case does not have. ``asked``: what it asked of storage, by an operation and a kind of path of
    ``model.vocabulary.accesses``, such as ``open data files`` (None: not counted).
    """

    index: Count
    kind: Name
    text: str
    seconds: Seconds
    outcome: RecordedOutcome
    observed: Observed
    clock: int | None = None
    cutoff: int | None = None
    side: str = ""
    pattern: str = ""
    aside: bool = False
    asked: Mapping[Name, Asked] | None = None


@dataclass(frozen=True)
class ClauseResult:
    """What a case says about a clause. ``met``: the steps that met its condition; ``seconds``: what the engine took for them."""

    verdict: CaseVerdict
    met: Count
    subjects: Count
    seconds: Seconds


@dataclass(frozen=True)
class InTurn:
    """How two engines in turn came to a violation, which neither shows alone.

    ``side`` ran the step, on a table that ``other`` works on too. ``pattern``: who runs the first step, and so on: AB or BA.
    ``inherited``: the known fault of the other that came before. ``also_alone``: whether the other, alone, violates the same.
    """

    side: Name
    other: Name
    pattern: Annotated[str, Limit("enum", ("AB", "BA"))]
    inherited: str | None = None
    also_alone: bool = False


@dataclass(frozen=True)
class RecordedViolation:
    """One subject that is wrong. ``severity``: None: that of the clause. ``excused``: why it is a known fault.

    ``by_error``: the step ended in an error instead of a result. ``circumstances``, ``kinds``: the conditions that hold in the
    step, and the kinds of path that the subject is of. ``turn``: of two engines in turn.
    """

    clause: ClauseId
    step: Count
    subject: str | None
    cause: Name
    excused: str | None
    message: str
    evidence: tuple[str, ...]
    severity: Severity | None = None
    by_error: bool = False
    circumstances: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    expectation: Expectation | None = None
    turn: InTurn | None = None

    @property
    def kind(self) -> tuple[str, str]:
        """The clause and the cause: what shrinking keeps."""
        return self.clause, self.cause


@dataclass(frozen=True)
class CaseError:
    """Why a case could not be judged, or not wholly: ``engine-died`` or ``harness``. ``clauses``: those that raised."""

    kind: Annotated[str, Limit("enum", ("engine-died", "harness"))]
    message: str
    log: str
    clauses: tuple[ClauseId, ...] = ()


@dataclass(frozen=True)
class LeftFile:
    """A file on storage: its path from the table's root, modification time in ms from the start of the case, bytes in base64."""

    path: Name
    modified: int
    content: str


@dataclass(frozen=True)
class CrashSnapshot:
    """What a step that was killed left on storage. ``start``: of the case, ms since the epoch; the log has instants like it."""

    step: Count
    start: int
    files: tuple[LeftFile, ...]


CoverageTable = Annotated[str, Limit("enum", ("paths", "vacuums", "cutoff", "operations"))]


@dataclass(frozen=True)
class RecordedCase:
    """A case, what the engine did, and what the clauses say. ``document`` is the case's own JSON form (``model.codec``).

    ``index``: the place in its campaign's batch, from 0. ``features``: what the table has, sorted. ``processors``: how many were
    drawn for the engine (None: not drawn); a machine with fewer gives all. ``left``: what the last step that was killed left, if
    something is wrong in it or after it. ``coverage``: counts by table, row and column
    (``reports.findings.coverage``). ``shape``: what its table has, as ``LikeTables.entries`` are written (None: a run without
    ``--like``, or a large table).
    """

    id: CaseId
    campaign: Name
    batch: Count
    index: Count
    origin: Annotated[str, Limit("enum", ("generated", "explicit", "replayed", "shrunk"))]
    document: Mapping[str, Any]
    steps: tuple[RecordedStep, ...]
    clauses: Mapping[ClauseId, ClauseResult]
    violations: tuple[RecordedViolation, ...]
    error: CaseError | None
    features: Annotated[tuple[Name, ...], Limit("uniqueItems", True)] = ()
    processors: Positive | None = None
    coverage: Mapping[CoverageTable, Mapping[Name, Mapping[Name, Count]]] = field(default_factory=dict)
    left: CrashSnapshot | None = None
    shape: tuple[Name, ...] | None = None
    type: Literal["case"] = "case"

    @cached_property
    def case(self) -> Case:
        """The case itself."""
        return from_json(self.document)

    def steps_before(self, violation: RecordedViolation) -> tuple[RecordedStep, ...]:
        """The steps of the run that shows the violation: of two engines in turn those by its pattern."""
        turn = violation.turn
        return self.steps if turn is None else tuple(one for one in self.steps if one.pattern == turn.pattern)


# The footer -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ClauseVerdict:
    """The verdict of the whole run on a clause."""

    verdict: Verdict
    met: Count
    seconds: Seconds
    subjects: Count = 0
    reason: str = ""
    link: str | None = None


@dataclass(frozen=True)
class Footer:
    """The end of a run. ``seconds``: what it took by the wall clock, or the longest of the parts that were merged.

    ``digest``: SHA-256 of the lines before it and of the footer without it; the stream's writer sets it."""

    cases: Count
    steps: Count
    seconds: Seconds
    engine_seconds: Seconds
    verdicts: Mapping[ClauseId, ClauseVerdict]
    counts: Mapping[Verdict, Count]
    exit: Annotated[int, Limit("enum", (0, 1, 2))]
    digest: Annotated[str, Limit("pattern", "^[0-9a-f]{64}$")]
    type: Literal["footer"] = "footer"
