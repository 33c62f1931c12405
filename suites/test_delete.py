"""DELETE. Each case is a table and a few commands; every applicable clause judges every step.

A test item judges one batch of cases: ``pytest suites`` collects as many items of each test as the profile needs.
"""

from __future__ import annotations

from harness.campaigns.campaign import Batch, Worker, cases_from
from model.vocabulary.predicate import Language
from strategies.cases.corpus.telling_cases import telling_deletes
from strategies.cases.corpus.telling_files import told_apart
from strategies.cases.damaged_files import damaged_deletes
from strategies.cases.deletes import (
    delete_forms,
    feature_deletes,
    partition_deletes,
    refused_deletes,
    row_deletes,
    typed_deletes,
)
from strategies.cases.engine_files import on_engine_files
from strategies.cases.verbatim_deletes import verbatim_deletes


@cases_from(on_engine_files(told_apart(partition_deletes())), judged_by=("DEL",), weight=64)
def test_partition_deletes(batch: Batch, worker: Worker) -> None:
    """Predicates on partition columns: whole files are removed, and no data file is written."""
    worker.judge(batch)


@cases_from(on_engine_files(told_apart(row_deletes())), judged_by=("DEL",), weight=92)
def test_row_deletes(batch: Batch, worker: Worker) -> None:
    """Predicates on data columns: files are rewritten."""
    worker.judge(batch)


@cases_from(on_engine_files(told_apart(feature_deletes())), judged_by=("DEL",), weight=210)
def test_feature_deletes(batch: Batch, worker: Worker) -> None:
    """Tables with any valid set of features: deletion vectors, change data feed, column mapping, row tracking and so on."""
    worker.judge(batch)


@cases_from(on_engine_files(told_apart(typed_deletes())), judged_by=("DEL",), weight=50)
def test_typed_deletes(batch: Batch, worker: Worker) -> None:
    """Columns of all types, with functions, casts and expressions in the predicate."""
    worker.judge(batch)


@cases_from(telling_deletes(), judged_by=("DEL",), weight=64)
def test_telling_deletes(batch: Batch, worker: Worker) -> None:
    """Conditions of several tests, on tables in which each small error of reading them would show."""
    worker.judge(batch)


@cases_from(verbatim_deletes(language=Language.SPARK), judged_by=("DEL",), weight=48, language=Language.SPARK)
def test_spark_functions(batch: Batch, worker: Worker) -> None:
    """Any function of Spark in the condition: Spark itself is asked, as a projection, for which rows it is TRUE."""
    worker.judge(batch)


@cases_from(verbatim_deletes(language=Language.DATAFUSION), judged_by=("DEL",), weight=48, language=Language.DATAFUSION)
def test_datafusion_functions(batch: Batch, worker: Worker) -> None:
    """Any function of DataFusion in the condition, likewise."""
    worker.judge(batch)


@cases_from(delete_forms(), judged_by=("DEL",), weight=48)
def test_delete_forms(batch: Batch, worker: Worker) -> None:
    """Every form of the command: SQL by path, name and alias, TRUNCATE, the DataFrame API and so on."""
    worker.judge(batch)


@cases_from(damaged_deletes(), judged_by=("DEL",), weight=24)
def test_damaged_deletes(batch: Batch, worker: Worker) -> None:
    """Tables with a live file that nobody can read whole: no row of it may be lost."""
    worker.judge(batch)


@cases_from(refused_deletes(), judged_by=("DEL", "READ"), weight=30)
def test_refused_deletes(batch: Batch, worker: Worker) -> None:
    """DELETEs that must be refused and change nothing."""
    worker.judge(batch)
