"""DELETE. Each case is a table and a few commands; every applicable clause judges every step.

A test item judges one batch of cases: ``pytest suites`` collects as many items of each test as the profile needs.
"""

from __future__ import annotations

from harness.campaigns.campaign import cases_from
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

#: Predicates on partition columns: whole files are removed, and no data file is written.
test_partition_deletes = cases_from("partition-deletes", "DEL", 64, on_engine_files(told_apart(partition_deletes())))

#: Predicates on data columns: files are rewritten.
test_row_deletes = cases_from("row-deletes", "DEL", 92, on_engine_files(told_apart(row_deletes())))

#: Tables with any valid set of features: deletion vectors, change data feed, column mapping, row tracking and so on.
test_feature_deletes = cases_from("feature-deletes", "DEL", 210, on_engine_files(told_apart(feature_deletes())))

#: Columns of all types, with functions, casts and expressions in the predicate.
test_typed_deletes = cases_from("typed-deletes", "DEL", 50, on_engine_files(told_apart(typed_deletes())))

#: Conditions of several tests, on tables in which each small error of reading them would show.
test_telling_deletes = cases_from("telling-deletes", "DEL", 64, telling_deletes())

#: Any function of Spark in the condition: Spark itself is asked, as a projection, for which rows it is TRUE.
test_spark_functions = cases_from(
    "spark-functions", "DEL", 48, verbatim_deletes(language=Language.SPARK), language=Language.SPARK
)

#: Any function of DataFusion in the condition, likewise.
test_datafusion_functions = cases_from(
    "datafusion-functions", "DEL", 48, verbatim_deletes(language=Language.DATAFUSION), language=Language.DATAFUSION
)

#: Every form of the command: SQL by path, name and alias, TRUNCATE, the DataFrame API and so on.
test_delete_forms = cases_from("delete-forms", "DEL", 48, delete_forms())

#: Tables with a live file that nobody can read whole: no row of it may be lost.
test_damaged_deletes = cases_from("damaged-deletes", "DEL", 24, damaged_deletes())

#: DELETEs that must be refused and change nothing.
test_refused_deletes = cases_from("refused-deletes", "DEL READ", 30, refused_deletes())
