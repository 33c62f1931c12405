"""What the clauses share in judging commands that must be refused."""

from __future__ import annotations

from harness import evidence
from harness.clause import Violation
from harness.expectations import Fails, NothingChanged
from harness.observation import Observation
from model.refusals import Refusal


def misanswered(command: str, observation: Observation, due: Refusal) -> Violation | None:
    """What is wrong with the answer to a ``command`` ("DELETE", "VACUUM") that must be refused as ``due``.

    An engine whose errors have no classes must refuse it all the same, with any error.
    """
    error, classes = observation.outcome.error, observation.rules.error_classes
    expectation = Fails(sorted(due.conditions) if classes else ())
    wanted = _named(sorted(due.conditions), sorted(due.sqlstates)) if classes else "an error"
    if error is None:
        return Violation("step", f"The {command} must be refused with {wanted}; it was carried out.", expectation)
    if classes and not due.is_matched_by(error.condition, error.sqlstate):
        found = _named([error.condition or error.exception], [error.sqlstate] if error.sqlstate else [])
        message = f"The {command} must be refused with {wanted}; it was with {found}."
        return Violation("step", message, expectation, evidence.of_answer(observation))
    return None


def changed(command: str, observation: Observation) -> Violation | None:
    """What a refused ``command`` changed: it must leave the table as it was, and all that lies beside it."""
    paths = evidence.changes(observation.before, observation.after)
    message = f"The refused {command} changed {', '.join(paths)}."
    return Violation(paths[0], message, NothingChanged()) if paths else None


def _named(conditions: list[str], sqlstates: list[str]) -> str:
    return f"{' or '.join(conditions) or 'an error'} ({' or '.join(sqlstates) or 'no SQLSTATE'})"
