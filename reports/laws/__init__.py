"""The laws that a reproduction script checks, each a plain function of what was seen around one step.

``reports.reproduction`` copies the source of the law that a script needs, and of what that law uses, into the script:
so these modules use the standard library only (and what they take from ``reports``, copied along), each law can be read
alone, and no two definitions in them have the same name.

A law returns a Finding: whether it holds, and a phrase that says what was seen. Paths are relative to the table's
root, as they are on storage (not url-encoded); beside the root they begin with ``../``. Where a law cannot be judged at
all, such as a file that was gone before the step, it raises CannotJudge.

| law | it holds when |
| --- | --- |
| ``stays(path)`` | the file or directory is still there, with the same bytes |
| ``live_files_stay()`` | every file that the version before the step refers to is still there |
| ``goes(path)`` | the file or directory is gone |
| ``no_file_went()`` | no file outside of ``_delta_log`` is gone |
| ``nothing_went()`` | neither a file nor a directory outside of ``_delta_log`` is gone |
| ``rows_are(rows)`` | the step's rows are these, as a multiset |
| ``reads(rows)`` | the current version, read after the step, holds these rows, as a multiset |
| ``removed_exactly(paths)`` | the step's single commit removes exactly these files |
| ``no_commit()`` | the step wrote no version |
| ``one_commit()`` | the step wrote exactly one version |
| ``untouched(paths=None)`` | these files (all that were there outside the log) have the same bytes and mtimes |
| ``nothing_changed()`` | all files and directories, the log's too, are as before |
| ``adds_true(facts=None)`` | each add is true of its file, in these facts (all): new and unique path, size, time, partition, … |
| ``removes_true(facts=None)`` | each remove says of these facts (all) what a live file's add said, at a time in the step |
| ``removes_name_all_partitions()`` | the partition values of each remove name exactly the partition columns, the NULL ones too |
| ``one_deletion_timestamp()`` | all removes carry the same deletionTimestamp |
| ``no_conflicting_actions()`` | no two actions of one commit reconcile with each other, no path twice among one kind |
| ``definition_stays()`` | the step's commits hold no protocol, metaData or txn action, and no domainMetadata but row ids' |
| ``no_adds()`` | the step's commits add no file |
| ``no_new_files()`` | no file was written outside of ``_delta_log`` |
| ``no_new_data_files()`` | no Parquet file was written outside of ``_delta_log`` |
| ``all_new_files_referenced()`` | the step's commits name each new file; the log, vectors and Parquet without rows aside |
| ``added_rows_are(rows)`` | the added files hold these rows, as a multiset |
| ``commit_info(expected, present)`` | the last commit's commitInfo has these values and these keys (dotted) |
| ``refused(condition)`` | the engine refused the step with this error condition (any error for ``None``) |
| ``refused(conditions=[…])`` | … with one of these (``None``: an error without any), and nothing changed |
| ``succeeded()`` | the engine ended the step without an error |
| ``lists(path)``, ``lists_not(path)`` | the DRY RUN's rows name the path, or do not |
| ``vacuum_log(expected)`` | it wrote VACUUM START and END alone, with the commitInfo ``expected["START"]``, ``["END"]`` |
| ``vacuum_log(…, of_what_went, by_another)`` | … and these of its metrics count what it deleted itself |
| ``log_unchanged()`` | the log's older files have the same bytes; only what a writer may add was added |
| ``table_is_there()`` | the root and its log exist, and the current version can be read |
| ``vectors_are(files)`` | the deletion vectors of the live files hide exactly these row indexes, by the file's path |
| ``vectors_valid()`` | each vector that the step's commits name can be read: file, version, size, checksum, magic, count |
| ``no_vector_written()`` | the step's commits name no new vector, and no vector file was written |
| ``change_rows_are(rows)`` | the change files of the step's commits hold these rows of the table, each a ``delete`` |
| ``no_change_files()`` | the step's commits name no change file, and none was written |
| ``changes_are(rows)`` | the engine's change feed of the step holds these rows, each with its ``_change_type`` behind |
| ``metrics_are(metrics, absent)`` | the last commit's operationMetrics have these values, and lack these names |
| ``metrics_are(…, of_what_was_written)`` | … and these of them count the files that the step wrote |
| ``times_are_numbers(names)`` | these of the last commit's operationMetrics are whole numbers, not negative |
| ``commit_tag(tag, value)`` | the last commit's commitInfo has this tag (no such tag for ``None``) |
| ``row_ids_kept()`` | each row that is left has the row id and the row commit version that it had |
| ``row_ids_set(taken)`` | adds have baseRowId and defaultRowCommitVersion: new files' after ``taken``, known files' their own |
| ``physical_names()`` | partitionValues and new files name the columns by their physical names |
| ``beside_stays(path=None)`` | this thing beside the root (all that is there) is still there, with the same bytes |
| ``version_files_stay(version, but)`` | all data and vector files inside the root that this version has stay, but these |
| ``lists_exactly(paths, either)`` | the DRY RUN's rows name each of these paths once, and no others but of ``either`` |
| ``answers_root()`` | the step answered one row, the root's path |
| ``answers_nothing()`` | the step answered no rows |
| ``answers_paths()`` | each row that it answered is one path below the root, no path twice |
| ``last_vacuum_info_is(version)`` | ``_last_vacuum_info`` names this version, the last that LITE saw (``None``: none) |
| ``checkpoint_keeps(paths)`` | the newest checkpoint that the step wrote holds a remove of each of these files |

Keys of a commitInfo are dotted: ``operationMetrics.numFilesToDelete``.
Rows are lists of JSON values, in the form of ``reports.values``. With column mapping, the partition columns are meant by
their physical names; a file's rows are those that it stores, less those that its deletion vector hides.
"""

from __future__ import annotations

from collections.abc import Callable

from reports.laws import (
    actions,
    answers,
    commits,
    deletion_vectors,
    evidence,
    infos,
    paths,
    rows,
    storage,
    vacuums,
    words,
)
from reports.laws.evidence import Finding

#: The modules that the laws are made of, in the order in which they stand in a script.
MODULES = (evidence, words, actions, paths, storage, answers, rows, commits, infos, deletion_vectors, vacuums)

#: The laws, by name. All of them are named in this module's docstring.
LAWS: dict[str, Callable[..., Finding]] = {
    law.__name__: law
    for law in (
        storage.stays,
        storage.live_files_stay,
        storage.goes,
        storage.no_file_went,
        storage.nothing_went,
        rows.rows_are,
        rows.reads,
        commits.removed_exactly,
        commits.no_commit,
        commits.one_commit,
        storage.untouched,
        storage.nothing_changed,
        commits.adds_true,
        commits.removes_true,
        commits.removes_name_all_partitions,
        commits.one_deletion_timestamp,
        commits.no_conflicting_actions,
        commits.definition_stays,
        commits.no_adds,
        storage.no_new_files,
        storage.no_new_data_files,
        commits.all_new_files_referenced,
        rows.added_rows_are,
        infos.commit_info,
        answers.refused,
        answers.succeeded,
        vacuums.lists,
        vacuums.lists_not,
        vacuums.vacuum_log,
        storage.log_unchanged,
        storage.table_is_there,
        deletion_vectors.vectors_are,
        deletion_vectors.vectors_valid,
        deletion_vectors.no_vector_written,
        rows.change_rows_are,
        rows.no_change_files,
        rows.changes_are,
        infos.metrics_are,
        infos.times_are_numbers,
        infos.commit_tag,
        rows.row_ids_kept,
        commits.row_ids_set,
        commits.physical_names,
        storage.beside_stays,
        storage.version_files_stay,
        vacuums.lists_exactly,
        answers.answers_root,
        answers.answers_nothing,
        answers.answers_paths,
        vacuums.last_vacuum_info_is,
        vacuums.checkpoint_keeps,
    )
}
