"""A comparison as a document: the answer, in what the candidate is worse, the gravest first, what differs, and all clauses; and
as a short one, to keep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from records.run import ListedClause
from reports.comparison.answer import answer_to, next_steps
from reports.comparison.cases import VerdictChange, size
from reports.comparison.comparison import ClauseChange, Comparison
from reports.comparison.explanations import Explanation
from reports.comparison.groups import Group
from reports.comparison.overview import overview, unjudged
from reports.comparison.weight import WeighedWay
from reports.comparison.wording import (
    accepted,
    better,
    better_in_short,
    change_words,
    ended_words,
    explained,
    explanation_tables,
    is_spared,
    right_words,
    shift_concerns,
    shift_tables,
    side_by_side,
    side_names,
    side_titles,
    signature,
    withdrawn_tables,
)
from reports.document import (
    Block,
    Chapter,
    ClauseRow,
    Clauses,
    Code,
    Command,
    Content,
    Details,
    Document,
    Facts,
    Files,
    Finding,
    Items,
    Lines,
    Link,
    Said,
    Section,
    Several,
    Strong,
    Text,
    Tone,
    line,
    lines,
    table,
)
from reports.findings.answers import named
from reports.findings.verdicts import ClauseFinding
from reports.render.run import case_blocks, case_in, issue, promised, steps_of, verdict_said
from reports.render.sides import difference_of, files_of
from reports.text.circumstances import catalogue_of, profile_of
from reports.text.harms import can, does, in_ways
from reports.text.quantities import counted
from reports.text.replaying import replay_command
from reports.together.answer import sentence as turn_sentence

_WHOLE = "comparison.json"

#: How many rows a table of the short page has. The whole comparison has all.
_ROWS = 30


def comparison_document(comparison: Comparison, *, directory: Path | None = None) -> Document:
    """The cases lie in ``cases/`` of the ``directory``, by default this one."""
    answer, place = answer_to(comparison), directory or Path()
    spared = comparison.sparing
    worse = [one for one in comparison.worse if one not in spared]
    found = [_way(number, way, comparison, place) for number, way in enumerate([*worse, *spared], start=1)]
    concern = "concerns" if len(spared) == 1 else "concern"
    ways = counted(len(spared), "more way" if worse else "way")
    shorter = better_in_short(comparison)
    return Document(
        str(answer),
        (
            _no_way_back(comparison),
            Text(f"Better: {shorter}." if shorter else ""),
            Several(tuple(found[: len(worse)]), "way", "compare.html"),
            Details(f"worse in {ways} that {concern} none of your tables", tuple(found[len(worse) :]), on_screen=True),
            _withdrawn(comparison),
            _uncompared(comparison),
            *_in_turn(comparison, place),
            _accepted(comparison),
            _unexplained(comparison.unexplained, comparison),
            _better(comparison),
            _costs(comparison),
            _times(comparison),
            *_known_of_both(comparison),
            _explained(comparison),
            _next(next_steps(comparison, cases=str(place / "cases"))),
            Details(
                f"All differences: {len(comparison.groups)}",
                (Several(tuple(_detail(one, comparison) for one in comparison.groups), "difference", _WHOLE),),
            ),
            Section("Clauses", (_clauses(comparison),)),
        ),
        mark=answer.mark,
        name=f"{answer.word.value}: {named(comparison.base)} and {named(comparison.candidate)}",
        facts=Facts(tuple((one.label, one.text) for one in overview(comparison))),
        made=line("Made from two run.jsonl by Tombstone; ", Code("python -m reports compare"), " makes it again."),
    )


def brief_document(comparison: Comparison, *, again: str) -> Document:
    """It does not tell where and when it was made. ``again``: the command that compares the two, and leaves the whole comparison
    with its cases."""
    answer = answer_to(comparison)
    return Document(
        str(answer),
        (
            _no_way_back(comparison),
            Text(Lines(tuple(_basis(comparison)))),
            _withdrawn(comparison),
            _ways(comparison),
            _uncompared(comparison),
            *_in_turn(comparison),
            _unexplained([one for one in comparison.unexplained if not one.is_text], comparison),
            Text(_in_words(comparison)),
            _better(comparison),
            _next(next_steps(comparison, cases="cases/ of the whole comparison")),
            Text("This makes the whole comparison, with the cases and all that differs:"),
            Command(again),
        ),
        mark=answer.mark,
    )


def _basis(comparison: Comparison) -> Iterator[str]:
    """What was compared, the faults of both, and what could not be judged."""
    differ = (
        f"{comparison.differing} differ in what the engines did: "
        f"{counted(len(comparison.unexplained), 'unexplained difference')} and {len(comparison.explained)} explained"
    )
    # Which cases they share is in their own reports: both have the same here.
    profile = profile_of(replace(comparison.base.header, shared_with=None))
    sides = f"{named(comparison.base)} and {named(comparison.candidate)}, {profile}"
    apart = (
        f" ({counted(comparison.unpaired, 'case')} of one version alone not compared)" if comparison.unpaired else ""
    )
    yield f"{sides}: {counted(comparison.compared, 'case')}, {counted(comparison.steps, 'step')}{apart}; {differ}"
    yield f"catalogue: {catalogue_of(comparison.candidate.header)}"
    if both := [one.severity for one in comparison.known_faults if one.on_base and one.on_candidate]:
        yield f"known of both: {in_ways(both)}"
    if comparison.shared is not None:
        yield comparison.shared.summary
    yield from map(str, unjudged(comparison))


# What is worse --------------------------------------------------------------------------------------------------------


def _no_way_back(comparison: Comparison) -> Block:
    told = comparison.shared.no_way_back if comparison.shared and comparison.bars_the_way_back else ""
    return Text(Strong(f"{told}.") if told else "")


def _way(number: int, way: WeighedWay, comparison: Comparison, directory: Path) -> Finding:
    lead, before, case = way.lead, way.lead.opposite, case_in(way.lead.case)
    sentence = _listed(comparison)[lead.clause].sentence
    title = f"{'known, ' if way.is_known else ''}{way.does}: {lead.cause}"
    violations = (one for one in lead.case.violations if (one.clause, one.step) == (lead.clause, lead.step))
    now = () if case is None else files_of(case, lead.case, lead.step)
    then = files_of(case, before, lead.step, anyway=True) if case and now and before is not None else ()
    script = next(directory.glob(f"candidate/counterexamples/{lead.clause}-*/reproduce.py"), None)
    file = directory / "cases" / f"{lead.case.id}.json"
    return Finding(
        f"{number}. {title}",
        Facts(tuple(_way_facts(way, comparison, sentence))),
        (
            steps_of(lead.case.steps, lead.step),
            *case_blocks(lead.case, lead.step),
            *(difference_of(lead.case, one) for one in violations),
            Files(tuple(zip(side_titles(comparison), (then, now)))),
            Command(replay_command(comparison.candidate.header, file), "replay"),
            Command(replay_command(comparison.base.header, file), "base"),
            *([Command(str(script), "script")] if script is not None else []),
            issue(
                f"{named(comparison.candidate)} {way.does}: {lead.cause}",
                sentence,
                lead.message,
                lead.case.steps,
                f"{named(comparison.base)} in the same case: {lead.before}.",
            ),
        ),
        f"worse-{lead.clause}-{lead.case.id}",
    )


def _way_facts(way: WeighedWay, comparison: Comparison, sentence: str) -> Iterator[tuple[str, Content]]:
    lead, (base, candidate) = way.lead, side_names(comparison)
    yield "promised", promised(sentence, lead.clause, way.clauses)
    yield "from", f"{base}: {lead.before}"
    yield "to", f"{candidate}: {lead.message}"
    yield "case", line(Code(lead.case.id), f", step {lead.step} ({counted(len(way.case_ids), 'case')})")
    if way.is_known:
        concerns = shift_concerns(lead, comparison)
        yield "known", concerns or "a known fault of this version; it still makes the version worse"
    yield "reach", way.reached.words
    if tables := shift_tables(lead, comparison):
        yield "your tables", tables
    if ended := ended_words(lead, comparison):
        yield "accepted", f"no more: {ended}"


def _ways(comparison: Comparison) -> Block:
    rows = [
        (
            one.does,
            lines(one.lead.cause, shift_concerns(one.lead, comparison), shift_tables(one.lead, comparison)),
            one.reached.words,
            "yes" if one.is_known else "no",
            ", ".join([one.lead.clause, *one.clauses]),
            len(one.case_ids),
            line(Code(one.lead.case.id), f", step {one.lead.step}"),
        )
        for one in comparison.worse
    ]
    title = f"Worse on {named(comparison.candidate)}, in {counted(len(rows), 'way')}"
    return _section(title, ("Harm", "What", "Reach", "Known", "Clauses", "Cases", "Smallest case"), rows)


def _withdrawn(comparison: Comparison) -> Block:
    rows = [
        (
            can(one.severity),
            lines(one.sentence, withdrawn_tables(one, comparison)),
            one.harm,
            one.remedy,
            ", ".join(one.clauses),
            f"{one.accepted.reason} ({one.accepted.link})" if one.accepted else "no",
        )
        for one in comparison.withdrawn
    ]
    heads = ("Harm", "Withdrawn", "What it can do", "Before the upgrade", "Clauses", "Accepted")
    return _section("Promises withdrawn", heads, rows, brief=2)


def _uncompared(comparison: Comparison) -> Block:
    rows = [
        (does(one.severity), one.clause, one.cause, len(one.case_ids), Code(one.case.id))
        for one in comparison.shifted(VerdictChange.UNCOMPARED)
    ]
    base, candidate = side_names(comparison)
    title = f"Fails on {candidate}, not judged on {base}"
    return _section(title, ("Harm", "Clause", "What", "Cases", "Smallest case"), rows, brief=3)


def _in_turn(comparison: Comparison, directory: Path | None = None) -> Iterator[Block]:
    """The ways in which one of both goes wrong on tables of the other. Their page lies below ``directory``, if there is one."""
    if comparison.shared is None:
        return
    rows = [
        (
            one.side,
            "known" if one.known is not None else does(one.severity),
            turn_sentence(one),
            ", ".join(one.clauses),
            line(Code(one.case), f", {one.pattern}, step {one.step}"),
        )
        for one in comparison.shared.report.in_order
    ]
    heads = ("On the other's tables", "Harm", "What goes wrong", "Clauses", "Smallest case")
    page = "together/report.html"
    has_page = directory is not None and (directory / page).exists()
    told = line(Link("Each with its case and a script", page)) if has_page else ""
    found = table(heads, rows, most=None if directory else _ROWS, whole="together/run.jsonl", brief=3)
    yield Section("Both in turn, on the same tables", (found, Text(told)))


def _accepted(comparison: Comparison) -> Block:
    rows = [
        (does(one.severity), one.cause, one.by, ", ".join(one.clauses), len(one.case_ids))
        for one in accepted(comparison)
    ]
    by = comparison.acceptance.file if comparison.acceptance else ""
    heads = ("Harm", "What fails", "Accepted", "Clauses", "Cases")
    return _section(f"Worse, and accepted by {by}", heads, rows, brief=3)


# What differs, what is better, and what is known ----------------------------------------------------------------------


def _unexplained(groups: Sequence[Group], comparison: Comparison) -> Block:
    rows = [
        (
            "in words alone" if one.is_text else can(one.severity),
            signature(one),
            right_words(one, comparison),
            one.cases,
            Code(one.base.id),
        )
        for one in groups
    ]
    heads = ("At worst", "Difference", "Which is right", "Cases", "Smallest case")
    return _section(f"Unexplained differences: {len(rows)}", heads, rows, brief=3)


def _in_words(comparison: Comparison) -> str:
    count = sum(one.is_text for one in comparison.unexplained)
    return f"{counted(count, 'unexplained difference')} in words alone." if count else ""


def _better(comparison: Comparison) -> Block:
    rows = [(one.harm, one.cause, one.reached.words, ", ".join(one.clauses)) for one in better(comparison)]
    heads = ("What it does", "What failed", "Reach", "Clauses")
    return _section(f"Better on {named(comparison.candidate)}", heads, rows, brief=2)


def _costs(comparison: Comparison) -> Block:
    """What the steps of a kind ask more, or less, of storage."""
    base, candidate = side_names(comparison)
    rows = [
        (
            one.command,
            one.does,
            lines(
                *(
                    f"{bar or '·'} {amount:,} {name}"
                    for name, amount, bar in zip((base, candidate), one.amounts, one.bars)
                )
            ),
            one.measure.value,
            f"{one.differing} of {one.steps}",
        )
        for one in comparison.requests
    ]
    return _section(
        "What it costs, by requests to storage",
        ("Command", "What it does", "How much", "", "Steps that differ"),
        rows,
        brief=2,
    )


def _times(comparison: Comparison) -> Block:
    rows = [
        (
            one.command,
            one.files,
            f"{one.seconds:.1f} s",
            f"{one.ratio:.2f} ({one.spread})",
            "yes" if one.is_clear else "no",
        )
        for one in comparison.times
    ]
    heads = ("Command", "Files", side_names(comparison)[0], "Ratio, and its spread", "Clear")
    return _section("Time on large tables, as a ratio", heads, rows)


def _known_of_both(comparison: Comparison) -> Iterator[Block]:
    both = [one for one in comparison.known_faults if one.on_base and one.on_candidate]
    rows = [
        (does(one.severity), one.reason, one.reached.words, ", ".join(one.clauses), len(one.case_ids)) for one in both
    ]
    told = f"Known of both: {in_ways(one.severity for one in both)}"
    yield Details(
        told, (table(("Harm", "What is wrong", "Reach", "Clauses", "Cases"), rows, whole=_WHOLE),), on_screen=True
    )


def _explained(comparison: Comparison) -> Block:
    """Those that concern none of the user's tables come last."""
    rows = [
        (
            f"{one.kind.value} since {one.since}" if one.since else one.kind.value,
            lines(one.sentence, explanation_tables(one, comparison)),
            one.source,
            len(frozenset[str]().union(*(group.case_ids for group in groups))),
            Code(min((group.base for group in groups), key=size).id),
        )
        for one, groups in sorted(explained(comparison), key=lambda one: is_spared(one[0], comparison))
    ]
    heads = ("By", "What explains differences", "Source", "Cases", "Smallest case")
    return _section(f"Explained differences: {len(rows)}", heads, rows, brief=2)


def _next(steps: Iterable[str]) -> Block:
    return Section("Next", (Items(tuple(steps), whole=True),))


def _section(title: str, heads: Iterable[Content], rows: Iterable[Iterable[Content]], *, brief: int = 0) -> Block:
    return Section(title, (table(heads, rows, whole=_WHOLE, brief=brief),))


def _detail(group: Group, comparison: Comparison) -> Block:
    number = f"{counted(group.cases, 'case')}, {counted(group.steps, 'step')}"
    step = group.step_of(group.base)
    where = line(f"Step {group.step} of case ", Code(group.base.id), ": ", Code(step.text)) if step else ""
    rows = [(name, Code(one), Code(other)) for name, one, other in side_by_side(group)]
    return Details(
        f"{signature(group)} ({group.explanation.word if group.explanation else 'unexplained'}; {number})",
        (
            Text(where or "No step was judged."),
            Text(_why(group.explanation)),
            Text(f"{right_words(group, comparison)}."),
            table(("", *side_titles(comparison)), rows),
        ),
    )


def _why(explanation: Explanation | None) -> str:
    return f"{explanation.sentence} Source: {explanation.source}." if explanation else ""


# The clauses ----------------------------------------------------------------------------------------------------------


def _listed(comparison: Comparison) -> dict[str, ListedClause]:
    return {**comparison.base.clauses, **comparison.candidate.clauses}


def _clauses(comparison: Comparison) -> Clauses:
    listed = _listed(comparison)
    words = change_words(comparison)
    place = {id: number for number, id in enumerate(listed)}
    in_order = sorted(comparison.clauses, key=lambda one: place[one.clause])
    found = groupby(in_order, key=lambda one: listed[one.clause].chapter)
    chapters = ((name, list(own)) for name, own in found)
    return Clauses(
        side_titles(comparison),
        ("Change",),
        tuple(Chapter(name, _tally(own, words), tuple(_row(one, words) for one in own)) for name, own in chapters),
    )


def _tally(own: Sequence[ClauseChange], words: dict[VerdictChange, str]) -> str:
    changes = [one.change for one in own]
    return ", ".join(f"{changes.count(one)} {said}" for one, said in words.items() if one in changes)


def _row(one: ClauseChange, words: dict[VerdictChange, str]) -> ClauseRow:
    word = words[one.change]
    return ClauseRow(
        id=one.clause,
        verdicts=(_side(one.base), _side(one.candidate)),
        cells=(Strong(word) if one.change is VerdictChange.REGRESSED else word,),
        sentence=one.sentence,
        note=f"Broken, it costs: {one.severity.value}. {one.reason}",
    )


def _side(result: ClauseFinding | None) -> Said:
    return Said("not listed", Tone.QUIET) if result is None else verdict_said(result.verdict)
