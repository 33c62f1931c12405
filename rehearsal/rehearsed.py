"""The result of a rehearsal: the values of its JSON form, in the same order."""

from __future__ import annotations

from dataclasses import dataclass

from rehearsal.versions import Range


@dataclass(frozen=True)
class Sum:
    """Files (and links), and their bytes."""

    files: int = 0
    bytes: int = 0

    def plus(self, size: int) -> Sum:
        return Sum(self.files + 1, self.bytes + size)


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
class OtherFate:
    """A path to which an engine did what the model excludes, and the model's reason. ``fault``: the known fault that explains
    it; None if none does, or if it is not one of the first such paths.
    """

    path: str
    reason: str
    fault: NamedFault | None = None


@dataclass(frozen=True)
class Announced:
    """How the listing of a DRY RUN differs from what the run after it deleted. Listed: ``absent`` were not there any more,
    ``directories`` and ``stayed`` were not deleted. ``unlisted``: files that were deleted without being listed, ``checksums``
    of them checksums.
    """

    absent: int = 0
    directories: int = 0
    stayed: int = 0
    unlisted: int = 0
    checksums: int = 0


@dataclass(frozen=True)
class Trial:
    """What a release really did to copies of the table, with stand-ins for its data files. ``error``: its error, if it refused
    the statement; ``is_expected``: whether the model predicts that; ``fault``: the known fault by which it refused. ``listed``:
    how many files and directories the DRY RUN listed; ``announced``: the differences.
    """

    release: str
    error: str | None
    is_expected: bool
    gone: Sum
    listed: int
    gone_in_dry_run: tuple[str, ...]
    wrongly_deleted: tuple[OtherFate, ...]
    wrongly_kept: tuple[OtherFate, ...]
    fault: NamedFault | None = None
    announced: Announced = Announced()

    @property
    def faults(self) -> tuple[NamedFault, ...]:
        """The known faults that explain what it did, each once."""
        found = [self.fault, *(one.fault for one in (*self.wrongly_deleted, *self.wrongly_kept))]
        return tuple(dict.fromkeys(one for one in found if one is not None))

    @property
    def agrees(self) -> bool:
        return self.is_expected and not (self.gone_in_dry_run or self.wrongly_deleted or self.wrongly_kept)


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
class BrokenClause:
    """A clause of the suite that a release violated on a copy; ``fault``: the known fault behind it, if any."""

    clause: str
    message: str
    fault: NamedFault | None


@dataclass(frozen=True)
class DeleteTrial:
    """What a release's DELETE did to a copy. ``error``: its error, if it refused; ``is_expected``: whether the model predicts
    that. ``wrongly_removed``: the files that it must not remove.
    """

    release: str
    error: str | None
    is_expected: bool
    removed: Sum
    wrongly_removed: tuple[str, ...]
    broken: tuple[BrokenClause, ...]

    @property
    def unexplained(self) -> tuple[BrokenClause, ...]:
        """The broken clauses that are no known faults."""
        return tuple(one for one in self.broken if one.fault is None)

    @property
    def agrees(self) -> bool:
        """Whether it did what the model says, except for known faults that remove no other file."""
        return self.is_expected and not (self.wrongly_removed or self.unexplained)


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
    delete_trials: tuple[DeleteTrial, ...] = ()
