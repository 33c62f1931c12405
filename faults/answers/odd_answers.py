"""Odd answers: what no engine should say, and what a reader of a log may meet all the same.

``FAULTS`` are wrong by the protocol, or refusals that nothing asks for: a clause must be broken, however odd the words are.
``TOLERATED`` is what PROTOCOL.md allows: nothing may be broken.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace

from deltalog.data.bitmaps import encode_rows
from deltalog.data.deletion_vectors import FORMAT_VERSION, read_vector
from deltalog.entries.descriptors import DeletionVectorDescriptor
from deltalog.entries.fields import read_fields
from engines.port import EngineError, Outcome
from faults.machinery import actions
from faults.machinery.actions import add_fault, edited, every, first, info_fault, remove_fault, vector_fault
from faults.machinery.disk import drop_checksum
from faults.machinery.fault import Tamper, command_fault, delete_fault, fault, succeeds, vacuum_fault, when
from faults.machinery.members import becomes, put, put_present
from faults.machinery.tampering import Tampering
from model.vocabulary.commands import CommandKind, SetRetention
from model.vocabulary.steps import AtOnce, Read
from model.vocabulary.table import Feature

# Answers --------------------------------------------------------------------------------------------------------------


def _refusal(outcome: Outcome, message: str) -> Outcome:
    return replace(outcome, rows=(), error=EngineError("Exception", None, None, message))


def _refuse(message: str) -> Tamper:
    """Undo what the step committed, and refuse it with this message."""

    def tamper(t: Tampering) -> Outcome:
        t.log.undo()
        return _refusal(t.outcome, message)

    return tamper


def _refuse_second(t: Tampering) -> Outcome:
    assert t.outcome.second is not None, "the outcome of an AtOnce has that of the second"
    return replace(t.outcome, second=_refusal(t.outcome.second, ""))


def _sets_retention(t: Tampering) -> bool:
    return succeeds(t) and isinstance(t.command, SetRetention)


_HUGE = "no " * 1_000_000

# Files of deletion vectors --------------------------------------------------------------------------------------------


def _one_vector(t: Tampering) -> bool:
    return len(actions.vector_adds(t)) == 1


def _rewrite_vector(change: Callable[[bytes], bytes], after: bytes = b"") -> Tamper:
    """Change the data of the step's vector, with its size and checksum, and append bytes to its file."""

    def tamper(t: Tampering) -> None:
        (add,) = actions.vector_adds(t)
        vector = read_fields(DeletionVectorDescriptor, "deletionVector", add["deletionVector"])
        if vector.file is None:
            return
        data = change(encode_rows(read_vector(t.root, vector)))
        path = t.root / vector.file
        drop_checksum(path)
        content = bytes([FORMAT_VERSION]) + struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))
        path.write_bytes(content + after)
        add["deletionVector"] |= {"offset": 1, "sizeInBytes": len(data)}
        t.log.save()

    return when(_one_vector, tamper)


_VECTORS = [Feature.DELETION_VECTORS]

# fmt: off
FAULTS = (
    # messages
    delete_fault("delete-fails-without-a-word", "DEL-INFO-1A DEL-ROW-1 DEL-ROW-3", when(succeeds, _refuse("")),
        "A DELETE fails, and the error has no message."),
    delete_fault("delete-fails-with-a-million-words", "DEL-INFO-1A DEL-ROW-1 DEL-ROW-3", when(succeeds, _refuse(_HUGE)),
        "A DELETE fails with a message of three million characters."),
    delete_fault("delete-fails-with-an-empty-line", "DEL-INFO-1A DEL-ROW-1 DEL-ROW-3", when(succeeds, _refuse("\n\u2028")),
        "A DELETE fails with a message that has nothing but ends of lines."),
    vacuum_fault("vacuum-fails-without-a-word", "VAC-CHK-2 VAC-LIVE-6", when(succeeds, _refuse("")),
        "A VACUUM fails, and the error has no message."),
    fault("read-fails-without-a-word", "DEL-ROW-5A VAC-SAFE-10A", when(succeeds, _refuse("")),
        "Reading the table fails, and the error has no message.", on=Read),
    command_fault("command-fails-without-a-word", "LIFE-1E", when(_sets_retention, _refuse("")),
        "A retention cannot be set, and the error has no message.", needs=[CommandKind.SET_RETENTION]),
    fault("second-fails-without-a-word", "CONC-1C", _refuse_second,
        "The second of two commands at once fails, and the error has no message.", on=AtOnce, needs=["sessions"]),
    # statistics
    add_fault("statistics-are-no-json", "DEL-ADD-1D", becomes("stats", lambda _: "12 rows"), "The statistics of a new file are no JSON."),
    add_fault("statistics-are-a-list", "DEL-ADD-1D", becomes("stats", lambda _: '["numRecords"]'), "The statistics of a new file are a JSON array."),
    add_fault("statistics-are-of-other-types", "DEL-ADD-1D", becomes("stats", lambda _: '{"numRecords":"some","minValues":[1],"maxValues":2,"nullCount":"none"}'),
        "The statistics of a new file have a text as the number of rows, and lists for objects."),
    vector_fault("vector-statistics-are-no-json", "DEL-DV-1B", becomes("stats", lambda _: "12 rows"),
        "The statistics beside a new deletion vector are no JSON.", needs=_VECTORS),
    vector_fault("vector-statistics-are-of-other-types", "DEL-DV-1B DEL-DV-1D", becomes("stats", lambda _: '{"numRecords":[],"minValues":true,"nullCount":1.5}'),
        "The statistics beside a new deletion vector have lists, flags and numbers for objects.", needs=_VECTORS),
    # other types in actions
    remove_fault("size-is-a-text", "DEL-PHYS-3", put_present(size="12"), "The size of a remove is a text."),
    remove_fault("path-is-a-number", "DEL-PHYS-3", put_present(path=12), "The path of a remove is a number."),
    remove_fault("partition-values-are-a-list", "DEL-PHYS-3", put_present(partitionValues=["p"]), "The partition values of a remove are a list."),
    delete_fault("commit-info-is-a-text", "DEL-PHYS-3", when(lambda t: bool(t.log.written),
            lambda t: t.log.rewrite(max(t.log.written), [{"commitInfo": "DELETE"}])),
        "commitInfo of a DELETE is a text, and the only action."),
    info_fault("metrics-are-a-list", "DEL-MET-1A", put_present(operationMetrics=["numRemovedFiles"]), "The metrics in commitInfo are a list.", edit=first),
    edited(actions.of("domainMetadata"), "high-water-mark-is-no-json", "DEL-ROWID-1D", put(configuration="12"),
        "The high-water mark of the row ids is no JSON object.", needs=[Feature.ROW_TRACKING]),
    # what nobody asked for
    delete_fault("commits-an-unknown-action", "DEL-INFO-3A", actions.append({"horoscope": {"sign": "Leo"}}),
        "The commit of a DELETE has an action of a kind that the protocol does not have."),
    delete_fault("vector-ends-in-other-bytes", "DEL-DV-3", _rewrite_vector(lambda data: data + b"\1\2\3\4"),
        "The data of a new deletion vector goes on after its last row, with bytes that are not zero.", needs=_VECTORS),
)

#: By PROTOCOL.md readers ignore fields that they do not know ("Protocol Evolution"), and find a deletion vector by its offset.
TOLERATED = (
    edited(actions.of("add"), "adds-more-members", "DEL-ADD-1G", put(horoscope={"sign": "Leo"}),
        "An add has a member that the protocol does not have.", edit=every),
    remove_fault("removes-more-members", "DEL-REM-1B", put(horoscope=["Leo"]), "A remove has a member that the protocol does not have.", edit=every),
    info_fault("commit-info-has-more-members", "DEL-INFO-1A", put(horoscope=12), "commitInfo has a member that no engine has."),
    delete_fault("vector-file-ends-in-other-bytes", "DEL-DV-3", _rewrite_vector(lambda data: data, after=b"\1\2\3\4"),
        "The file of a new deletion vector goes on after its last vector."),
    delete_fault("vector-ends-in-zeros", "DEL-DV-3", _rewrite_vector(lambda data: data + bytes(4)),
        "The data of a new deletion vector ends in four zero bytes, as if filled up for base85."),
)
# fmt: on
