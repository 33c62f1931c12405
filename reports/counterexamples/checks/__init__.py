"""An expectation (``records.expectations``) as a few lines of Python that check it."""

from __future__ import annotations

from engines.dialect import Dialect
from model.vocabulary.table import Table
from records import expectations as of
from records.expectations import Expectation
from reports.counterexamples.checks import answers, files, log, rows
from reports.counterexamples.checks.pieces import CannotCheck, Check


def check(expectation: Expectation | None, dialect: Dialect, table: Table) -> Check:
    """The lines for an expectation about a step on this table. Raises CannotCheck."""
    match expectation:
        case of.Unchanged():
            return files.unchanged(expectation)
        case of.Gone():
            return files.gone(expectation)
        case of.NothingChanged():
            return files.nothing_changed(expectation)
        case of.NothingDeleted():
            return files.nothing_deleted(expectation)
        case of.NoFileWritten():
            return files.no_file_written(expectation)
        case of.NewFilesReferenced():
            return files.new_files_referenced(expectation, dialect)
        case of.RowsAre():
            return rows.rows_are(expectation, dialect, table)
        case of.Readable():
            return rows.readable(expectation, dialect)
        case of.RowIdsKept():
            return rows.row_ids_kept(expectation, dialect)
        case of.Operations():
            return log.operations(expectation)
        case of.NoActions():
            return log.no_actions(expectation)
        case of.Removes():
            return log.removes(expectation)
        case of.EachOnce():
            return log.each_once(expectation)
        case of.FieldIs():
            return log.field_is(expectation)
        case of.FieldMatches():
            return log.field_matches(expectation, dialect)
        case of.FieldHolds():
            return log.field_holds(expectation)
        case of.FieldAgrees():
            return log.field_agrees(expectation)
        case of.KeysAre():
            return log.keys_are(expectation)
        case of.GreaterThan():
            return log.greater_than(expectation)
        case of.NewNames():
            return log.new_names(expectation)
        case of.ColumnsStored():
            return log.columns_stored(expectation, dialect)
        case of.InfoIs():
            return log.info_is(expectation)
        case of.MetricCounts():
            return log.metric_counts(expectation)
        case of.LastVacuum():
            return log.last_vacuum(expectation)
        case of.CheckpointRemoves():
            return log.checkpoint_removes(expectation, dialect)
        case of.Fails():
            return answers.fails(expectation)
        case of.Succeeds():
            return answers.succeeds(expectation)
        case of.Lists():
            return answers.lists(expectation)
        case of.AnswersRoot():
            return answers.answers_root(expectation)
        case of.AnswersPaths():
            return answers.answers_paths(expectation)
        case of.ByReplay():
            raise CannotCheck(expectation.reason)
        case None:
            raise CannotCheck("the run has no expectation of it")
