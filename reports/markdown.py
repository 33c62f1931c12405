"""A run as ``summary.md``: the first screen says it all. For pull requests, CI step summaries and chat."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reports.features import FeaturePairs, feature_pairs
from reports.coverage import FATES, Counts, occasion_tables, coverage
from reports.plurals import counted
from reports.stream import Run
from reports.verdicts import ClauseResult, Verdict, counterexample, counts, results_of

#: GitHub refuses a step summary of more than 1 MiB (docs, "Workflow commands", job summaries). Bytes.
LIMIT = 1_000_000

#: The longest text that is shown of one sentence or message, in characters. The stream has the whole.
_LONGEST = 400
_MARKS = {
    Verdict.PASS: "✅ pass",
    Verdict.FAIL: "❌ **fail**",
    Verdict.XFAIL: "➖ xfail",
    Verdict.STALE: "❌ **stale**",
    Verdict.UNSUPPORTED: "➖ unsupported",
    Verdict.DISABLED: "➖ disabled",
    Verdict.UNEXERCISED: "⚠️ **unexercised**",
    Verdict.ERROR: "⚠️ **error**",
}
_VERDICTS = {0: "✅ The promise is kept", 1: "❌ The promise is broken", 2: "⚠️ The run proves nothing yet"}
_ATTENTION = (Verdict.FAIL, Verdict.STALE, Verdict.ERROR, Verdict.UNEXERCISED)


def markdown(run: Run, *, limit: int = LIMIT) -> str:
    """The text of ``summary.md``, never more than ``limit`` bytes in UTF-8 (at least 4,000).

    The verdict, the engine, the counts and what needs attention come first; all clauses follow, folded. Where the text
    would be longer, the tables are cut, and it says how many rows were left out.
    """
    results = results_of(run)
    attention = [result for result in results if result.verdict in _ATTENTION]
    erred = [case for case in run.cases if case["error"] is not None]
    pairs = feature_pairs(run.cases)
    met = occasion_tables(coverage(run.cases))
    rows = max(len(results), len(erred), len(pairs.names), *(len(table.rows) for table in met), 1)
    while True:
        whole = "\n\n".join(_parts(run, results, attention, pairs, met, rows)) + "\n"
        if len(whole.encode("utf-8", "surrogatepass")) <= limit or rows == 0:
            return whole.encode("utf-8", "backslashreplace").decode("utf-8")
        rows //= 2


def text(value: object) -> str:
    """``value`` as Markdown that shows it literally, on one line. Runs of white space become one space; long texts are cut."""
    line = " ".join(_visible(str(value)).split())
    line = _cut(line)
    line = re.sub(r"[\\`*_\[\]<~$]", r"\\\g<0>", line).replace("&", "&amp;")
    # Marks of lists, headings and quotes mean something at a line's start only; ``:name:`` is an emoji to GitHub.
    line = re.sub(r"^([-+#>=]|\d+(?=[.)]))", _leading, line)
    return re.sub(r":(?=[a-z0-9_+-]+:)", "&#58;", line)


def code(value: object) -> str:
    """``value`` as a code span, on one line; spaces stay as they are. Long texts are cut. Nothing for an empty text."""
    line = _cut(
        "".join(char if char == " " or not char.isspace() else ascii(char)[1:-1] for char in _visible(str(value)))
    )
    if not line:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    # One space at both ends is taken off again by Markdown, but not from a span of spaces only.
    pad = " " if line.strip() and (line[0] in "` " or line[-1] in "` ") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def row(*cells: object) -> str:
    """A table's row of Markdown cells. A pipe inside a cell does not end it."""
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _leading(match: re.Match[str]) -> str:
    return f"&#{ord(match[0][0])};{match[0][1:]}"


def _visible(value: str) -> str:
    return "".join(char if char.isprintable() or char.isspace() else ascii(char)[1:-1] for char in value)


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else line[:_LONGEST] + " …"


def _parts(
    run: Run,
    results: Sequence[ClauseResult],
    attention: Sequence[ClauseResult],
    pairs: FeaturePairs,
    met: Sequence[Counts],
    rows: int,
) -> list[str]:
    header, footer = run.header, run.footer
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items())
    tally = ", ".join(f"{number} {verdict}" for verdict, number in counts(results).items()) or "no clause"
    notes = [f"profile {header['profile']}"]
    notes += [f"seed {header['seed']}"] if header["seed"] is not None else []
    notes += [f"known-bad engine {header['known_bad']}"] if header["known_bad"] is not None else []
    seconds = f"{footer['seconds']:.0f} s ({footer['engine_seconds']:.0f} s in the engine)"
    work = f"{counted(footer['cases'], 'case')}, {counted(footer['steps'], 'step')}, {seconds}, {', '.join(notes)}"
    parts = [
        f"# {_VERDICTS[footer['exit']]}: Delta's DELETE and VACUUM on {text(header['engine'])}",
        f"{text(versions)}<br>\n{text(tally)}<br>\n{text(work)}",
    ]
    if attention:
        lines = [
            row(
                _MARKS[result.verdict],
                result.clause,
                text(run.clauses[result.clause]["sentence"]),
                text(_found(run, result)),
                code(result.example or ""),
            )
            for result in attention
        ]
        parts.append(table("|  | Clause | Promise | Seen | Case |", lines, rows))
    erred = [case for case in run.cases if case["error"] is not None]
    if erred:
        lines = [
            row(code(case["id"]), text(case["campaign"]), case["error"]["kind"], text(case["error"]["message"]))
            for case in erred
        ]
        parts.append("## Cases that ended in an error")
        parts.append(table("| Case | Campaign | Kind | Message |", lines, rows))
    if any(result.example and result.verdict is Verdict.FAIL for result in results):
        parts.append(
            "Replay a case with `pytest suites --replay counterexamples/CLAUSE-CASE/case.json`, or without the suite: "
            "`python counterexamples/CLAUSE-CASE/reproduce.py`."
        )
    parts += _features(pairs, rows)
    parts += _occasions(met, rows)
    lines = [
        row(
            result.clause,
            _MARKS[result.verdict],
            result.met,
            result.subjects,
            f"{result.seconds:.1f}",
            text(run.clauses[result.clause]["sentence"]) + _why(result),
        )
        for result in results
    ]
    parts.append(f"<details><summary>All {counted(len(results), 'clause')}</summary>")
    parts.append(table("| Clause | Verdict | Exercised | Subjects | Engine s | Promise |", lines, rows))
    parts.append("</details>")
    return parts


def _features(pairs: FeaturePairs, rows: int) -> list[str]:
    """How many cases have which two features: each pair once, a feature alone where it meets itself. Folded."""
    if not pairs.names:
        return []
    names = pairs.names
    heading = row("", *(text(name) for name in names))
    lines = [
        row(text(name), *([""] * place), *(pairs.count(name, other) or "**0**" for other in names[place:]))
        for place, name in enumerate(names)
    ]
    never = f"{counted(len(pairs.never), 'pair')} never drawn" if pairs.never else "every pair was drawn"
    return [
        f"<details><summary>Features drawn together: {never}</summary>",
        "Cases that have both features; where a feature meets itself, cases that have it.",
        table(heading, lines, rows),
        "</details>",
    ]


def _occasions(tables: Sequence[Counts], rows: int) -> list[str]:
    """How often VACUUMs met what. Folded."""
    if not tables:
        return []
    parts = ["<details><summary>What the VACUUMs met</summary>"]
    for found in tables:
        # A reason has one fate or another, so an empty cell means nothing; elsewhere it is something that was never met.
        absent = "" if found.columns == FATES else "**0**"
        lines = [
            row(text(name), *(found.count(name, column) or absent for column in found.columns)) for name in found.rows
        ]
        parts.append(f"{text(found.title)}:")
        parts.append(table(row(text(found.corner), *(text(column) for column in found.columns)), lines, rows))
    return [*parts, "</details>"]


def _found(run: Run, result: ClauseResult) -> str:
    case = counterexample(result.clause, run.cases)
    messages = [one["message"] for one in case["violations"] if one["clause"] == result.clause] if case else []
    return messages[0] if messages else result.reason


def _why(result: ClauseResult) -> str:
    if not result.reason:
        return ""
    return f"<br>{text(result.reason)}" + (f" ({text(result.link)})" if result.link else "")


def table(heading: str, rows: Sequence[str], limit: int, *, whole: str = "the run stream") -> str:
    """A Markdown table of rows made by ``row``, ``limit`` of them at most. ``whole`` says where all of them are."""
    left_out = len(rows) - limit
    columns = heading.replace("\\|", "").count("|") - 1
    lines = [heading, "|" + " --- |" * columns, *rows[:limit]]
    if left_out > 0:
        lines += ["", f"… and {counted(left_out, 'more row')}, left out for size: the whole is in {whole}."]
    return "\n".join(lines)
