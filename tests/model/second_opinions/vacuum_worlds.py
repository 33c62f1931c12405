"""Random worlds for the second opinion on VACUUM (second_opinion).

Names, times and references are drawn from small pools, so that they meet: the same file removed twice, a vector file that a live
and a removed file share, a tombstone exactly at the cutoff, a link to a directory of live files, a checksum beside its file.
"""

from __future__ import annotations

import posixpath
from random import Random
from typing import Any
from urllib.parse import quote
from uuid import UUID

from tests.model.second_opinions.plain_log import Z85, World, limits

HOUR = 3_600_000
DAY = 24 * HOUR

ROOT = "/cases/a b%20/table"
CLOCK = 1_700_000_000_000

_PARTITIONS: tuple[list[str], ...] = ([], ["p"], ["_d"], ["p", "_d"], [".e"])
_DIRECTORIES = (
    *(
        "",
        "",
        "p=a",
        "p=a b",
        "p=a%20b",
        "p=a/_d=1",
        "_d=1",
        "_d=1/p=b",
        "_ds=1",
        ".e=1",
        "dir",
        "dir/er",
        "a/b/c/d",
        "metadata",
    ),
    *(
        "_tmp",
        "dir/_tmp",
        "_tmp/dir",
        "dir/.s",
        "_change_data",
        "_change_data/p=a",
        "_delta_index",
        "_delta_indexes",
        "ab",
        "é+#",
    ),
)
_NAMES = (
    "f.parquet",
    "g h.parquet",
    "g%20h.parquet",
    "ü.parquet",
    "_h.parquet",
    ".h.parquet",
    "metadata",
    "f",
    ".crc",
    "x_y",
)
_VECTOR_PLACES = ("", "ab", "dir", "p=a")


# A world ----------------------------------------------------------------------------------------------------------------


def world(number: int) -> World:
    """The world of this number."""
    random = Random(number)
    mode = random.choice(
        ("full", "full", "full", "lite", "lite", "inventory", "inventory of files", "objects", "tombstones")
    )
    delta_rs = mode in ("objects", "tombstones")
    found: World = {
        "root": ROOT,
        "partition_by": random.choice(_PARTITIONS),
        "reserved": ["metadata"] if random.random() < 0.1 and not delta_rs else [],
        "clock": CLOCK,
        "retention": random.choice((0, HOUR, DAY, 7 * DAY)),
        "retain_hours": random.choice((None, None, None, 0, 0.4, 0.5, 24, 200)),
        "obeys_retain": delta_rs or random.random() < 0.5,
        "sets_clock": not delta_rs,
        "wall": [CLOCK + random.choice((-DAY, -5, 0, 5)), 0],
        "mode": mode,
        "first": 0,
        "bookmark": None,
    }
    found["wall"][1] = found["wall"][0] + random.choice((0, 1, 10))
    _History(found, random).write()
    return found


def _time(found: World, random: Random) -> int:
    """A time at one of the limits, a millisecond or more beside it."""
    return random.choice(limits(found)) + random.choice((-DAY, -HOUR, -1, 0, 0, 1, 5, HOUR, DAY))


class _History:
    """Fills a world with a log and a storage."""

    def __init__(self, found: World, random: Random) -> None:
        self.world, self.random = found, random
        self.storage: dict[str, list[Any]] = {}
        self.live: dict[str, dict[str, Any] | None] = {}  # by path in the log: its vector
        self.vectors: list[dict[str, Any]] = []

    def write(self) -> None:
        random = self.random
        files = [self._logged(self._path()) for _ in range(random.randint(1, 8))]
        log: list[list[Any]] = []
        time = _time(self.world, random) - DAY
        for version in range(random.randint(1, 6)):
            actions = self._commit(sorted(set(files)))
            if version == 0:
                actions = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, self._metadata(), *actions]
            log.append([time, actions])
            time = random.choice((time, time + 1, _time(self.world, random), max(time, _time(self.world, random))))
        self.world["log"] = log
        if random.random() < 0.3:
            self.world["first"] = random.randrange(len(log))
        if random.random() < 0.4:
            self.world["bookmark"] = random.randrange(max(self.world["first"], 1) - 1, len(log) + 2)
        elif self.world["mode"] == "lite":
            self.world["first"] = 0
        if self.world["bookmark"] is not None and self.world["bookmark"] < self.world["first"]:
            self.world["first"] = 0  # LITE would be refused
        self.world["storage"] = self._stored()

    def _metadata(self) -> dict[str, Any]:
        format = {"provider": "parquet", "options": {}}
        schema = '{"type":"struct","fields":[]}'
        columns = self.world["partition_by"]
        return {
            "metaData": {
                "id": "a",
                "format": format,
                "schemaString": schema,
                "partitionColumns": columns,
                "configuration": {},
            }
        }

    def _path(self) -> str:
        directory = self.random.choice(_DIRECTORIES)
        name = self.random.choice(_NAMES)
        return f"{directory}/{name}" if directory else name

    def _logged(self, path: str) -> str:
        """The path as the log has it: mostly relative, else a URI below the root or beside it."""
        kind = self.random.random()
        self._put(path)
        if kind < 0.8:
            return quote(path, safe="/=+é")
        where = f"{ROOT}/{path}" if kind < 0.93 else f"{posixpath.dirname(ROOT)}/elsewhere/{path}"
        return self.random.choice(("file:", "file://")) + quote(where, safe="/=+é")

    def _put(self, path: str) -> None:
        if self.random.random() < 0.85 and self._is_free(path):
            self.storage[path] = ["file", _time(self.world, self.random)]

    def _is_free(self, path: str) -> bool:
        parts = path.split("/")
        taken = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        below = any(other.startswith(f"{path}/") for other in self.storage)
        return (
            path not in self.storage
            and not below
            and not any(self.storage.get(one, ["directory"])[0] != "directory" for one in taken)
        )

    def _commit(self, files: list[str]) -> list[dict[str, Any]]:
        random = self.random
        actions: list[dict[str, Any]] = []
        for path in files:
            what = random.random()
            if path in self.live and what < 0.35:
                actions.append(self._remove(path, self.live.pop(path)))
            elif path in self.live and what < 0.6:
                actions.append(self._remove(path, self.live[path]))
                self.live[path] = self._vector()
                actions.append(_add(path, self.live[path]))
            elif path not in self.live and what < 0.6:
                self.live[path] = self._vector() if random.random() < 0.2 else None
                actions.append(_add(path, self.live[path]))
        if random.random() < 0.3:
            path = f"_change_data/{random.choice(('c1', 'c 2', 'p=a/c3'))}.parquet"
            self._put(path)
            actions.append(
                {"cdc": {"path": quote(path, safe="/="), "partitionValues": {}, "size": 1, "dataChange": False}}
            )
        return actions

    def _remove(self, path: str, vector: dict[str, Any] | None) -> dict[str, Any]:
        remove: dict[str, Any] = {"path": path, "dataChange": True}
        if self.random.random() < 0.93:
            remove["deletionTimestamp"] = max(_time(self.world, self.random), 0)
        return {"remove": {**remove, **({"deletionVector": vector} if vector else {})}}

    def _vector(self) -> dict[str, Any]:
        """A deletion vector, half of them in a file that others use too."""
        random = self.random
        if self.vectors and random.random() < 0.5:
            known = random.choice(self.vectors)
            return {**known, "offset": known["offset"] + random.choice((0, 40))} if "offset" in known else known
        kind = random.choice("uuuuppi")
        vector: dict[str, Any] = {
            "storageType": kind,
            "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
            "sizeInBytes": 40,
            "cardinality": 6,
        }
        if kind != "i":
            number = random.getrandbits(128)
            place = random.choice(_VECTOR_PLACES)
            name = f"{place}/deletion_vector_{UUID(int=number)}.bin".lstrip("/")
            self._put(name)
            vector["offset"] = 1
            vector["pathOrInlineDv"] = (
                "file:" + quote(f"{ROOT}/{name}", safe="/=") if kind == "p" else place + _z85(number)
            )
        self.vectors.append(vector)
        return vector

    def _stored(self) -> dict[str, list[Any]]:
        random = self.random
        for _ in range(random.randint(0, 10)):
            self._put(self._path())
        for path in random.sample(sorted(self.storage), k=min(len(self.storage), random.randint(0, 2))):
            head, _, name = path.rpartition("/")
            self._put(f"{head}/.{name}.crc".lstrip("/"))
        for directory in random.sample(_DIRECTORIES, k=random.randint(0, 4)):
            path = random.choice(
                (directory, f"{directory}/empty", f"{directory}/_empty", f"{directory}/empty/er")
            ).lstrip("/")
            if path and self._is_free(path):
                self.storage[path] = ["directory"]
        self.storage["_delta_log/00000000000000000000.json"] = ["file", _time(self.world, random)]
        for path in list(self.storage):
            for depth in range(1, path.count("/") + 1):
                self.storage.setdefault("/".join(path.split("/")[:depth]), ["directory"])
        if random.random() < 0.5:
            self._link()
        return dict(sorted(self.storage.items()))

    def _link(self) -> None:
        random = self.random
        beside: dict[str, list[Any]] = {
            "../linked": ["directory"],
            "../linked/f": ["file", _time(self.world, random)],
            "../linked/e": ["directory"],
        }
        targets = [*beside, *self.storage, None, ".", ".."]
        links = {
            f"{random.choice(('', 'dir/', 'p=a/', '_tmp/'))}{random.choice('_l')}ink-{number}": random.choice(targets)
            for number in range(random.randint(1, 3))
        }
        for path, target in links.items():
            if self._is_free(path) and (target is None or not target.startswith("_delta_log")):
                self.storage[path] = ["link", target]
                for depth in range(1, path.count("/") + 1):
                    self.storage.setdefault("/".join(path.split("/")[:depth]), ["directory"])
        self.storage.update(beside)


def _add(path: str, vector: dict[str, Any] | None) -> dict[str, Any]:
    add: dict[str, Any] = {"path": path, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}
    return {"add": {**add, **({"deletionVector": vector} if vector else {})}}


def _z85(number: int) -> str:
    text = ""
    for shift in (96, 64, 32, 0):
        block = number >> shift & 0xFFFFFFFF
        text += "".join(Z85[block // 85**power % 85] for power in (4, 3, 2, 1, 0))
    return text
