"""The file of ``--propose-accept``: entries for all that holds an upgrade back, in the format of ``--accept``, which takes
it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from known_faults.entries import quoted
from records.known_fault import Symptom
from records.mistakes import UsageMistake
from reports.comparison import difference_texts
from reports.comparison.cases import ClauseShift, VerdictChange
from reports.comparison.comparison import Comparison
from reports.findings.answers import named
from reports.text.harms import can, does


def check_proposal(path: Path) -> None:
    """Raises UsageMistake, before anything is judged, if the file cannot be written."""
    if path.is_dir() or not path.parent.is_dir():
        raise UsageMistake(f"--propose-accept {path} cannot be written: name a file in a directory that exists.")


def write_proposal(comparison: Comparison, path: Path) -> None:
    """Raises UsageMistake if it cannot be written."""
    try:
        path.write_text(proposal(comparison), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageMistake(
            f"--propose-accept {path} cannot be written ({error.strerror}): name another file."
        ) from error


def proposal(comparison: Comparison) -> str:
    """The text of the file, without faults that a file accepts already."""
    versions = f"=={comparison.candidate.header.version}"
    entries = [*_faults(comparison, versions), *_withdrawn(comparison, versions), *_differences(comparison, versions)]
    pair = f"{named(comparison.base)} -> {named(comparison.candidate)}"
    heading = f"# What holds {pair} back: delete what you cannot accept, say why you accept the rest, and give it an end (until)."
    return "\n".join([heading if entries else f"# Nothing holds {pair} back.", *entries]) + "\n"


def _faults(comparison: Comparison, versions: str) -> Iterator[str]:
    """What is worse, or fails where the base was not judged: the clauses that one fault breaks in one entry."""
    found: dict[tuple[str, Symptom], list[ClauseShift]] = {}
    for one in comparison.shifts:
        if one.change in (VerdictChange.REGRESSED, VerdictChange.KNOWN, VerdictChange.UNCOMPARED):
            found.setdefault((one.cause, one.symptom), []).append(one)
    for (cause, symptom), shifts in found.items():
        clauses = sorted({one.clause for one in shifts})
        lines = [
            f"clauses = {_list(clauses)}",
            f"versions = {quoted(versions)}",
            f"symptom.causes = {_list(symptom.causes)}",
        ]
        if symptom.errors:
            lines.append(f"symptom.errors = {_list(symptom.errors)}")
        told = f"{shifts[0].change.value}; {does(shifts[0].severity)}: {cause}"
        yield _entry("known_fault", told, lines, comparison, shifts[0].case.id)


def _withdrawn(comparison: Comparison, versions: str) -> Iterator[str]:
    for one in comparison.lost:
        lines = [f"promises = {_list([one.name])}", f"versions = {quoted(versions)}"]
        yield _entry("withdrawn", f"{can(one.severity)}: {one.words}", lines, comparison)


def _differences(comparison: Comparison, versions: str) -> Iterator[str]:
    for group in comparison.unexplained:
        texts = dict.fromkeys(map(difference_texts.named, group.differences))
        lines = [f"differences = {_list(texts)}", f"versions = {quoted(versions)}"]
        yield _entry(
            "difference", f"{can(group.severity)}; right: {group.right.value}", lines, comparison, group.base.id
        )


def _entry(table: str, told: str, lines: Iterable[str], comparison: Comparison, case: str = "") -> str:
    pair = f"{comparison.base.header.version} -> {comparison.candidate.header.version}"
    link = f"cases/{case}.json" if case else "comparison.md"
    ours = [
        f"reason = {quoted(f'Proposed by the comparison of {pair}: say why you accept it.')}",
        f"link = {quoted(link)}",
    ]
    return "\n".join([f"\n# {' '.join(told.split())}", f"[[{table}]]", *lines, *ours])


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(quoted, texts))}]"
