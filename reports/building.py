"""How a reproduction script makes the table, whatever the engine: files, links, commits, all to the millisecond.

``reports.reproduction`` copies what a script needs of this module into it, so it uses the standard library only. A
checkpoint is the engine's: ``write_checkpoint`` is of its part.
"""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

from reports.laws.evidence import Action
from reports.looking import read_log
from reports.plurals import counted
from reports.spark.session import write_checkpoint


def build(
    plan: dict[str, Any], contents: dict[str, str], engine: Any, root: str, start: int
) -> dict[int, list[Action]]:
    """Make the table. Answers with the commits of its log, those too that the log has lost since."""
    os.makedirs(os.path.join(root, "_delta_log"))
    put(plan, contents, root, start)
    for commit in plan["commits"]:
        write_commit(root, commit["version"], commit["lines"], commit["modified"], start)
        if commit.get("checksum") is not None:
            write_lines(root, f"{commit['version']:020d}.crc", [commit["checksum"]], commit["modified"], start)
        if commit.get("checkpoint"):
            write_checkpoint(engine, root, commit.get("parts", 1))
    log = read_log(root)
    prune(root, plan.get("pruned", 0))
    if plan.get("broken_last_checkpoint"):
        break_last_checkpoint(root)
    print(f"Made a table: {counted(len(plan['files']), 'file')}, versions 0 to {len(plan['commits']) - 1}")
    return log


def prune(root: str, version: int) -> None:
    """The log loses all that is older than the version, as log cleanup does it. A checkpoint is at the version."""
    home = os.path.join(root, "_delta_log")
    for name in os.listdir(home):
        number = name.lstrip(".")[:20]
        if number.isdigit() and int(number) < version:
            os.remove(os.path.join(home, name))


def break_last_checkpoint(root: str) -> None:
    """The pointer to the last checkpoint is cut off in the middle, as by a writer that died."""
    place = Path(root, "_delta_log", "_last_checkpoint")
    text = place.read_text(encoding="utf-8") if place.exists() else '{"version":0,"size":1}'
    place.write_text(text[: len(text) // 2], encoding="utf-8")
    # Hadoop's local file system keeps a checksum beside the file, which would tell of another trouble.
    place.with_name("._last_checkpoint.crc").unlink(missing_ok=True)


def put(things: dict[str, Any], contents: dict[str, str], root: str, start: int) -> None:
    """Make the files, directories and links of a plan, or of one of its steps."""
    for path in things["directories"]:
        os.makedirs(os.path.join(root, path), exist_ok=True)
    for file in things["files"]:
        place = os.path.join(root, file["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "xb") as stream:
            stream.write(base64.b64decode(contents[file["path"]]))
        set_time(place, start + file["modified"])
    for link in things.get("links", []):
        place = os.path.join(root, link["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(os.path.relpath(os.path.join(root, link["target"]), os.path.dirname(place)), place)
        set_time(place, start + link["modified"])


def write_commit(root: str, version: int, lines: list[Any], modified: int, start: int) -> None:
    write_lines(root, f"{version:020d}.json", lines, modified, start)


def write_lines(root: str, name: str, lines: list[Any], modified: int, start: int) -> None:
    place = os.path.join(root, "_delta_log", name)
    with open(place, "x", encoding="utf-8", newline="\n") as stream:
        stream.writelines(json.dumps(resolve(line, root, start)) + "\n" for line in lines)
    set_time(place, start + modified)


def set_time(place: str, ms: int) -> None:
    os.utime(place, ns=(ms * 1_000_000, ms * 1_000_000), follow_symlinks=False)


def uri(path: str) -> str:
    # As Java spells it: Delta takes a path that is spelled in another way for another file.
    quoted = re.sub(r'[\x00-\x20"#%<>?\[\\\]^`{|}\x7f]', lambda found: f"%{ord(found[0]):02X}", path)
    return f"file://{quoted}"


def resolve(value: Any, root: str, start: int) -> Any:
    # {"$ms": n} in an action stands for the instant n ms after the start, {"$root": path} for the URI of that file.
    if isinstance(value, dict):
        if value.keys() == {"$ms"}:
            return start + value["$ms"]
        if value.keys() == {"$root"}:
            return uri(os.path.normpath(os.path.join(root, value["$root"])))
        return {key: resolve(part, root, start) for key, part in value.items()}
    return [resolve(part, root, start) for part in value] if isinstance(value, list) else value
