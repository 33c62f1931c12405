"""The run stream ``run.jsonl``, read: a header line, a line for each judged case, a footer line (``records.run``).

Every line is validated by the schema of the records (``records.schema``) when it is made (``reports.stream.lines``) and when it
is read. The footer has a digest of the lines before it, so that an edited stream is noticed. A stream may be compressed
(``run.jsonl.gz``), and larger than the memory: a case is decoded when it is asked for.
"""

from __future__ import annotations

import gzip
import io
import shutil
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast

from records.mistakes import StreamError
from records.run import Footer, Header, ListedClause, RecordedCase
from reports.stream.cases import Cases, Places
from reports.stream.checks import Checks
from reports.stream.lines import decoded

#: The stream's name inside a report directory.
FILE_NAME = "run.jsonl"

#: Its name where it is compressed.
COMPRESSED_NAME = f"{FILE_NAME}.gz"

#: A stream of at most so many bytes is kept in memory, a larger one is read again from its file.
_IN_MEMORY = 2**23


@dataclass(frozen=True, eq=False)
class Run:
    """A whole, valid stream. ``cases`` are sorted by (campaign, batch, index, id), and may be decoded again by each pass over
    them (``Cases``): what several views need of them is in ``reports.findings.of_run``."""

    header: Header
    cases: Sequence[RecordedCase]
    footer: Footer

    @cached_property
    def clauses(self) -> dict[str, ListedClause]:
        """The header's clauses by id, in the header's order."""
        return {clause.id: clause for clause in self.header.clauses}


def stream_path(path: Path) -> Path:
    """The stream's file, given itself or its directory; of a directory the compressed one if it has no other."""
    if not path.is_dir():
        return path
    plain, compressed = path / FILE_NAME, path / COMPRESSED_NAME
    return compressed if compressed.exists() and not plain.exists() else plain


def read_run(path: Path | str) -> Run:
    """Read the stream of a whole run, given its file or the report directory that holds it. A file whose name ends in ``.gz`` is
    compressed.

    Raises StreamError; also for a part of a run, which has no verdicts.
    """
    run = read_stream(path)
    if run.header.shard is not None:
        place = stream_path(Path(path))
        raise StreamError(
            f"{place} is {run.header.shard} of a run: merge the parts first, with python -m reports merge PART… --out DIR."
        )
    return run


def is_whole(report: Path) -> bool:
    """Whether a gate judged all its cases. Its exit code does not tell: 2 also means a clause that no case exercised."""
    try:
        read_run(report)
    except StreamError:
        return False
    return True


def read_stream(path: Path | str) -> Run:
    """Read a stream as ``read_run`` does, of a whole run or of a part. Raises StreamError."""
    path = stream_path(Path(path))
    try:
        file = _opened(path)
    except FileNotFoundError:
        raise StreamError(
            f"There is no run stream at {path}: give a {FILE_NAME} or {COMPRESSED_NAME}, or the directory that holds one."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise StreamError(
            f"The run stream at {path} cannot be decompressed ({error}): it was cut or damaged, so run it again."
        ) from error
    except OSError as error:
        raise StreamError(f"The run stream at {path} cannot be read ({error.strerror}): check the path.") from error
    try:
        return _read(file, str(path))
    except BaseException:
        file.close()
        raise


def _opened(path: Path) -> IO[bytes]:
    """A stream that can be read more than once: in memory, or a large one in a file that stays although it is removed."""
    with ExitStack() as opened:
        if path.suffix == ".gz" or not path.is_file():  # as are pipes
            whole = opened.enter_context(SpooledTemporaryFile(_IN_MEMORY))
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as once:
                shutil.copyfileobj(once, whole, 2**20)
            whole.seek(0)
            opened.pop_all()
            return cast("IO[bytes]", whole)
        file = opened.enter_context(path.open("rb", buffering=2**17))
        start = file.read(_IN_MEMORY + 1)
        if len(start) <= _IN_MEMORY:
            return io.BytesIO(start)
        file.seek(0)
        opened.pop_all()
        return file


def _read(file: IO[bytes], name: str) -> Run:
    checks, places = Checks(), Places()
    start = 0
    for number, raw in enumerate(file, start=1):
        where = f"Line {number} of {name}"
        if not raw.endswith(b"\n"):
            raise StreamError(f"{name} ends in the middle of a line: the run that wrote it died, so run it again.")
        checks.take(_parse(raw, where), where)
        checks.add(raw)
        if number > 1 and checks.footer is None:
            places.add(start, raw)
        start += len(raw)
    if checks.header is None:
        raise StreamError(f"{name} is empty: the run that wrote it died before it began, so run it again.")
    if checks.footer is None:
        raise StreamError(f"{name} has no footer: the run that wrote it died, so run it again.")
    return Run(checks.header, Cases(file, places, checks.order), checks.footer)


def _parse(raw: bytes, where: str) -> dict[str, Any]:
    try:
        line = decoded(raw)
    except (ValueError, RecursionError) as error:
        raise StreamError(f"{where} is not JSON ({error}): the stream was cut or edited, so run it again.") from error
    if not isinstance(line, dict):
        raise StreamError(f"{where} is not a JSON object: the stream was edited, so run it again.")
    return line
