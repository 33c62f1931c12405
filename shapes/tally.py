"""What the files and tombstones of a table have, taken in one after another: nothing of any one of them is kept."""

from __future__ import annotations

from collections.abc import Mapping

from deltalog.entries.descriptors import DeletionVectorDescriptor
from shapes.logged_files import MEMBERS, LoggedFile, LoggedStatistics
from shapes.path_forms import PathForm, WrittenPath, written
from shapes.shape import PathShape, Sizes, StatisticsForms, VectorKind, Vectors
from shapes.sizes import size_class

_KINDS: Mapping[str, VectorKind] = {"i": "inline", "p": "absolute", "u": "relative"}

#: Directories whose paths are remembered.
_REMEMBERED = 4096


class FileTally:
    """Of the latest version. The newest action on a file comes first; older ones on the same file do not count."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._decided: set[int] = set()  # digests of logical files
        self._files = self._bytes = self._tombstones = 0
        self._partitions: set[int] = set()  # digests of their values
        self._vectors = self._rows = self._size = 0
        self._kinds: set[VectorKind] = set()
        self._packed = False
        self._forms: set[PathForm] = set()
        self._schemes: set[str] = set()
        self._depth = 0
        self._statistics: set[LoggedStatistics] = set()
        self._known: dict[str, WrittenPath] = {}

    def take(self, file: LoggedFile, *, last: bool) -> None:
        """``last``: no older actions follow, as in a checkpoint, which has one for each file."""
        if self._decided or not last:
            key = hash((file.file, file.vector and file.vector.unique_id))
            if key in self._decided:
                return
            if not last:
                self._decided.add(key)
        self._take_path(file.path, file.file)
        if file.removed:
            self._tombstones += 1
            return
        self._files += 1
        self._bytes += file.size
        if file.partitions:
            self._partitions.add(hash(frozenset(file.partitions.items())))
        if file.vector is not None:
            self._take_vector(file.vector)
        self._statistics.add(file.statistics)

    def _take_path(self, path: str, file: str) -> None:
        """Files of a directory whose names have nothing special are written alike."""
        directory, slash, name = path.rpartition("/")
        plain = slash and "%" not in name and name[:1] not in ("_", ".")
        found = self._known.get(directory) if plain else None
        if found is None:
            found = written(path, file, self._root)
            if plain and len(self._known) < _REMEMBERED:
                self._known[directory] = found
        self._forms |= found.forms
        self._depth = max(self._depth, found.depth)
        if found.scheme is not None:
            self._schemes.add(found.scheme)

    def _take_vector(self, vector: DeletionVectorDescriptor) -> None:
        self._vectors += 1
        self._kinds.add(_KINDS.get(vector.storage, "other"))
        self._rows, self._size = max(self._rows, vector.cardinality), max(self._size, vector.size)
        self._packed = self._packed or (vector.offset or 0) > 1  # the first one begins after a byte

    def sizes(self, applications: int) -> Sizes:
        numbers = (self._files, self._bytes, self._tombstones, len(self._partitions), applications)
        return Sizes(*map(size_class, numbers))

    @property
    def vectors(self) -> Vectors:
        files, rows, size = map(size_class, (self._vectors, self._rows, self._size))
        return Vectors(tuple(sorted(self._kinds)), files, rows, size, self._packed)

    @property
    def paths(self) -> PathShape:
        return PathShape(tuple(sorted(self._forms)), tuple(sorted(self._schemes)), self._depth)

    @property
    def statistics(self) -> tuple[StatisticsForms, ...]:
        return tuple(
            StatisticsForms(form.word, tuple(one for place, one in enumerate(MEMBERS) if form.members >> place & 1))
            for form in sorted(self._statistics)
        )
