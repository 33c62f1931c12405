"""The reference engine's prediction by the rules of a version, for the comparison of two runs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from engines.provider import kind_of
from harness.running.judge import Judge
from model.vocabulary.case import Case
from model.vocabulary.rules import DELTA_RS, RuleChange, Rules, Walk
from model.vocabulary.versions import parse
from records.run import Header, ListedRuleChange, RecordedStep
from reference_engine import ReferenceEngine, ReferenceOptions
from reports.findings.engine_rules import is_built_in, rules_in


class Prediction:
    """The steps of a case on a healthy engine with the rules ``older``, or with some of the ``changes`` to them."""

    def __init__(self, older: Rules, changes: Sequence[RuleChange]) -> None:
        self.changes = tuple(changes)
        self._older = older

    def steps(self, case: Case, changes: Sequence[RuleChange]) -> Sequence[RecordedStep]:
        """The records of the engine's steps; none if the case cannot be run."""
        rules = self._older
        for change in changes:
            rules = change.applied_to(rules)
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            # Hadoop's local file system shows a link as the file behind it, and deletes the link.
            # delta-rs writes the rows that stay of a partition's files into one.
            by_partition = rules.implementation == DELTA_RS.implementation
            habits = ReferenceOptions(deletes_links=rules.walk is Walk.DIRECTORIES, one_file=by_partition)
            judge = Judge(ReferenceEngine(habits, rules=rules), [], Path(directory))
            return judge.judge(case).steps


def prediction_between(older: Header, newer: Header) -> Prediction | None:
    """The prediction for two versions of an engine, the older first; None if the rules of one are unknown. The header records
    the rules of an engine from outside.
    """
    if is_built_in(older) and is_built_in(newer):
        return prediction_of(older.engine, older.version, newer.version)
    before, after = rules_in(older), rules_in(newer)
    if before is None or after is None:
        return None
    said = {one.field: one for one in newer.rule_changes or () if parse(one.since) <= parse(newer.version)}
    changes = []
    for name in (one.name for one in fields(Rules) if getattr(before, one.name) != getattr(after, one.name)):
        known = said.get(name, ListedRuleChange("", name, f"The engine has another rule {name}.", "the runs' headers"))
        changes.append(RuleChange(known.since, name, getattr(after, name), known.sentence, known.source))
    return Prediction(before, changes)


def prediction_of(engine: str, older: str, newer: str) -> Prediction:
    """The prediction for two versions of a built-in engine."""
    before, after = map(kind_of(engine).rules_of, (older, newer))
    listed = kind_of(engine).rule_changes
    between = [change for change in listed if parse(older) < parse(change.since) <= parse(newer)]
    differing = [one for one in between if getattr(before, one.field) != getattr(after, one.field)]
    return Prediction(before, differing)
