"""``python -m selfcheck.corpus.tables``: writes what the tables of the corpus have to ``corpus/tables.json``.

They are those of the cases as they are, and as they are judged on the newest release of each engine. The file saves a run with
``--like`` half a minute and decides nothing: a table that is not in it is read.
"""

from __future__ import annotations

import sys

from engines.provider import ENGINES, kind_of
from engines.versions import judged_of
from harness.campaigns.corpus import corpus_cases
from harness.campaigns.drawing import kept_cases
from harness.tables.case_shape import keep
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.table import Table
from suites.campaigns import CORPUS, FILES, REGRESSIONS


def tables() -> list[Table]:
    """Each once, in the order of the corpus."""
    cases = tuple(case for name in FILES for case in corpus_cases(name))
    newest = [kind_of(name).capabilities_of(judged_of(name)[-1]) for name in ENGINES]
    found = [
        case.table
        for capabilities in (EVERYTHING, *newest)
        for campaign in (CORPUS.of(cases), REGRESSIONS)
        for case in kept_cases(campaign, capabilities)
    ]
    return list(dict.fromkeys(found))


def main() -> int:
    keep(tables())
    return 0


if __name__ == "__main__":
    sys.exit(main())
