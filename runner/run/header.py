"""The header of the run stream."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from importlib.metadata import version
from typing import Any

from engines.pair import PairKind
from engines.provider import ENGINES
from faults import FAULTS
from harness.judging.clause import Clause, holds_for
from known_faults.concerned import like_tables
from known_faults.known import by_reason
from model.vocabulary.rules import RuleChange
from records.known_fault import KnownFault
from records.run import Header, ListedClause, ListedRuleChange, PlannedCampaign
from records.suite_version import VERSION
from reports.text.replaying import python_here
from runner.command_line.options import Options
from runner.run.plan import RunPlan
from suites.catalogue import CATALOGUE


def run_header(
    options: Options,
    *,
    seed: int,
    versions: dict[str, str],
    unsupported: dict[str, str],
    listed: Iterable[KnownFault],
    plan: RunPlan,
    machine: dict[str, str],
) -> Header:
    """``unsupported`` has the clauses that do not apply to the engine, each with the reason; ``listed`` what is excused."""
    profile = plan.profile
    excused = list(listed)
    known, like = by_reason(excused), None
    if options.like is not None:
        like, known = like_tables(options.like, known, excused)
    planned: Counter[str] = Counter()
    for batch in plan.batches:
        planned[batch.campaign.name] += batch.cases
    return Header(
        date=datetime.now(timezone.utc).date().isoformat(),
        engine=options.kind.name,
        option=options.engine,
        versions={**versions, "hypothesis": version("hypothesis")},
        profile=profile.name,
        budget_share=profile.budget_share,
        left_out=plan.left_out,
        seed=seed,
        known_bad=options.known_bad,
        platform=platform.platform(),
        machine=machine,
        clauses=tuple(_entry(clause, options, unsupported) for clause in CATALOGUE.values()),
        known_faults=known,
        campaigns=tuple(PlannedCampaign(name, cases) for name, cases in planned.items()),
        shard=plan.part,
        rules=options.kind.rules_of(next(iter(versions.values()), "")),
        rule_changes=None if options.engine in ENGINES else _rule_changes(options.kind.rule_changes),
        interpreter=python_here(),
        options=options.again,
        suite=VERSION,
        like=like,
        pair=options.kind.names if isinstance(options.kind, PairKind) else None,
        shared_with=options.shared_with and "==".join(filter(None, options.shared_with)),
    )


def _rule_changes(changes: Iterable[RuleChange]) -> tuple[ListedRuleChange, ...]:
    return tuple(ListedRuleChange(one.since, one.field, one.sentence, one.source) for one in changes)


def _entry(clause: Clause[Any], options: Options, unsupported: dict[str, str]) -> ListedClause:
    status, reason = "active", ""
    if not options.selects(clause.id):
        status, reason = "disabled", "--clause does not select it."
    elif clause.id in unsupported:
        status, reason = "not applicable", unsupported[clause.id]
    return ListedClause(
        id=clause.id,
        chapter=clause.chapter,
        sentence=clause.sentence,
        sources=clause.sources,
        severity=clause.harm.severity,
        harm=clause.harm.reason,
        holds_for=holds_for(clause),
        proven_by=tuple(fault.name for fault in FAULTS.values() if clause.id in fault.caught_by),
        status=status,
        reason=reason,
    )
