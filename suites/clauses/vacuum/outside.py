"""VAC-SAFE-7: a VACUUM touches nothing outside the table's root.

docs/sources.md says what the sources are.
"""

from __future__ import annotations

from collections.abc import Iterable

from deltalog.listing import EntryKind
from harness import evidence
from harness.clause import Judgement, Violation, clause, each
from harness.expectations import Unchanged, about
from harness.vacuum_observation import VacuumObservation
from model.table import Reference
from model.vacuum import Reason
from suites.clauses.vacuum.fates import as_before, beside_links, must_keep, with_reason


def _must_stay_beside(v: VacuumObservation, paths: Iterable[str], why: str) -> Judgement:
    """Judge that each of these paths beside the root is as before. A run that was dry or refused does not count."""

    def problem(path: str) -> Violation | None:
        after = v.after.beside.get(path)
        if as_before(v.before.beside[path], after):
            return None
        how = "deleted" if after is None else "changed"
        expectation = about(path, Unchanged(path))
        return Violation(
            path, f"VACUUM {how} {path}, outside of the table: {why}.", expectation, evidence.of_path(v, path)
        )

    judged = each(sorted(paths), problem)
    return judged if v.ran else Judgement(0, judged.violations)


@clause(
    "VAC-SAFE-7A",
    "VACUUM deletes, changes and adds nothing beside the root: sibling directories whose names begin like the table's, other tables, targets of links.",
    of=VacuumObservation,
    sources=("P Add File and Remove File", "C 1.2"),
)
def siblings(v: VacuumObservation) -> Judgement:
    """Of files that the log names VAC-SAFE-7B speaks, of what is behind a link to a directory VAC-SAFE-7C."""
    others = v.before.beside.keys() - v.outside - beside_links(v)
    judged = _must_stay_beside(v, others, "it is no part of it")
    new = sorted(v.after.beside.keys() - v.before.beside.keys())
    wrote = tuple(
        Violation(path, f"VACUUM wrote {path}, outside of the table.", about(path, Unchanged(path))) for path in new
    )
    return Judgement(judged.subjects, (*judged.violations, *wrote))


@clause(
    "VAC-SAFE-7B",
    "VACUUM leaves data files outside the root that the log names by their URI, live or removed long ago.",
    of=VacuumObservation,
    sources=("P Add File and Remove File", "C 1.2"),
    needs=(Reference.OUTSIDE,),
)
def files_outside(v: VacuumObservation) -> Judgement:
    named = [path for path in v.before.beside if path in v.outside and path not in beside_links(v)]
    return _must_stay_beside(v, named, "the log names it by its URI, and it may be another table's")


@clause(
    "VAC-SAFE-7C",
    "VACUUM deletes nothing that lies behind a symbolic link to a directory, be it live files of the table's own or what is outside of it.",
    of=VacuumObservation,
    sources=("C 1.2", "P Add File and Remove File"),
)
def behind_directory_links(v: VacuumObservation) -> Judgement:
    inside = must_keep(v, with_reason(v, Reason.BEHIND_LINK))
    files = [path for path in beside_links(v) if v.before.beside[path].kind is not EntryKind.DIRECTORY]
    outside = _must_stay_beside(v, files, "a symbolic link of the table leads to its directory")
    return Judgement(inside.subjects + outside.subjects, inside.violations + outside.violations)
