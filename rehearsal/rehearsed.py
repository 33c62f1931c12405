"""The result of a rehearsal: the values of its JSON form, in the same order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from model.vocabulary.severity import Severity
from rehearsal.versions import Range


@dataclass(frozen=True)
class Sum:
    """Files (and links), and their bytes."""

    files: int = 0
    bytes: int = 0


def sum_of(sizes: Iterable[int]) -> Sum:
    """Of files of these sizes."""
    found = tuple(sizes)
    return Sum(len(found), sum(found))


@dataclass(frozen=True)
class ByReason:
    """``fate``: delete, keep, or unspecified: an engine may do either."""

    fate: str
    reason: str
    files: int
    bytes: int


@dataclass(frozen=True)
class ByDirectory:
    """The files in a directory, not in those below it; ``.`` is the root."""

    path: str
    deleted: Sum
    kept: Sum
    unspecified: Sum
    why: tuple[ByReason, ...]


@dataclass(frozen=True)
class NamedFault:
    """A known fault of a release, by its reason, and a page about it."""

    reason: str
    link: str


@dataclass(frozen=True)
class Concern(NamedFault):
    """A known fault of a release. ``certain``: it concerns the table; else it may, and the log does not tell."""

    certain: bool


@dataclass(frozen=True)
class CleanUp:
    """The next clean-up of the log at the time of the VACUUM. ``enabled``: whether the release cleans up by itself; else only on
    request. ``after_any_commit``: not only after a checkpoint. ``lost``: the versions that can be read now, and that the
    clean-up may take; ``kept``: those that it must keep. Whether their files are there is not in it.
    """

    enabled: bool
    after_any_commit: bool
    retention_ms: int
    lost: Range | None
    kept: Range


@dataclass(frozen=True)
class ReleaseRehearsal:
    """What the VACUUM does by one release. ``refusal``: why the release refuses it; then it deletes nothing.

    ``directories_deleted`` counts directories. ``lost``: versions that have all their files now, and miss one afterwards.
    ``needed``: files that go although a version inside the retention needs them. ``faults``: the known faults of its VACUUM that
    concern the table, or may: the other numbers are those of a release without them.
    """

    release: str
    refusal: str | None
    deleted: Sum
    kept: Sum
    unspecified: Sum
    directories_deleted: int
    reasons: tuple[ByReason, ...]
    directories: tuple[ByDirectory, ...]
    lost: tuple[Range, ...]
    needed: tuple[str, ...]
    faults: tuple[Concern, ...]
    clean_up: CleanUp


@dataclass(frozen=True)
class Difference:
    """``only_first``: what the first release deletes and the second keeps; ``only_second``: the other way round.

    ``causes``: sentences that say why; ``remedies``: what to do before the upgrade.
    """

    only_first: Sum
    only_second: Sum
    causes: tuple[str, ...]
    remedies: tuple[str, ...]

    @property
    def is_none(self) -> bool:
        return not (self.only_first.files or self.only_second.files)


@dataclass(frozen=True)
class Announced:
    """How the listing of a DRY RUN, of ``listed`` paths, differs from what the run after it deleted. Listed: ``absent`` were not
    there any more, ``directories`` and ``stayed`` were not deleted. ``unlisted``: files that were deleted without being listed,
    ``checksums`` of them checksums.
    """

    listed: int
    absent: int = 0
    directories: int = 0
    stayed: int = 0
    unlisted: int = 0
    checksums: int = 0


@dataclass(frozen=True)
class Broken:
    """What a release did to a copy against the suite's ``clauses``. ``count``: how often it did so, by this ``cause``; of that
    ``message`` is the first, and ``subjects`` are the first ones. ``fault``: the known fault behind it, if any.
    """

    clauses: tuple[str, ...]
    severity: Severity
    cause: str
    message: str
    count: int
    subjects: tuple[str, ...]
    fault: NamedFault | None

    @property
    def counts(self) -> bool:
        """Whether it speaks against the release: all but a known fault that only concerns numbers or words."""
        return self.fault is None or self.severity.rank <= Severity.COSTS_MORE.rank


@dataclass(frozen=True)
class Trial:
    """What a DELETE or a VACUUM by a release really did to a copy of the table, with stand-ins for its data files. ``error``: its
    error, if it refused the statement; ``is_expected``: whether the model predicts that. ``gone``: the files that it removed from
    the table, or deleted. ``broken``: the worst first. ``announced``: by the DRY RUN of a VACUUM that was not refused.
    """

    release: str
    error: str | None
    is_expected: bool
    gone: Sum
    broken: tuple[Broken, ...]
    announced: Announced | None = None

    @property
    def wrong(self) -> tuple[Broken, ...]:
        """What speaks against the release."""
        return tuple(one for one in self.broken if one.counts)

    @property
    def agrees(self) -> bool:
        """Whether it did what the model says."""
        return self.is_expected and not self.wrong


@dataclass(frozen=True)
class Deletion:
    """A DELETE of whole files by one release: ``removed`` and ``kept`` are files of the latest version; storage keeps all of
    them. ``refusal``: why the release refuses it. ``rows``: how many are deleted, by the statistics; None if a file has none.
    ``with_vectors``: how many removed files have a deletion vector, which stays in the remove.
    """

    release: str
    refusal: str | None
    removed: Sum
    kept: Sum
    rows: int | None
    with_vectors: int


@dataclass(frozen=True)
class Rehearsal:
    """``delete``: the DELETE, which runs now. ``statement``: the VACUUM, which runs ``at`` that time; empty if there is only a
    DELETE, and then there are no ``releases`` either. ``retention_ms``: what the table's property says. ``readable``: how many
    versions have all their files now; ``missing``: files of the latest version that are not there."""

    answer: str
    table: str
    version: int
    statement: str
    at: str
    retention_ms: int
    log_files: int
    readable: int
    missing: tuple[str, ...]
    releases: tuple[ReleaseRehearsal, ...]
    difference: Difference | None
    trials: tuple[Trial, ...]
    delete: str | None = None
    deletions: tuple[Deletion, ...] = ()
    delete_trials: tuple[Trial, ...] = ()
