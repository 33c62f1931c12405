"""What lies beside a table's root, and symbolic links: nothing of it is VACUUM's, whatever its age."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.history import live_ids
from model.layout import file_path
from model.table import DAY, Kind, StrayFile, Table
from strategies.instants import instants
from strategies.paths import Paths, joined
from strategies.weights import odds

#: Directories beside the root, which is called "table". Their names begin like its name, or it begins like them.
SIBLINGS = ("../table2", "../tables", "../table.old", "../tabl", "../table_p=1", "../table %41", "../other")

#: What lies in them: a table of its own, mostly.
SIBLING_FILES = (
    "part-00000-c000.snappy.parquet",
    "_delta_log/00000000000000000000.json",
    "p=1/part-00001.parquet",
    "orphan.parquet",
    "_hidden",
)

#: The directory beside the root that links lead to.
LINKED = "../linked"

_SIBLINGS = st.lists(st.sampled_from(SIBLINGS), min_size=1, max_size=2, unique=True)
_SIBLING_FILES = st.lists(st.sampled_from(SIBLING_FILES), min_size=1, max_size=3, unique=True)
_LINKS = st.lists(
    odds((2, "beside"), (2, "live"), (1, "stray"), (1, "nowhere"), (1, "empty"), (1, "hidden")), min_size=1, max_size=3
)


@st.composite
def neighbours(draw: DrawFn, *, cutoff_age: int) -> tuple[StrayFile, ...]:
    """One or two directories beside the root, each with one to three files, and at times an empty directory.

    Ages are as those of other strays. Shrinks to one old file in a directory whose name begins like the root's.
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
    """One to three symbolic links below the root, and what they lead to beside it.

    A link leads to a file beside the root, to a live file, to a stray, to an empty directory beside the root, or
    nowhere; some have hidden names or lie in hidden directories. None leads to a directory that holds something:
    see ``links_to_directories``. Ages of links and of what they lead to are drawn apart. Shrinks to one link to a file.
    """
    ages = instants(cutoff_age=cutoff_age)
    paths = Paths(table)
    files = {file.id: file_path(table, file) for file in table.files}
    live = [files[id] for id in live_ids(table) if not files[id].startswith("../")]
    stray_files = [
        stray.path for stray in table.stray_files if stray.kind is Kind.FILE and not stray.path.startswith("../")
    ]
    found: list[StrayFile] = []
    for number, leads_to in enumerate(draw(_LINKS)):
        target = joined(LINKED, f"file-{number}.parquet")
        if leads_to == "live" and live:
            target = draw(st.sampled_from(live))
        elif leads_to == "stray" and stray_files:
            target = draw(st.sampled_from(stray_files))
        elif leads_to == "nowhere":
            target = joined(LINKED, "missing", f"{number}.parquet")
        elif leads_to == "empty":
            target = joined(LINKED, f"empty-{number}")
            found.append(StrayFile(target, Kind.DIRECTORY, modified=draw(ages), size=0))
        else:
            found.append(StrayFile(target, modified=draw(ages)))
        name = f"{'_' if leads_to == 'hidden' else ''}link-{number}.parquet"
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
    """A symbolic link below the root to a directory that holds something. Spark deletes what is old behind it.

    It leads to the directory of a partition with files, where there is one, or to one beside the root with six old files.
    Live and retained files may be lost that way (docs/findings.md): a case should end with its first VACUUM that is
    no dry run. Shrinks to the partition.
    """
    old = min(-cutoff_age - DAY, 0)
    partitions = sorted(
        {path.split("/")[0] for path in (file_path(table, file) for file in table.files) if "/" in path}
    )
    within = [path for path in partitions if path != ".."]
    inside = bool(within) and draw(odds((2, True), (1, False)))
    target = draw(st.sampled_from(within)) if inside else joined(LINKED, "full")
    found = [StrayFile("link", Kind.LINK, modified=old, size=0, target=target)]
    if not Paths(table).admit(found[0]):
        return ()
    if target.startswith("../"):
        found += [StrayFile(joined(target, f"file-{number}.parquet"), modified=old) for number in range(6)]
    return tuple(found)
