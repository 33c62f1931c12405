"""How severe the violation of each clause is, and why; and what a cause has of its own."""

from __future__ import annotations

from dataclasses import dataclass

from model.vocabulary.severity import Severity


@dataclass(frozen=True)
class Harm:
    """What the violation of a clause costs, with the reason in one sentence."""

    severity: Severity
    reason: str


@dataclass(frozen=True)
class Cause:
    """What went wrong with what kind of subject: a short text that is the same for each case, without names and numbers.

    ``severity`` is None where every violation of the clause is equally severe. ``is_error``: the step ended in an error
    instead of a result.
    """

    text: str = ""
    severity: Severity | None = None
    is_error: bool = False


#: The kind of the violation's expectation says enough.
NO_CAUSE = Cause()

_LOSS, _ANSWERS, _UNREADABLE = Severity.DATA_LOSS, Severity.WRONG_ANSWERS, Severity.UNREADABLE
_SPACE, _NUMBERS, _WORDS = Severity.SPACE_KEPT, Severity.WRONG_NUMBERS, Severity.WRONG_WORDS

# What a DELETE and a VACUUM can do alike.
_WRONG_CHECKSUM = Harm(
    _ANSWERS, "Readers that take protocol, metadata or files from the checksum instead of the log read another table."
)
_WRONG_COUNTS = Harm(_NUMBERS, "By wrong counts an intact table looks damaged, or a damaged one intact.")
_CHECKPOINT_HOLDS_MORE = Harm(_SPACE, "The checkpoint carries what only commits have, and grows by it.")
_CHECKPOINT_CHANGES_DATA = Harm(_NUMBERS, "The checkpoint says of old files that they change the data of its version.")
_CHECKPOINT_BARES_REMOVES = Harm(
    _NUMBERS, "LITE VACUUM counts the bytes of what it deletes by the log, and finds none."
)
_WRONG_V2_METADATA = Harm(_UNREADABLE, "Readers do not take the checkpoint for one of the V2 spec, or of its version.")
_WRONG_SIDECAR = Harm(_UNREADABLE, "Readers open a sidecar by the name and size that the checkpoint has, and fail.")
_DIVIDED_CHECKPOINT = Harm(_ANSWERS, "Readers that look for file actions in one place miss those in the other.")
_WRONG_EMBEDDED = Harm(
    _ANSWERS, "Readers that take the actions in _last_checkpoint for the checkpoint's read another table."
)
_WRONG_POINTER = Harm(_UNREADABLE, "Readers reject _last_checkpoint, or read the log from further back.")

#: By family. Where a clause can be violated in several ways, this is the worst one; its causes have their own severities.
FAMILIES: dict[str, Harm] = {
    "VAC-SAFE": Harm(_LOSS, "A file that the table, a reader, a writer or another table still needs is gone for good."),
    "VAC-KEEP": Harm(_LOSS, "With a wrong retention VACUUM deletes files that readers and time travel still need."),
    "VAC-EDGE": Harm(_LOSS, "With a wrong cutoff VACUUM deletes files that are inside retention."),
    "VAC-CHK": Harm(_SPACE, "A VACUUM that is refused deletes nothing, so the storage grows."),
    "VAC-CKPT": Harm(_LOSS, "A tombstone that a checkpoint hides does not protect its file from VACUUM."),
    "VAC-DRY": Harm(_WORDS, "What DRY RUN shows before a decision is not what the VACUUM then does."),
    "VAC-PROTO": Harm(_LOSS, "VACUUM deletes files that a feature needs which the engine does not know."),
    "VAC-LITE": Harm(_SPACE, "Files that LITE skips, now or in a later run, are never deleted."),
    "VAC-INV": Harm(_LOSS, "With an inventory VACUUM deletes what it keeps with a listing."),
    "VAC-PAR": Harm(_LOSS, "Parallel deletion deletes what must be kept."),
    "VAC-FORM": Harm(_LOSS, "The same VACUUM, written differently, deletes what must be kept."),
    "VAC-LIVE": Harm(_SPACE, "Files that nobody needs stay, and cost storage."),
    "VAC-IDEM": Harm(_SPACE, "The first run left files that it should have deleted."),
    "VAC-LOG": Harm(_NUMBERS, "The history of the table tells other numbers than what VACUUM did."),
    "VAC-REF": Harm(_WORDS, "A mistaken VACUUM is not answered with the error that says what is wrong."),
    "DEL-ROW": Harm(_LOSS, "Rows that must stay are gone from the table."),
    "DEL-META": Harm(_LOSS, "Rows that must stay are gone from the table."),
    "DEL-ALL": Harm(_ANSWERS, "Rows that were deleted are still in the table."),
    "DEL-GEN": Harm(_LOSS, "Rows that must stay are gone from the table, or have other values."),
    "DEL-NAME": Harm(_LOSS, "The same DELETE, written differently, deletes other rows."),
    "DEL-NOOP": Harm(_SPACE, "A DELETE without effect writes versions and files that nobody needs."),
    "DEL-TT": Harm(_LOSS, "The history of the table is lost: an earlier version no longer has its rows."),
    "DEL-DV": Harm(_LOSS, "A deletion vector hides rows that must stay."),
    "DEL-MAP": Harm(
        _UNREADABLE, "Readers find neither columns nor partition values by the names in the files and in the log."
    ),
    "DEL-REF": Harm(_WORDS, "A DELETE that must be refused is not answered with the error that says what is wrong."),
    "DEL-SAFE": Harm(_LOSS, "Rows that nobody could read, but might have brought back, are gone from the table."),
    "DEL-PHYS": Harm(_LOSS, "A file that readers and time travel still need is deleted or overwritten."),
    "DEL-ADD": Harm(_UNREADABLE, "The log describes a data file wrongly: a reader fails, or skips the file."),
    "DEL-REM": Harm(_UNREADABLE, "The log describes a removed file wrongly: readers and VACUUM do not recognise it."),
    "DEL-ROWID": Harm(_ANSWERS, "Row ids and row commit versions answer for other rows."),
    "DEL-CDF": Harm(_ANSWERS, "Readers of the change feed miss deletions, or see some that did not happen."),
    "DEL-INFO": Harm(_WORDS, "The history of the table tells another operation than what happened."),
    "DEL-MET": Harm(_NUMBERS, "The numbers that a DELETE reports are not what it did."),
    "DEL-LOG": Harm(_UNREADABLE, "A file of the log that readers need is deleted or changed."),
    "DEL-CKPT": Harm(_LOSS, "A tombstone that a checkpoint lacks does not protect its file from VACUUM."),
    "VAC-READ": Harm(_ANSWERS, "An old version, or its change feed, answers with rows that it never had."),
    "DEL-CACHE": Harm(_ANSWERS, "A session that has cached the table answers with rows that are deleted."),
    "DEL-CRC": _WRONG_CHECKSUM,
    "VAC-CRC": _WRONG_CHECKSUM,
    "READ": Harm(_ANSWERS, "A reader gets rows that the version does not have, or none of those that it has."),
    "CRASH": Harm(_LOSS, "A command that is killed on the way leaves neither the table of before nor that of after."),
    "CONC": Harm(_LOSS, "What one session has committed is lost by another one's work at the same time."),
    "LIFE": Harm(_LOSS, "Rows that must stay are gone from the table, or from a version that readers still need."),
    "VAC-ANS": Harm(_NUMBERS, "The list of files that a VACUUM returns is not what it deleted."),
}

#: Clauses that differ from their family.
CLAUSES: dict[str, Harm] = {
    "CRASH-1C": Harm(_UNREADABLE, "A file of the log that readers need is deleted, changed, or there by half."),
    "CRASH-1F": Harm(_SPACE, "What a killed command leaves costs storage for ever: no VACUUM finds it."),
    "CRASH-2C": Harm(_UNREADABLE, "A file of the log that readers need is deleted, changed, or there by half."),
    "CRASH-2D": Harm(_WORDS, "The history of the table tells another VACUUM than what happened."),
    "CRASH-2F": Harm(_SPACE, "Files without use are written, and cost storage."),
    "CRASH-2G": Harm(_WORDS, "The history of the table does not tell how far the VACUUM came."),
    "CRASH-3": Harm(_ANSWERS, "After a crash the engine answers with rows that the table does not have."),
    "VAC-SAFE-5B": Harm(_SPACE, "Files that nobody needs stay in such partitions, and cost storage."),
    "VAC-READ-4": Harm(_WORDS, "A reader of changes whose files are gone is not told so."),
    "VAC-READ-2": Harm(_WORDS, "A reader of a version whose files are gone is not told so."),
    "VAC-SAFE-6C": Harm(_WORDS, "A directory disappears in which a live or retained file belongs."),
    "VAC-SAFE-10E": Harm(_WORDS, "A reader of a version whose files may be gone is not told so."),
    "VAC-SAFE-11": Harm(_SPACE, "Files that VACUUM leaves behind cost storage."),
    "VAC-CHK-1A": Harm(_LOSS, "Without the safety check a mistaken RETAIN deletes files that readers still need."),
    "VAC-DRY-1": Harm(_LOSS, "A DRY RUN that deletes takes away what the user wanted to see first."),
    "VAC-DRY-2A": Harm(_LOSS, "VACUUM deletes what the DRY RUN that the user has approved did not list."),
    "VAC-LITE-1A": Harm(_LOSS, "LITE deletes files that no commit which it examined has removed."),
    "VAC-LITE-1C": Harm(_WORDS, "LITE does not say that it skips the commits that are gone."),
    "VAC-INV-1B": Harm(_WORDS, "Directories disappear that the documentation promises to keep."),
    "VAC-INV-2": Harm(_WORDS, "A wrong inventory is not answered with the error that says what is wrong."),
    "VAC-FORM-1B": Harm(_WORDS, "The command answers with other rows than documented."),
    "VAC-LOG-1A": Harm(_WORDS, "The history of the table does not tell that a VACUUM ran."),
    "VAC-LOG-1D": Harm(_WORDS, "The history of the table tells of a VACUUM although logging is off."),
    "VAC-LOG-1H": Harm(_WORDS, "The history of the table does not tell that a VACUUM ran."),
    "VAC-LOG-1C": Harm(_UNREADABLE, "A file of the log that readers need is deleted or changed."),
    "VAC-LOG-1E": Harm(
        _UNREADABLE, "The table's definition changes, so that readers and writers fail or write other files."
    ),
    "VAC-LOG-2A": Harm(_LOSS, "A VACUUM that breaks off deletes what must be kept, or looks as if it had succeeded."),
    "VAC-LOG-2B": Harm(_LOSS, "After a file that cannot be deleted VACUUM goes wrong with the others."),
    "VAC-LOG-2C": Harm(_LOSS, "After a file that vanishes VACUUM goes wrong with the others."),
    "VAC-LOG-2D": Harm(_LOSS, "VACUUM deletes files though it could not see all that protect them."),
    "VAC-LOG-2E": Harm(_LOSS, "After a VACUUM that broke off rows are gone from the table."),
    "DEL-ROW-5C": Harm(_ANSWERS, "Programs that read the table in the other way get other rows."),
    "DEL-ROW-4": Harm(_SPACE, "Files without use are written, and cost storage."),
    "DEL-META-2": Harm(_SPACE, "Files without use are written, and cost storage."),
    "DEL-META-4": Harm(_ANSWERS, "Rows cannot be deleted where one file is damaged, and deleting them takes long."),
    "DEL-META-3": Harm(_NUMBERS, "The files of one DELETE expire at different times."),
    "DEL-META-2B": Harm(
        _UNREADABLE, "A remove without its deletion vector removes nothing: the deleted file stays live."
    ),
    "DEL-DV-1B": Harm(_ANSWERS, "By wrong statistics readers skip rows, or count rows that are deleted."),
    "DEL-DV-1C": Harm(_SPACE, "Data files are rewritten although deletion vectors are on."),
    "DEL-DV-2A": Harm(_SPACE, "A file without rows stays, and costs storage and time."),
    "DEL-DV-2B": Harm(_SPACE, "Files are written, or removed and added again, that the DELETE does not concern."),
    "DEL-DV-3": Harm(_UNREADABLE, "A file whose deletion vector cannot be read cannot be read."),
    "DEL-MAP-1C": Harm(_LOSS, "Rows that must stay are gone from the table, or have other values."),
    "DEL-REF-1A": Harm(_LOSS, "Rows are gone from a table that forbids to delete any."),
    "DEL-REF-2A": Harm(_LOSS, "A DELETE with a condition that cannot be decided deletes rows."),
    "DEL-REF-1B": Harm(_LOSS, "A DELETE that was refused has deleted rows all the same."),
    "DEL-REF-2B": Harm(_LOSS, "A DELETE that was refused has deleted rows all the same."),
    "DEL-REF-3": Harm(_LOSS, "A DELETE that failed has deleted rows all the same."),
    "DEL-REF-5": Harm(
        _ANSWERS, "A DELETE decides on rows by a condition that has no value for them, and says nothing."
    ),
    "DEL-SAFE-2": Harm(_ANSWERS, "Rows that were deleted are still in the table."),
    "DEL-SAFE-3": Harm(_LOSS, "A DELETE that failed has deleted rows all the same."),
    "DEL-PHYS-2": Harm(_SPACE, "A file that no commit names costs storage until a VACUUM finds it."),
    "DEL-PHYS-5": Harm(_WORDS, "A directory disappears that its user, or a writer, still needs."),
    "DEL-PHYS-3": Harm(_UNREADABLE, "Nobody can read the table any more."),
    "DEL-ADD-1C": Harm(_NUMBERS, "The time of a file in the log is not that of the file."),
    "DEL-ADD-1D": Harm(_ANSWERS, "Readers that skip files by wrong statistics miss rows."),
    "DEL-REM-1A": Harm(_LOSS, "A tombstone that looks too old does not protect its file from VACUUM."),
    "DEL-ROWID-1C": Harm(_WORDS, "Readers cannot rely on row ids that were kept."),
    "DEL-CDF-1B": Harm(_SPACE, "Change files are written that the log makes superfluous."),
    "DEL-INFO-1A": Harm(_ANSWERS, "The DELETE is not committed, so that deleted rows stay in the table."),
    "DEL-INFO-1C": Harm(
        _UNREADABLE, "The table's definition changes, so that readers and writers fail or write other files."
    ),
    "DEL-INFO-2A": Harm(_NUMBERS, "The history of the table tells another time than that of the DELETE."),
    "DEL-INFO-2B": Harm(_ANSWERS, "Time travel by timestamp reads another version than the one of that time."),
    "DEL-INFO-2C": Harm(_ANSWERS, "Time travel by timestamp reads another version than the one of that time."),
    "DEL-INFO-3A": Harm(_UNREADABLE, "The commit says more than what a DELETE may change."),
    "DEL-PHYS-4": Harm(_SPACE, "Files and directories are left that no commit names."),
    "DEL-REM-1G": Harm(_NUMBERS, "LITE VACUUM counts the bytes of what it deletes by the log, and finds none."),
    "DEL-REM-1E": Harm(_NUMBERS, "The files of one DELETE expire at different times."),
    "DEL-DV-1D": Harm(_ANSWERS, "Readers that skip files by wrong statistics miss rows."),
    "DEL-DV-1E": Harm(_UNREADABLE, "A deletion vector that is read by a wrong size cannot be read."),
    "DEL-ADD-1F": Harm(_SPACE, "Without statistics readers skip no files, and count by reading."),
    "DEL-CDF-2A": Harm(_ANSWERS, "Readers of the change feed apply a change to another version of the table."),
    "DEL-CDF-2B": Harm(_ANSWERS, "Readers of the change feed find other times than those of the commits."),
    "DEL-CDF-1D": Harm(_UNREADABLE, "Readers of the change feed find other partition values than those of the rows."),
    "DEL-CKPT-2": Harm(
        _UNREADABLE, "Readers start from a checkpoint that is not there, or read the log from further back."
    ),
    "DEL-CRC-1": _WRONG_COUNTS,
    "DEL-CRC-3": _WRONG_COUNTS,
    "DEL-CKPT-3": _WRONG_POINTER,
    "DEL-CKPT-4": _CHECKPOINT_HOLDS_MORE,
    "DEL-CKPT-5": _CHECKPOINT_CHANGES_DATA,
    "DEL-CKPT-10": _CHECKPOINT_BARES_REMOVES,
    "DEL-CKPT-6": _WRONG_V2_METADATA,
    "DEL-CKPT-7": _WRONG_SIDECAR,
    "DEL-CKPT-8": _DIVIDED_CHECKPOINT,
    "DEL-CKPT-9": _WRONG_EMBEDDED,
    "VAC-CKPT-5": _WRONG_POINTER,
    "VAC-CKPT-6": _CHECKPOINT_HOLDS_MORE,
    "VAC-CKPT-7": _CHECKPOINT_CHANGES_DATA,
    "VAC-CKPT-12": _CHECKPOINT_BARES_REMOVES,
    "VAC-CKPT-8": _WRONG_V2_METADATA,
    "VAC-CKPT-9": _WRONG_SIDECAR,
    "VAC-CKPT-10": _DIVIDED_CHECKPOINT,
    "VAC-CKPT-11": _WRONG_EMBEDDED,
    "VAC-CKPT-4": Harm(
        _UNREADABLE, "Readers start from a checkpoint that is not there, or read the log from further back."
    ),
    "VAC-LOG-3A": Harm(_NUMBERS, "The history of the table tells another time than that of the VACUUM."),
    "VAC-LOG-3B": Harm(_ANSWERS, "Time travel by timestamp reads another version than the one of that time."),
    "VAC-LOG-3F": Harm(_ANSWERS, "Time travel by timestamp reads another version than the one of that time."),
    "VAC-LOG-3C": Harm(_UNREADABLE, "The commit of a VACUUM changes the table."),
    "VAC-LOG-3D": Harm(_WORDS, "The history of the table tells another transaction than what happened."),
    "CONC-1B": Harm(_LOSS, "Who repeats a command that was refused does twice what it says."),
    "CONC-1C": Harm(_WORDS, "A program cannot tell that it may try again."),
    "CONC-1D": Harm(_WORDS, "A command is refused that could have been committed."),
    "CONC-1F": Harm(_UNREADABLE, "The log describes a file wrongly: readers fail, or do not see that it is removed."),
    "CONC-1G": Harm(_UNREADABLE, "Nobody can read the table any more."),
    "CONC-1H": Harm(
        _UNREADABLE, "The table has another definition, so that readers and writers fail or write other files."
    ),
    "CONC-1J": Harm(_UNREADABLE, "A file of the log that readers need is deleted or changed."),
    "CONC-1K": Harm(_LOSS, "A tombstone that a checkpoint lacks does not protect its file from VACUUM."),
    "CONC-2B": Harm(_ANSWERS, "A reader gets rows that the table never had."),
    "CONC-2C": Harm(_UNREADABLE, "A reader fails because of another session's work."),
    "LIFE-1D": Harm(
        _UNREADABLE, "The table has another definition, so that readers and writers fail or write other files."
    ),
    "LIFE-1E": Harm(_WORDS, "A command that must succeed is refused."),
    "LIFE-1F": Harm(_UNREADABLE, "The log describes a file wrongly: readers fail, or do not see that it is removed."),
    "LIFE-1G": Harm(_ANSWERS, "Readers of a stream get rows again that they have had, or miss new ones."),
    "LIFE-2A": Harm(_LOSS, "The rows of an earlier version cannot be brought back."),
    "LIFE-2B": Harm(_UNREADABLE, "The table refers to files that are gone."),
    "LIFE-5B": Harm(_ANSWERS, "A reader gets rows that no version of the table has."),
    "LIFE-5C": Harm(_ANSWERS, "A stream loses rows that were appended, or delivers rows twice."),
    "LIFE-5D": Harm(_UNREADABLE, "A table cannot be read as a stream."),
    "LIFE-3B": Harm(_ANSWERS, "Row ids and row commit versions answer for other rows."),
    "LIFE-3C": Harm(_LOSS, "A tombstone that a checkpoint lacks does not protect its file from VACUUM."),
    "VAC-LOG-3E": Harm(_WORDS, "The history of the table lacks numbers or options of the VACUUM, or has others."),
}


def harm_of(clause: str) -> Harm:
    """What a violation of a clause costs at worst, by the clause's id. Raises KeyError for a family that has none."""
    return CLAUSES.get(clause) or FAMILIES[clause.rpartition("-")[0]]


def severity_of(clause: str, cause: Cause | None = None) -> Severity:
    """The severity of a violation: its cause's own, or else its clause's. Raises KeyError for an unknown family."""
    own = None if cause is None else cause.severity
    return own or harm_of(clause).severity
