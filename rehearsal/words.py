"""The result of a rehearsal, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from model.text.durations import duration
from rehearsal.quantities import files
from rehearsal.rehearsed import Announced, Broken, CleanUp, Concern, Deletion, Sum, Trial
from rehearsal.versions import Range
from reports.text.quantities import counted

#: What a fate is called.
VERBS = {"delete": "deletes", "keep": "keeps", "unspecified": "may delete"}

#: How many ranges of versions are named.
_MOST = 5


def clean_up_words(clean_up: CleanUp) -> str:
    """What the next clean-up of the log does, without a full stop."""
    when = "on request, as delta.enableExpiredLogCleanup is false"
    if clean_up.enabled:
        when = "after the next commit or later" if clean_up.after_any_commit else "after the next checkpoint"
    kept, log = clean_up.kept, f"the log's retention is {duration(clean_up.retention_ms)}"
    stay = f"{'version' if kept.first == kept.last else 'versions'} {kept} can still be read from the log"
    if clean_up.lost is None:
        return f"log clean-up ({when}; {log}): no version goes, {stay}"
    goes = "version" if clean_up.lost.first == clean_up.lost.last else "versions"
    return f"log clean-up ({when}; {log}): {goes} {clean_up.lost} may go, {stay}"


def deletion_lines(deletion: Deletion) -> Iterator[str]:
    """What a DELETE removes from the table by a release."""
    if deletion.refusal is not None:
        yield f"{deletion.release} refuses the DELETE: {deletion.refusal}"
        return
    rows = "an unknown number of rows" if deletion.rows is None else counted(deletion.rows, "row")
    removed, kept = files(deletion.removed), files(deletion.kept)
    yield f"{deletion.release}: the DELETE removes {removed} with {rows} from the table, and keeps {kept}"
    if deletion.with_vectors:
        yield f"  {deletion.with_vectors:,} of the removed have a deletion vector, which stays in the remove"


def concern_count(faults: Sequence[Concern]) -> str:
    """``2 known faults of VACUUM concern this table, 1 may``, without a full stop."""
    certain = sum(one.certain for one in faults)
    told = []
    if certain:
        told.append(
            f"{counted(certain, 'known fault')} of VACUUM {'concerns' if certain == 1 else 'concern'} this table"
        )
    if may := len(faults) - certain:
        told.append(f"{may} may" if told else f"{counted(may, 'known fault')} of VACUUM may concern this table")
    return ", ".join(told)


def concern_lines(faults: Sequence[Concern]) -> Iterator[str]:
    for one in faults:
        yield f"{'Concerns' if one.certain else 'May concern'} this table: {one.reason}"


def trial_lines(trial: Trial) -> Iterator[str]:
    """What a release did to a copy by a DELETE or a VACUUM, and which clauses it violates."""
    if trial.error is not None:
        yield f"{trial.release} refused the statement on a copy: {trial.error}"
    elif trial.announced is None:
        yield f"{trial.release} on a copy: it removed {files(trial.gone)}"
    else:
        yield f"{trial.release} on a copy: {_announced(trial.gone, trial.announced)}"
    for one in trial.broken:
        known = "" if one.fault is None else f". A known fault: {one.fault.reason.rstrip('.')}"
        yield f"  {broken_words(one)}{known}"


def broken_words(broken: Broken) -> str:
    """``VACUUM deleted a, which must be kept: it is young (VAC-SAFE-3; 11 more alike)``, without a full stop."""
    more = f"; {broken.count - 1:,} more alike" if broken.count > 1 else ""
    return f"{broken.message.rstrip('.')} ({', '.join(broken.clauses)}{more})"


def _announced(gone: Sum, but: Announced) -> str:
    """``DRY RUN listed 37 paths, and then 4 files (2 kB) went. Of those listed 33 were not there any more``, without a full
    stop.
    """
    said = [f"DRY RUN listed {counted(but.listed, 'path')}, and then {files(gone)} went"]
    counts = (
        (but.absent, "was not there any more", "were not there any more"),
        (but.directories, "is a directory", "are directories"),
        (but.stayed, "stayed", "stayed"),
    )
    of_listed = [f"{number:,} {one if number == 1 else many}" for number, one, many in counts if number]
    if of_listed:
        said.append(f"Of those listed {', '.join(of_listed)}")
    if but.unlisted:
        which = ": checksums" if but.checksums == but.unlisted else f": {but.checksums:,} of them checksums"
        said.append(f"{counted(but.unlisted, 'file')} went without being listed{which if but.checksums else ''}")
    return ". ".join(said)


def lost_words(lost: Sequence[Range]) -> str:
    """Which versions lose a file."""
    if not lost:
        return "every version that has all its files now has them afterwards"
    count = sum(one.last - one.first + 1 for one in lost)
    named = ", ".join(map(str, lost[:_MOST])) + (", …" if len(lost) > _MOST else "")
    one = "version has" if count == 1 else "versions have"
    return f"{count:,} {one} all files now, and not afterwards: {named}"
