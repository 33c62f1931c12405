"""``tombstone rehearse``: what it answers, writes and refuses."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deltalog.checkpoints.writing import write_checkpoint
from deltalog.entries.actions import Add, Metadata, Protocol
from deltalog.entries.commits import write_commit
from deltalog.log import read_log
from deltalog.storage.names import LOG_DIRECTORY, commit_name
from deltalog.storage.times import set_modified
from model.vocabulary.table import DAY
from rehearsal.__main__ import main
from runner.command_line.commands import in_a_sentence
from tests.rehearsal.tables import (
    AGES,
    AT,
    EXPIRED,
    LIVE,
    METADATA,
    ORPHAN,
    RECENT,
    REMOVED,
    WRITTEN,
    info,
    write_table,
)
from tests.runner.test_workspace import until

ROOT = Path(__file__).resolve().parents[2]


def rehearse(*words: str, at: str = WRITTEN) -> int:
    return in_a_sentence(main)([*words, "--model-only", "--at", at])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_table(tmp_path / "table")


def found(out: Path) -> tuple[dict[str, Any], list[list[str]]]:
    """The document, and what each release deletes."""
    document = json.loads((out / "rehearsal.json").read_text(encoding="utf-8"))
    lists = sorted(out.glob("delete-?.txt"))
    return document, [path.read_text(encoding="utf-8").splitlines() for path in lists]


def test_one_release(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert rehearse(str(table), "--out", str(out)) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "PASS: Delta 4.4.0 deletes 2 files (1.0 kB), and none that a version inside the retention needs\n"
    )
    assert "  1 version has all files now, and not afterwards: 0\n" in said
    document, (deleted,) = found(out)
    assert deleted == [EXPIRED, ORPHAN]
    (release,) = document["releases"]
    assert release["deleted"] == {"files": 2, "bytes": 1004} and release["directories_deleted"] == 1
    kept = {row["reason"]: row["files"] for row in release["reasons"] if row["fate"] == "keep"}
    assert sum(kept.values()) == len(AGES) - 2 and len(kept) == 4
    assert {row["path"]: row["deleted"]["files"] for row in release["directories"]} == {"_mine": 0, "p=1": 1, "p=2": 1}
    page = (out / "rehearsal.md").read_text(encoding="utf-8")
    assert "| p=1 | **deletes 1 file (1.0 kB)**, keeps 1 file (200 bytes) | " in page


def test_a_later_vacuum_deletes_more(table: Path, tmp_path: Path) -> None:
    assert rehearse(str(table), "--out", str(tmp_path / "out"), at="2025-12-09T00:00:00+00:00") == 0
    _, (deleted,) = found(tmp_path / "out")
    assert deleted == sorted(AGES.keys() - {LIVE, "_mine/old.txt"})


def test_a_retain_that_the_new_release_ignores(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(table), "3.3.2", "4.4.0", "--vacuum", "VACUUM sales.orders RETAIN 720 HOURS", "--out", str(tmp_path)]
    assert rehearse(*words) == 3
    answer = capsys.readouterr().out.splitlines()[0]
    assert answer.startswith(
        "LOOK FIRST: Delta 4.4.0 deletes 1 file (4 bytes) that Delta 3.3.2 keeps. Since 4.1: RETAIN has no "
    )
    document, (before, after) = found(tmp_path)
    assert (before, after) == ([EXPIRED], [EXPIRED, ORPHAN])
    assert document["difference"]["only_second"] == {"files": 1, "bytes": 4}


def test_two_releases_that_do_the_same(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert rehearse(str(table), "4.3.1", "4.4.0") == 0
    assert capsys.readouterr().out.startswith(
        "UPGRADE: Delta 4.4.0 deletes the same as Delta 4.3.1: 2 files (1.0 kB)\n"
    )


def test_a_short_retain_is_refused_by_one_of_them(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(table), "--vacuum", "vacuum delta.`/x y` retain 1.5 hours;"]
    assert rehearse(*words, "4.0.0") == 0
    assert (
        "PASS: Delta 4.0.0 refuses the statement and deletes nothing: RETAIN 1.5 HOURS is shorter"
        in capsys.readouterr().out
    )
    assert rehearse(*words, "4.0.0", "4.4.0") == 3
    assert rehearse(*words, "4.0.0", "4.4.0", "--no-retention-check") == 3
    assert "Delta 4.0.0 deletes 2 files (205 bytes) that Delta 4.4.0 keeps" in capsys.readouterr().out


def test_another_engine(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """delta-rs goes by the tombstone of a removed file, whatever the file's own age."""
    touched = table / EXPIRED
    touched.write_bytes(b"x")
    assert rehearse(str(table), "4.4.0", "deltalake==1.6.6", "--out", str(tmp_path / "out")) == 3
    _, (spark, delta_rs) = found(tmp_path / "out")
    assert EXPIRED in delta_rs and EXPIRED not in spark
    assert "a removed file goes by its tombstone, whatever its own age" in " ".join(capsys.readouterr().out.split())


def test_a_log_that_contradicts_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The tombstone says a month, but its commit is of yesterday: a version inside the retention loses a file."""
    table = write_table(tmp_path / "table", stamps={**REMOVED, RECENT: 30})
    contradiction = (
        "the log contradicts itself: tombstones are older than their own commits. By the tombstones Delta 4.4.0 "
    )
    lost = "deletes 1 file (200 bytes), such as p=1/recent.parquet"
    needed = "; by the commits a version inside the retention needs it. A copy of a table must keep the times"
    assert rehearse(str(table)) == 2
    assert capsys.readouterr().out.startswith(f"INCONCLUSIVE: {contradiction}{lost}{needed}")
    assert rehearse(str(table), "4.3.1", "4.4.0") == 3
    assert capsys.readouterr().out.startswith(f"LOOK FIRST: {contradiction}{lost}, and so does Delta 4.3.1{needed}")


def test_a_log_that_was_copied_without_its_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write_table(tmp_path / "table")
    for commit in (table / LOG_DIRECTORY).iterdir():
        set_modified(commit, AT)
    assert rehearse(str(table)) == 2
    assert "INCONCLUSIVE: the log contradicts itself: " in capsys.readouterr().out


def test_a_log_without_its_first_commits(table: Path, tmp_path: Path) -> None:
    write_checkpoint(table, read_log(table).snapshot(1), v2=True)
    (table / LOG_DIRECTORY / commit_name(0)).unlink()
    assert rehearse(str(table), "--out", str(tmp_path / "out")) == 0
    document, (deleted,) = found(tmp_path / "out")
    assert deleted == [EXPIRED, ORPHAN] and document["readable"] == 2 and document["releases"][0]["lost"] == []
    assert rehearse(str(table), "--vacuum", "VACUUM LITE", "--out", str(tmp_path / "out")) == 0
    document, _ = found(tmp_path / "out")
    assert document["releases"][0]["refusal"] == "the log lacks commits that no VACUUM LITE has read"


def test_the_retention_of_the_table(tmp_path: Path) -> None:
    properties = {"delta.deletedFileRetentionDuration": "interval 20 days 1 minute"}
    table = write_table(tmp_path / "table", properties=properties)
    assert rehearse(str(table), "--out", str(tmp_path / "out")) == 0
    assert found(tmp_path / "out")[1] == [[]]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--vacuum", "DELETE FROM x"], "--vacuum 'DELETE FROM x' is no VACUUM: "),
        (["--vacuum", "VACUUM x USING INVENTORY y"], "USING INVENTORY cannot be rehearsed: "),
        (["--vacuum", "VACUUM x RETAIN 7 DAYS"], "--vacuum 'VACUUM x RETAIN 7 DAYS' has a RETAIN without hours: "),
        (["--vacuum", "VACUUM x LITE FULL"], "--vacuum 'VACUUM x LITE FULL' says FULL or LITE twice: "),
        (["--vacuum", "VACUUM 'x"], '--vacuum "VACUUM \'x" has a quotation mark that is not closed: '),
        (["3.3.2", "3.3.2"], "Delta 3.3.2 is named twice: "),
        (["3.3.2", "4.0.0", "4.4.0"], "Name two releases at most: "),
        (["deltalake"], "deltalake names no release: "),
        (["1.0.0"], "Delta 1.0.0 is not known here: "),
        (["--at", "soon"], "--at soon is no time: "),
        (["--out", "TABLE/reports"], "--out TABLE/reports is in the table's own directory, where nothing is written: "),
    ],
)
def test_a_mistake_is_a_sentence(
    words: list[str], sentence: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(table), *(word.replace("TABLE", str(table)) for word in words)]
    assert in_a_sentence(main)(given) == 2
    said = capsys.readouterr()
    assert said.err.startswith(sentence.replace("TABLE", str(table))) and said.err.count("\n") == 1 and not said.out


def not_a_table(root: Path) -> Path:
    root.mkdir()
    return root


def damaged(root: Path) -> Path:
    write_table(root)
    (root / LOG_DIRECTORY / commit_name(3)).write_text('{"add": {"path"', encoding="utf-8")
    return root


def leading_out(root: Path) -> Path:
    (write_table(root) / "out").symlink_to("../elsewhere")
    return root


def pruned(root: Path) -> Path:
    (write_table(root) / LOG_DIRECTORY / commit_name(1)).unlink()
    return root


def named_outside(root: Path) -> Path:
    return write_table(root, first=(Add("file:///elsewhere/a.parquet", {}, 9, AT, True),))


def with_feature(name: str) -> Any:
    return lambda root: write_table(root, protocol=Protocol(3, 7, (name,), (name,)))


def of_months(root: Path) -> Path:
    return write_table(root, properties={"delta.deletedFileRetentionDuration": "interval 2 months"})


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (Path, " does not exist: name the directory of a table."),
        (not_a_table, " is no Delta table: "),
        (damaged, " cannot be replayed, so its files are unknown: "),
        (pruned, " the commit of version 1 is missing"),
        (leading_out, "The link out leads out of the table, to ../elsewhere: "),
        (named_outside, "The log names 1 file outside of "),
        (with_feature("newest"), "features that this release does not know: newest"),
        (with_feature("catalogManaged"), "has the feature catalogManaged: "),
        (of_months, "'interval 2 months', which this release cannot read"),
    ],
)
def test_a_table_that_cannot_be_rehearsed_is_a_sentence(
    make: Any, part: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rehearse(str(make(tmp_path / "table"))) == 2
    said = capsys.readouterr()
    assert part in said.err and said.err.count("\n") == 1 and not said.out


def test_many_directories_are_folded(tmp_path: Path) -> None:
    root = tmp_path / "table"
    write_commit(
        root, 0, [info("CREATE TABLE"), Protocol(1, 2), Metadata("a", METADATA.schema_string)], modified=AT - 9 * DAY
    )
    for number in range(60):
        (root / f"p={number % 3}" / f"q={number}").mkdir(parents=True)
        (root / f"p={number % 3}" / f"q={number}" / "a").write_bytes(b"xy")
    assert rehearse(str(root), "--out", str(tmp_path / "out"), at="+8d") == 0
    page = (tmp_path / "out" / "rehearsal.md").read_text(encoding="utf-8")
    assert [line.count("20 files (40 bytes)") for line in page.splitlines() if line.startswith("| p=")] == [2, 2, 2]


#: A rehearsal that says where its files are, and waits there.
WAITS = """
import signal, sys
import rehearsal.__main__ as command
def waits(root, copy):
    print(copy.parent, flush=True)
    signal.pause()
command.read_table = waits
command.main(sys.argv[1:])
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_rehearsal_that_is_ended_leaves_nothing(table: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-c", WAITS, str(table), "--model-only"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        directory = Path(process.stdout.readline().rstrip("\n"))
        assert directory.is_dir()
        process.send_signal(how)
    until(lambda: not directory.exists(), "the directory is removed")
