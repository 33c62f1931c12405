"""What an engine does by the rules of its version, predicted with the reference engine: for the comparison of two runs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engines.provider import ENGINES, rules_of
from engines.spark.releases import RULE_CHANGES
from harness.judging.judge import Judge
from model.codec import from_json
from model.vocabulary.rules import DELTA_RS, RuleChange, Rules, Walk, changes_to_delta_rs
from model.vocabulary.versions import parse
from records.json_form import to_json
from reference_engine import Habits, ReferenceEngine


class Prediction:
    """The steps of a case on a healthy engine with the rules ``older``, or with some of the ``changes`` to them."""

    def __init__(self, older: Rules, changes: Sequence[RuleChange]) -> None:
        self.changes = tuple(changes)
        self._older = older

    def steps(self, case: Mapping[str, Any], changes: Sequence[RuleChange]) -> Sequence[Any]:
        """The records of the engine's steps (``harness.observing.normalise``); none if the case cannot be run."""
        rules = self._older
        for change in changes:
            rules = change.applied_to(rules)
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            # Hadoop's local file system shows a link as the file behind it, and deletes the link.
            # delta-rs writes the rows that stay of a partition's files into one.
            by_partition = rules.implementation == DELTA_RS.implementation
            habits = Habits(deletes_links=rules.walk is Walk.DIRECTORIES, one_file=by_partition)
            judge = Judge(ReferenceEngine(habits, rules=rules), [], Path(directory))
            return [to_json(one) for one in judge.judge(from_json(json.loads(json.dumps(case)))).steps]


def prediction_between(older: tuple[str, str], newer: tuple[str, str]) -> Prediction | None:
    """The prediction for two engines, each a name and a version; None if the rules of one are not known.

    Of one engine, the older version comes first; of two, Spark.
    """
    if older[0] not in ENGINES or newer[0] not in ENGINES:
        return None
    before, after = (rules_of(*engine) for engine in (older, newer))
    if older[0] != newer[0]:
        return Prediction(before, changes_to_delta_rs(before, after))
    listed = RULE_CHANGES if older[0] == "spark" else ()
    between = [change for change in listed if parse(older[1]) < parse(change.since) <= parse(newer[1])]
    differing = [one for one in between if getattr(before, one.field) != getattr(after, one.field)]
    return Prediction(before, differing)
