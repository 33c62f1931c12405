"""A difference in words, for the views and for the entries by which a user accepts it."""

from __future__ import annotations

from collections.abc import Iterable

from reports.comparison.differences import Difference

#: Of lists and amounts, by field.
_AMOUNTS = {
    "vanished": "deletes {} files from storage",
    "changed_beside": "changes {} files outside the table",
    "removed": "removes {} files",
    "masked": "marks rows as deleted in {} files",
    "added": "writes {} rows of data files",
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


def named(difference: Difference) -> str:
    """``DELETE: metrics + numFiles``: its name in an entry of a user's file."""
    return f"{difference.grouped.command.text}: {text_of(difference)}"


def joined(differences: Iterable[Difference]) -> str:
    """Several differences of one command in one line. Those that differ in a name only share a text: ``metrics + a, b``."""
    names: dict[str, list[str]] = {}
    for difference in differences:
        head, name = _parts(difference)
        names.setdefault(head, []).append(name)
    return "; ".join(head + ", ".join(filter(None, tails)) for head, tails in names.items())


def text_of(difference: Difference) -> str:
    """``error none → DELTA_…``, ``deletes fewer files from storage``, ``metrics + numFiles``."""
    return "".join(_parts(difference))


def _parts(found: Difference) -> tuple[str, str]:
    """The text in two parts; differences with the same first part are joined."""
    part, name, within = found.field.part, found.field.name, found.field.within
    values = f"{found.base or 'none'} → {found.candidate or 'none'}"
    of_commit = f"{within.removeprefix('VACUUM ')}: " if within.startswith("VACUUM ") else ""
    if part == "error" and name:
        change = "different message" if found.amount else f"{name} {values}"
        return f"error {within}: {change}", ""
    if found.amount is not None:
        amount = found.amount.value
        if part == "checkpoints":
            return f"writes {amount} checkpoints", ""
        if part in ("parameters", "metrics"):
            return f"{of_commit}different value of the {part.removesuffix('s')} ", name
        if part == "rows" and found.command.kind == "vacuum":
            return f"lists {amount} files", ""
        return _AMOUNTS[part].format(amount, within), ""
    if part == "values":
        return f"{of_commit}commitInfo.{name} {values}", ""
    if found.field.path in _MEMBERS or part in ("parameters", "metrics"):
        head = f"{of_commit}{_MEMBERS.get(found.field.path, part)}"
        return (f"{head} + ", found.candidate) if found.candidate else (f"{head} - ", found.base or "")
    return {
        "broken": f"the log: {values}",
        "case": values,
        "last_vacuum": f"_last_vacuum_info {values}",
        "operations": f"commits {values}",
    }.get(part, f"{part} {values}"), ""
