"""Judges the cases of a batch, and shrinks those that break a clause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import hypothesis
from hypothesis import given
from hypothesis.stateful import run_state_machine_as_test

from harness.campaigns.campaign import Batch, Profile
from harness.campaigns.drawing import Choice, broken, fixed_cases, search_settings
from harness.campaigns.machine import Judging, JudgingAtEnd, ProgramMachine
from harness.campaigns.record import case_record
from harness.campaigns.shrinking import reduce, truncated
from harness.running.judge import CaseJudge, Judge, JudgedCase, severity_of
from model.codec import case_id, dumps
from model.vocabulary.capabilities import EVERYTHING, Capabilities
from model.vocabulary.case import Case
from model.vocabulary.severity import Severity
from records import run
from records.run import RecordedViolation
from strategies.restriction.capabilities import fits, restricted_cases


class BatchRunner:
    """Every judged case goes to ``emit`` as a record of the run.

    ``claim`` returns whether a case is to be shrunk for a clause, a cause and the circumstances: whether none that was shrunk
    shows the same already. ``choice``: what chooses among the cases that are drawn; ``prepared``: makes of one what is judged.
    """

    def __init__(
        self,
        batch: Batch,
        judge: CaseJudge,
        *,
        emit: Callable[[run.RecordedCase], None],
        claim: Callable[[str, str, Severity, Sequence[str]], bool],
        capabilities: Capabilities = EVERYTHING,
        choice: Choice | None = None,
        prepared: Callable[[Case], Case] = lambda case: case,
    ) -> None:
        self._batch = batch
        self._judge = judge
        self._emit_record = emit
        self._claim = claim
        self._capabilities = capabilities
        self._choice = choice
        self._prepared = prepared
        self._index = 0
        self._tried: dict[Case, JudgedCase] = {}  # while shrinking: what breaks several clauses is often the same case

    def run(self, *, profile: Profile, seed: int, database: Path) -> None:
        """Judge the batch's cases, with the run's ``seed``. Raises PromiseBroken for the gravest broken clause.

        Cases from files, those of a fixed profile, and those that a ``choice`` makes are all judged; then failing ones are
        shrunk by ``harness.campaigns.shrinking``. Otherwise Hypothesis stops at the first that fails, shrinks it, and stores it
        in its database.
        """
        campaign = self._batch.campaign
        if profile.fixed or campaign.kept is not None or self._choice is not None:
            self._judge_all(fixed_cases(self._batch, seed, self._capabilities, self._choice), profile.tries)
        elif campaign.machine is not None:
            self._explore(campaign.machine, seed, database)
        else:
            self._search(seed, database)

    def _judge_all(self, cases: Iterable[Case], tries: int) -> None:
        failing: list[JudgedCase] = []
        for case in map(self._prepared, cases):
            judged = self._judge.judge(case)
            self._emit(judged, "generated")
            if judged.failed:
                failing.append(judged)
        found = [(wrong, judged) for judged in failing for wrong in judged.wrong]
        found.sort(key=lambda pair: (severity_of(pair[0]).rank, size(pair[1].case)))
        for wrong, judged in found:
            if self._claim(*wrong.kind, severity_of(wrong), wrong.circumstances):
                self._reduce(wrong, judged, tries)
        if found:
            wrong, judged = found[0]
            raise broken(wrong.clause)(message(wrong, judged))

    def _reduce(self, wrong: RecordedViolation, failing: JudgedCase, tries: int) -> None:
        found = self._tried

        def fails(case: Case) -> bool:
            if case not in found:
                found[case] = self._judge.judge(case)
            return has_kind(found[case], wrong.kind)

        last = max(step.index for step in failing.steps)
        supported = partial(fits, capabilities=self._capabilities)
        smallest = reduce(truncated(failing.case, last), fails, tries=tries, fits=supported)
        if smallest == failing.case:
            self._emit(failing, "shrunk")
        elif smallest in found or fails(smallest):
            self._emit(found[smallest], "shrunk")

    def _search(self, seed: int, database: Path) -> None:
        shrinking = Shrinking()

        @hypothesis.seed(self._batch.seed(seed))
        @search_settings(self._batch, database)
        @given(restricted_cases(self._batch.campaign.cases, capabilities=self._capabilities))
        def judged(case: Case) -> None:
            found = self._judge.judge(self._prepared(case))
            if shrinking.first is None:
                self._emit(found, "generated")
            shrinking.check(found)

        self._run(shrinking, judged)

    def _explore(self, machine: type[ProgramMachine], seed: int, database: Path) -> None:
        """Run the state machine. Its cases are judged step by step while it draws them, if the engine's clock can be set."""
        shrinking = Shrinking()

        def ended(judged: JudgedCase) -> None:
            if shrinking.first is None or judged == shrinking.first:
                self._emit(judged, "generated")

        @hypothesis.seed(self._batch.seed(seed))
        def make() -> ProgramMachine:
            return machine(self._follower(shrinking.check, ended), self._capabilities)

        chosen = search_settings(self._batch, database)
        self._run(shrinking, lambda: run_state_machine_as_test(make, settings=chosen))  # type: ignore[arg-type] # a factory will do

    def _follower(
        self, broken: Callable[[JudgedCase], None], ended: Callable[[JudgedCase], None]
    ) -> Judging | JudgingAtEnd:
        if self._capabilities.sets_clock and isinstance(self._judge, Judge):
            return Judging(self._judge, broken, ended)
        return JudgingAtEnd(self._judge, self._capabilities, broken, ended)

    def _run(self, shrinking: Shrinking, search: Callable[[], object]) -> None:
        try:
            search()
        finally:
            if shrinking.smallest is not None:
                self._emit(shrinking.smallest, "shrunk")

    def _emit(self, judged: JudgedCase, origin: str) -> None:
        batch = self._batch
        name, number = batch.campaign.name, batch.number
        self._emit_record(case_record(judged, campaign=name, batch=number, index=self._index, origin=origin))
        self._index += 1


class Shrinking:
    """The first failing case of a search, and the smallest that breaks the same clause by the same cause."""

    def __init__(self) -> None:
        self.first: JudgedCase | None = None
        self.smallest: JudgedCase | None = None
        self._wrong: RecordedViolation | None = None  # the gravest of the first case

    def check(self, judged: JudgedCase) -> None:
        """Raises PromiseBroken for the first case that fails, and then for each that breaks the same clause by the same cause.

        All are raised on one line: for Hypothesis, an exception from another line is another failure.
        """
        if self.first is None and judged.failed:
            self.first, self._wrong = judged, judged.wrong[0]
        elif self._wrong is None or not has_kind(judged, self._wrong.kind):
            return
        elif self.smallest is None or size(judged.case) <= size(self.smallest.case):
            self.smallest = judged
        found = next(wrong for wrong in judged.wrong if wrong.kind == self._wrong.kind)
        raise broken(found.clause)(message(found, judged))


def has_kind(judged: JudgedCase, kind: tuple[str, str]) -> bool:
    """Whether the case breaks this clause by this cause, unexcused."""
    return any(wrong.kind == kind for wrong in judged.wrong)


def message(wrong: RecordedViolation, judged: JudgedCase) -> str:
    """The message of a failing test: the clause, the severity, the violation, and the other clauses that the case breaks."""
    others = [id for id in judged.failed if id != wrong.clause]
    more = f", which also breaks {', '.join(others)}" if others else ""
    return f"{wrong.clause} ({severity_of(wrong).value}): {wrong.message} (case {case_id(judged.case)}{more})"


def size(case: Case) -> tuple[int, int]:
    """The size that shrinking minimises: the number of steps, then the length of the JSON."""
    return len(case.steps), len(dumps(case))
