"""A run as ``summary.md``, the essentials on the first screen. For pull requests, CI step summaries and chat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from model.vocabulary.operations import Operation
from records.run import Verdict
from reports.counterexamples import folder_of
from reports.counterexamples.checked import ScriptResult
from reports.findings.answers import answer_of
from reports.findings.coverage import Coverage, FeaturePairs, OperationShares
from reports.findings.failures import Failure
from reports.findings.like import CoveredShape, covered_words, spared_words
from reports.findings.of_run import Erred, Findings, findings_of
from reports.findings.verdicts import ATTENTION, ClauseFinding, counts
from reports.stream.reading import Run
from reports.text.circumstances import machine_of, profile_of, versions_of
from reports.text.markdown import LIMIT, code, command, folded, limited, row, table, text
from reports.text.own_tables import concerned
from reports.text.quantities import counted
from reports.text.replaying import replay_command, script_command
from reports.text.verdicts import tallied

_MARKS = {
    Verdict.HOLDS: "✅ holds",
    Verdict.FAILS: "❌ **fails**",
    Verdict.KNOWN_FAULT: "➖ known fault",
    Verdict.LISTED_BUT_GONE: "❌ **listed but gone**",
    Verdict.NOT_APPLICABLE: "➖ not applicable",
    Verdict.DISABLED: "➖ disabled",
    Verdict.NOT_TESTED: "⚠️ **not tested**",
    Verdict.ERROR: "⚠️ **error**",
}


#: How many of the things that no case has are named on the first screen.
_MISSING = 10


def summary(
    run: Run, *, checked: Sequence[ScriptResult] = (), directory: Path | None = None, limit: int = LIMIT
) -> str:
    """The text of ``summary.md``, never more than ``limit`` bytes in UTF-8 (at least 4,000).

    The verdict, the engine, the counts and what needs attention come first, the gravest failure at the top; all clauses
    follow, folded. ``checked``: what the scripts of the counterexamples in ``directory`` answered. A longer text has
    fewer rows in its tables, and the number of those left out.
    """
    found = findings_of(run)
    longest = max(
        len(found.results), len(run.cases), len(found.features.names), *(len(one.rows) for one in found.coverage), 1
    )
    rows = max(longest, len(Operation))
    return limited(lambda rows: _parts(run, found, checked, directory or Path(), rows), rows, limit)


def _parts(run: Run, found: Findings, checked: Sequence[ScriptResult], directory: Path, rows: int) -> list[str]:
    return [
        *_first_screen(run, found, checked, directory, rows),
        *_own_tables(found, rows),
        *_features(found.features, rows),
        *_operations(found.operations, rows),
        *_coverage(found.coverage, rows),
        *folded(f"All {counted(len(found.results), 'clause')}", _clauses(run, found.results, rows)),
    ]


def _first_screen(run: Run, found: Findings, checked: Sequence[ScriptResult], directory: Path, rows: int) -> list[str]:
    header, footer, answer, results = run.header, run.footer, answer_of(run), found.results
    tally = ", ".join(tallied(verdict, number) for verdict, number in counts(results).items()) or "no clause"
    notes = [profile_of(header)]
    notes += [f"seed {header.seed}"] if header.seed is not None else []
    notes += [f"fault {header.known_bad} built in"] if header.known_bad is not None else []
    seconds = f"{footer.seconds:.0f} s ({footer.engine_seconds:.0f} s in the engine)"
    work = f"{counted(footer.cases, 'case')}, {counted(footer.steps, 'step')}, {seconds}, {', '.join(notes)}"
    parts = [
        f"# {answer.mark} {text(str(answer))}",
        f"{text(versions_of(header))}<br>\n{text(tally)}<br>\n{text(work)}<br>\n{text(machine_of(header))}",
    ]
    if found.like is not None:
        parts.append(f"Your tables: {text(covered_words(found.like, most=_MISSING))}.")
    lines = [_failure(run, failure, checked) for failure in found.failures]
    lines += [
        row(
            _MARKS[result.verdict],
            result.clause,
            text(run.clauses[result.clause].sentence),
            text(result.reason),
            code(result.example or ""),
        )
        for result in results
        if result.verdict in ATTENTION and result.verdict is not Verdict.FAILS
    ]
    if lines:
        parts.append(table("|  | Clause | Expected | Observed | Case |", lines, rows))
    parts += [f"❌ {text(one.text)}" for one in checked if one.disagrees]
    if found.errors:
        parts += ["## Cases that ended in an error", _errors(found.errors, rows)]
    if found.failures:
        lead = found.failures[0].lead
        place = directory / folder_of(lead.clause, lead.judged.id)
        parts += [
            "To judge the first case again, in the suite's checkout, with the suite and without it (the others are beside it):",
            command(replay_command(header, place / "case.json")),
            command(script_command(header, place / "reproduce.py")),
        ]
    return parts


def _failure(run: Run, failure: Failure, checked: Sequence[ScriptResult]) -> str:
    """A row: the gravest clause, and those that fail in the same step."""
    lead = failure.lead
    more = f"<br>and in the same step {', '.join(failure.clauses)}" if failure.clauses else ""
    case = " ".join(dict.fromkeys(code(one.judged.id) for one in failure.examples))
    answers = {one.folder: one.answer for one in checked}
    answer = answers.get(folder_of(lead.clause, lead.judged.id))
    return row(
        f"❌ **{text(lead.severity.value)}**",
        f"{lead.clause}{more}",
        text(run.clauses[lead.clause].sentence),
        f"{text(lead.violation.message)}<br>Cause: {text(lead.cause)} ({counted(lead.cases, 'case')}).",
        case + (f"<br>the script says {text(answer)}" if answer else ""),
    )


def _errors(errors: Sequence[Erred], rows: int) -> str:
    lines = [row(code(one.case), text(one.campaign), one.error.kind, text(one.error.message)) for one in errors]
    return table("| Case | Campaign | Kind | Message |", lines, rows)


def _own_tables(found: Findings, rows: int) -> list[str]:
    """The known faults by what they concern, the shapes, and what no case has; nothing without ``--like``."""
    like = found.like
    if like is None:
        return []
    concern = [
        row(
            text(one.does),
            text(one.reason),
            text(concerned(one.tables, like.tables) if one.tables is not None else ""),
            text(f"Concerns you only if {one.concerns}." if one.concerns else ""),
        )
        for one in found.known
        if not one.concerns_none
    ]
    spared = [row(text(one.does), text(one.reason), text(one.concerns)) for one in found.known if one.concerns_none]
    shapes = [_shape(one) for one in like.shapes]
    missing = [row(text(one.name), f"{one.tables:,}") for one in like.missing]
    parts = []
    if concern:
        parts += ["## Known faults, and your tables"]
        parts += [table("| Harm | What is wrong | Your tables | By the kind of table or command |", concern, rows)]
    if spared:
        heading = "| Harm | What is wrong | Would concern you if |"
        parts += folded(spared_words(found.known), table(heading, spared, rows))
    heading = "| Shape | Your tables | What they have | Cases like it | Known faults that concern it |"
    parts += folded(f"Your tables: {counted(len(shapes), 'shape')}", table(heading, shapes, rows))
    if missing:
        parts += folded(f"What no case of this run has: {len(missing)}", table("| What | Your tables |", missing, rows))
    return parts


def _shape(one: CoveredShape) -> str:
    faults = "<br>".join(map(text, one.faults)) or "none for certain"
    return row(code(one.id), f"{one.tables:,}", text(one.words), one.cases, faults)


def _features(pairs: FeaturePairs, rows: int) -> list[str]:
    """How many cases have which two features: each pair once, and on the diagonal the cases that have the feature."""
    names = pairs.names
    if not names:
        return []
    lines = [
        row(text(name), *([""] * place), *(pairs.count(name, other) or "**0**" for other in names[place:]))
        for place, name in enumerate(names)
    ]
    never = f"{counted(len(pairs.never), 'pair')} never drawn" if pairs.never else "every pair was drawn"
    return folded(
        f"Features drawn together: {never}",
        "Cases that have both features; on the diagonal, cases that have the feature.",
        table(row("", *map(text, names)), lines, rows),
    )


def _operations(shares: OperationShares, rows: int) -> list[str]:
    """The steps of each operation, and their share of the campaign's steps."""
    if not shares.campaigns:
        return []
    lines = [
        row(
            text(one.value),
            *(
                f"{shares.count(name, one)} ({shares.share(name, one):.0f} %)" if shares.count(name, one) else "**0**"
                for name in shares.campaigns
            ),
        )
        for one in Operation
    ]
    never = f"{counted(len(shares.never), 'operation')} never ran" if shares.never else "every operation ran"
    return folded(
        f"Operations of programs: {never}",
        "Steps that ran, with their share of all steps. Each operation is a rule of the state machine (exploration).",
        table(row("Operation", *map(text, shares.campaigns)), lines, rows),
    )


def _coverage(tables: Sequence[Coverage], rows: int) -> list[str]:
    parts = []
    for found in tables:
        absent = "**0**" if found.complete else ""
        lines = [
            row(text(name), *(found.cells[name, column] or absent for column in found.columns)) for name in found.rows
        ]
        parts += [f"{text(found.title)}:", table(row(text(found.corner), *map(text, found.columns)), lines, rows)]
    return folded("Coverage of VACUUM", *parts) if parts else []


def _clauses(run: Run, results: Sequence[ClauseFinding], rows: int) -> str:
    lines = [
        row(
            result.clause,
            _MARKS[result.verdict],
            result.met,
            result.subjects,
            f"{result.seconds:.1f}",
            text(run.clauses[result.clause].sentence) + _reason(result),
        )
        for result in results
    ]
    return table("| Clause | Verdict | Exercised | Subjects | Engine s | Expected |", lines, rows)


def _reason(result: ClauseFinding) -> str:
    if not result.reason:
        return ""
    return f"<br>{text(result.reason)}" + (f" ({text(result.link)})" if result.link else "")
