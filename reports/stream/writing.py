"""Writes the run stream, line by line."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, final

from records.json_form import from_json, to_json
from records.mistakes import StreamError
from records.run import Footer, Header, RecordedCase
from reports.stream.cases import Cases, Places
from reports.stream.checks import Checks
from reports.stream.lines import Json, decoded, line_of


@final
class RunWriter:
    """Writes a stream, line by line, each flushed, so that they survive if the run dies.

    A context manager; it creates the directory and replaces an earlier stream. It never writes the footer by itself: a
    stream without one is a run that died. Raises StreamError for a line that is out of order, or contradicts earlier lines.
    Who makes a case's line (``line_of``), or reads it from a part of the run, checks it by the schema.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._checks = Checks()
        self._places = Places()
        self._file: BinaryIO | None = None

    def __enter__(self) -> RunWriter:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("wb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            with suppress(OSError):  # of what could not be written: its call has raised it
                self._file.close()
            self._file = None

    def header(self, header: Header) -> None:
        """Write the header, the first line."""
        self._append(line_of(header))

    def case(self, line: bytes) -> RecordedCase:
        """Append the line of a judged case, and return the case."""
        return from_json(self._append(line), RecordedCase)

    def footer(self, footer: Footer) -> Footer:
        """Write the footer, with the digest of all lines before it, and return it."""
        footer = replace(footer, digest=self._checks.digest_with(to_json(footer)))
        self._append(line_of(footer))
        return footer

    def cases(self) -> Cases:
        """The cases that were written, each read again when it is asked for."""
        return Cases(self.path.open("rb"), self._places, self._checks.order)

    def _append(self, line: bytes) -> Json:
        """Write a line that was checked by the schema, and return it as JSON."""
        if self._file is None:
            raise StreamError(f"The stream {self.path} is not open: use RunWriter in a with statement.")
        document: Json = decoded(line)
        self._checks.follow(document, f"The {document['type']} to be written to {self.path}")
        self._checks.add(line)
        if document["type"] == "case":
            self._places.add(self._file.tell(), line)
        self._file.write(line)
        self._file.flush()
        return document
