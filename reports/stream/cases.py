"""The cases of a stream that is read: where they are in its file, and each decoded when it is asked for."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, final, overload
from weakref import finalize

from records.mistakes import StreamError
from records.run import RecordedCase
from reports.stream.lines import case_of


@final
class Cases(Sequence[RecordedCase]):
    """The cases of a stream, sorted. Each is decoded when it is asked for, so that not all of them are in memory.

    The file stays open for as long as these live: it may be removed, or replaced by another. Raises StreamError for a line
    that is no longer the one that was checked.
    """

    def __init__(self, file: IO[bytes], places: Places, order: Iterable[int]) -> None:
        self._file = file
        self._places = places
        self._order = array("q", order)
        finalize(self, file.close)

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> RecordedCase: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[RecordedCase, ...]: ...

    def __getitem__(self, place: int | slice) -> RecordedCase | tuple[RecordedCase, ...]:
        if isinstance(place, slice):
            return tuple(map(self.of_line, self._order[place]))
        return self.of_line(self._order[place])

    def __iter__(self) -> Iterator[RecordedCase]:
        return map(self.of_line, self._order)

    def of_line(self, number: int) -> RecordedCase:
        """The case of this case line, from 0, in the order of the stream."""
        return case_of(self._raw(number))

    def lines(self) -> Iterator[bytes]:
        """The lines of the cases, sorted."""
        return map(self._raw, self._order)

    def _raw(self, number: int) -> bytes:
        start, length, checksum = self._places.of(number)
        self._file.seek(start)
        raw = self._file.read(length)
        if hash(raw) != checksum:
            raise StreamError(
                "The run stream was written over while it was read: read it again when its run has ended."
            )
        return raw


@final
class Places:
    """Where the case lines are in the file, in the file's order: as plain numbers, since there may be many."""

    def __init__(self) -> None:
        self._starts, self._lengths, self._checksums = array("q"), array("q"), array("q")

    def add(self, start: int, raw: bytes) -> None:
        self._starts.append(start)
        self._lengths.append(len(raw))
        self._checksums.append(hash(raw))

    def of(self, number: int) -> tuple[int, int, int]:
        return self._starts[number], self._lengths[number], self._checksums[number]
