"""Checks the lines of a stream: each by the schema, and by the lines before it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable

from records.json_form import from_json
from records.mistakes import StreamError
from records.run import SCHEMA_VERSION, Footer, Header, RecordedCase, Verdict
from records.schema import LINES
from reports.stream.lines import Json, check

#: The campaign, batch, index and id of a case.
LineKey = tuple[str, int, int, str]


def sort_key(case: RecordedCase) -> LineKey:
    """The order of cases in every view. Parallel workers write them in any order."""
    return case.campaign, case.batch, case.index, case.id


class Checks:
    """Checks lines, each by the schema and by those before it. ``take`` is called with each, in the order of the stream.

    ``header`` and ``footer`` are those that were taken, ``seen`` the keys of the cases.
    """

    def __init__(self) -> None:
        self.seen: dict[LineKey, None] = {}  # the cases, in the order of the stream
        self.header: Header | None = None
        self.footer: Footer | None = None
        self._clauses: frozenset[str] = frozenset()  # of the header
        self._steps = 0
        self._failing: dict[str, str] = {}  # clause → the first case that failed it
        self._digest = hashlib.sha256()

    @property
    def order(self) -> list[int]:
        """The cases by their places in the stream, sorted."""
        keys = list(self.seen)
        return sorted(range(len(keys)), key=keys.__getitem__)

    def add(self, text: bytes) -> None:
        """Add a line of the stream, with its line end, to the digest."""
        self._digest.update(text)

    def digest_with(self, footer: Json) -> str:
        """The digest of the lines so far and of this footer without its digest."""
        digest = self._digest.copy()
        rest = {name: value for name, value in footer.items() if name != "digest"}
        digest.update(json.dumps(rest).encode("ascii"))
        return digest.hexdigest()

    def take(self, line: Json, where: str) -> None:
        """Check a line. Raises StreamError, which names it as ``where``."""
        kind = line.get("type")
        if kind == "header" and line.get("schema") != SCHEMA_VERSION:
            raise StreamError(
                f"{where} has schema version {line.get('schema')!r}, but this release reads version {SCHEMA_VERSION}: "
                "use the release that wrote the stream."
            )
        if not isinstance(kind, str) or kind not in LINES:
            raise StreamError(f"{where} has the type {kind!r}, but must be a header, a case or a footer.")
        check(line, where)
        self.follow(line, where)

    def follow(self, line: Json, where: str) -> None:
        """Check a line that the schema admits by those before it. Raises StreamError."""
        if self.header is None and line["type"] != "header":
            raise StreamError(f"{where} comes before a header: the first line of a stream must be the header.")
        if self.footer is not None:
            raise StreamError(f"{where} comes after the footer: two streams were joined, so keep one of them.")
        if line["type"] == "header":
            self._header(from_json(line, Header), where)
        elif line["type"] == "case":
            self._case(line, where)
        else:
            footer = from_json(line, Footer)
            self._footer(footer, where)
            if footer.digest != self.digest_with(line):
                raise StreamError(
                    f"{where} has a digest that does not match the lines: the stream was edited, so run it again."
                )
            self.footer = footer

    def _header(self, header: Header, where: str) -> None:
        if self.header is not None:
            raise StreamError(f"{where} is a second header: two streams were joined, so keep one of them.")
        ids = [clause.id for clause in header.clauses]
        if twice := next((clause for clause in ids if ids.count(clause) > 1), None):
            raise StreamError(f"{where} lists the clause {twice} twice: clause ids must be unique.")
        self.header, self._clauses = header, frozenset(ids)

    def _case(self, line: Json, where: str) -> None:
        """As JSON: there may be many, and the record of each is made when somebody asks for it."""
        key: LineKey = line["campaign"], line["batch"], line["index"], line["id"]
        if key in self.seen:
            raise StreamError(
                f"{where} repeats case {line['id']} (campaign {line['campaign']}, batch {line['batch']}, "
                f"index {line['index']}): each judged case has one line."
            )
        self._known([*line["clauses"], *(violation["clause"] for violation in line["violations"])], where)
        self.seen[key] = None
        self._steps += len(line["steps"])
        for clause, result in line["clauses"].items():
            if result["verdict"] != Verdict.HOLDS:
                self._failing.setdefault(clause, line["id"])

    def _footer(self, footer: Footer, where: str) -> None:
        for name, stated, count in (("cases", footer.cases, len(self.seen)), ("steps", footer.steps, self._steps)):
            if stated != count:
                raise StreamError(
                    f"{where} counts {stated} {name}, but the stream has {count}: lines were lost or added, so run it again."
                )
        self._known(footer.verdicts, where)
        if missing := sorted(self._clauses - footer.verdicts.keys()):
            raise StreamError(f"{where} has no verdict for {', '.join(missing)}: each clause of the header has one.")
        tally = dict(Counter(result.verdict for result in footer.verdicts.values()))
        if {verdict: count for verdict, count in footer.counts.items() if count} != tally:
            due = {verdict.value: count for verdict, count in tally.items()}
            raise StreamError(f"{where} has counts that differ from its verdicts: they must be {due}.")
        for clause, result in footer.verdicts.items():
            failed = result.verdict in (Verdict.FAILS, Verdict.KNOWN_FAULT)
            if failed and clause not in self._failing:
                raise StreamError(f"{where} has {clause} as failed, but no case of the stream fails it.")
            if not failed and clause in self._failing:
                raise StreamError(
                    f"{where} gives {clause} the verdict {result.verdict.value}, but case {self._failing[clause]} fails it."
                )

    def _known(self, clauses: Iterable[str], where: str) -> None:
        for clause in clauses:
            if clause not in self._clauses:
                raise StreamError(f"{where} names {clause}, which the header does not list.")
