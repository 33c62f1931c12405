"""Faults of VACUUM: which paths it takes for the table's, for hidden, for referenced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from selfcheck.faults.fault import fault
from selfcheck.faults.runs import ran
from selfcheck.faults.tampering import Tampering, encoded
from engines.port import Outcome
from model.rules import Walk
from model.steps import Vacuum
from model.vacuum import LOG_DIRECTORY, is_hidden

# Names that are hidden, and names that are not ---------------------------------------------------------------------


def _old_strays(t: Tampering) -> list[str]:
    """The old files that no action refers to, hidden ones too."""
    known = {*t.live, *t.tombstones, *t.live_vectors, *t.vector_tombstones}
    return [path for path in t.files() if path not in known and t.modified(path) < t.cutoff]


def _hides(t: Tampering, hidden: Callable[[str], bool]) -> None:
    """Bring back what the step deleted and whose path has such a name."""
    if ran(t):
        t.restore_all(path for path in t.things if any(hidden(name) for name in path.split("/")))


@fault(
    "hides-any-underscore",
    "VACUUM takes every name that holds an underscore for hidden.",
    on=Vacuum,
    caught_by="VAC-LIVE-2",
)
def any_underscore(t: Tampering) -> Outcome | None:
    _hides(t, lambda name: "_" in name and not name.startswith("_"))
    return None


@fault("hides-metadata", "VACUUM takes what is named metadata for hidden.", on=Vacuum, caught_by="VAC-LIVE-2")
def metadata(t: Tampering) -> Outcome | None:
    _hides(t, lambda name: name == "metadata")
    return None


@fault(
    "shows-dot-names", "VACUUM does not take names with a dot in front for hidden.", on=Vacuum, caught_by="VAC-SAFE-4"
)
def dot_names(t: Tampering) -> Outcome | None:
    for path in _old_strays(t) if ran(t) else []:
        if not any(name.startswith("_") and is_hidden(name, t.partition_by) for name in path.split("/")):
            t.delete(path)
    return None


@fault(
    "hides-by-the-first-name",
    "VACUUM looks only at the first part of a path to see whether it is hidden.",
    on=Vacuum,
    caught_by="VAC-SAFE-4 VAC-SAFE-4B",
    rules={"walk": Walk.DIRECTORIES},
)
def by_the_first_name(t: Tampering) -> Outcome | None:
    for path in _old_strays(t) if ran(t) else []:
        if not is_hidden(path.split("/")[0], t.partition_by):
            t.delete(path)
    return None


@fault(
    "hides-by-the-last-name",
    "VACUUM looks only at a file's own name to see whether it is hidden: what lies in a hidden directory goes.",
    on=Vacuum,
    caught_by="VAC-SAFE-4",
)
def by_the_last_name(t: Tampering) -> Outcome | None:
    for path in _old_strays(t) if ran(t) else []:
        if not is_hidden(path.rpartition("/")[2], t.partition_by):
            t.delete(path)
    return None


@fault(
    "deletes-hidden-directories",
    "VACUUM deletes an empty directory whose name is hidden.",
    on=Vacuum,
    caught_by="VAC-SAFE-4",
)
def hidden_directories(t: Tampering) -> Outcome | None:
    for path in t.directories() if ran(t) else []:
        if t.hidden(path) and not any((t.root / path).iterdir()):
            (t.root / path).rmdir()
    return None


# Names that the log writes encoded ---------------------------------------------------------------------------------


def _is_plain(path: str) -> bool:
    return encoded(path) == path


@fault(
    "takes-encoded-names-for-orphans",
    "VACUUM compares paths as the log has them, encoded, with those on storage: live files with a space or % go.",
    on=Vacuum,
    caught_by="VAC-SAFE-1",
)
def encoded_live(t: Tampering) -> Outcome | None:
    for path in t.live if ran(t) else []:
        if not _is_plain(path) and t.ever(path) and t.modified(path) < t.cutoff:
            t.delete(path)
    return None


@fault(
    "cannot-delete-encoded-names",
    "VACUUM tries to delete paths as they are encoded: what has a space or % in its name stays.",
    on=Vacuum,
    caught_by="VAC-LIVE-2",
)
def encoded_orphans(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_all(path for path in t.files() if not _is_plain(path))
    return None


@fault(
    "decodes-names-twice",
    "VACUUM decodes the paths that it lists: an orphan whose own name is url-encoded stays.",
    on=Vacuum,
    caught_by="VAC-LIVE-2",
)
def decoded_twice(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_all(path for path in t.files() if "%" in path)
    return None


# What the log names by URI, and what lies elsewhere -----------------------------------------------------------------


@fault(
    "vacuums-live-by-uri",
    "VACUUM deletes a live file that the log names by its URI, though it lies inside the root.",
    on=Vacuum,
    caught_by="VAC-SAFE-1B",
)
def live_by_uri(t: Tampering) -> Outcome | None:
    for path, add in t.live.items() if ran(t) else []:
        if add["path"].startswith(("file:", "/")):
            t.delete(path)
    return None


@fault(
    "takes-siblings-for-its-own",
    "VACUUM compares roots as texts: it deletes from a directory beside whose name begins with its own.",
    on=Vacuum,
    caught_by="VAC-SAFE-7A",
)
def siblings(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path in t.beside() if path.startswith(f"../{t.root.name}"))
    return None


@fault("vacuums-beside-the-root", "VACUUM deletes a file beside the root.", on=Vacuum, caught_by="VAC-SAFE-7A")
def beside(t: Tampering) -> Outcome | None:
    if ran(t):
        t.delete_first(path for path in t.beside() if path not in t.outside)
    return None


@fault(
    "vacuums-files-outside",
    "VACUUM deletes the files outside the root that its log names, live or removed.",
    on=Vacuum,
    caught_by="VAC-SAFE-7B",
)
def outside(t: Tampering) -> Outcome | None:
    for path in t.outside if ran(t) else []:
        t.delete(path)
    return None


@fault(
    "vacuums-expired-files-outside",
    "VACUUM deletes files outside the root whose tombstones are expired.",
    on=Vacuum,
    caught_by="VAC-SAFE-7B",
)
def expired_outside(t: Tampering) -> Outcome | None:
    live = {path for path, _ in t.state.adds}
    for (path, _), remove in t.state.removes.items() if ran(t) else []:
        if path.startswith("../") and path not in live and (remove.get("deletionTimestamp") or 0) < t.cutoff:
            t.delete(path)
    return None


def _behind_links(t: Tampering) -> list[Path]:
    """The old visible files below the directories to which visible links lead; only what belongs to the case, and no log."""
    found, case = [], t.root.parent.resolve()
    for link, kind in t.things.items():
        target = (t.root / link).resolve()
        if kind != "link" or t.hidden(link) or not target.is_dir() or case not in target.parents:
            continue
        if LOG_DIRECTORY in target.relative_to(case).parts:
            continue
        for directory, names, files in os.walk(target):
            names[:] = [name for name in names if not is_hidden(name, t.partition_by)]
            found += [Path(directory) / name for name in files if not is_hidden(name, t.partition_by)]
    return [path for path in sorted(found) if path.is_file() and path.stat().st_mtime_ns // 1_000_000 < t.cutoff]


@fault(
    "follows-links",
    "VACUUM follows a symbolic link to a directory and deletes the old files that it finds there.",
    on=Vacuum,
    caught_by="VAC-SAFE-7C",
)
def follows_links(t: Tampering) -> Outcome | None:
    for path in _behind_links(t) if ran(t) else []:
        path.unlink(missing_ok=True)
    return None


# Files of deletion vectors, and change files ------------------------------------------------------------------------


@fault(
    "forgets-live-vectors",
    "VACUUM takes the files of live deletion vectors for unreferenced.",
    on=Vacuum,
    caught_by="VAC-SAFE-8A",
)
def live_vectors(t: Tampering) -> Outcome | None:
    for path in sorted(t.live_vectors) if ran(t) else []:
        if t.ever(path) and t.modified(path) < t.cutoff:
            t.delete(path)
    return None


@fault(
    "forgets-retained-vectors",
    "VACUUM takes the deletion vectors of removed files for unreferenced, though the removal is inside retention.",
    on=Vacuum,
    caught_by="VAC-SAFE-8B",
)
def retained_vectors(t: Tampering) -> Outcome | None:
    for path in sorted(t.vector_tombstones) if ran(t) else []:
        if t.ever(path) and t.modified(path) < t.cutoff:
            t.delete(path)
    return None


@fault(
    "forgets-absolute-vectors",
    "VACUUM takes deletion vectors inside the root that are named by absolute path for unreferenced, old or not.",
    on=Vacuum,
    caught_by="VAC-SAFE-8C",
)
def absolute_vectors(t: Tampering) -> Outcome | None:
    named = [action.get("deletionVector") for action in (*t.state.adds.values(), *t.state.removes.values())]
    for vector in named if ran(t) else []:
        if vector is not None and vector["storageType"] == "p":
            t.delete(t.vector(vector) or "")
    return None


@fault(
    "fails-at-inline-vectors",
    "VACUUM fails on a table that has a deletion vector in its log, and not in a file.",
    on=Vacuum,
    caught_by="VAC-LIVE-6",
)
def inline_vectors(t: Tampering) -> Outcome | None:
    actions = (*t.state.adds.values(), *t.state.removes.values())
    inline = any(action.get("deletionVector", {}).get("storageType") == "i" for action in actions)
    return t.refuse(None) if inline and t.outcome.error is None else None


@fault("keeps-orphan-vectors", "VACUUM leaves old files of deletion vectors.", on=Vacuum, caught_by="VAC-LIVE-5")
def orphan_vectors(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_all(path for path in t.files() if Path(path).match("deletion_vector_*.bin"))
    return None


@fault(
    "vacuums-young-change-files",
    "VACUUM deletes change files that are inside retention.",
    on=Vacuum,
    caught_by="VAC-SAFE-9",
)
def young_change_files(t: Tampering) -> Outcome | None:
    for path in t.files() if ran(t) else []:
        if path.startswith("_change_data/"):
            t.delete(path)
    return None


# Directories --------------------------------------------------------------------------------------------------------


@fault(
    "keeps-young-directories",
    "VACUUM goes by the age of an empty directory: a young one stays.",
    on=Vacuum,
    caught_by="VAC-LIVE-3",
)
def young_directories(t: Tampering) -> Outcome | None:
    if ran(t):
        t.restore_all(path for path in t.directories() if t.modified(path) >= t.cutoff)
    return None


@fault(
    "vacuums-the-removed-and-young",
    "VACUUM goes by a tombstone's age alone: a file that is itself younger than retention goes too.",
    on=Vacuum,
    caught_by="VAC-SAFE-3",
    rules={"walk": Walk.DIRECTORIES},
)
def by_tombstone_age(t: Tampering) -> Outcome | None:
    for path, deleted in t.tombstones.items() if ran(t) else []:
        if deleted < t.cutoff:
            t.delete(path)
    return None
