"""Where users' tables lie: in local files and in buckets.

``pyarrow.fs`` serves them: it is there for Parquet already, has local files, S3, Azure and Google Cloud Storage in its wheels,
takes credentials from where each of them keeps them, and reads parts of files, which checkpoints need.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import fs

from deltalog.errors import StoreError
from deltalog.storage.store import LocalFiles, Store, Stored
from records.mistakes import UsageMistake


@dataclass(frozen=True)
class Root:
    """A table's root: as an absolute path, on the storage below."""

    store: Store
    path: str

    @property
    def name(self) -> str:
        """That of its directory."""
        return self.path.rpartition("/")[2]

    @property
    def is_missing(self) -> bool:
        """Whether nothing is at a local path. In a bucket there are no directories that could be missing."""
        return isinstance(self.store, LocalStore) and not os.path.exists(self.path)


class ArrowStore:
    """What lies below a directory of a file system of pyarrow."""

    def __init__(self, system: fs.FileSystem, directory: str) -> None:
        self._list, self._read = system.get_file_info, system.open_input_file  # all that is kept of it
        self._directory = directory.rstrip("/")

    def list(self, directory: str) -> Iterator[Stored]:
        with _told():
            found = self._list(fs.FileSelector(self._at(directory), allow_not_found=True))
        return (
            Stored(one.base_name, one.size or 0, one.type == fs.FileType.Directory, one.mtime_ns or 0) for one in found
        )

    def read(self, path: str) -> io.RawIOBase:
        with _told():
            return _Reading(self._read(self._at(path)))

    def _at(self, path: str) -> str:
        return f"{self._directory}/{path}" if path else self._directory or "/"


class LocalStore(LocalFiles):
    """What lies below a local directory, with its symbolic links, which pyarrow follows without a word."""

    def list(self, directory: str) -> Iterator[Stored]:
        with _told():
            return super().list(directory)

    def read(self, path: str) -> io.RawIOBase:
        with _told():
            return _Reading(super().read(path))


@contextmanager
def _told() -> Iterator[None]:
    """Raises StoreError."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise StoreError(error) from None


class _Reading(io.RawIOBase):
    """An open file that can only be read."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _told():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._file.seek(place, whence)
        return self.tell()

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        self._file.close()
        super().close()


#: The schemes of URIs, and what pyarrow calls them.
_SCHEMES = {
    scheme: name
    for name, schemes in {
        "file": ["file"],
        "s3": ["s3", "s3a", "s3n"],
        "gs": ["gs", "gcs"],
        "abfs": ["abfs"],
        "abfss": ["abfss"],
    }.items()
    for scheme in schemes
}
_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)


def root_of(path: str) -> Root:
    """The storage of the table at a path or URI; reads nothing. Raises UsageMistake."""
    match = _URI.fullmatch(path)
    if match is None:
        local = os.path.abspath(path)
        return Root(LocalStore(local), local)
    scheme, rest = match.groups()
    if scheme.lower() not in _SCHEMES:
        raise UsageMistake(
            f"{scheme}:// is no storage that can be read: name a local path, or a URI that begins with "
            f"{', '.join(f'{one}://' for one in _SCHEMES)}."
        )
    try:
        system, directory = fs.FileSystem.from_uri(f"{_SCHEMES[scheme.lower()]}://{rest}")
    except (OSError, ValueError, NotImplementedError, pa.ArrowException) as error:
        raise UsageMistake(
            f"{path} cannot be opened: {error}. Write a blank in it as %20, and name region and endpoint where they are needed."
        ) from None
    if scheme.lower() == "file":
        return Root(LocalStore(directory.rstrip("/")), directory.rstrip("/"))
    own = "/" + directory.partition("/")[2]  # without the bucket
    return Root(ArrowStore(system, directory), own.rstrip("/"))
