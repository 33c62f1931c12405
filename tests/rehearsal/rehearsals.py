"""Made-up rehearsals for the tests of what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from model.prediction.fates import Fate
from model.vocabulary.severity import Severity
from rehearsal.prediction import merged, of_directory, summed
from rehearsal.rehearsed import (
    Announced,
    Broken,
    ByReason,
    CleanUp,
    Concern,
    Difference,
    NamedFault,
    Rehearsal,
    ReleaseRehearsal,
    Sum,
    Trial,
)
from rehearsal.report import write_report
from rehearsal.versions import Range
from reports.text.ladder import Answer, Word

GOES = ByReason(Fate.DELETE.value, "nothing refers to it, and it is old", 3, 3000)
STAYS = ByReason(Fate.KEEP.value, "the current version refers to it", 2, 50)

FAULT = NamedFault("It deletes young files.", "https://example.org/2")
BROKEN = Broken(
    ("VAC-SAFE-3",), Severity.DATA_LOSS, "deleted: it is young", "VACUUM deleted p=1/a.", 1, ("p=1/a",), FAULT
)


def release(
    name: str, directories: Mapping[str, tuple[ByReason, ...]], *, needed: tuple[str, ...] = (), lost: int = 3
) -> ReleaseRehearsal:
    every = [row for rows in directories.values() for row in rows]
    return ReleaseRehearsal(
        release=name,
        refusal=None,
        deleted=summed(every, Fate.DELETE),
        kept=summed(every, Fate.KEEP),
        unspecified=summed(every, Fate.UNSPECIFIED),
        directories_deleted=1,
        reasons=merged(every),
        directories=tuple(of_directory(path, rows) for path, rows in sorted(directories.items())),
        lost=(Range(1, lost),),
        needed=needed,
        clean_up=CleanUp(True, False, 30 * 86_400_000, Range(0, 2), Range(3, 7)),
        faults=(Concern("It follows links.", "https://example.org/1", False),),
    )


def rehearsal_of(releases: Sequence[ReleaseRehearsal], *, causes: tuple[str, ...] = ()) -> Rehearsal:
    trials = [Trial(one.release, None, True, one.deleted, (BROKEN,), Announced(4)) for one in releases]
    return Rehearsal(
        answer="LOOK FIRST: they differ",
        table="/data/orders",
        version=7,
        statement="VACUUM RETAIN 720 HOURS",
        at="2025-12-01T00:00:00.000Z",
        retention_ms=7 * 86_400_000,
        log_files=9,
        readable=8,
        missing=(),
        releases=tuple(releases),
        difference=Difference(Sum(), Sum(3, 3000), causes, ()) if len(releases) == 2 else None,
        trials=tuple(trials),
    )


def write_rehearsal(out: Path, texts: Sequence[str] = ("Since 4.1: RETAIN has no effect any more.",)) -> None:
    """A report of two releases, with these texts as causes, names of directories and of files."""
    names = [text.replace("/", "_") for text in texts]
    below = {f"p={number}/{name}": (GOES, STAYS) for number, name in enumerate(names)}
    first = release("Delta 3.3.2", dict.fromkeys(below, (STAYS,)) | {"p=0": (STAYS,)})
    second = release("Delta 4.4.0", below | {"p=0": (STAYS,), "q": (STAYS,)}, needed=tuple(texts))
    paths = [f"{path}/a.parquet" for path in below]
    answer = Answer(Word.LOOK_FIRST, "Delta 4.4.0 deletes 3 files (3.0 kB) that Delta 3.3.2 keeps")
    write_report(out, answer, rehearsal_of([first, second], causes=tuple(texts)), [paths[:1], paths])
