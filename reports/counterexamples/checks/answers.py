"""Checks of what the command answers: its rows, or its error."""

from __future__ import annotations

from engines.dialect import quoted
from model.text.layout import ROOT
from records.expectations import Fails, Lists, Succeeds
from reports.counterexamples.checks.pieces import Check, made


def fails(expects: Fails) -> Check:
    conditions = list(expects.conditions)
    if not conditions:
        after = 'expected, found = "an error", "no error" if error is None else "an error"'
        return made("the command", after, "error")
    after = f"""documented = {conditions!r}
found = "no error" if error is None else str(condition(error))
expected = found if any(f"{{found}}.".startswith(f"{{name}}.") for name in documented) else " or ".join(documented)"""
    return made("the error class of the command", after, "error condition")


def succeeds(expects: Succeeds) -> Check:
    return made("the command", 'expected, found = "no error", "no error" if error is None else str(error)', "error")


_PATHS = """assert error is None, error
paths = [os.path.relpath(re.sub("^file:/*", "/", str(row[0])), ROOT) for row in answer]
"""
_PATHS_USE = "answer error os re"


def lists(expects: Lists) -> Check:
    if expects.path is None:
        after = f"""{_PATHS}expected = []
found = [path for path in paths if path == "." or path.startswith("../") or paths.count(path) > 1]
found += [row for row in answer if len(row) != 1]"""
        return made("rows that are not one path in the table, or are repeated", after, _PATHS_USE)
    path = quoted(expects.path, ROOT)
    if expects.alone:
        return made("the paths that the command returns", f"{_PATHS}expected, found = [{path}], paths", _PATHS_USE)
    after = f"""{_PATHS}path = {path}
found = "listed" if path in paths else "not listed"
expected = {'"listed"' if expects.listed else '"not listed"'}"""
    return made(None, after, _PATHS_USE)
