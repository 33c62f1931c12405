"""The cases of a stream are decoded when they are asked for: from a small file, a large one, or a compressed one."""

from __future__ import annotations

import gc
import gzip
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from rich.console import Console

from records.mistakes import StreamError
from records.run import RecordedCase
from reports.command import main
from reports.findings.answers import answer_of
from reports.findings.of_run import findings_of
from reports.render.files import write_views
from reports.render.index import runs_below
from reports.render.terminal import show_run
from reports.stream import reading as stream
from reports.stream.cases import Cases
from reports.stream.checks import sort_key
from reports.stream.reading import Run, read_run
from tests.builders.small_streams import case, footer, header, run, written
from tests.reports.test_runs import Stream, streams, unhurried, whole

HEADER = header()
CASES = [case(number, failing=("VAC-SAFE-1",) if number == 4 else ()) for number in (3, 1, 4, 2)]
STREAM = written([HEADER, *CASES, footer(HEADER, CASES)])

Writer = Callable[..., Path]


@pytest.fixture(params=["small", "large", "compressed", "large and compressed"])
def write(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """Writes a stream in each way in which it can be kept."""
    if "large" in request.param:
        monkeypatch.setattr(stream, "_IN_MEMORY", 10)

    def writing(data: bytes = STREAM) -> Path:
        compressed = "compressed" in request.param
        path = tmp_path / (stream.COMPRESSED_NAME if compressed else stream.FILE_NAME)
        path.write_bytes(gzip.compress(data) if compressed else data)
        return path

    return writing


def ids(cases: Sequence[RecordedCase]) -> list[str]:
    return [one.id for one in cases]


def test_the_cases_are_a_sorted_sequence_that_can_be_passed_over_again(write: Writer) -> None:
    cases = read_run(write()).cases
    expected = sorted(CASES, key=sort_key)
    assert len(cases) == 4 and list(cases) == list(cases) == expected
    assert [(one.id, other.id) for one in cases for other in cases][:4] == [
        (expected[0].id, other.id) for other in expected
    ]
    assert cases[0] == expected[0] and cases[-1] == expected[-1]
    assert list(cases[1:3]) == expected[1:3]
    with pytest.raises(IndexError):
        cases[4]


def test_a_file_that_is_replaced_or_removed_is_still_the_one_that_was_read(write: Writer, tmp_path: Path) -> None:
    path = write()
    first = read_run(path)
    (tmp_path / "other").write_bytes(b"something else\n")
    os.replace(tmp_path / "other", path)
    assert ids(first.cases) == ids(sorted(CASES, key=sort_key))
    path.unlink()
    assert findings_of(first).failures[0].lead.judged == CASES[2]


def test_no_view_is_made_of_a_large_stream_that_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_IN_MEMORY", 10)
    path = tmp_path / "run.jsonl"
    path.write_bytes(STREAM)
    cut, edited = read_run(path), read_run(path)
    with path.open("r+b") as file:
        file.truncate(len(STREAM) // 2)
    with pytest.raises(StreamError, match="written over"):
        write_views(cut, tmp_path / "out")
    path.write_bytes(STREAM.replace(b'"fails"', b'"holds"'))
    with pytest.raises(StreamError, match="written over"):
        write_views(edited, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_file_is_closed_with_the_run(write: Writer) -> None:
    found = read_run(write())
    file = cast(Cases, found.cases)._file
    assert not file.closed
    del found
    gc.collect()
    assert file.closed


@pytest.mark.long
@unhurried
@given(streams())
def test_a_stream_shows_what_its_records_show(drawn: Stream) -> None:
    first, judged, last = drawn
    file = io.BytesIO(whole(drawn))
    in_memory = Run(first, tuple(sorted(judged, key=sort_key)), last)
    assert findings_of(stream._read(file, "a stream")) == findings_of(in_memory)


class Counting(Sequence[RecordedCase]):
    """Cases that count how often they are read."""

    def __init__(self, cases: Sequence[RecordedCase]) -> None:
        self.cases, self.passes = cases, 0

    def __len__(self) -> int:
        return len(self.cases)

    def __iter__(self) -> Iterator[RecordedCase]:
        self.passes += 1
        return iter(self.cases)

    def __getitem__(self, place: Any) -> Any:
        return self.cases[place]


def test_all_views_of_a_run_need_one_pass_over_its_cases(tmp_path: Path) -> None:
    error = {"kind": "harness", "message": "m", "log": ""}
    found = run(*CASES, case(9, error=error, features=["a"]))
    counting = Counting(found.cases)
    found = Run(found.header, counting, found.footer)
    answer_of(found)
    write_views(found, tmp_path)
    show_run(found, Console(file=io.StringIO()), directory=tmp_path, verbose=True)
    assert counting.passes == 1
    assert findings_of(found) is findings_of(found)


# ---- compressed streams


def test_a_directory_with_both_has_the_one_that_is_not_compressed(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl.gz").write_bytes(gzip.compress(STREAM))
    assert len(read_run(tmp_path).cases) == 4
    (tmp_path / "run.jsonl").write_bytes(written([HEADER, CASES[0], footer(HEADER, CASES[:1])]))
    assert len(read_run(tmp_path).cases) == 1
    assert [one.run.footer.cases for one in runs_below(tmp_path).runs] == [1]


def damaged() -> dict[str, bytes]:
    whole = gzip.compress(STREAM)
    middle = len(whole) // 2
    return {
        "cut": whole[:-20],
        "cut in its header": whole[:5],
        "of another kind": STREAM,
        "with another checksum": whole[:-8] + bytes(4) + whole[-4:],
        "with wrong bytes": whole[:middle]
        + bytes(byte ^ 255 for byte in whole[middle : middle + 50])
        + whole[middle + 50 :],
    }


@pytest.mark.parametrize("data", damaged().values(), ids=damaged().keys())
def test_a_damaged_compressed_stream_is_refused_in_one_sentence(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.jsonl.gz").write_bytes(data)
    with pytest.raises(StreamError):
        read_run(tmp_path)
    assert main(["render", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "cannot be decompressed" in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl.gz"]


def test_a_compressed_stream_is_checked_as_any_other(write: Writer) -> None:
    for data in (b"", STREAM[:-1], STREAM[: len(STREAM) // 2], STREAM.replace(b'"index":3', b'"index":5'), STREAM * 2):
        with pytest.raises(StreamError):
            read_run(write(data))


def test_a_stream_is_read_from_a_pipe(tmp_path: Path) -> None:
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as file:
        file.write(STREAM)
    try:
        assert ids(read_run(f"/dev/fd/{read_end}").cases) == ids(sorted(CASES, key=sort_key))
    finally:
        os.close(read_end)
