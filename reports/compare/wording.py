"""Differences in words, for people. Nothing is decided by these texts."""

from __future__ import annotations

from collections.abc import Iterable

from reports.compare.differences import Difference

#: Of lists and amounts, by field.
_AMOUNTS = {
    "vanished": "deletes {} {} from storage",
    "changed_beside": "changes {} {} outside the table",
    "removed": "removes {} {}",
    "masked": "marks rows as deleted in {} {}",
    "added": "adds {} {}",
    "appeared": "writes {} {}",
    "changed": "writes {} rows of change files",
    "rows": "returns {} rows",
}
_MEMBERS = {
    "remove_fields": "remove fields",
    "add_fields": "add fields",
    "change_fields": "cdc fields",
    "places": "new files are in",
    "keys": "commitInfo",
    "last_vacuum.keys": "_last_vacuum_info",
}


def wording(found: Iterable[Difference]) -> list[str]:
    """A text for each difference; one for those that differ in a name only: ``metrics + a, b``."""
    names: dict[str, list[str]] = {}
    for difference in found:
        head, name = _parts(difference)
        names.setdefault(head, []).append(name)
    return [head + ", ".join(filter(None, tails)) for head, tails in names.items()]


def text_of(difference: Difference) -> str:
    """What differs: ``error none → DELTA_…``, ``deletes fewer files from storage``, ``metrics + numFiles``."""
    return "".join(_parts(difference))


def _parts(found: Difference) -> tuple[str, str]:
    """The text in two parts; differences with the same first part can share it."""
    part, _, name = found.field.partition(".")
    values = f"{found.base or 'none'} → {found.candidate or 'none'}"
    of_commit = f"{found.within.removeprefix('VACUUM ')}: " if found.within.startswith("VACUUM ") else ""
    if part == "error" and name:
        change = "different message" if found.amount else f"{name} {values}"
        return f"error {found.within}: {change}", ""
    if found.amount is not None:
        amount = found.amount.value
        if part == "checkpoints":
            return f"writes {amount} checkpoints", ""
        if part in ("parameters", "metrics"):
            return f"{of_commit}different value of the {part.removesuffix('s')} ", name
        if part == "rows" and found.paths:
            return f"lists {amount} {found.paths.value}", ""
        return _AMOUNTS[part].format(amount, found.paths.value if found.paths else found.within), ""
    if part == "values":
        return f"{of_commit}commitInfo.{name} {values}", ""
    if found.field in _MEMBERS or part in ("parameters", "metrics"):
        head = f"{of_commit}{_MEMBERS.get(found.field, part)}"
        return (f"{head} + ", found.candidate) if found.candidate else (f"{head} - ", found.base or "")
    return {
        "broken": f"the log: {values}",
        "case": values,
        "last_vacuum": f"_last_vacuum_info {values}",
        "operations": f"commits {values}",
    }.get(part, f"{part} {values}"), ""
