"""A campaign: one test of the suite with the source of its cases, run in batches.

``cases_from`` (a strategy), ``read_from`` (files) and ``explored_by`` (a state machine) make the test of a campaign.
``suites.campaigns`` lists them all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from harness.campaigns.machine import ProgramMachine
from model.vocabulary.case import Case
from model.vocabulary.predicate import Language

#: The pytest marker that holds a test's campaign.
MARKER = "campaign"


@dataclass(frozen=True)
class Campaign:
    name: str
    chapters: tuple[str, ...]  # "DEL", "VAC": the chapters whose clauses its cases exercise
    cases: SearchStrategy[Case] = field(default_factory=st.nothing)
    weight: int = 0  # its cases in a thousand or so that are drawn
    kept: Callable[[], tuple[Case, ...]] | None = None  # reads its cases from files
    machine: type[ProgramMachine] | None = None  # draws its steps one by one
    language: Language | None = None  # of the texts in its cases: it is only for engines that speak it

    def of(self, cases: tuple[Case, ...]) -> Campaign:
        """This campaign with these of its kept cases."""
        return replace(self, kept=lambda: cases)


@dataclass(frozen=True)
class Batch:
    """Some cases of a campaign with a seed of their own: one test item."""

    campaign: Campaign
    number: int
    cases: int

    @property
    def name(self) -> str:
        return f"{self.campaign.name}-{self.number}"

    def seed(self, run: int) -> int:
        """The seed of this batch in a run with the seed ``run``: it depends on nothing else."""
        text = f"{run}:{self.campaign.name}:{self.number}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True)
class Profile:
    """A budget. ``cases`` is the number to draw for each campaign; a fixed profile judges the same cases in each run."""

    name: str
    cases: Mapping[str, int]
    fixed: bool
    batch: int  # cases in one test item: the unit that pytest-xdist hands to a worker
    tries: int = 0  # runs of the engine to shrink a failing case that Hypothesis does not shrink
    corpus: tuple[str, ...] = ()  # the files of ``corpus/`` that it judges (harness.campaigns.corpus)
    large: bool = False  # whether it judges the cases on large tables in the place of a corpus
    budget_share: float = 1  # of the corpus, by the seconds that its cases take: the first cases show most
    regressions: bool = True  # whether it judges the regression cases
    without: frozenset[str] = frozenset()  # the folders of ``regressions/`` that it leaves out
    nearby: tuple[str, ...] = ()  # other files of ``corpus/``: it judges their cases most like the user's tables
    nearby_share: float = 0.2  # how long these take, as a part of its own corpus

    def scaled(self, factor: float) -> Profile:
        """The profile with that part of its corpus (all of it from 1 on), or with that many times the cases of a random profile.

        A random profile draws at least one case of each campaign.
        """
        if self.fixed:
            return replace(self, budget_share=min(1.0, factor))
        return replace(self, cases={name: max(1, round(count * factor)) for name, count in self.cases.items()})


class Worker(Protocol):
    """Judges cases on the engine of the command line, by every clause that applies (runner.run.worker)."""

    def judge(self, batch: Batch) -> None:
        """Judge the cases of a batch. Raises harness.campaigns.drawing.PromiseBroken."""
        ...

    def replay(self) -> None:
        """Judge the case of ``--replay``. Raises harness.campaigns.drawing.PromiseBroken."""
        ...


CampaignTest = Callable[[Batch, Worker], None]


def cases_from(
    name: str, chapters: str, weight: int, strategy: SearchStrategy[Case], *, language: Language | None = None
) -> CampaignTest:
    """A test of drawn cases. The profiles draw numbers of cases in proportion to the ``weight``."""
    return _test(name, chapters, cases=strategy, weight=weight, language=language)


def read_from(name: str, chapters: str, read: Callable[[], tuple[Case, ...]]) -> CampaignTest:
    """A test of cases that are read, not drawn."""
    return _test(name, chapters, kept=read)


def explored_by(name: str, chapters: str, weight: int, machine: type[ProgramMachine]) -> CampaignTest:
    """A test whose steps a state machine draws one by one: as many runs as a strategy of this weight has cases."""
    return _test(name, chapters, machine=machine, weight=weight)


def _test(name: str, chapters: str, **fields: Any) -> CampaignTest:
    """``chapters``: those whose clauses the cases exercise, separated by spaces."""

    def judge(batch: Batch, worker: Worker) -> None:
        worker.judge(batch)

    marked: CampaignTest = getattr(pytest.mark, MARKER)(Campaign(name, tuple(chapters.split()), **fields))(judge)
    return marked


def campaign_of(test: object) -> Campaign | None:
    """The campaign of a test function; None of anything else."""
    for mark in getattr(test, "pytestmark", ()):
        if mark.name == MARKER:
            campaign: Campaign = mark.args[0]
            return campaign
    return None
