"""Where tables lie: two requests, to list a directory and to read a file. There is no third one, so nothing here can write.

``pyarrow.fs`` serves them: it is there for Parquet already, has local files, S3, Azure and Google Cloud Storage in its wheels,
takes credentials from where each of them keeps them, and reads parts of files, which checkpoints need.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa
from pyarrow import fs

from records.mistakes import UsageMistake
from shapes.refusals import StoreError


@dataclass(frozen=True, slots=True)
class Stored:
    """A file or a directory, by its name in the listed directory; ``size`` is in bytes. ``target`` is the text of a symbolic
    link: its size and kind are those of the target, ``modified_ns`` is the link's.
    """

    name: str
    size: int
    is_directory: bool
    modified_ns: int = 0  # since the epoch; 0 where storage has no such time
    target: str | None = None


class Store(Protocol):
    """A table's storage. Paths are relative to the table's root, with ``/`` between their parts."""

    def list(self, directory: str) -> Iterator[Stored]:
        """What is in a directory, not what is below its directories; nothing if it is not there. Raises StoreError."""

    def read(self, path: str) -> io.RawIOBase:
        """A file to read from any place. Raises StoreError, as reading from it does."""


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
        try:
            found = self._list(fs.FileSelector(self._at(directory), allow_not_found=True))
        except (OSError, pa.ArrowException) as error:
            raise StoreError(_as_os_error(error)) from None
        return (
            Stored(one.base_name, one.size or 0, one.type == fs.FileType.Directory, one.mtime_ns or 0) for one in found
        )

    def read(self, path: str) -> io.RawIOBase:
        try:
            return _Reading(self._read(self._at(path)))
        except (OSError, pa.ArrowException) as error:
            raise StoreError(_as_os_error(error)) from None

    def _at(self, path: str) -> str:
        return f"{self._directory}/{path}" if path else self._directory or "/"


class LocalStore(ArrowStore):
    """What lies below a local directory, with its symbolic links, which pyarrow follows without a word."""

    def __init__(self, directory: str) -> None:
        super().__init__(fs.LocalFileSystem(), directory)

    def list(self, directory: str) -> Iterator[Stored]:
        try:
            with os.scandir(self._at(directory)) as found:
                return iter([_stored(one) for one in found])
        except FileNotFoundError:
            return iter(())
        except OSError as error:
            raise StoreError(error) from None


def _stored(entry: os.DirEntry[str]) -> Stored:
    """Raises OSError."""
    status = entry.stat(follow_symlinks=False)
    if not entry.is_symlink():
        return Stored(entry.name, status.st_size, entry.is_dir(), status.st_mtime_ns)
    try:
        size, is_directory = entry.stat().st_size, entry.is_dir()
    except OSError:
        size, is_directory = 0, False  # it leads nowhere, or in a circle
    return Stored(entry.name, size, is_directory, status.st_mtime_ns, os.readlink(entry.path))


class _Reading(io.RawIOBase):
    """An open file that can only be read."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except (OSError, pa.ArrowException) as error:
            raise StoreError(_as_os_error(error)) from None
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


def _as_os_error(error: BaseException) -> OSError:
    return error if isinstance(error, OSError) else OSError(str(error))
