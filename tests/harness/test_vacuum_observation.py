"""What an engine answers to a VACUUM, as paths from the table's root."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engines.port import Outcome
from model.vocabulary.rules import DELTA_RS, SPARK, Rules
from model.vocabulary.steps import Vacuum
from tests.builders.observations import make, vacuum_observation
from tests.handmade.steps import PARTITIONED


@pytest.mark.parametrize(
    ("rules", "dry_run", "answer", "path"),
    [
        (DELTA_RS, False, "{root}/p=a%2Fb/f", "p=a%2Fb/f"),  # as it is on storage
        (DELTA_RS, False, "{root}/file:{root}/p=a%252Fb/f", "p=a%2Fb/f"),  # a URI, as the log has it
        (DELTA_RS, True, "file:{root}/p=a%252Fb/f", "p=a%2Fb/f"),
        (DELTA_RS, False, "{root}/file:{root}/p=100%/f", "p=100%/f"),  # no URI
        (SPARK, True, "file:{root}/p=a%2Fb/f", "p=a%2Fb/f"),  # never encoded
    ],
)
def test_paths_in_the_answer(rules: Rules, dry_run: bool, answer: str, path: str, tmp_path: Path) -> None:
    root = make(PARTITIONED, tmp_path)
    seen = vacuum_observation(PARTITIONED, root, Vacuum(dry_run=dry_run))
    seen = replace(seen, rules=rules, outcome=Outcome(((answer.format(root=root),),), None, 0, 0))
    assert (seen.listed if dry_run else seen.returned) == {path}
