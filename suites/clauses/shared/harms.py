"""Harms that several clauses share: what a violation costs, with the reason."""

from __future__ import annotations

from harness.judging.severity import (
    costs_more,
    data_loss,
    space_kept,
    unreadable,
    wrong_answers,
    wrong_numbers,
    wrong_words,
)

COMMITS_LOST = data_loss("What one session has committed is lost by another one's work at the same time.")
DELETED_AND_FAILED = data_loss("A DELETE that failed has deleted rows all the same.")
DELETED_AND_REFUSED = data_loss("A DELETE that was refused has deleted rows all the same.")
FILES_LOST = data_loss("A file that the table, a reader, a writer or another table still needs is gone for good.")
HISTORY_LOST = data_loss("The history of the table is lost: an earlier version no longer has its rows.")
LOST_BY_INVENTORY = data_loss("With an inventory VACUUM deletes what it keeps with a listing.")
LOST_BY_UNKNOWN_FEATURES = data_loss("VACUUM deletes files that a feature needs which the engine does not know.")
ROWS_HIDDEN = data_loss("A deletion vector hides rows that must stay.")
ROWS_LOST = data_loss("Rows that must stay are gone from the table.")
ROWS_LOST_OR_CHANGED = data_loss("Rows that must stay are gone from the table, or have other values.")
ROWS_OR_VERSIONS_LOST = data_loss(
    "Rows that must stay are gone from the table, or from a version that readers still need."
)
TOMBSTONES_HIDDEN = data_loss("A tombstone that a checkpoint hides does not protect its file from VACUUM.")
TOMBSTONES_LOST = data_loss("A tombstone that a checkpoint lacks does not protect its file from VACUUM.")
TORN = data_loss("A command that is killed on the way leaves neither the table of before nor that of after.")
VACUUM_WRITTEN_DIFFERENTLY = data_loss("The same VACUUM, written differently, deletes what must be kept.")
WRITTEN_DIFFERENTLY = data_loss("The same DELETE, written differently, deletes other rows.")
WRONG_CUTOFF = data_loss("With a wrong cutoff VACUUM deletes files that are inside retention.")
WRONG_RETENTION = data_loss("With a wrong retention VACUUM deletes files that readers and time travel still need.")

DELETED_ROWS_STAY = wrong_answers("Rows that were deleted are still in the table.")
DIVIDED_CHECKPOINT = wrong_answers("Readers that look for file actions in one place miss those in the other.")
WRONG_CHANGES = wrong_answers("Readers of the change feed miss deletions, or see some that did not happen.")
WRONG_CHECKSUM = wrong_answers(
    "Readers that take protocol, metadata or files from the checksum instead of the log read another table."
)
WRONG_EMBEDDED_ACTIONS = wrong_answers(
    "Readers that take the actions in _last_checkpoint for the checkpoint's read another table."
)
WRONG_OLD_VERSIONS = wrong_answers("An old version, or its change feed, answers with rows that it never had.")
WRONG_READS = wrong_answers("A reader gets rows that the version does not have, or none of those that it has.")
WRONG_ROW_IDS = wrong_answers("Row ids and row commit versions answer for other rows.")
WRONG_STATISTICS = wrong_answers("Readers that skip files by wrong statistics miss rows.")
WRONG_VERSION_TIMES = wrong_answers("Time travel by timestamp reads another version than the one of that time.")

ANOTHER_DEFINITION = unreadable(
    "The table has another definition, so that readers and writers fail or write other files."
)
CHECKPOINT_NOT_THERE = unreadable(
    "Readers start from a checkpoint that is not there, or read the log from further back."
)
DEFINITION_CHANGED = unreadable(
    "The table's definition changes, so that readers and writers fail or write other files."
)
LOG_FILES_LOST = unreadable("A file of the log that readers need is deleted or changed.")
LOG_FILES_TORN = unreadable("A file of the log that readers need is deleted, changed, or there by half.")
TABLE_UNREADABLE = unreadable("Nobody can read the table any more.")
WRONG_ADDS = unreadable("The log describes a data file wrongly: a reader fails, or skips the file.")
WRONG_COLUMN_NAMES = unreadable(
    "Readers find neither columns nor partition values by the names in the files and in the log."
)
WRONG_FILE_ACTIONS = unreadable("The log describes a file wrongly: readers fail, or do not see that it is removed.")
WRONG_POINTER = unreadable("Readers reject _last_checkpoint, or read the log from further back.")
WRONG_REMOVES = unreadable("The log describes a removed file wrongly: readers and VACUUM do not recognise it.")
WRONG_SIDECAR = unreadable("Readers open a sidecar by the name and size that the checkpoint has, and fail.")
WRONG_V2_METADATA = unreadable("Readers do not take the checkpoint for one of the V2 spec, or of its version.")

CHECKPOINT_HOLDS_MORE = space_kept("The checkpoint carries what only commits have, and grows by it.")
FILES_STAY = space_kept("Files that nobody needs stay, and cost storage.")
LEFT_BY_THE_FIRST_RUN = space_kept("The first run left files that it should have deleted.")
NEEDLESS_FILES = space_kept("Files without use are written, and cost storage.")
SKIPPED_BY_LITE = space_kept("Files that LITE skips, now or in a later run, are never deleted.")
VACUUM_REFUSED = space_kept("A VACUUM that is refused deletes nothing, so the storage grows.")

LISTS_NEEDLESSLY = costs_more(
    "The command lists directories that it need not list: on a large table, minutes and money."
)
READS_NEEDLESSLY = costs_more("The command reads files that it has no use for: on a large table, minutes and money.")

CHECKPOINT_CHANGES_DATA = wrong_numbers("The checkpoint says of old files that they change the data of its version.")
DIFFERENT_EXPIRY = wrong_numbers("The files of one DELETE expire at different times.")
REMOVES_WITHOUT_SIZES = wrong_numbers("LITE VACUUM counts the bytes of what it deletes by the log, and finds none.")
WRONG_COUNTS = wrong_numbers("By wrong counts an intact table looks damaged, or a damaged one intact.")
WRONG_METRICS = wrong_numbers("The numbers that a DELETE reports are not what it did.")
WRONG_VACUUM_ANSWER = wrong_numbers("The list of files that a VACUUM returns is not what it deleted.")
WRONG_VACUUM_HISTORY = wrong_numbers("The history of the table tells other numbers than what VACUUM did.")

VACUUM_NOT_IN_HISTORY = wrong_words("The history of the table does not tell that a VACUUM ran.")
WRONG_DELETE_REFUSAL = wrong_words(
    "A DELETE that must be refused is not answered with the error that says what is wrong."
)
WRONG_DRY_RUN = wrong_words("What DRY RUN shows before a decision is not what the VACUUM then does.")
WRONG_OPERATION = wrong_words("The history of the table tells another operation than what happened.")
WRONG_VACUUM_REFUSAL = wrong_words("A mistaken VACUUM is not answered with the error that says what is wrong.")
