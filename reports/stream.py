"""The run stream ``run.jsonl``: a header line, a line for each judged case, a footer line. Its writer and its reader.

Every line is validated against ``reports/schema/run-4.json`` when it is written and when it is read; the records below
are its types for mypy. The footer has a digest of the lines before it, so that an edited stream is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, TextIO, TypedDict, cast, final

from jsonschema_rs import Draft202012Validator, ValidationError

#: The only schema version that is written and read.
SCHEMA_VERSION = 4

#: The stream's name inside a report directory.
FILE_NAME = "run.jsonl"

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


class StreamError(Exception):
    """A run stream is not valid. The message is one sentence that names what to do."""


class NoStream(StreamError):
    """There is no stream at the given place."""


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


@dataclass(frozen=True)
class Run:
    """A whole, valid stream. ``cases`` are sorted by (campaign, shard, index, id)."""

    header: Header
    cases: tuple[CaseRecord, ...]
    footer: Footer

    @property
    def clauses(self) -> dict[str, ClauseEntry]:
        """The header's clauses by id, in the header's order."""
        return {clause["id"]: clause for clause in self.header["clauses"]}


def sort_key(case: Line) -> tuple[str, int, int, str]:
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
        text = _dumps(line)
        self._checks.add(text.encode("ascii"))
        self._file.write(text + "\n")
        self._file.flush()


def _dumps(line: Line) -> str:
    # ASCII keeps any text (also lone surrogates) in any locale; NaN is not JSON.
    return json.dumps(line, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def stream_path(path: Path) -> Path:
    """The stream's file, given itself or its directory."""
    return path / FILE_NAME if path.is_dir() else path


def read_run(path: Path | str) -> Run:
    """Read a stream, given its file or the report directory that holds it.

    Raises a StreamError.
    """
    file = stream_path(Path(path))
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise NoStream(
            f"There is no run stream at {file}: give a run.jsonl, or the directory that holds one."
        ) from None
    except OSError as error:
        raise NoStream(f"The run stream at {file} cannot be read ({error.strerror}): check the path.") from error
    return _read(data, str(file))


def _read(data: bytes, name: str) -> Run:
    checks = _Checks()
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    elif data:
        raise MissingFooter(f"{name} ends in the middle of a line: the run that wrote it died, so run it again.")
    parsed: list[Line] = []
    for number, raw in enumerate(lines, start=1):
        line = _parse(raw, f"Line {number} of {name}")
        checks.take(line, f"Line {number} of {name}")
        checks.add(raw)
        parsed.append(line)
    if not parsed:
        raise MissingHeader(f"{name} is empty: the run that wrote it died before it began, so run it again.")
    if parsed[-1]["type"] != "footer":
        raise MissingFooter(f"{name} has no footer: the run that wrote it died, so run it again.")
    cases = tuple(cast(CaseRecord, line) for line in sorted(parsed[1:-1], key=sort_key))
    return Run(cast(Header, parsed[0]), cases, cast(Footer, parsed[-1]))


def _parse(raw: bytes, where: str) -> Line:
    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not JSON")

    try:
        line = json.loads(raw.decode("utf-8"), parse_constant=refuse)
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
        self.seen: set[tuple[str, int, int, str]] = set()
        self.steps = 0
        self.failing: dict[str, str] = {}  # clause → the first case that failed it
        self._digest = hashlib.sha256()

    def add(self, text: bytes) -> None:
        """Add a line of the stream, without its line end, to the digest."""
        self._digest.update(text + b"\n")

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
        self.seen.add(key)
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
