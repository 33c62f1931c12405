"""Which failures of a run are shrunk."""

from __future__ import annotations

from model.vocabulary.severity import Severity
from records.run import RecordedCase
from runner.run.claims import FOR_LOSS, MOST, Claims
from tests.builders.small_streams import violation
from tests.reports.test_failures import failing

LOSS, ANSWERS, NUMBERS = Severity.DATA_LOSS, Severity.WRONG_ANSWERS, Severity.WRONG_NUMBERS


def shrunk(clause: str, cause: str, *circumstances: str, excused: str | None = None) -> RecordedCase:
    return failing(1, violation(clause, cause=cause, circumstances=list(circumstances), excused=excused))


def test_each_cause_of_a_clause_is_shrunk_once() -> None:
    claims = Claims()
    assert claims.claim("VAC-SAFE-1", "deleted", LOSS, [])
    assert not claims.claim("VAC-SAFE-1", "deleted", LOSS, []), "another worker is at it"
    assert claims.claim("VAC-SAFE-1", "changed", LOSS, [])
    claims.shrunk(shrunk("VAC-SAFE-1", "deleted"))
    assert not claims.claim("VAC-SAFE-1", "deleted", LOSS, ["column mapping"]), "it is shown"


def test_other_circumstances_are_shrunk_again() -> None:
    claims = Claims()
    assert claims.claim("DEL-ROW-5B", "rows", ANSWERS, ["zeros of both signs"])
    claims.shrunk(shrunk("DEL-ROW-5B", "rows", "zeros of both signs"))
    assert not claims.claim("DEL-ROW-5B", "rows", ANSWERS, ["column mapping", "zeros of both signs"])
    assert claims.claim("DEL-ROW-5B", "rows", ANSWERS, ["column mapping"])


def test_what_a_shrunk_case_shows_of_other_clauses_is_not_shrunk_again() -> None:
    claims = Claims()
    claims.shrunk(shrunk("VAC-KEEP-1A", "deleted"))
    assert not claims.claim("VAC-KEEP-1A", "deleted", LOSS, [])
    claims.shrunk(shrunk("VAC-KEEP-1B", "deleted", excused="known"))
    assert claims.claim("VAC-KEEP-1B", "deleted", LOSS, []), "an excused violation shows nothing"


def test_a_run_shrinks_a_bounded_number_and_keeps_room_for_data_loss() -> None:
    claims = Claims()
    slight = [claims.claim(f"DEL-MET-{n}", "wrong", NUMBERS, []) for n in range(MOST)]
    grave = [claims.claim(f"VAC-SAFE-{n}", "deleted", LOSS, []) for n in range(MOST)]
    assert slight.count(True) == MOST - FOR_LOSS and grave.count(True) == FOR_LOSS


def test_a_clause_is_shrunk_three_times_at_most() -> None:
    claims = Claims()
    assert [claims.claim("VAC-SAFE-1", f"cause {n}", LOSS, []) for n in range(4)] == [True] * 3 + [False]
