"""The parts of a run that are to be merged: whether all are there, and belong to one run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from records.mistakes import UsageMistake
from records.run import Header, Part, PlannedCampaign
from reports.stream.cases import Cases
from reports.stream.reading import Run, read_stream, stream_path


@dataclass(frozen=True, eq=False)
class JudgedPart:
    """A part that was judged: its run stream, and the directory that it is in."""

    part: Part
    run: Run
    directory: Path

    @property
    def lines(self) -> Iterator[bytes]:
        """The lines of its cases, sorted."""
        assert isinstance(self.run.cases, Cases)  # it was read
        return self.run.cases.lines()


def read_parts(paths: Sequence[Path]) -> tuple[JudgedPart, ...]:
    """All parts of one run, in their order, given the streams or the directories that hold them.

    Raises UsageMistake for a stream that cannot be read, is no part, or belongs to another run; for a part that is given twice,
    and for parts that are missing.
    """
    found = sorted(map(_read, paths), key=lambda one: one.part.number)
    first = found[0]
    for other in found[1:]:
        if first.part.of != other.part.of:
            raise UsageMistake(
                f"{_place(first)} and {_place(other)} are not of one run: merge parts of the same number."
            )
        if difference := _difference(first.run.header, other.run.header):
            raise UsageMistake(
                f"{_place(first)} and {_place(other)} are not of one run ({difference}): judge all parts with the same "
                "versions, options and release of the suite."
            )
    for one, other in combinations(found, 2):
        if one.part == other.part:
            raise UsageMistake(f"{_place(one)} and {_place(other)} are the same part: give each part once.")
    if missing := sorted({*range(1, first.part.of + 1)} - {one.part.number for one in found}):
        *most, last = map(str, missing)
        which = f"Parts {', '.join(most)} and {last}" if most else f"Part {last}"
        are, them = ("are", "them") if most else ("is", "it")
        raise UsageMistake(
            f"{which} of {first.part.of} {are} missing: the verdict needs every part, so give {them} too."
        )
    return tuple(found)


def merged_header(parts: Sequence[JudgedPart]) -> Header:
    """The header of the whole run. It began when the first of its parts did."""
    headers = [one.run.header for one in parts]
    planned: dict[str, int] = {}
    for campaign in (campaign for header in headers for campaign in header.campaigns):
        planned[campaign.name] = planned.get(campaign.name, 0) + campaign.planned
    return replace(
        headers[0],
        date=min((header.date for header in headers if header.date is not None), default=None),
        campaigns=tuple(PlannedCampaign(name, cases) for name, cases in planned.items()),
        shard=None,
        machines=tuple(header.machine for header in headers),
    )


def _read(path: Path) -> JudgedPart:
    run = read_stream(path)
    part, file = run.header.shard, stream_path(path)
    if part is None:
        raise UsageMistake(f"{file} is of a whole run, not of a part (--shard): there is nothing to merge it with.")
    return JudgedPart(part, run, file.parent)


def _place(one: JudgedPart) -> str:
    return f"{one.directory} ({one.part})"


def _difference(one: Header, other: Header) -> str:
    """The first wrong difference between the headers of one run; empty if there is none."""
    named = {
        name: (one.versions.get(name), other.versions.get(name))
        for name in dict.fromkeys((*one.versions, *other.versions))
    }
    values: dict[str, tuple[object, object]] = {
        "engine": (one.option or one.engine, other.option or other.engine),
        **named,
        "suite": (one.suite, other.suite),
        "known-bad engine": (one.known_bad, other.known_bad),
        "profile": (one.profile, other.profile),
        "seed": (one.seed, other.seed),
        "budget": (one.budget_share, other.budget_share),
    }
    for name, (mine, theirs) in values.items():
        if mine != theirs:
            return f"{name} {_shown(mine)} and {_shown(theirs)}"
    if one.like != other.like:
        return "other tables in --like"
    if one.clauses != other.clauses:
        return "other clauses"
    if one.known_faults != other.known_faults:
        return "other known faults"
    return "other cases" if _plan(one) != _plan(other) or one.left_out != other.left_out else ""


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def _plan(header: Header) -> str:
    return "" if header.shard is None else header.shard.plan
