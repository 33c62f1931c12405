"""How a reproduction script lets time pass for an engine whose clock nobody can set: the table grows older.

``reports.reproduction`` copies what a script needs of this module into it, so it uses pyarrow and the standard library only.
"""

from __future__ import annotations

import json
import os

import pyarrow as pa
import pyarrow.parquet as pq

from reports.laws.evidence import Action
from reports.looking import read_actions

#: The fields of actions that hold an instant, in ms since the epoch.
INSTANTS = {
    "add": ["modificationTime"],
    "remove": ["deletionTimestamp"],
    "commitInfo": ["timestamp", "inCommitTimestamp"],
    "metaData": ["createdTime"],
    "txn": ["lastUpdated"],
    "sidecar": ["modificationTime"],
}


def age(root: str, by: int) -> None:
    """Make the table, and all that lies beside it, older by so many ms: the log's instants, and every modification time."""
    for name in sorted(os.listdir(os.path.join(root, "_delta_log"))):
        place = os.path.join(root, "_delta_log", name)
        if name[:20].isdigit() and name.endswith((".json", ".parquet")):
            age_actions(place, by)
        elif name == "_last_checkpoint":
            forget_size(place)
    for folder, directories, files in os.walk(os.path.dirname(root)):
        for name in (*directories, *files):
            place = os.path.join(folder, name)
            time = os.lstat(place).st_mtime_ns - by * 1_000_000
            os.utime(place, ns=(time, time), follow_symlinks=False)


def age_actions(place: str, by: int) -> None:
    """Move the instants in one commit or checkpoint. The file's own time stays: it moves with all others."""
    time = os.stat(place).st_mtime_ns
    if place.endswith(".json"):
        actions = [aged(action, by) for action in read_actions(place)]
        with open(place, "w", encoding="utf-8", newline="\n") as lines:
            lines.writelines(json.dumps(action) + "\n" for action in actions)
    else:
        table = pq.ParquetFile(place).read()
        actions = [aged(action, by) for action in table.to_pylist()]
        pq.write_table(pa.Table.from_pylist(actions, table.schema), place)
    os.utime(place, ns=(time, time))


def aged(action: Action, by: int) -> Action:
    for kind, names in INSTANTS.items():
        for name in names:
            if (action.get(kind) or {}).get(name) is not None:
                action[kind][name] -= by
    return action


def forget_size(place: str) -> None:
    # How long the checkpoint is, and the pointer's own checksum, are optional, and untrue now. It may be cut off, too.
    with open(place, encoding="utf-8") as stream:
        text = stream.read()
    try:
        pointer = json.loads(text)
    except ValueError:
        return
    with open(place, "w", encoding="utf-8") as stream:
        json.dump({name: value for name, value in pointer.items() if name not in ("sizeInBytes", "checksum")}, stream)
