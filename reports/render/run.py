"""A run as a document: the answer, what is wrong, the gravest first, what is known, and all clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from model.codec import InvalidCase
from model.text.durations import duration
from model.vocabulary.case import Case
from model.vocabulary.operations import DRAWN
from records.run import RecordedCase, RecordedStep, Verdict
from reports.counterexamples.checked import ScriptResult
from reports.document import (
    Block,
    Chapter,
    ClauseRow,
    Clauses,
    Code,
    Command,
    Content,
    Copied,
    Details,
    Document,
    Facts,
    Files,
    Finding,
    Inline,
    Items,
    Line,
    Link,
    Said,
    Section,
    Several,
    Steps,
    Strong,
    Text,
    Tone,
    joined,
    line,
    lines,
    table,
)
from reports.findings.answers import answer_of, named
from reports.findings.coverage import Coverage, FeaturePairs, OperationShares
from reports.findings.drawn import NOTHING
from reports.findings.engine_rules import is_built_in
from reports.findings.failures import Failure
from reports.findings.known import ShownFault
from reports.findings.like import CoveredShape, covered_words, failure_tables, spared_words
from reports.findings.of_run import Findings, findings_of
from reports.findings.verdicts import ATTENTION, ClauseFinding
from reports.render.picture import picture_of
from reports.render.sides import difference_of, files_of
from reports.render.together import turn_blocks
from reports.stream.reading import Run
from reports.text.circumstances import machine_of, profile_of, versions_of
from reports.text.harms import does
from reports.text.own_tables import concerned
from reports.text.quantities import counted
from reports.text.replaying import replay_command, script_command
from reports.text.verdicts import tallied
from reports.together.reading import report_of
from suites.sources import resolve

TONES = {
    Verdict.HOLDS: Tone.GOOD,
    Verdict.FAILS: Tone.BAD,
    Verdict.KNOWN_FAULT: Tone.KNOWN,
    Verdict.LISTED_BUT_GONE: Tone.BAD,
    Verdict.NOT_APPLICABLE: Tone.QUIET,
    Verdict.DISABLED: Tone.QUIET,
    Verdict.NOT_TESTED: Tone.WARN,
    Verdict.ERROR: Tone.WARN,
}

#: The pages of the docs on what is known of an engine.
_FINDINGS = {"spark": "docs/findings.md", "deltalake": "docs/findings-deltalake.md"}

#: How many of the things that no case has are named outside of their table.
_MISSING = 10

_NONE = Strong("0")


def run_document(run: Run, *, checked: Sequence[ScriptResult] = (), directory: Path | None = None) -> Document:
    """``directory`` is where the counterexamples are, and ``checked`` what their scripts answered."""
    found, answer = findings_of(run), answer_of(run)
    failures = (_failure(run, number, one, directory, checked) for number, one in enumerate(found.failures, start=1))
    return Document(
        str(answer),
        (
            *([] if run.header.pair is None else turn_blocks(report_of(run))),
            Several(tuple(failures), "failure", "report.html"),
            *(Text(Strong(one.text)) for one in checked if one.disagrees),
            Section("Not decided as it should be", (Items(tuple(_undecided(found))),)),
            *_errors(found),
            *_known(run, found),
            *_own_tables(found),
            Section(f"What is promised: {counted(len(found.results), 'clause')}", (_clauses(run, found),)),
            _features(found.features),
            _operations(found.operations),
            Details("What the VACUUMs covered", tuple(block for one in found.coverage for block in _coverage(one))),
        ),
        mark=answer.mark,
        name=f"{answer.word.value}: {named(run)}: DELETE and VACUUM",
        facts=Facts(tuple(_facts(run))),
        made=line("Made from run.jsonl by Tombstone; ", Code("python -m reports render"), " makes it again."),
    )


def _facts(run: Run) -> Iterator[tuple[str, Content]]:
    header, footer = run.header, run.footer
    yield "Engine", named(run)
    if header.date is not None:
        yield "Date", header.date
    yield "Versions", versions_of(header)
    seed = "" if header.seed is None else f", seed {header.seed}"
    yield "Profile", f"{profile_of(header).removeprefix('profile ')}{seed}"
    took, engine = (duration(round(seconds) * 1000) for seconds in (footer.seconds, footer.engine_seconds))
    judged = f"{counted(footer.cases, 'case')}, {counted(footer.steps, 'step')}"
    yield "Judged", f"{judged} in {took} ({engine} in the engine)"
    yield "Machine", machine_of(header)


# What is wrong --------------------------------------------------------------------------------------------------------


def _failure(
    run: Run, number: int, failure: Failure, directory: Path | None, checked: Iterable[ScriptResult]
) -> Finding:
    lead, judged = failure.lead, failure.lead.judged
    folder = lead.folder
    place = (directory or Path()) / folder
    sentence = run.clauses[lead.clause].sentence
    title = f"{does(lead.severity)}: {lead.cause}"
    return Finding(
        f"{number}. {title}",
        Facts(tuple(_failure_facts(run, failure, checked, folder))),
        (
            steps_of(judged.steps, lead.violation.step),
            *case_blocks(judged, lead.violation.step),
            difference_of(judged, lead.violation),
            *_files(judged, lead.violation.step),
            Items(tuple(lead.violation.evidence)),
            Command(replay_command(run.header, place / "case.json"), "replay"),
            Command(script_command(run.header, place / "reproduce.py"), "script"),
            Copied(
                "The script, which needs only the engine",
                "the script",
                _lines(place / "reproduce.py") if directory is not None else (),
            ),
            issue(
                f"{named(run)} {title}",
                sentence,
                lead.violation.message,
                judged.steps,
                "The script reproduce.py shows it without the suite.",
            ),
        ),
        f"failure-{lead.clause}-{judged.id}",
    )


def _failure_facts(
    run: Run, failure: Failure, checked: Iterable[ScriptResult], folder: str
) -> Iterator[tuple[str, Content]]:
    lead = failure.lead
    yield "promised", promised(run.clauses[lead.clause].sentence, lead.clause, failure.clauses)
    yield "seen", lead.violation.message
    others = [one.judged.id for one in failure.examples if one.judged.id != lead.judged.id]
    more = line("; also ", joined(map(Code, dict.fromkeys(others)))) if others else ""
    step = f", step {lead.violation.step} ({counted(lead.cases, 'case')})"
    answer = next((f"; its script says {one.words}" for one in checked if one.folder == folder), "")
    yield "case", line(Code(lead.judged.id), step, more, answer)
    tables = failure_tables(run.header, failure)
    if tables is not None and run.header.like is not None:
        yield "your tables", concerned(tables, run.header.like.tables)


def promised(sentence: str, clause: str, others: Sequence[str]) -> Line:
    """What a clause promises, with a link to its row on the page. ``others``: those that fail with it."""
    also = f"; with it {', '.join(others)}" if others else ""
    return line(f"{sentence} (", Link(clause, f"#clause-{clause}"), f"{also})")


def steps_of(steps: Sequence[RecordedStep], wrong: int) -> Steps:
    place = next((number for number, one in enumerate(steps) if one.index == wrong and not one.aside), None)
    return Steps(tuple(f"{one.side}: {one.text}" if one.side else one.text for one in steps), place)


def issue(title: str, promised: str, seen: str, steps: Sequence[RecordedStep], last: str) -> Copied:
    """What a user can paste into an issue."""
    numbered = (f"{number}. {one.text}" for number, one in enumerate(steps, start=1))
    text = (title, "", f"Promised: {promised}", f"Seen: {seen}", "", *numbered, "", last)
    return Copied("A text for an issue", "a text for an issue", text)


def case_blocks(judged: RecordedCase, step: int) -> Iterator[Block]:
    """The table of a case as a picture, if there is one."""
    case = case_in(judged)
    picture = None if case is None else picture_of(case, judged, step)
    if picture is not None:
        yield picture


def _files(judged: RecordedCase, step: int) -> Iterator[Block]:
    case = case_in(judged)
    if case is not None:
        yield Files((("", files_of(case, judged, step)),))


def case_in(judged: RecordedCase) -> Case | None:
    """The case that was judged; None if this release of the suite cannot read it."""
    try:
        return judged.case
    except InvalidCase:
        return None


def _lines(file: Path) -> tuple[str, ...]:
    return tuple(file.read_text(encoding="utf-8").split("\n")) if file.is_file() else ()


def _undecided(found: Findings) -> Iterator[str]:
    for one in found.results:
        if one.verdict in ATTENTION and one.reason:
            yield f"{one.verdict.value}: {one.clause}: {one.reason}"


def _errors(found: Findings) -> Iterator[Block]:
    rows = [(Code(one.case), one.campaign, f"{one.error.kind}: {one.error.message}") for one in found.errors]
    yield Section(f"Cases that ended in an error: {len(rows)}", (table(("Case", "Campaign", "Error"), rows, brief=3),))


# What is known, and the user's tables ---------------------------------------------------------------------------------


def _known(run: Run, found: Findings) -> Iterator[Block]:
    """Those that concern none of the user's tables are hidden."""
    concern = [one for one in found.known if not one.concerns_none]
    spared = [one for one in found.known if one.concerns_none]
    page = _FINDINGS.get(run.header.engine, "") if is_built_in(run.header) else ""
    yield Section(
        f"Known faults of this version: {len(found.known)}",
        (
            _faults(concern, found),
            Details(spared_words(found.known), (_faults(spared, found),), on_screen=True),
            Text(f"{page} describes them, with scripts that show them." if page and found.known else ""),
        ),
    )


def _faults(faults: Iterable[ShownFault], found: Findings) -> Block:
    whole = 0 if found.like is None else found.like.tables
    rows = [
        (
            Strong(one.does),
            lines(
                line(one.reason, *_source(one.link)),
                f"Concerns you only if {one.concerns}." if one.concerns else "",
                concerned(one.tables, whole) if one.tables is not None and whole else "",
            ),
            one.reached.words,
            ", ".join(one.clauses),
            one.cases,
        )
        for one in faults
    ]
    return table(("Harm", "What is wrong, and whom it concerns", "Reach", "Clauses", "Cases"), rows, brief=2)


def _source(link: str | None) -> tuple[Inline, ...]:
    return (" (", Link("source", link), ")") if link and link.startswith("https://") else ()


def _own_tables(found: Findings) -> Iterator[Block]:
    """The shapes, and what no case has; nothing without ``--like``."""
    like = found.like
    if like is None:
        return
    heads = ("Shape", "Your tables", "What they have", "Cases like it", "Known faults that concern it")
    missing = [(one.name, one.tables) for one in like.missing]
    yield Section(
        f"Your tables: {like.tables:,}",
        (
            Text(f"{covered_words(like, most=_MISSING)}."),
            Details(f"Their shapes: {len(like.shapes)}", (table(heads, map(_shape, like.shapes)),)),
            Details(f"What no case of this run has: {len(missing)}", (table(("What", "Your tables"), missing),)),
        ),
    )


def _shape(one: CoveredShape) -> tuple[Content, ...]:
    faults = lines(*one.faults) if one.faults else "none for certain"
    return Code(one.id), one.tables, one.words, one.cases, faults


# The clauses, and what was covered ------------------------------------------------------------------------------------


def _clauses(run: Run, found: Findings) -> Clauses:
    chapters = groupby(found.results, key=lambda one: run.clauses[one.clause].chapter)
    return Clauses(
        (named(run),),
        ("Exercised", "Subjects", "Engine s"),
        tuple(_chapter(run, found, name, tuple(own)) for name, own in chapters),
    )


def _chapter(run: Run, found: Findings, name: str, own: Sequence[ClauseFinding]) -> Chapter:
    return Chapter(name, tally_of([one.verdict for one in own]), tuple(_row(run, found, one) for one in own))


def tally_of(verdicts: Sequence[Verdict]) -> str:
    """``98 hold, 9 known faults``."""
    return ", ".join(tallied(one, verdicts.count(one)) for one in Verdict if one in verdicts)


def verdict_said(verdict: Verdict) -> Said:
    return Said(verdict.value, TONES[verdict])


def _row(run: Run, found: Findings, result: ClauseFinding) -> ClauseRow:
    entry, drawn = run.clauses[result.clause], found.drawn.get(result.clause, NOTHING)
    notes = (
        *(piece for source in entry.sources for piece in (_source_link(source), "; ")),
        f"It holds for {entry.holds_for}. " if entry.holds_for else "",
        f"Broken, it costs: {entry.severity.value}.",
        f" {result.reason}" if result.reason else "",
        *_source(result.link),
    )
    bad = ", ".join(entry.proven_by)
    bad = f" It, or another clause for it, must fail on these known-bad engines: {bad}." if bad else ""
    cases = f"{counted(drawn.cases, 'case')} exercised it." if drawn.cases else "No case exercised it."
    return ClauseRow(
        id=result.clause,
        verdicts=(verdict_said(result.verdict),),
        cells=(result.met, result.subjects, f"{result.seconds:.1f}"),
        sentence=entry.sentence,
        note=line(*notes),
        details=f"{cases}{bad}",
        features=drawn.features,
    )


def _source_link(source: str) -> Inline:
    """Its link; its text, if another release of the suite wrote the stream, and names what this one does not know."""
    try:
        found = resolve(source)
    except ValueError:
        return source
    return Link(found.label, found.address) if found.address.startswith("https://") else found.label


def _features(pairs: FeaturePairs) -> Block:
    """How many cases have which two features: each pair once, and on the diagonal the cases that have the feature."""
    names = pairs.names
    rows = [
        (name, *([""] * place), *(pairs.count(name, other) or _NONE for other in names[place:]))
        for place, name in enumerate(names)
    ]
    never = f"{counted(len(pairs.never), 'pair')} never drawn" if pairs.never else "every pair was drawn"
    told = Text("Cases that have both features; on the diagonal, cases that have the feature.")
    return Details(f"Features drawn together: {never}", (told, table(("", *names), rows)) if names else ())


def _operations(shares: OperationShares) -> Block:
    """The steps of each operation, and their share of the campaign's steps."""
    rows = [
        (
            one.value,
            *(
                f"{shares.count(name, one)} ({shares.share(name, one):.0f} %)" if shares.count(name, one) else _NONE
                for name in shares.campaigns
            ),
        )
        for one in DRAWN
    ]
    never = f"{counted(len(shares.never), 'operation')} never ran" if shares.never else "every operation ran"
    told = "Steps that ran, with their share of all steps. Each operation is a rule of the state machine (exploration)."
    blocks = (Text(told), table(("Operation", *shares.campaigns), rows)) if shares.campaigns else ()
    return Details(f"Operations of programs: {never}", blocks)


def _coverage(found: Coverage) -> tuple[Block, ...]:
    absent: Inline = _NONE if found.complete else ""
    rows = [(name, *(found.cells[name, column] or absent for column in found.columns)) for name in found.rows]
    return Text(f"{found.title}:"), table((found.corner, *found.columns), rows)
