"""What is on storage: the files of a table, restored and listed."""

from __future__ import annotations

import base64
import os
import re
import zlib
from pathlib import Path

from engines.script_names import ROOT, T
from reports.counterexamples.runtime.log import version


def restore(files: list[tuple[str, int, str]]) -> None:
    """Writes the files: the log from text, the others from base64. Modification times are in ms from T."""
    for path, modified, content in files:
        place = Path(os.path.normpath(f"{ROOT}/{path}"))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r'"T([+-]\d+)"', lambda offset: str(T + int(offset[1])), content).lstrip()
        is_text = path.startswith("_delta_log/") and not path.endswith(".parquet")
        place.write_bytes(text.encode() if is_text else base64.b64decode(content))
        os.utime(place, ns=((T + modified) * 10**6,) * 2)


def inflated(content: str) -> str:
    """A file as base64, from the base64 of its compressed bytes."""
    return base64.b64encode(zlib.decompress(base64.b64decode(content))).decode()


def as_next_version(files: list[tuple[str, int, str]]) -> list[tuple[str, int, str]]:
    """The files of an append, of which the first is the commit."""
    (_, modified, content), *others = files
    return [(f"_delta_log/{version() + 1:020d}.json", modified, content), *others]


def set_instants(checkpoints: dict[str, dict[int, int]]) -> None:
    """Writes the instants of checkpoints, 8 bytes at each place, which are in ms from T."""
    for path, instants in checkpoints.items():
        place = Path(ROOT, path)
        modified, content = place.stat().st_mtime_ns, bytearray(place.read_bytes())
        for start, offset in instants.items():
            content[start : start + 8] = (T + offset).to_bytes(8, "little")
        place.write_bytes(content)
        os.utime(place, ns=(modified, modified))


def make_directories(paths: list[str]) -> None:
    """Makes the directories in the table or beside it."""
    for path in paths:
        os.makedirs(f"{ROOT}/{path}", exist_ok=True)


def make_links(links: list[tuple[str, int, str]]) -> None:
    """Makes the links: each has a path, its modification time in ms from T, and its target."""
    for path, modified, target in links:
        place = os.path.normpath(f"{ROOT}/{path}")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(target, place)
        os.utime(place, ns=((T + modified) * 10**6,) * 2, follow_symlinks=False)


def state(path: str) -> str:
    """absent, or a directory, a link, or a file with a checksum of its bytes."""
    if os.path.islink(path):
        return "a link to " + os.readlink(path)
    if not os.path.isfile(path):
        return "a directory" if os.path.isdir(path) else "absent"
    with open(path, "rb") as file:
        return f"a file with CRC {zlib.crc32(file.read()):08x}"


def dated(path: str) -> str:
    """The state of a path; for a file with its modification time, in ms from T."""
    modified = f", modified at T{os.stat(path).st_mtime_ns // 10**6 - T:+d}" if os.path.isfile(path) else ""
    return state(path) + modified


def listing() -> dict[str, int | None]:
    """The paths in the table's directory and beside it, with the sizes of files."""
    paths = [os.path.join(top, name) for top, dirs, files in os.walk(os.path.dirname(ROOT)) for name in dirs + files]
    sizes = [os.path.getsize(path) if os.path.isfile(path) else None for path in paths]
    return {os.path.relpath(path, ROOT): size for path, size in zip(paths, sizes)}
