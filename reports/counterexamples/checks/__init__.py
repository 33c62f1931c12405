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
            return files.nothing_changed(expectation, dialect)
        case of.NoFileWritten():
            return files.no_file_written(expectation, dialect)
        case of.RowsAre():
            return rows.rows_are(expectation, dialect, table)
        case of.Answers():
            return rows.answers(expectation, dialect, table)
        case of.Readable():
            return rows.readable(expectation, dialect)
        case of.Operations():
            return log.operations(expectation)
        case of.NoActions():
            return log.no_actions(expectation)
        case of.Removes():
            return log.removes(expectation, dialect)
        case of.FieldIs():
            return log.field_is(expectation)
        case of.FieldMatches():
            return log.field_matches(expectation, dialect)
        case of.FieldHolds():
            return log.field_holds(expectation)
        case of.KeysAre():
            return log.keys_are(expectation)
        case of.ColumnsStored():
            return log.columns_stored(expectation, dialect)
        case of.InfoIs():
            return log.info_is(expectation)
        case of.MetricCounts():
            return log.metric_counts(expectation)
        case of.Fails():
            return answers.fails(expectation)
        case of.Succeeds():
            return answers.succeeds(expectation)
        case of.Lists():
            return answers.lists(expectation)
        case of.ByReplay():
            raise CannotCheck(expectation.reason)
        case None:
            raise CannotCheck("the run has no expectation of it")
