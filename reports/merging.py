"""Merges the parts of a run (``--shard``): one stream, with the verdicts of the whole run, its views and its counterexamples."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from known_faults.entries import ended, in_force
from known_faults.known import by_reason, known, known_faults_in, known_faults_of, places_of
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from records.run import Header, ListedFault, Verdict
from reports.counterexamples.checked import ScriptResult, disagreements, read_checked, write_checked
from reports.counterexamples.examples import shown, write_example
from reports.findings.engine_rules import is_built_in
from reports.findings.failures import Failure
from reports.findings.of_run import FindingsSoFar
from reports.findings.verdicts import footer_of, verdicts
from reports.render.files import write_views
from reports.render.report_directory import prepare
from reports.stream.parts import JudgedPart, merged_header, read_parts
from reports.stream.reading import FILE_NAME, Run
from reports.stream.writing import RunWriter


def merge(paths: Sequence[Path], out: Path, *, known_faults: Path | None = None) -> Run:
    """Merge parts, given as ``read_parts`` takes them, into a report in the directory ``out``, as the undivided run writes it.

    ``known_faults``: the list of known faults that the parts used, by default the engine's. Raises UsageMistake, before
    anything is written.
    """
    parts = read_parts(paths)
    for one in parts:
        if one.directory.resolve() == out.resolve():
            raise UsageMistake(f"--out {out} holds {one.part}: name another directory.")
    header = merged_header(parts)
    today = date.today() if header.date is None else date.fromisoformat(header.date)
    listed = _known_faults(header, known_faults, today)
    with prepare(out, option="--out"), RunWriter(out / FILE_NAME) as writer:
        writer.header(header)
        findings = FindingsSoFar(header)
        for line in (line for one in parts for line in one.lines):
            findings.take(writer.case(line))
        found = verdicts(
            findings.judged,
            header,
            known_faults=in_force(listed, version=header.version, today=today),
            ended=ended(listed, version=header.version, today=today),
        )
        footer = footer_of(found, findings.judged, seconds=max(one.run.footer.seconds for one in parts))
        cases = writer.cases()
        failed = findings.failures(found, cases.of_line)
        clauses = [clause for clause, one in found.items() if one.verdict is Verdict.FAILS]
        _, contradicted = disagreements(_counterexamples(failed, header, parts, out), clauses)
        if contradicted and Verdict.LISTED_BUT_GONE not in footer.counts:
            footer = replace(footer, exit=2)
        run = Run(header, cases, writer.footer(footer))
    findings.finished(run, failed)
    write_views(run, out)
    return run


def _clauses(listed: Iterable[ListedFault]) -> list[tuple[str, tuple[str, ...]]]:
    """What known faults judge, without whom they concern."""
    return [(one.reason, one.clauses) for one in listed]


def _known_faults(header: Header, path: Path | None, today: date) -> tuple[KnownFault, ...]:
    """The known faults. The parts must have used the same: their cases say already what is excused."""
    if path is None and not is_built_in(header):
        if not header.known_faults:
            return ()
        raise UsageMistake(
            f"The parts judged {header.option or header.engine}, an engine from outside: name the file of its known faults with "
            "--known-faults."
        )
    if path is None:
        path = known_faults_of(header.engine)
    elif not path.is_file():
        raise UsageMistake(f"--known-faults {path} is not a file: name an existing one.")
    found = known_faults_in(path, places=places_of(header.machine))
    if _clauses(by_reason(known(found, header.version, today=today))) != _clauses(header.known_faults or ()):
        raise UsageMistake(
            f"The parts used another list of known faults than {path}: pass that list with --known-faults."
        )
    return found


def _counterexamples(
    found: Sequence[Failure], header: Header, parts: Iterable[JudgedPart], out: Path
) -> list[ScriptResult]:
    """Copy the counterexamples of the parts, with their scripts' answers. One that no part has is written without its engine."""
    answers = {one.folder: one for part in parts for one in read_checked(part.directory)}
    checked = []
    for folder, (example, failure) in shown(found).items():
        own = next((part.directory / folder for part in parts if (part.directory / folder).is_dir()), None)
        if own is None:
            unknown = (None,) if header.pair is None else (None, None)
            write_example(example, failure, header=header, dialects=unknown, directory=out)
            continue
        shutil.copytree(own, out / folder, dirs_exist_ok=True)
        if folder in answers:
            checked.append(answers[folder])
    write_checked(checked, out)
    return checked
