"""What is the machine's trouble, and no fault of an engine: in the words of the engines, and in exceptions of Python."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pytest

from deltalog.errors import UnreadableCheckpoint
from engines.machine import MachineFailed, raise_if_of_the_machine, require_machine, trouble_in, trouble_of
from engines.port import Answer, EngineError, Outcome
from model.vocabulary.case import Case
from model.vocabulary.readings import Reading
from model.vocabulary.steps import Delete, IOFault, Read, Request, Vacuum
from reference_engine import ReferenceEngine
from tests.builders.observations import full_judge
from tests.handmade.steps import AGED, IN_A, PARTITIONED

SPACE, HANDLES, MEMORY, NETWORK = "the disk is full", "no file handles", "no memory", "the network is gone"
BUSY = "the server of the storage is too busy"

WORDS = [
    ("OSError", "Generic LocalFileSystem error: Unable to write: No space left on device (os error 28)", SPACE),
    ("OSError", "Generic LocalFileSystem error: Unable to sync: Disk quota exceeded (os error 122)", SPACE),
    ("OSError", "Unable to open file: Too many open files (os error 24)", HANDLES),
    ("OSError", "Kernel: failed (os error 23)", HANDLES),
    ("SparkException", "Job aborted: java.io.IOException: No space left on device", SPACE),
    ("Py4JJavaError", "java.io.FileNotFoundError: /t/x.json (Too many open files)", HANDLES),
    ("Py4JJavaError", "java.lang.OutOfMemoryError: Java heap space", MEMORY),
    ("OutOfMemoryError", "Java heap space", MEMORY),
    ("MemoryError", "", MEMORY),
    ("ArrowMemoryError", "malloc of size 64 failed", MEMORY),
    ("Aborted", "the process was aborted; its log ends:\nmemory allocation of 65536 bytes failed", MEMORY),
    ("OSError", "error sending request: Connection refused (os error 111)", NETWORK),
    ("OSError", "Generic S3 error: Server returned non-2xx status code: 503: <Code>SlowDown</Code>", BUSY),
    ("Py4JJavaError", "S3Exception: Please reduce your request rate. (Service: S3, Status Code: 503)", BUSY),
    ("OSError", "dns error: failed to lookup address: Temporary failure in name resolution", NETWORK),
]


@pytest.mark.parametrize(("exception", "message", "cause"), WORDS, ids=[words[:30] or name for name, words, _ in WORDS])
def test_what_an_engine_says_of_the_machine(exception: str, message: str, cause: str) -> None:
    trouble = trouble_in(message, exception)
    assert trouble is not None and trouble.startswith(f"The machine failed: {cause}") and trouble.count("\n") == 0
    failed = Outcome((), EngineError(exception, None, None, message), 0, 0)
    for outcome in (
        failed,
        Outcome((), None, 0, 0, answers={"count": Answer(Reading.COUNT, error=failed.error)}),
        Outcome((), None, 0, 0, second=failed),
    ):
        with pytest.raises(MachineFailed, match=cause):
            require_machine(outcome)


def test_what_an_engine_says_of_itself() -> None:
    for exception, message in (
        ("OSError", "Input/output error: p=a/part-0.parquet"),  # the I/O faults of the suite
        ("OSError", "Permission denied (os error 13)"),
        ("OSError", "No such file or directory (os error 2)"),
        ("OSError", "Is a directory (os error 21)"),
        ("Aborted", f"memory allocation of {2**64} bytes failed"),  # nobody has that: a mistake of the engine
        ("StackOverflowError", "java.lang.StackOverflowError"),
        ("Exception", ""),
    ):
        assert trouble_in(message, exception) is None
        require_machine(Outcome((), EngineError(exception, None, None, message), 0, 0))
    require_machine(Outcome((), None, 0, 0))


def test_which_exceptions_are_the_machines() -> None:
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENETUNREACH):
        error = OSError(number, os.strerror(number))
        assert trouble_of(error) is not None
        with pytest.raises(MachineFailed):
            raise_if_of_the_machine(error)
        unreadable = UnreadableCheckpoint("it cannot be read")
        unreadable.__cause__ = error
        assert trouble_of(unreadable) == trouble_of(error), "also where it is the cause of another"
    assert trouble_of(MemoryError()) and trouble_of(pa.ArrowMemoryError("malloc of size 64 failed"))
    others = FileNotFoundError(errno.ENOENT, "x"), PermissionError(errno.EACCES, "x"), ValueError("No space left")
    for other in others:
        assert trouble_of(other) is None
        raise_if_of_the_machine(other)


# In a case --------------------------------------------------------------------------------------------------------------


class Troubled(ReferenceEngine):
    """Fails so many times for want of space, at a DELETE."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def run(self, root: Path, step: Request, *, clock: int, version: int | None) -> Outcome:
        if isinstance(step, Delete) and self.times:
            self.times -= 1
            error = EngineError("OSError", None, None, "No space left on device (os error 28)")
            return Outcome((), error, clock, clock)
        return super().run(root, step, clock=clock, version=version)


def test_a_full_disk_is_an_error_of_the_run_on_every_engine(tmp_path: Path) -> None:
    judged = full_judge(Troubled(2), tmp_path).judge(Case(PARTITIONED, (IN_A, Read())))
    assert not judged.violated, "nothing is said of the engine"
    assert judged.failure is not None and judged.failure.kind == "engine-died"
    assert judged.failure.message == (
        "The machine failed: the disk is full (No space left on device): "
        "free some space, or name another place with --table-root or TMPDIR."
    )


def test_a_trouble_that_passes_costs_one_more_try(tmp_path: Path) -> None:
    judged = full_judge(Troubled(1), tmp_path).judge(Case(PARTITIONED, (IN_A, Read())))
    assert judged.failure is None and not judged.violated and judged.tallies["DEL-ROW-1"].met == 1


@pytest.mark.parametrize(
    "where", ["harness.observing.observer.read_stored_rows", "suites.clauses.delete.rows.check_rows_left"]
)
@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.ENOSPC])
def test_what_the_suite_cannot_do_is_not_the_engines(
    number: int, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is a file unreadable, nor does a clause hide it."""

    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(where, fails)
    judged = full_judge(ReferenceEngine(), tmp_path).judge(Case(PARTITIONED, (IN_A, Read())))
    assert judged.failure is not None and "The machine failed: " in judged.failure.message and not judged.violated


def test_the_io_faults_of_the_suite_stay_what_they_are(tmp_path: Path) -> None:
    case = Case(AGED, (Vacuum(io_fault=IOFault.CANNOT_DELETE, faulty_path="old"),))
    judged = full_judge(ReferenceEngine(), tmp_path).judge(case)
    assert judged.failure is None and not judged.violated and judged.tallies["VAC-LOG-2B"].met == 1
