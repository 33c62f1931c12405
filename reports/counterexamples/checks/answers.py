"""Checks of what the command answers: its rows, or its error."""

from __future__ import annotations

from engines.quoting import quoted
from model.text.layout import ROOT
from records.expectations import Fails, Lists, Succeeds
from reports.counterexamples.checks.pieces import Check, lines, none_of
from reports.counterexamples.runtime import compared


def fails(expects: Fails) -> Check:
    conditions = list(expects.conditions)
    if not conditions:
        return Check("the command", ('expected, found = "an error", "no error" if error is None else "an error"',))
    found = 'found = "no error" if error is None else str(condition(error))'
    listed = f"documented = {quoted(conditions)}"
    return Check("the error class of the command", (found, listed, *lines("expected", compared.condition_expected)))


def succeeds(expects: Succeeds) -> Check:
    return Check("the command", ('expected = "no error"', *lines("found", compared.success)))


def lists(expects: Lists) -> Check:
    paths = lines("paths", compared.listed)
    if expects.path is None:
        found = none_of(*lines("found", compared.not_one_path))
        return Check("rows that are not one path in the table, or are repeated", (*paths, *found))
    path = f"path = {quoted(expects.path, ROOT)}"
    if expects.alone:
        return Check("the paths that the command returns", (*paths, path, "expected, found = [path], paths"))
    expected = f"expected = {quoted('listed' if expects.listed else 'not listed')}"
    return Check(None, (*paths, path, expected, 'found = "listed" if path in paths else "not listed"'))
