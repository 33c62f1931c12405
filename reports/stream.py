"""The run stream ``run.jsonl``: a header line, a line for each judged case, a footer line. Its writer and its reader.

Every line is validated against ``reports/schema/run-4.json`` when it is written and when it is read; the records below
are its types for mypy. The footer has a digest of the lines before it, so that an edited stream is noticed. A stream may be
compressed (``run.jsonl.gz``), and larger than the memory: a case is decoded when it is asked for.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import IO, Any, NoReturn, TextIO, TypedDict, cast, final, overload
from weakref import finalize

from jsonschema_rs import Draft202012Validator, ValidationError

from records.mistakes import UsageMistake

#: The only schema version that is written and read.
SCHEMA_VERSION = 4

#: The stream's name inside a report directory.
FILE_NAME = "run.jsonl"

#: Its name where it is compressed.
COMPRESSED_NAME = f"{FILE_NAME}.gz"

#: A stream of at most so many bytes is kept in memory, a larger one is read again from its file.
_IN_MEMORY = 2**23

#: A line or a part of one, of any kind.
Line = Mapping[str, Any]


class ClauseEntry(TypedDict):
    """A clause as the header lists it. Optional: ``harm``, ``holds_for``, ``proven_by`` and ``reason``."""

    id: str
    chapter: str
    sentence: str
    sources: list[str]
    holds_for: str
    proven_by: list[str]
    severity: str
    harm: str
    status: str
    reason: str


class CampaignEntry(TypedDict):
    name: str
    planned: int


class DeviationEntry(TypedDict):
    """The known deviations with one reason, as the header lists them."""

    reason: str
    clauses: list[str]


class Header(TypedDict):
    """The first line. Optional fields of the schema are listed too: read them with ``get``."""

    type: str
    schema: int
    date: str
    engine: str
    option: str
    versions: dict[str, str]
    profile: str
    part: float
    left_out: int
    seed: int | None
    known_bad: str | None
    platform: str
    machine: dict[str, str]
    clauses: list[ClauseEntry]
    deviations: list[DeviationEntry]
    campaigns: list[CampaignEntry]


class StepRecord(TypedDict):
    index: int
    text: str
    kind: str
    seconds: float
    outcome: Any
    observed: Any


class ClauseRecord(TypedDict):
    """The result of a clause in one case."""

    verdict: str
    met: int
    subjects: int
    seconds: float


class ViolationRecord(TypedDict):
    """One subject that is wrong. Optional: ``severity``, ``by_error``, ``circumstances``, ``kinds`` and ``expectation``."""

    clause: str
    step: int
    subject: str | None
    cause: str
    severity: str
    by_error: bool
    circumstances: list[str]
    kinds: list[str]
    excused: str | None
    message: str
    evidence: list[str]
    expectation: dict[str, Any] | None


class CaseRecord(TypedDict):
    """A judged case. Optional fields of the schema are listed too: read them with ``get``."""

    type: str
    id: str
    campaign: str
    shard: int
    index: int
    origin: str
    case: dict[str, Any]
    features: list[str]
    processors: int | None
    coverage: dict[str, int]
    steps: list[StepRecord]
    clauses: dict[str, ClauseRecord]
    violations: list[ViolationRecord]
    error: Any


class VerdictRecord(ClauseRecord):
    """The verdict of the whole run on a clause."""

    reason: str
    link: str | None


class Footer(TypedDict):
    type: str
    cases: int
    steps: int
    seconds: float
    engine_seconds: float
    verdicts: dict[str, VerdictRecord]
    counts: dict[str, int]
    exit: int
    digest: str


class StreamError(UsageMistake):
    """A run stream is not valid. The message is one sentence that names what to do."""


class NoStream(StreamError):
    """There is no stream at the given place."""


class DamagedStream(StreamError):
    """A compressed stream cannot be decompressed."""


class ChangedStream(StreamError):
    """The file of a stream was written over after it was read."""


class MissingHeader(StreamError):
    """The first line is not a header."""


class MissingFooter(StreamError):
    """The stream has no footer: the run that wrote it died."""


class InvalidLine(StreamError):
    """A line is not JSON, or violates the schema."""


class MisplacedLine(StreamError):
    """A header or footer is in the wrong place, or a case is outside of them."""


class UnknownSchemaVersion(StreamError):
    """The stream has a schema version that this release does not know."""


class UnknownClause(StreamError):
    """A line names a clause that the header does not list."""


class DuplicateClause(StreamError):
    """The header lists one clause id twice."""


class DuplicateCase(StreamError):
    """Two lines have the same campaign, shard, index and case id."""


class WrongCounts(StreamError):
    """The footer's counts differ from the lines before it."""


class WrongVerdict(StreamError):
    """The cases contradict a verdict of the footer."""


class WrongDigest(StreamError):
    """The footer's digest is not that of the lines: one of them was edited."""


@final
class Cases(Sequence[CaseRecord]):
    """The case lines of a stream, in order. Each is decoded when it is asked for, so that not all of them are in memory.

    The file stays open for as long as these live: it may be removed, or replaced by another. Raises ChangedStream for a line
    that is no longer the one that was checked.
    """

    def __init__(self, file: IO[bytes], places: _Places, order: Sequence[int]) -> None:
        self._file = file
        self._places = places
        self._order = array("q", order)
        finalize(self, file.close)

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[CaseRecord]:
        return map(self._case, self._order)

    @overload
    def __getitem__(self, place: int) -> CaseRecord: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[CaseRecord, ...]: ...

    def __getitem__(self, place: int | slice) -> CaseRecord | tuple[CaseRecord, ...]:
        if isinstance(place, slice):
            return tuple(map(self._case, self._order[place]))
        return self._case(self._order[place])

    def _case(self, number: int) -> CaseRecord:
        start, length, checksum = self._places.of(number)
        self._file.seek(start)
        raw = self._file.read(length)
        if hash(raw) != checksum:
            raise ChangedStream(
                "The run stream was written over while it was read: read it again when its run has ended."
            )
        return cast(CaseRecord, _DECODER.decode(raw.decode("utf-8")))


@final
class _Places:
    """Where the case lines are in the file, in the file's order: as plain numbers, since there may be many."""

    def __init__(self) -> None:
        self._starts, self._lengths, self._checksums = array("q"), array("q"), array("q")

    def add(self, start: int, raw: bytes) -> None:
        self._starts.append(start)
        self._lengths.append(len(raw))
        self._checksums.append(hash(raw))

    def of(self, number: int) -> tuple[int, int, int]:
        return self._starts[number], self._lengths[number], self._checksums[number]


@dataclass(frozen=True, eq=False)
class Run:
    """A whole, valid stream. ``cases`` are sorted by (campaign, shard, index, id), and may be decoded anew by each pass over
    them (``Cases``): what several views need of them is in ``reports.findings``."""

    header: Header
    cases: Sequence[CaseRecord]
    footer: Footer

    @cached_property
    def clauses(self) -> dict[str, ClauseEntry]:
        """The header's clauses by id, in the header's order."""
        return {clause["id"]: clause for clause in self.header["clauses"]}


#: The campaign, shard, index and id of a case.
Key = tuple[str, int, int, str]


def sort_key(case: Line) -> Key:
    """The order of cases in every view. Parallel workers write them in any order."""
    return (case["campaign"], case["shard"], case["index"], case["id"])


@final
class RunWriter:
    """Writes a stream, line by line, each flushed, so that they survive if the run dies.

    A context manager; it creates the directory and replaces an earlier stream. It never writes the footer by itself: a
    stream without one is a run that died. Raises InvalidLine for a line that violates the schema, MisplacedLine for one
    out of order, UnknownClause, DuplicateCase, WrongCounts and WrongVerdict for one that contradicts earlier lines.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._checks = _Checks()
        self._file: TextIO | None = None

    def __enter__(self) -> RunWriter:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("w", encoding="ascii", newline="\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def header(self, line: Line) -> None:
        """Write the header, the first line."""
        self._write(line, "header")

    def case(self, line: Line) -> None:
        """Write a judged case."""
        self._write(line, "case")

    def footer(self, line: Line) -> None:
        """Write the footer, with the digest of all lines before it."""
        self._write({**line, "digest": self._checks.digest_with(line)}, "footer")

    def _write(self, line: Line, kind: str) -> None:
        if self._file is None:
            raise MisplacedLine(f"The stream {self.path} is not open: use RunWriter in a with statement.")
        where = f"The {kind} to be written to {self.path}"
        if line.get("type") != kind:
            raise InvalidLine(f'{where} must have "type": "{kind}", but has {line.get("type")!r}.')
        self._checks.take(line, where)
        text = _dumps(line) + "\n"
        self._checks.add(text.encode("ascii"))
        self._file.write(text)
        self._file.flush()


def _dumps(line: Line) -> str:
    # ASCII keeps any text (also lone surrogates) in any locale; NaN is not JSON.
    return json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def stream_path(path: Path) -> Path:
    """The stream's file, given itself or its directory; of a directory the compressed one if it has no other."""
    if not path.is_dir():
        return path
    plain, compressed = path / FILE_NAME, path / COMPRESSED_NAME
    return compressed if compressed.exists() and not plain.exists() else plain


def read_run(path: Path | str) -> Run:
    """Read a stream, given its file or the report directory that holds it. A file whose name ends in ``.gz`` is compressed.

    Raises a StreamError.
    """
    path = stream_path(Path(path))
    try:
        file = _opened(path)
    except FileNotFoundError:
        raise NoStream(
            f"There is no run stream at {path}: give a {FILE_NAME} or {COMPRESSED_NAME}, or the directory that holds one."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DamagedStream(
            f"The run stream at {path} cannot be decompressed ({error}): it was cut or damaged, so run it again."
        ) from error
    except OSError as error:
        raise NoStream(f"The run stream at {path} cannot be read ({error.strerror}): check the path.") from error
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
    checks, places = _Checks(), _Places()
    first: Line | None = None
    line: Line = {}
    start = 0
    for number, raw in enumerate(file, start=1):
        where = f"Line {number} of {name}"
        if not raw.endswith(b"\n"):
            raise MissingFooter(f"{name} ends in the middle of a line: the run that wrote it died, so run it again.")
        line = _parse(raw, where)
        checks.take(line, where)
        checks.add(raw)
        if first is None:
            first = line
        elif line["type"] == "case":
            places.add(start, raw)
        start += len(raw)
    if first is None:
        raise MissingHeader(f"{name} is empty: the run that wrote it died before it began, so run it again.")
    if line["type"] != "footer":
        raise MissingFooter(f"{name} has no footer: the run that wrote it died, so run it again.")
    keys = list(checks.seen)
    cases = Cases(file, places, sorted(range(len(keys)), key=keys.__getitem__))
    return Run(cast(Header, first), cases, cast(Footer, line))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _parse(raw: bytes, where: str) -> Line:
    try:
        line = _DECODER.decode(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InvalidLine(f"{where} is not JSON ({error}): the stream was cut or edited, so run it again.") from error
    if not isinstance(line, dict):
        raise InvalidLine(f"{where} is not a JSON object: the stream was edited, so run it again.")
    return line


@cache
def _validator(kind: str) -> Any:
    schema = json.loads((Path(__file__).parent / "schema" / f"run-{SCHEMA_VERSION}.json").read_text(encoding="utf-8"))
    # One definition gives better messages than the schema's oneOf.
    return Draft202012Validator({"$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"})


class _Checks:
    """Checks across lines. ``take`` is called with each line, in the order of the stream."""

    def __init__(self) -> None:
        self.clauses: frozenset[str] | None = None
        self.ended = False
        self.seen: dict[Key, None] = {}  # in the order of the stream
        self.steps = 0
        self.failing: dict[str, str] = {}  # clause → the first case that failed it
        self._digest = hashlib.sha256()

    def add(self, text: bytes) -> None:
        """Add a line of the stream, with its line end, to the digest."""
        self._digest.update(text)

    def digest_with(self, footer: Line) -> str:
        """The digest of the lines so far and of this footer without its digest."""
        digest = self._digest.copy()
        rest = {name: value for name, value in footer.items() if name != "digest"}
        digest.update(json.dumps(rest).encode("ascii"))
        return digest.hexdigest()

    def take(self, line: Line, where: str) -> None:
        kind = line.get("type")
        if self.clauses is None and kind != "header":
            raise MissingHeader(f"{where} comes before a header: the first line of a stream must be the header.")
        if kind == "header" and line.get("schema") != SCHEMA_VERSION:
            raise UnknownSchemaVersion(
                f"{where} has schema version {line.get('schema')!r}, but this release reads version {SCHEMA_VERSION}: "
                "use the release that wrote the stream."
            )
        if kind not in ("header", "case", "footer"):
            raise InvalidLine(f"{where} has the type {kind!r}, but must be a header, a case or a footer.")
        error = _first_error(kind, line)
        if error is not None:
            raise InvalidLine(f"{where} is not a valid {kind} at {_place(error)}: {_short(error.message)}.")
        if self.ended:
            raise MisplacedLine(f"{where} comes after the footer: two streams were joined, so keep one of them.")
        {"header": self._header, "case": self._case, "footer": self._footer}[kind](line, where)

    def _header(self, line: Line, where: str) -> None:
        if self.clauses is not None:
            raise MisplacedLine(f"{where} is a second header: two streams were joined, so keep one of them.")
        ids = [clause["id"] for clause in line["clauses"]]
        if twice := next((clause for clause in ids if ids.count(clause) > 1), None):
            raise DuplicateClause(f"{where} lists the clause {twice} twice: clause ids must be unique.")
        self.clauses = frozenset(ids)

    def _case(self, line: Line, where: str) -> None:
        key = sort_key(line)
        if key in self.seen:
            raise DuplicateCase(
                f"{where} repeats case {line['id']} (campaign {line['campaign']}, shard {line['shard']}, "
                f"index {line['index']}): each judged case has one line."
            )
        self._known([*line["clauses"], *(violation["clause"] for violation in line["violations"])], where)
        self.seen[key] = None
        self.steps += len(line["steps"])
        for clause, result in line["clauses"].items():
            if result["verdict"] != "pass":
                self.failing.setdefault(clause, line["id"])

    def _footer(self, line: Line, where: str) -> None:
        for name, count in (("cases", len(self.seen)), ("steps", self.steps)):
            if line[name] != count:
                raise WrongCounts(
                    f"{where} counts {line[name]} {name}, but the stream has {count}: lines were lost or added, so run it again."
                )
        verdicts: dict[str, Line] = line["verdicts"]
        self._known(verdicts, where)
        assert self.clauses is not None
        if missing := sorted(self.clauses - verdicts.keys()):
            raise WrongCounts(f"{where} has no verdict for {', '.join(missing)}: each clause of the header has one.")
        tally: dict[str, int] = {}
        for result in verdicts.values():
            tally[result["verdict"]] = tally.get(result["verdict"], 0) + 1
        if {name: count for name, count in line["counts"].items() if count} != tally:
            raise WrongCounts(f"{where} has counts that differ from its verdicts: they must be {tally}.")
        for clause, result in verdicts.items():
            failed = result["verdict"] in ("fail", "xfail")
            if failed and clause not in self.failing:
                raise WrongVerdict(f"{where} has {clause} as failed, but no case of the stream fails it.")
            if not failed and clause in self.failing:
                raise WrongVerdict(
                    f"{where} gives {clause} the verdict {result['verdict']}, but case {self.failing[clause]} fails it."
                )
        if line["digest"] != self.digest_with(line):
            raise WrongDigest(
                f"{where} has a digest that does not match the lines: the stream was edited, so run it again."
            )
        self.ended = True

    def _known(self, clauses: Iterable[str], where: str) -> None:
        for clause in clauses:
            if self.clauses is None or clause not in self.clauses:
                raise UnknownClause(f"{where} names {clause}, which the header does not list.")


def _first_error(kind: str, line: Line) -> ValidationError | None:
    """The error nearest to the top of a line, by the schema; None: it has none."""
    validator: Draft202012Validator = _validator(kind)
    try:
        errors = [] if validator.is_valid(line) else list(validator.iter_errors(line))
    except UnicodeEncodeError:
        # Half of a surrogate pair, as in the name of a file: valid JSON, which the validator cannot take.
        errors = list(
            validator.iter_errors(json.loads(json.dumps(line, ensure_ascii=False).encode("utf-8", "replace")))
        )
    return min(errors, key=lambda one: len(one.instance_path), default=None)


def _place(error: ValidationError) -> str:
    """``$.clauses[0].id``."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)


def _short(text: str, limit: int = 300) -> str:
    return text if len(text) <= limit else text[:limit] + " …"
