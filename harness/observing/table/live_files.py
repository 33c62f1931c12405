"""The live files of a table, from one version of its log to the next."""

from __future__ import annotations

from collections.abc import Iterator

from deltalog.entries.actions import Add, FileKey, Remove
from deltalog.log import Rebuilt
from harness.observing.table.root_paths import relative_action


class LiveFiles:
    """The live files by path from ``root``, as ``TableState.live`` has them of one version."""

    def __init__(self, root: str) -> None:
        self._root = root
        # By their keys as stored: a remove by path does not remove what was added by URI.
        self._adds: dict[str, dict[FileKey, Add]] = {}

    def go_on(self, rebuilt: Rebuilt) -> Iterator[tuple[Add, int]]:
        """Go on to a version: the adds that it no longer has, each with -1, and its new ones, each with 1."""
        before: dict[str, Add | None] = {}
        if rebuilt.from_nothing:
            before = {file: self._current(file) for file in self._adds}
            self._adds.clear()
        for action in rebuilt.actions:
            if not isinstance(action, (Add, Remove)):
                continue
            relative = relative_action(action.reconciled, self._root)
            before.setdefault(relative.file, self._current(relative.file))
            adds = self._adds.setdefault(relative.file, {})
            if isinstance(relative, Add):
                adds[action.key] = relative
            else:
                adds.pop(action.key, None)
        for file, old in before.items():
            new = self._current(file)
            if old != new:
                yield from ((add, by) for add, by in ((old, -1), (new, 1)) if add is not None)

    def _current(self, file: str) -> Add | None:
        """Of several adds of a file, by path and by URI, or with several vectors, the last."""
        adds = {add.key: add for add in self._adds.get(file, {}).values()}
        return next(reversed(adds.values()), None)
