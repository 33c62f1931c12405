"""Run streams of engines that need no Spark, with the same cases, for the tests of the comparison."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.port import Engine
from harness.campaigns.campaign import Batch
from harness.campaigns.drawing import fixed_cases
from harness.campaigns.record import case_record
from harness.running.judge import Judge
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from records.known_fault import KnownFault
from records.run import Header, ListedFault, PlannedCampaign, RecordedCase
from reports.stream.lines import line_of
from reports.stream.reading import Run, read_run
from reports.stream.writing import RunWriter
from suites.campaigns import CAMPAIGNS
from suites.catalogue import CATALOGUE, unsupported
from tests.builders.small_streams import footer, header
from tests.scripts import listed as listed_clause


def drawn(each: int, capabilities: Capabilities = EVERYTHING, *, seed: int = 4) -> list[tuple[str, Case]]:
    """Up to ``each`` cases of every campaign, with the campaign's name; fixed by the seed."""
    chosen = [Batch(campaign, 0, each) for campaign in CAMPAIGNS if campaign.kept is None]
    return [(batch.campaign.name, case) for batch in chosen for case in fixed_cases(batch, seed, capabilities)]


def lines_of(
    engine: Engine, cases: Iterable[tuple[str, Case]], directory: Path, listed: Iterable[KnownFault] = ()
) -> tuple[Header, list[RecordedCase]]:
    """The header and the records of a run of these cases. ``listed``: the known faults."""
    excluded = unsupported(engine)
    known = list(listed)
    judge = Judge(engine, [clause for id, clause in CATALOGUE.items() if id not in excluded], directory, known)
    lines = [
        case_record(judge.judge(case), campaign=campaign, batch=0, index=index, origin="generated")
        for index, (campaign, case) in enumerate(cases)
    ]
    clauses = tuple(
        replace(listed_clause(id), status="not applicable", reason=excluded[id])
        if id in excluded
        else listed_clause(id)
        for id in CATALOGUE
    )
    known_to = tuple(ListedFault(one.reason, (one.clause,)) for one in known)
    campaigns = tuple(PlannedCampaign(name, 0) for name in dict.fromkeys(line.campaign for line in lines))
    name = engine.rules.implementation or engine.name
    first = replace(header(profile="smoke", engine=name, versions=dict(engine.versions)), clauses=clauses)
    return replace(first, known_faults=known_to, campaigns=campaigns), lines


def run_of(
    engine: Engine,
    cases: Iterable[tuple[str, Case]],
    directory: Path,
    listed: Iterable[KnownFault] = (),
    **members: Any,
) -> Run:
    """A run of these cases, written below ``directory`` as a stream (``run.jsonl``) and read back."""
    first, lines = lines_of(engine, cases, directory / "tables", listed)
    return written(replace(first, **members), lines, directory)


def written(first: Header, lines: list[RecordedCase], directory: Path) -> Run:
    """These records with their footer, written into ``directory`` and read back."""
    with RunWriter(directory / "run.jsonl") as writer:
        writer.header(first)
        for line in lines:
            writer.case(line_of(line))
        writer.footer(footer(first, lines))
    return read_run(directory)
