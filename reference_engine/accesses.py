"""What the reference engine asks of storage: what it must know for a step, and what it writes. Its own way to read a table, for
which it reads all of the log, is no example for an engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from deltalog.storage.names import LOG_DIRECTORY, commit_name
from engines.port import Access
from model.vocabulary.accesses import Operation
from reference_engine.view import View

#: An operation, and the path from the table's root.
Asked = tuple[Operation, str]


def of_the_log(view: View) -> Iterator[Asked]:
    """The newest checkpoint, and the commits after it."""
    yield Operation.LIST, LOG_DIRECTORY
    newest = view.log.checkpoints[-1:]
    for checkpoint in newest:
        for path in checkpoint.files:
            yield Operation.OPEN, f"{LOG_DIRECTORY}/{path.name}"
    for commit in view.log.commits_after(max((one.version for one in newest), default=-1)):
        yield Operation.OPEN, f"{LOG_DIRECTORY}/{commit_name(commit.version)}"


def of_effects(effects: Iterable[str]) -> Iterator[Asked]:
    """What it wrote, by the lines of the effects (``reference_engine.storage``)."""
    for line in effects:
        effect, _, name = line.partition(" ")
        if effect == "rename":
            yield Operation.RENAME, name.partition(" to ")[2]
        elif effect in ("create", "write"):
            yield Operation.CREATE, name
        elif effect == "delete":
            yield Operation.DELETE, name


def counted(asked: Iterable[Asked]) -> tuple[Access, ...]:
    return tuple(Access(operation, path, calls) for (operation, path), calls in sorted(Counter(asked).items()))
