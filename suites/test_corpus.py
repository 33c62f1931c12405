"""The corpus: out of many thousands of drawn cases those that show most, so that few of them show all that the suite judges."""

from __future__ import annotations

from harness.campaigns.campaign import read_from
from harness.campaigns.corpus import corpus_cases
from model.vocabulary.case import Case


def _cases() -> tuple[Case, ...]:
    return corpus_cases("smoke") + corpus_cases("gate") + corpus_cases("functions")


#: Smoke judges the cases of ``corpus/smoke.jsonl``, the gate those of ``corpus/gate.jsonl`` too.
test_corpus = read_from("corpus", "DEL VAC READ LIFE CRASH CONC", _cases)
