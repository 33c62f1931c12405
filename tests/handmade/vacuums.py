"""Small cases made by hand: what of VACUUM no witness of a known-bad engine shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from model.vocabulary.case import Case
from model.vocabulary.predicate import Compare, Op
from model.vocabulary.spellings import Spelling
from model.vocabulary.steps import (
    Delete,
    InvalidVacuum,
    Mode,
    Moment,
    Read,
    ReadChanges,
    SetClock,
    Vacuum,
    VacuumForm,
    VacuumMistake,
)
from model.vocabulary.table import (
    DAY,
    HOUR,
    WEEK,
    Column,
    Commit,
    DataFile,
    DeletionVector,
    Feature,
    Kind,
    Reference,
    Removal,
    StrayFile,
    Table,
    VectorStorage,
)
from model.vocabulary.table_roots import TableRoot
from model.vocabulary.values import Type

OLD, YOUNG = -4 * WEEK, -HOUR

COLUMNS = (Column("p", Type.STRING), Column("id", Type.INTEGER))


def _file(
    id: int,
    *,
    modified: int = OLD,
    partition: str = "a",
    reference: Reference = Reference.RELATIVE,
    rows: Iterable[int] = (),
) -> DataFile:
    stored = tuple((value,) for value in rows) or ((10 * id,), (10 * id + 1,))
    return DataFile(id, (partition,), stored, modified, reference=reference)


def _table(
    files: Iterable[DataFile],
    commits: Iterable[Commit],
    stray_files: Iterable[StrayFile] = (),
    *,
    features: Iterable[Feature] = (),
    retention_hours: int | None = None,
    pruned: int = 0,
) -> Table:
    return Table(
        columns=COLUMNS,
        partition_by=("p",),
        files=tuple(files),
        commits=tuple(commits),
        stray_files=tuple(stray_files),
        retention_hours=retention_hours,
        features=tuple(feature.value for feature in features),
        pruned=pruned,
    )


def _old(*paths: str) -> tuple[StrayFile, ...]:
    return tuple(StrayFile(path, modified=OLD) for path in paths)


#: A live file, an expired one, a retained one, and a young one that was removed long ago; the others are old.
FILES = (_file(0), _file(1), _file(2), _file(3, modified=YOUNG))
COMMITS = (
    Commit(-4 * WEEK, adds=(0, 1, 2, 3)),
    Commit(-3 * WEEK, removes=(Removal(1, -3 * WEEK), Removal(3, -3 * WEEK))),
    Commit(-2 * DAY, removes=(Removal(2, -2 * DAY),)),
)

STRAYS = (
    *_old("orphan.parquet", "p=a/orphan.parquet", "deep/er/orphan.parquet"),
    *_old("some_name.parquet", "metadata/x", "delta_logs/x", "a%20b.parquet", "c d/e f.parquet"),
    *_old("_hidden", ".hidden", "_dir/x", "p=a/_dir/x", "p=a/.dir/y", "_dir/sub/z", "deep/_hidden"),
    *_old("_change_data/old", "deletion_vector_00000000-1111-4000-8000-000000000000.bin"),
    StrayFile("young.parquet", modified=YOUNG),
    StrayFile("_change_data/young", modified=YOUNG),
    StrayFile("empty/nested", Kind.DIRECTORY, size=0),
    StrayFile("_empty", Kind.DIRECTORY, size=0),
    StrayFile("p=a/.empty", Kind.DIRECTORY, size=0),
)

LISTED_TABLE = _table(FILES, COMMITS, STRAYS)
LISTED = Case(LISTED_TABLE, (Vacuum(dry_run=True), *[Vacuum()] * 6, Read()))

#: A partition column whose name begins with an underscore, and directories with similar names.
UNDERSCORED = Case(
    Table(
        columns=(Column("_p", Type.STRING), Column("id", Type.INTEGER)),
        partition_by=("_p",),
        files=FILES,
        commits=COMMITS,
        stray_files=_old("_p=a/orphan.parquet", "_p=b/orphan.parquet", "_pq/x", "_p/x", "_parts=1/x"),
    ),
    (Vacuum(dry_run=True), Vacuum(), Vacuum(), Read()),
)


#: Files named by URI, files outside, and what else lies beside the root.
ELSEWHERE = Case(
    _table(
        [
            _file(0, reference=Reference.ABSOLUTE),
            _file(1, reference=Reference.OUTSIDE),
            _file(2, reference=Reference.OUTSIDE),
            _file(3, reference=Reference.ABSOLUTE),
            _file(4),
        ],
        [Commit(-4 * WEEK, adds=(0, 1, 2, 3, 4)), Commit(-3 * WEEK, removes=(Removal(2, OLD), Removal(3, OLD)))],
        _old("../table2/part-0.parquet", "../tab/x", "../other.parquet", "orphan.parquet"),
    ),
    (Vacuum(dry_run=True), Vacuum(), Read()),
)


#: A link to a directory of live files.
LINKED_INSIDE = Case(_table(FILES, COMMITS, (StrayFile("link", Kind.LINK, OLD, 0, target="p=a"),)), (Vacuum(),))

#: Files of deletion vectors: of a live file, of a removed one, of one that was removed long ago.
VECTORS = Case(
    _table(
        [_file(id, rows=range(10 * id, 10 * id + 4)) for id in range(3)],
        [
            Commit(-4 * WEEK, adds=(0, 1, 2)),
            Commit(-4 * WEEK + HOUR, deletion_vectors=(DeletionVector(0, (0,), -4 * WEEK),)),
            Commit(-4 * WEEK + 2 * HOUR, deletion_vectors=(DeletionVector(1, (0,), -4 * WEEK),), vector_prefix="ab"),
            Commit(-4 * WEEK + 3 * HOUR, deletion_vectors=(DeletionVector(2, (0,), -4 * WEEK),)),
            Commit(-3 * WEEK, removes=(Removal(2, -3 * WEEK),)),
            Commit(-DAY, removes=(Removal(1, -DAY),)),
        ],
        _old("deletion_vector_00000000-1111-4000-8000-000000000000.bin"),
        features=[Feature.DELETION_VECTORS],
    ),
    (Vacuum(dry_run=True), Vacuum(), Read()),
)

#: A deletion vector with an absolute path; young, so an engine that forgets it may still keep it.
ABSOLUTE_VECTOR = Case(
    _table(
        [_file(0, rows=range(4))],
        [
            Commit(-4 * WEEK, adds=(0,)),
            Commit(-HOUR, deletion_vectors=(DeletionVector(0, (0,), -HOUR, VectorStorage.ABSOLUTE),)),
        ],
        features=[Feature.DELETION_VECTORS],
    ),
    (Vacuum(),),
)

#: A deletion vector in the log itself.
INLINE_VECTOR = Case(
    _table(
        [_file(0, rows=range(4))],
        [
            Commit(-4 * WEEK, adds=(0,)),
            Commit(-3 * WEEK, deletion_vectors=(DeletionVector(0, (0,), -3 * WEEK, VectorStorage.INLINE),)),
        ],
        features=[Feature.DELETION_VECTORS],
    ),
    (Vacuum(),),
)

_SOME = Delete(Compare("id", Op.LE, 10, Type.INTEGER))

#: Change files, young at first.
CHANGES = Case(
    _table(FILES, COMMITS, features=[Feature.CHANGE_DATA_FEED]),
    (_SOME, Vacuum(), SetClock(Moment(3 * WEEK)), Vacuum(mode=Mode.LITE)),
)


#: The log begins at version 2, with a checkpoint that holds the tombstones.
PRUNED = Case(
    _table(
        [_file(id) for id in range(4)],
        [
            Commit(-4 * WEEK, adds=(0, 1, 2, 3)),
            Commit(-3 * WEEK, removes=(Removal(1, -3 * WEEK), Removal(2, -DAY))),
            Commit(-2 * WEEK, checkpoint=True),
            Commit(-HOUR, removes=(Removal(3, -HOUR),)),
        ],
        STRAYS,
        pruned=2,
    ),
    (Vacuum(dry_run=True), Vacuum(), Vacuum(), Read()),
)


#: RETAIN with and without effect, with the safety check on and off.
RETAINING = tuple(
    Case(
        _table(FILES, COMMITS, STRAYS, retention_hours=hours),
        (Vacuum(retain_hours=retain, safety_check=check, logging=None),),
    )
    for hours in (None, 24)
    for retain in (0, 0.4, -0.3, 1, 10_000, -5)
    for check in (True, False)
)

RETENTIONS = tuple(
    Case(
        _table(
            FILES,
            COMMITS,
            (
                *STRAYS,
                StrayFile("hour.parquet", modified=-(hours or 168) * HOUR - HOUR // 2),
                StrayFile("line.parquet", modified=-(hours or 168) * HOUR),
                StrayFile("before.parquet", modified=-(hours or 168) * HOUR - 1),
            ),
            retention_hours=hours,
        ),
        (Vacuum(logging=None), Vacuum(logging=False), Read(before_step=0)),
    )
    for hours in (None, 0, 24, 336)
)


REFUSED = tuple(
    Case(LISTED_TABLE, (InvalidVacuum(mistake, dry_run), Vacuum()))
    for mistake in VacuumMistake
    for dry_run in (False, True)
)

UNKNOWN = tuple(
    Case(
        _table(FILES, COMMITS, STRAYS, features=[feature]),
        (Vacuum(dry_run=True), Vacuum(), Vacuum(mode=Mode.LITE), Vacuum(form=VacuumForm.API_PATH)),
    )
    for feature in (Feature.UNKNOWN_WRITER, Feature.UNKNOWN_READER)
)

#: A newest checkpoint that was written by half.
HALF_CHECKPOINT = Case(
    _table(
        FILES,
        [*COMMITS[:2], Commit(-2 * DAY, removes=(Removal(2, -2 * DAY),), checkpoint=True)],
        STRAYS,
        features=[Feature.HALF_CHECKPOINT],
    ),
    (Vacuum(dry_run=True), Vacuum(), Read()),
)


#: Versions and a change feed inside retention of which a VACUUM deletes the files, and then the directory that it emptied.
OLD_VERSIONS = Case(
    _table([_file(0), _file(1, partition="b")], [Commit(-HOUR, adds=(0, 1))], features=[Feature.CHANGE_DATA_FEED]),
    (
        Delete(Compare("p", Op.EQ, "a", Type.STRING)),
        Vacuum(retain_hours=0, safety_check=False),
        Read(before_step=0),
        ReadChanges(of_step=0),
        Vacuum(),
        Read(),
    ),
)

#: A table whose own directory has a name that would be hidden inside a table, and one that is spelled otherwise.
HIDDEN_ROOT = Case(replace(LISTED_TABLE, root=TableRoot.UNDERSCORE), (Vacuum(dry_run=True), Vacuum(), Read()))
SPELLED_ROOT = Case(
    LISTED_TABLE,
    (Vacuum(dry_run=True, spelling=Spelling.LINK), Vacuum(mode=Mode.FULL, spelling=Spelling.PARENT), Read()),
)


#: A file of several pages, and a row of the last one is deleted.
PAGED = Case(
    Table(
        columns=(Column("id", Type.INTEGER),),
        partition_by=(),
        files=(DataFile(0, (), tuple((number,) for number in range(8)), OLD),),
        commits=(Commit(-HOUR, adds=(0,)),),
        features=(Feature.DELETION_VECTORS.value,),
    ),
    (Delete(Compare("id", Op.EQ, 7, Type.INTEGER)),),
)


def _numbered(**groups: tuple[Case, ...]) -> dict[str, Case]:
    return {f"{name}-{number}": case for name, cases in groups.items() for number, case in enumerate(cases)}


#: Three files that are removed one after another, all expired, one of them with a deletion vector. Each VACUUM but the last is
#: asked to keep the version before the last.
KEPT_VERSIONS = Case(
    _table(
        [_file(id) for id in range(4)],
        [
            Commit(-4 * WEEK, adds=(0, 1, 2, 3)),
            Commit(-3 * WEEK, deletion_vectors=(DeletionVector(0, (0,), -3 * WEEK),)),
            Commit(-3 * WEEK + HOUR, removes=(Removal(1, -3 * WEEK + HOUR),)),
            Commit(-3 * WEEK + DAY, removes=(Removal(0, -3 * WEEK + DAY), Removal(2, -3 * WEEK + DAY))),
        ],
        _old("orphan.parquet"),
        features=(Feature.DELETION_VECTORS,),
    ),
    (
        Vacuum(keep=(1,), mode=Mode.FULL),
        Vacuum(dry_run=True, keep=(0, 3), mode=Mode.FULL),
        Vacuum(keep=(3, 0), mode=Mode.LITE),
        Vacuum(mode=Mode.FULL),
        Read(),
    ),
)

#: All of them, by name.
HANDMADE: dict[str, Case] = {
    "listed": LISTED,
    "paged": PAGED,
    "underscored": UNDERSCORED,
    "elsewhere": ELSEWHERE,
    "linked_inside": LINKED_INSIDE,
    "vectors": VECTORS,
    "absolute_vector": ABSOLUTE_VECTOR,
    "inline_vector": INLINE_VECTOR,
    "changes": CHANGES,
    "pruned": PRUNED,
    "kept_versions": KEPT_VERSIONS,
    **_numbered(retaining=RETAINING, retentions=RETENTIONS),
    **_numbered(refused=REFUSED, unknown=UNKNOWN),
    "half_checkpoint": HALF_CHECKPOINT,
    "old_versions": OLD_VERSIONS,
    "hidden_root": HIDDEN_ROOT,
    "spelled_root": SPELLED_ROOT,
}
