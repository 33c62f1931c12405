"""Files and directories beside a table's root, and symbolic links. VACUUM must not delete what is outside the root."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.prediction.history import live_ids
from model.text.layout import file_path
from model.vocabulary.table import DAY, Kind, StrayFile, Table
from strategies.instants import instants
from strategies.tables.paths import UsedPaths, joined
from strategies.weights import odds

#: Directories beside the root, which is called "table". Most share a prefix with it.
SIBLINGS = ("../table2", "../tables", "../table.old", "../tabl", "../table_p=1", "../table %41", "../other")

#: Their files: mostly those of another table.
SIBLING_FILES = (
    "part-00000-c000.snappy.parquet",
    "_delta_log/00000000000000000000.json",
    "p=1/part-00001.parquet",
    "orphan.parquet",
    "_hidden",
)

#: The directory beside the root that holds the targets of links.
LINKED = "../linked"

_SIBLINGS = st.lists(st.sampled_from(SIBLINGS), min_size=1, max_size=2, unique=True)
_SIBLING_FILES = st.lists(st.sampled_from(SIBLING_FILES), min_size=1, max_size=3, unique=True)
_LINKS = st.lists(
    odds((2, "beside"), (2, "live"), (1, "stray"), (1, "missing"), (1, "empty"), (1, "hidden")), min_size=1, max_size=3
)


@st.composite
def neighbours(draw: DrawFn, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """One or two directories beside the root, each with one to three files; half of them have an empty directory too.

    Shrinks to one old file in a directory whose name begins with the root's.
    """
    ages = instants(cutoff_age=cutoff_age)
    found: list[StrayFile] = []
    for sibling in draw(_SIBLINGS):
        found += [StrayFile(joined(sibling, name), modified=draw(ages)) for name in draw(_SIBLING_FILES)]
        if draw(st.booleans()):
            found.append(StrayFile(joined(sibling, "empty"), Kind.DIRECTORY, modified=draw(ages), size=0))
    return tuple(found)


@st.composite
def links(draw: DrawFn, table: Table, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """One to three symbolic links below the root, and their targets beside it.

    The target is a file or an empty directory beside the root, a live file, a stray file, or missing. Some links have
    hidden names or are in a hidden directory. For directories with files see ``links_to_directories``. Modification
    times of links and targets are independent. Shrinks to one link to a file.
    """
    ages = instants(cutoff_age=cutoff_age)
    paths = UsedPaths(table)
    files = {file.id: file_path(table, file) for file in table.files}
    live = [files[id] for id in live_ids(table) if not files[id].startswith("../")]
    stray_files = [
        stray.path for stray in table.stray_files if stray.kind is Kind.FILE and not stray.path.startswith("../")
    ]
    found: list[StrayFile] = []
    for number, kind in enumerate(draw(_LINKS)):
        target = joined(LINKED, f"file-{number}.parquet")
        if kind == "live" and live:
            target = draw(st.sampled_from(live))
        elif kind == "stray" and stray_files:
            target = draw(st.sampled_from(stray_files))
        elif kind == "missing":
            target = joined(LINKED, "missing", f"{number}.parquet")
        elif kind == "empty":
            target = joined(LINKED, f"empty-{number}")
            found.append(StrayFile(target, Kind.DIRECTORY, modified=draw(ages), size=0))
        else:
            found.append(StrayFile(target, modified=draw(ages)))
        name = f"{'_' if kind == 'hidden' else ''}link-{number}.parquet"
        link = StrayFile(
            joined(draw(odds((2, ""), (2, "dir"), (1, "_tmp"))), name),
            Kind.LINK,
            modified=draw(ages),
            size=0,
            target=target,
        )
        if paths.admit(link):
            found.append(link)
    return tuple(found)


@st.composite
def links_to_directories(draw: DrawFn, table: Table, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """A symbolic link in the root to a directory with files. Spark follows it and deletes old files there.

    The target is a partition directory with files (two in three, if there is one), or a directory beside the root with
    six old files. Live and retained files may be lost (docs/findings.md), so a case must end with its first VACUUM that
    is not a dry run. Shrinks to the partition directory.
    """
    old = min(-cutoff_age - DAY, 0)
    paths = [file_path(table, file) for file in table.files]
    partitions = sorted({path.split("/")[0] for path in paths if "/" in path} - {".."})
    inside = bool(partitions) and draw(odds((2, True), (1, False)))
    target = draw(st.sampled_from(partitions)) if inside else joined(LINKED, "full")
    found = [StrayFile("link", Kind.LINK, modified=old, size=0, target=target)]
    if not UsedPaths(table).admit(found[0]):
        return ()
    if target.startswith("../"):
        found += [StrayFile(joined(target, f"file-{number}.parquet"), modified=old) for number in range(6)]
    return tuple(found)
