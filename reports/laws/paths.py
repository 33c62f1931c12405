"""Paths relative to the table's root: what they are, which are new, which are gone."""

from __future__ import annotations

from reports.laws.actions import below
from reports.laws.evidence import DIRECTORY, Entry, Evidence, Row


def in_log(path: str) -> bool:
    return path.split("/", 1)[0] == "_delta_log"


def new_files(seen: Evidence) -> list[str]:
    # ".name.crc" is a checksum that Hadoop's local file system keeps beside a file: not the engine's.
    return [
        path
        for path in sorted(seen.after.keys() - seen.before.keys())
        if not in_log(path) and seen.after[path] != DIRECTORY and not is_checksum(path)
    ]


def gone_paths(seen: Evidence) -> list[str]:
    # A file in whose place there is now a directory is gone too, and the other way round.
    return [
        path
        for path, entry in sorted(seen.before.items())
        if not in_log(path) and (path not in seen.after or kind_of(entry) != kind_of(seen.after[path]))
    ]


def kind_of(entry: Entry) -> str:
    return {-1: "directory", -2: "link"}.get(entry[0], "file")


def beside(path: str) -> bool:
    return path.startswith("../")


def is_checksum(path: str) -> bool:
    name = path.rsplit("/", 1)[-1]
    return name.startswith(".") and name.endswith(".crc")


def checked_by(path: str) -> str | None:
    # The file beside it that a checksum checks.
    head, slash, name = path.rpartition("/")
    return f"{head}{slash}{name[1:-4]}" if is_checksum(path) else None


def writers_may_add(path: str) -> bool:
    parts = path.split("/")
    return is_checksum(path) or parts[-1][:20].isdigit() or parts[1] in ("_commits", "_staged_commits", "_sidecars")


def paths_in(rows: list[Row], root: str) -> list[str]:
    # A DRY RUN names full paths, such as file:/tmp/t/p=1/f; they are not url-encoded (docs/delta.md 1.1).
    return sorted(below(str(row[0]), root) for row in rows)
