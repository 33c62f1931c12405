"""Faults of VACUUM: which paths it treats as the table's, as hidden, as referenced."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from faults.machinery import actions, files
from faults.machinery.fault import vacuum_fault, when
from faults.machinery.runs import full_run_fault
from faults.machinery.tampering import Tampering
from faults.vacuum.modes import delete_empty
from model.prediction.paths import LOG_DIRECTORY, is_hidden
from model.vocabulary.rules import Walk
from model.vocabulary.spellings import Spelling
from model.vocabulary.table_roots import TableRoot

#: Spellings of the root's path that a comparison of strings does not find in a listing.
_NOT_NORMAL = (Spelling.PARENT, Spelling.FILE, Spelling.FILE_HOST, Spelling.FILE_PARENT)


def _named(matches: Callable[[str], bool]) -> files.ChosenPaths:
    """The paths that contain such a name."""
    return lambda t: [path for path in t.disk.kinds if any(matches(name) for name in path.split("/"))]


def _unknown(visible: Callable[[Tampering, str], bool]) -> files.ChosenPaths:
    """The files that no action refers to and that would be visible by this rule."""
    return lambda t: [path for path in files.unknown(t) if visible(t, path)]


def _without_hidden_underscores(t: Tampering, path: str) -> bool:
    return not any(name.startswith("_") and is_hidden(name, t.log.partition_by) for name in path.split("/"))


def _hidden_directories(t: Tampering) -> list[str]:
    return [path for path in t.disk.directories if t.hidden(path)]


def _is_encoded(path: str) -> bool:
    """Whether a path is encoded in the log."""
    return actions.encoded(path) != path


def _live_by_uri(t: Tampering) -> list[str]:
    return [path for path, add in t.log.live.items() if add["path"].startswith(("file:", "/"))]


def _expired_outside(t: Tampering) -> list[str]:
    removes = t.log.state.removes.values()
    expired = {t.log.file(remove) for remove in removes if (remove.deletion_timestamp or 0) < t.cutoff}
    return sorted(expired.intersection(t.log.outside).difference(map(t.log.file, t.log.state.adds.values())))


def _delete_behind_links(t: Tampering) -> None:
    """Delete the old visible files in the targets of visible links, within the case's directory but in no log."""
    case = t.root.parent.resolve()
    for link, kind in t.disk.kinds.items():
        target = (t.root / link).resolve()
        if kind != "link" or t.hidden(link) or not target.is_dir() or case not in target.parents:
            continue
        if LOG_DIRECTORY in target.relative_to(case).parts:
            continue
        for directory, names, found in os.walk(target):
            names[:] = [name for name in names if not is_hidden(name, t.log.partition_by)]
            for path in (Path(directory) / name for name in found if not is_hidden(name, t.log.partition_by)):
                if path.is_file() and path.stat().st_mtime_ns // 1_000_000 < t.cutoff:
                    path.unlink()


def _links_to_files(t: Tampering) -> list[str]:
    return [path for path, kind in t.disk.kinds.items() if kind == "link" and (t.root / path).is_file()]


def _absolute_vectors(t: Tampering) -> list[str]:
    absolute = [one for one in t.log.references if one.deletion_vector and one.deletion_vector.storage == "p"]
    return [path for path in map(t.log.vector_file, absolute) if path]


def _has_inline_vector(t: Tampering) -> bool:
    return any(one.deletion_vector and one.deletion_vector.storage == "i" for one in t.log.references)


# fmt: off
FAULTS = (
    # Names that are hidden, and names that are not
    full_run_fault("hides-any-underscore", "VAC-LIVE-2",
        files.restore_all(_named(lambda name: "_" in name and not name.startswith("_"))),
        "VACUUM treats every name with an underscore as hidden."),
    full_run_fault("hides-metadata", "VAC-LIVE-2", files.restore_all(_named(lambda name: name == "metadata")),
        "VACUUM treats the name metadata as hidden."),
    full_run_fault("shows-dot-names", "VAC-SAFE-4", files.delete_old(_unknown(_without_hidden_underscores)),
        "VACUUM does not treat names that begin with a dot as hidden."),
    full_run_fault("hides-by-the-first-name", "VAC-SAFE-4 VAC-SAFE-4B",
        files.delete_old(_unknown(lambda t, path: not is_hidden(path.split("/")[0], t.log.partition_by))),
        "VACUUM uses only the first part of a path to see whether it is hidden.", rules={"walk": Walk.DIRECTORIES}),
    full_run_fault("hides-by-the-last-name", "VAC-SAFE-4",
        files.delete_old(_unknown(lambda t, path: not is_hidden(path.split("/")[-1], t.log.partition_by))),
        "VACUUM uses only a file's own name to see whether it is hidden: it deletes from hidden directories."),
    full_run_fault("deletes-hidden-directories", "VAC-SAFE-4", delete_empty(_hidden_directories),
        "VACUUM deletes an empty directory whose name is hidden.", needs=["directories"]),
    # Names that the log writes encoded
    full_run_fault("takes-encoded-names-for-orphans", "VAC-SAFE-1",
        files.delete_old(lambda t: [path for path in files.live(t) if _is_encoded(path)]),
        "VACUUM compares encoded paths of the log with those on storage: it deletes live files with a space or %."),
    full_run_fault("cannot-delete-encoded-names", "VAC-LIVE-2",
        files.restore_all(lambda t: [path for path in t.disk.files if _is_encoded(path)]),
        "VACUUM deletes by encoded path: files with a space or % in their path are kept."),
    full_run_fault("decodes-names-twice", "VAC-LIVE-2",
        files.restore_all(lambda t: [path for path in t.disk.files if "%" in path]),
        "VACUUM decodes the paths that it lists: an orphan whose own name is url-encoded is kept."),
    # Files that the log refers to by URI, and files elsewhere
    full_run_fault("vacuums-live-by-uri", "VAC-SAFE-1B", files.delete_all(_live_by_uri),
        "VACUUM deletes a live file inside the root that the log refers to by URI."),
    full_run_fault("takes-siblings-for-its-own", "VAC-SAFE-7A",
        files.delete_first(lambda t: [path for path in t.disk.beside if path.startswith(f"../{t.root.name}")]),
        "VACUUM compares paths as strings: it deletes from a sibling directory whose name starts with the table's."),
    full_run_fault("vacuums-beside-the-root", "VAC-SAFE-7A",
        files.delete_first(lambda t: [path for path in t.disk.beside if path not in t.log.outside]),
        "VACUUM deletes a file beside the root."),
    full_run_fault("vacuums-files-outside", "VAC-SAFE-7B", files.delete_all(lambda t: t.log.outside),
        "VACUUM deletes the files outside the root that its log refers to, live or removed."),
    full_run_fault("vacuums-expired-files-outside", "VAC-SAFE-7B", files.delete_all(_expired_outside),
        "VACUUM deletes files outside the root whose tombstones are expired."),
    full_run_fault("follows-links", "VAC-SAFE-7C", _delete_behind_links,
        "VACUUM follows a symbolic link to a directory and deletes the old files in it."),
    # The name of the table's own directory
    full_run_fault("hides-all-below-a-hidden-root", "VAC-LIVE-1 VAC-LIVE-2",
        when(lambda t: t.root.name.startswith(("_", ".")), files.restore_all(files.everything)),
        "VACUUM treats every path below a table whose directory begins with _ or a dot as hidden.",
        needs=[TableRoot.UNDERSCORE]),
    full_run_fault("does-not-decode-the-root", "VAC-SAFE-1B",
        when(lambda t: _is_encoded(t.root.name), files.delete_all(_live_by_uri)),
        "VACUUM compares URIs of the log with the root's path as it is on storage: where that has a space or %, it deletes live files.",
        needs=[TableRoot.BLANK]),
    # The spelling of the table's path
    full_run_fault("does-not-normalise-the-root", "VAC-FORM-1C VAC-SAFE-1",
        when(lambda t: t.vacuum.spelling in _NOT_NORMAL, files.delete_old(files.live)),
        "VACUUM compares paths as strings: where the root is spelled with .. or a scheme, it takes old live files for orphans.",
        needs=_NOT_NORMAL),
    # Deletion-vector files and change files
    full_run_fault("forgets-live-vectors", "VAC-SAFE-8A", files.delete_old(lambda t: t.log.live_vectors),
        "VACUUM treats the deletion-vector files of live files as unreferenced."),
    full_run_fault("forgets-retained-vectors", "VAC-SAFE-8B", files.delete_old(lambda t: t.log.vector_tombstones),
        "VACUUM treats the deletion-vector files of removed files as unreferenced, though inside retention."),
    full_run_fault("forgets-absolute-vectors", "VAC-SAFE-8C", files.delete_all(_absolute_vectors),
        "VACUUM treats deletion-vector files inside the root with an absolute path as unreferenced, old or not."),
    vacuum_fault("fails-at-inline-vectors", "VAC-LIVE-6",
        when(lambda t: not t.failed and _has_inline_vector(t), lambda t: t.refuse(None)),
        "VACUUM fails on a table with an inline deletion vector."),
    vacuum_fault("overflows-the-stack-at-inline-vectors", "VAC-LIVE-6",
        when(_has_inline_vector, lambda t: t.fail("StackOverflowError")),
        "VACUUM fails on a table with an inline deletion vector, with an error of another kind.", despite=True),
    full_run_fault("keeps-orphan-vectors", "VAC-LIVE-5",
        files.restore_all(lambda t: [path for path in t.disk.files if Path(path).match("deletion_vector_*.bin")]),
        "VACUUM keeps old deletion-vector files."),
    full_run_fault("vacuums-young-change-files", "VAC-SAFE-9",
        files.delete_all(lambda t: [path for path in t.disk.files if path.startswith("_change_data/")]),
        "VACUUM deletes change files that are inside retention."),
    # Ages
    full_run_fault("keeps-young-directories", "VAC-LIVE-3",
        files.restore_all(lambda t: [path for path in t.disk.directories if t.disk.modified(path) >= t.cutoff]),
        "VACUUM uses the age of an empty directory: a young one is kept."),
    full_run_fault("uses-the-age-of-links", "VAC-SAFE-3",
        files.delete_all(lambda t: [path for path in _links_to_files(t) if not t.hidden(path)]),
        "VACUUM deletes symbolic links to young files.", needs=["links"]),
    full_run_fault("vacuums-the-removed-and-young", "VAC-SAFE-3", files.delete_all(files.removed_at(lambda after: after < 0)),
        "VACUUM uses a tombstone's age alone: it deletes a file that is itself younger than retention.",
        rules={"walk": Walk.DIRECTORIES}),
)
# fmt: on
