"""What the page of a run shows, as values: the template only lays it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.codec import InvalidCase
from model.text.durations import duration
from model.vocabulary.case import Case
from records.run import RecordedCase, Verdict
from reports.counterexamples import folder_of
from reports.counterexamples.checked import ScriptResult
from reports.findings.answers import Answer, answer_of, named
from reports.findings.coverage import Coverage
from reports.findings.drawn import NOTHING, Drawn
from reports.findings.engine_rules import is_built_in
from reports.findings.failures import Failure
from reports.findings.known import ShownFault
from reports.findings.like import TablesCovered, covered_words, failure_tables, spared_words
from reports.findings.of_run import Findings, findings_of
from reports.findings.verdicts import ATTENTION, ClauseFinding, counts
from reports.render.page.picture import Picture, picture_of
from reports.render.page.sides import DiffLine, TreeLine, difference_of, tree_of
from reports.stream.reading import Run
from reports.text.circumstances import machine_of, profile_of, versions_of
from reports.text.harms import does
from reports.text.own_tables import concerned
from reports.text.quantities import counted
from reports.text.replaying import replay_command
from reports.text.verdicts import tallied
from suites.sources import Link, resolve

#: The failures that have a picture and a script on the page; of the others a line each.
_IN_FULL = 50

#: The pages of the docs on what is known of an engine.
_FINDINGS = {"spark": "docs/findings.md", "deltalake": "docs/findings-deltalake.md"}


@dataclass(frozen=True)
class PageFact:
    label: str
    value: str


@dataclass(frozen=True)
class StepShown:
    """A step of a failing case; ``fails``: it is the one that violates the clause."""

    text: str
    fails: bool


@dataclass(frozen=True)
class FailureShown:
    """One cause: the gravest clause, those that fail in the same step, and the simplest case."""

    anchor: str
    harm: str  # "loses data"
    cause: str
    clause: str
    sentence: str
    others: tuple[str, ...]
    message: str
    evidence: tuple[str, ...]
    case: str
    cases: str  # "13 cases"
    tables: str  # the user's tables that it concerns, a sentence; empty where nothing tells it
    steps: tuple[StepShown, ...]
    replay: str  # a command
    script: str  # its text; empty without a file
    answer: str  # what the script said; empty if it was not run
    issue: str  # a text for an issue
    difference: tuple[DiffLine, ...]
    picture: Picture | None
    files: tuple[TreeLine, ...]


@dataclass(frozen=True)
class KnownShown:
    """A known fault. ``tables``: the user's tables that it concerns, a sentence; empty without ``--like``."""

    fault: ShownFault
    tables: str


@dataclass(frozen=True)
class OwnTablesShown:
    """The user's tables. ``told``: how much of them is covered, without a full stop."""

    told: str
    covered: TablesCovered


@dataclass(frozen=True)
class ClauseShown:
    id: str
    chapter: str
    severity: str
    verdict: str
    sentence: str
    sources: tuple[Link, ...]
    met: int
    seconds: str
    reason: str
    link: str | None
    holds_for: str  # the engines that it holds for; empty: every one
    proven_by: tuple[str, ...]  # the known-bad engines that it notices
    cases: int  # those that exercised it
    features: tuple[str, ...]  # of these cases


@dataclass(frozen=True)
class ChapterShown:
    """``tally``: ``109 clauses: 98 hold, 9 known faults``."""

    name: str
    tally: str
    clauses: tuple[ClauseShown, ...]


@dataclass(frozen=True)
class Page:
    """``problems``: what could not be decided, or not be judged. ``findings``: the page of the docs on the engine's faults.
    ``tally``: the number of clauses with each verdict. ``spared``: the known faults that concern none of the user's tables."""

    title: str
    answer: Answer
    facts: tuple[PageFact, ...]
    failures: tuple[FailureShown, ...]
    more_failures: tuple[str, ...]
    problems: tuple[PageFact, ...]
    known: tuple[KnownShown, ...]
    spared: tuple[KnownShown, ...]
    spared_told: str
    own_tables: OwnTablesShown | None
    findings: str
    tally: tuple[tuple[str, int], ...]
    chapters: tuple[ChapterShown, ...]
    features: tuple[str, ...]
    clauses: tuple[ClauseShown, ...]
    coverage: tuple[Coverage, ...]


def page_of(run: Run, *, directory: Path | None = None, checked: Sequence[ScriptResult] = ()) -> Page:
    """The page of a finished run. ``directory`` is where its counterexamples are: their scripts are part of the page."""
    findings = findings_of(run)
    results, found = findings.results, findings.failures
    clauses = tuple(_clause(run, result, findings.drawn.get(result.clause, NOTHING)) for result in results)
    return Page(
        title=f"{named(run)}: DELETE and VACUUM",
        answer=answer_of(run),
        facts=tuple(_facts(run)),
        failures=tuple(_failure(run, one, directory, checked) for one in found[:_IN_FULL]),
        more_failures=tuple(
            f"{does(one.lead.severity)} ({one.lead.clause}): {one.lead.cause} (case {one.lead.judged.id})"
            for one in found[_IN_FULL:]
        ),
        problems=tuple(_problems(findings, checked)),
        known=tuple(_known(one, findings) for one in findings.known if not one.concerns_none),
        spared=tuple(_known(one, findings) for one in findings.known if one.concerns_none),
        spared_told=spared_words(findings.known),
        own_tables=None if findings.like is None else OwnTablesShown(covered_words(findings.like), findings.like),
        findings=_FINDINGS.get(run.header.engine, "") if is_built_in(run.header) else "",
        tally=tuple((verdict.value, number) for verdict, number in counts(results).items()),
        chapters=tuple(_chapters(clauses)),
        features=tuple(sorted({feature for one in clauses for feature in one.features})),
        clauses=clauses,
        coverage=findings.coverage,
    )


def _known(fault: ShownFault, findings: Findings) -> KnownShown:
    if fault.tables is None or findings.like is None:
        return KnownShown(fault, "")
    return KnownShown(fault, concerned(fault.tables, findings.like.tables))


def _tables(run: Run, failure: Failure) -> str:
    tables = failure_tables(run.header, failure)
    return "" if tables is None or run.header.like is None else concerned(tables, run.header.like.tables)


def _chapters(clauses: Iterable[ClauseShown]) -> Iterable[ChapterShown]:
    found: dict[str, list[ClauseShown]] = {}
    for one in clauses:
        found.setdefault(one.chapter, []).append(one)
    for name, own in found.items():
        verdicts = [one.verdict for one in own]
        tally = ", ".join(tallied(one, verdicts.count(one.value)) for one in Verdict if one.value in verdicts)
        yield ChapterShown(name, f"{counted(len(own), 'clause')}: {tally}", tuple(own))


def _facts(run: Run) -> Iterable[PageFact]:
    header, footer = run.header, run.footer
    yield PageFact("Engine", named(run))
    if header.date is not None:
        yield PageFact("Date", header.date)
    yield PageFact("Versions", versions_of(header))
    yield PageFact("Profile", profile_of(header).removeprefix("profile "))
    if header.seed is not None:
        yield PageFact("Seed", str(header.seed))
    yield PageFact("Judged", f"{counted(footer.cases, 'case')}, {counted(footer.steps, 'step')}")
    engine = duration(round(footer.engine_seconds) * 1000)
    yield PageFact("Time", f"{duration(round(footer.seconds) * 1000)} ({engine} in the engine)")
    yield PageFact("Machine", machine_of(header))


def _problems(findings: Findings, checked: Iterable[ScriptResult]) -> Iterable[PageFact]:
    for result in findings.results:
        if result.verdict in ATTENTION and (result.verdict is not Verdict.FAILS or result.reason):
            yield PageFact(f"{result.clause}: {result.verdict.value}", result.reason)
    for one in findings.errors:
        yield PageFact(f"Case {one.case} of {one.campaign}", f"{one.error.kind}: {one.error.message}")
    for script in checked:
        if script.disagrees:
            yield PageFact("Script", script.text)


def _clause(run: Run, result: ClauseFinding, drawn: Drawn) -> ClauseShown:
    entry = run.clauses[result.clause]
    return ClauseShown(
        id=result.clause,
        chapter=entry.chapter,
        severity=entry.severity.value,
        verdict=result.verdict.value,
        sentence=entry.sentence,
        sources=tuple(map(_source, entry.sources)),
        met=result.met,
        seconds=f"{result.seconds:.1f}",
        reason=result.reason,
        link=result.link,
        holds_for=entry.holds_for,
        proven_by=entry.proven_by,
        cases=drawn.cases,
        features=drawn.features,
    )


def _source(source: str) -> Link:
    """Its link; without an address, if another release of the suite wrote the stream, and names what this one does not know."""
    try:
        return resolve(source)
    except ValueError:
        return Link(source, "")


def issue_text(title: str, promised: str, seen: str, steps: Sequence[StepShown], last: str) -> str:
    """What a user can paste into an issue."""
    numbered = (f"{number}. {step.text}" for number, step in enumerate(steps, start=1))
    return "\n".join((title, "", f"Promised: {promised}", f"Seen: {seen}", "", *numbered, "", last))


def _failure(run: Run, failure: Failure, directory: Path | None, checked: Iterable[ScriptResult]) -> FailureShown:
    lead, judged = failure.lead, failure.lead.judged
    case, failing = case_in(judged), lead.violation.step
    folder = folder_of(lead.clause, judged.id)
    place = Path(folder) if directory is None else directory / folder
    script = None if directory is None else directory / folder / "reproduce.py"
    sentence = run.clauses[lead.clause].sentence
    steps = tuple(StepShown(step.text, step.index == failing) for step in judged.steps)
    issue = issue_text(
        f"{named(run)} {does(lead.severity)}: {lead.cause}",
        sentence,
        lead.violation.message,
        steps,
        "The script reproduce.py shows it without the suite.",
    )
    return FailureShown(
        anchor=f"failure-{lead.clause}-{judged.id}",
        harm=does(lead.severity),
        cause=lead.cause,
        clause=lead.clause,
        sentence=sentence,
        others=failure.clauses,
        message=lead.violation.message,
        evidence=lead.violation.evidence,
        case=judged.id,
        cases=counted(lead.cases, "case"),
        tables=_tables(run, failure),
        steps=steps,
        replay=replay_command(run.header, place / "case.json"),
        script=script.read_text(encoding="utf-8") if script is not None and script.is_file() else "",
        answer=next((one.words for one in checked if one.folder == folder), ""),
        issue=issue,
        difference=difference_of(judged, lead.violation),
        picture=None if case is None else picture_of(case, judged, failing),
        files=() if case is None else tree_of(case, judged, failing),
    )


def case_in(judged: RecordedCase) -> Case | None:
    """The case that was judged; None if this release of the suite cannot read it."""
    try:
        return judged.case
    except InvalidCase:
        return None
