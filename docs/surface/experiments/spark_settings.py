"""What each setting of a Spark session makes of a DELETE and a VACUUM: the same commands with it and without.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python spark_settings.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Every setting of FAMILIES that Spark knows and that a session can set is changed from its default: a switch the other way, a number
to another number, the rest to what OTHERWISE says. Copies of two tables are tried with TOGETHER neighbours at once; if that makes a
difference, with each half of them, until it is known which setting makes it. There must be none but in ALONE and CONTROLS. Named on
the command line a setting is tried alone, and must not lose a row: what it changes is said.

What is compared: the answers, the rows that a session by default sees after the DELETEs and after VACUUM, the actions of each commit,
and the files that VACUUM leaves. Whatever the settings: the rows that are left must be those for which the conditions
do not hold when the same session selects them, and a command that is refused deletes nothing.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

#: Those that have to do with files and conditions.
FAMILIES = (
    "spark.databricks.*",
    "spark.sql.files.*",
    "spark.sql.parquet.*",
    "spark.sql.legacy.*",
    "spark.sql.ansi*",
    "spark.sql.sources.*",
    "spark.sql.adaptive.*",
    "spark.sql.codegen.*",
    "spark.sql.caseSensitive*",
    "spark.sql.session.*",
    "spark.sql.shuffle.*",
    "spark.sql.optimizer.*",
    "spark.sql.hive.convert*",
    "spark.sql.timestampType*",
    "spark.sql.storeAssignment*",
    "spark.sql.charVarchar*",
    "spark.sql.readSideCharPadding*",
    "spark.sql.preserveCharVarchar*",
    "spark.sql.mapKeyDedup*",
    "spark.sql.variable.*",
    "spark.sql.execution.*",
    "spark.sql.subexpression*",
    "spark.sql.constraintPropagation*",
    "spark.sql.datetime*",
    "spark.sql.decimal*",
    "spark.sql.crossJoin*",
    "spark.sql.autoBroadcast*",
    "spark.sql.join.*",
    "spark.sql.cache.*",
    "spark.sql.inMemory*",
    "spark.sql.defaultColumn.*",
    "spark.sql.collation*",
    "spark.sql.variant*",
)

#: How many settings are set at once.
TOGETHER = 80

#: Of the settings that are neither a switch nor a number, or of which another number is a mistake, what is set.
OTHERWISE = {
    "spark.databricks.io.skipping.mdc.rangeId.max": "2",
    "spark.sql.codegen.aggregate.fastHashMap.capacityBit": "12",
    "spark.sql.codegen.wholeStage.union.maxChildren": "2",
    "spark.sql.optimizer.optimizeExpandRatio": "2",
    "spark.databricks.delta.allFilesInCrc.thresholdIndexedCols": "1",
    "spark.databricks.delta.autoCompact.enabled": "true",
    "spark.databricks.delta.autoCompact.minFileSize": "1",
    "spark.databricks.delta.changeDataFeed.defaultSchemaModeForColumnMappingTable": "latest",
    "spark.databricks.delta.checkConstraints.validation.enabled": "ASSERT",
    "spark.databricks.delta.checkpoint.partSize": "1",
    "spark.databricks.delta.checkpointV2.topLevelFileFormat": "json",
    "spark.databricks.delta.commitInfo.userMetadata": "me",
    "spark.databricks.delta.commitLock.enabled": "true",
    "spark.databricks.delta.commitValidation.consistentDataChange.mode": "enforce",
    "spark.databricks.delta.conflictDetection.partitionLevelConcurrency.widenNonDeterministicPredicates": "off",
    "spark.databricks.delta.deletionVectors.packing.targetSize": "1b",
    "spark.databricks.delta.delta.log.cacheRetentionMinutes": "1ms",
    "spark.databricks.delta.dummyFileManager.prefix": ".x-",
    "spark.databricks.delta.generatedColumn.validateOnWrite.enabled": "ASSERT",
    "spark.databricks.delta.insertReplaceOnOrUsing.materializeSource": "all",
    "spark.databricks.delta.lastCommitVersionInSession": "1",
    "spark.databricks.delta.merge.materializeSource": "all",
    "spark.databricks.delta.merge.materializeSource.rddStorageLevel": "MEMORY_ONLY",
    "spark.databricks.delta.merge.materializeSource.rddStorageLevelFirstRetry": "MEMORY_ONLY",
    "spark.databricks.delta.merge.materializeSource.rddStorageLevelRetry": "MEMORY_ONLY",
    "spark.databricks.delta.optimize.batchSize": "1",
    "spark.databricks.delta.optimizeWrite.binSize": "1b",
    "spark.databricks.delta.optimizeWrite.enabled": "true",
    "spark.databricks.delta.partitionColumnChangeCheck": "true",
    "spark.databricks.delta.skipping.partitionLikeDataSkipping.additionalSupportedExpressions": "upper",
    "spark.databricks.delta.snapshotCache.storageLevel": "MEMORY_ONLY",
    "spark.databricks.delta.snapshotPartitions": "3",
    "spark.databricks.delta.stalenessLimit": "3600000ms",
    "spark.databricks.delta.statsAsStructInCheckpoint.forcedDisabled": "true",
    "spark.databricks.delta.table.parquetV2.timestampOutputType": "INT96",
    "spark.databricks.delta.testOnly.dataFileNamePrefix": "data-",
    "spark.databricks.delta.testOnly.dvFileNamePrefix": "dv-",
    "spark.databricks.delta.typeWidening.allowAutomaticWidening": "NEVER",
    "spark.databricks.delta.v2.enableMode": "NONE",
    "spark.databricks.delta.vacuum.logging.enabled": "true",
    "spark.databricks.delta.vacuum.parallelDelete.parallelism": "2",
    "spark.databricks.delta.write.txnAppId": "me",
    "spark.databricks.delta.write.txnVersion": "1",
    "spark.sql.adaptive.advisoryPartitionSizeInBytes": "1b",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": "1b",
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "3",
    "spark.sql.adaptive.coalescePartitions.minPartitionNum": "3",
    "spark.sql.adaptive.coalescePartitions.minPartitionSize": "1b",
    "spark.sql.adaptive.customCostEvaluatorClass": "org.apache.spark.sql.execution.adaptive.SimpleCostEvaluator",
    "spark.sql.adaptive.logLevel": "TRACE",
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": "1b",
    "spark.sql.adaptive.optimizer.excludedRules": "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation",
    "spark.sql.adaptive.shuffle.targetPostShuffleInputSize": "1b",
    "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "1b",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.codegen.factoryMode": "CODEGEN_ONLY",
    "spark.sql.codegen.logLevel": "TRACE",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": "3",
    "spark.databricks.delta.retentionDurationCheck.enabled": "true",
    "spark.sql.defaultColumn.allowedProviders": "parquet",
    "spark.sql.execution.arrow.compression.codec": "zstd",
    "spark.sql.execution.arrow.localRelationThreshold": "1b",
    "spark.sql.execution.arrow.maxBytesPerBatch": "1b",
    "spark.sql.execution.arrow.maxBytesPerOutputBatch": "1b",
    "spark.sql.execution.pandas.structHandlingMode": "dict",
    "spark.sql.execution.pandas.udf.buffer.size": "4096",
    "spark.sql.execution.pyspark.python": "python3",
    "spark.sql.execution.python.udf.buffer.size": "4096",
    "spark.sql.execution.pythonUDF.arrow.concurrency.level": "2",
    "spark.sql.files.maxPartitionBytes": "4096",
    "spark.sql.files.maxPartitionNum": "1",
    "spark.sql.files.minPartitionNum": "5",
    "spark.sql.cache.serializer": "org.apache.spark.sql.execution.columnar.DefaultCachedBatchSerializer",
    "spark.sql.files.openCostInBytes": "0",
    "spark.sql.inMemoryColumnarStorage.hugeVectorThreshold": "1b",
    "spark.sql.legacy.csv.enableDateTimeParsingFallback": "true",
    "spark.sql.legacy.ctePrecedencePolicy": "LEGACY",
    "spark.sql.legacy.json.enableDateTimeParsingFallback": "true",
    "spark.sql.legacy.nullInEmptyListBehavior": "true",
    "spark.sql.legacy.timeParserPolicy": "LEGACY",
    "spark.sql.mapKeyDedupPolicy": "LAST_WIN",
    "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.OptimizeIn",
    "spark.sql.optimizer.maxIterations": "2",
    "spark.sql.optimizer.nestedPredicatePushdown.supportedFileSources": "",
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "1b",
    "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold": "1b",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.datetimeRebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.parquet.int96RebaseModeInRead": "EXCEPTION",
    "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
    "spark.sql.parquet.output.committer.class": "org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.session.localRelationChunkSizeLimit": "1MB",
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.sources.commitProtocolClass": "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol",
    "spark.sql.sources.default": "delta",
    "spark.sql.sources.disabledJdbcConnProviderList": "basic",
    "spark.sql.sources.outputCommitterClass": "org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter",
    "spark.sql.sources.partitionOverwriteMode": "DYNAMIC",
    "spark.sql.sources.useListFilesFileSystemList": "file",
    "spark.sql.sources.useV1SourceList": "",
    "spark.sql.storeAssignmentPolicy": "LEGACY",
    "spark.sql.timestampType": "TIMESTAMP_NTZ",
    "spark.sql.variant.forceShreddingSchemaForTest": "a INT",
}

#: These make a difference, and the comparison must see it.
CONTROLS = (
    "spark.databricks.delta.delete.deletionVectors.persistent",
    "spark.databricks.delta.retentionDurationCheck.enabled",
    "spark.databricks.delta.stats.collect",
)

#: These are not set with the others, as they say themselves that they change what is written, refused, or the meaning of a condition:
#: each is tried alone, by its name on the command line.
ALONE = (
    "spark.databricks.delta.autoCompact.enabled",
    "spark.databricks.delta.autoCompact.nonBlindAppend.enabled",
    "spark.databricks.delta.changelogV2.enabled",
    "spark.databricks.delta.commandInvariantChecksThrow",
    "spark.databricks.delta.commitValidation.consistentDataChange.mode",
    "spark.databricks.delta.deletionVectors.disableTightBoundOnFileCreationForDevOnly",
    "spark.databricks.delta.deletionVectors.packing.targetSize",
    "spark.databricks.delta.dummyFileManager.numOfFiles",
    "spark.databricks.delta.enableTableRedirectFeature",
    "spark.databricks.delta.lastCommitVersionInSession",
    "spark.databricks.delta.loadFileSystemConfigsFromDataFrameOptions",
    "spark.databricks.delta.maxCommitAttempts",
    "spark.databricks.delta.optimizeWrite.enabled",
    "spark.databricks.delta.partitionColumnValidity.enabled",
    "spark.databricks.delta.properties.defaults.minReaderVersion",
    "spark.databricks.delta.properties.defaults.minWriterVersion",
    "spark.databricks.delta.schema.typeCheck.enabled",
    "spark.databricks.delta.skipRecordingEmptyCommits",
    "spark.databricks.delta.snapshotLoading.maxRetries",
    "spark.databricks.delta.stalenessLimit",
    "spark.databricks.delta.statsAsStructInCheckpoint.forcedDisabled",
    "spark.databricks.delta.v2.enableMode",
    "spark.databricks.delta.vacuum.lite.enabled",
    "spark.databricks.delta.vacuum.logging.enabled",
    "spark.databricks.delta.vacuum.retentionWindowIgnore.enabled",
    "spark.databricks.delta.write.dataFilesToSubdir",
    "spark.databricks.delta.write.txnAppId",
    "spark.databricks.delta.write.txnVersion",
    "spark.databricks.delta.write.utcTimestampPartitionValues",
    "spark.sql.adaptive.enabled",
    "spark.sql.ansi.doubleQuotedIdentifiers",
    "spark.sql.ansi.enabled",
    "spark.sql.ansi.enforceReservedKeywords",
    "spark.sql.caseSensitive",
    "spark.sql.codegen.factoryMode",
    "spark.sql.codegen.wholeStage",
    "spark.sql.datetime.java8API.enabled",
    "spark.sql.decimalOperations.allowPrecisionLoss",
    "spark.sql.execution.fastFailOnFileFormatOutput",
    "spark.sql.execution.pandas.structHandlingMode",
    "spark.sql.execution.pyspark.binaryAsBytes",
    "spark.sql.execution.pyspark.python",
    "spark.sql.files.ignoreCorruptFiles",
    "spark.sql.files.ignoreMissingFiles",
    "spark.sql.files.maxRecordsPerFile",
    "spark.sql.files.supportSecondOffsetFormat",
    "spark.sql.legacy.allowNegativeScaleOfDecimal",
    "spark.sql.legacy.castComplexTypesToString.enabled",
    "spark.sql.legacy.charVarcharAsString",
    "spark.sql.legacy.consecutiveStringLiterals.enabled",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled",
    "spark.sql.legacy.followThreeValuedLogicInArrayExists",
    "spark.sql.legacy.identifierClause",
    "spark.sql.legacy.interval.enabled",
    "spark.sql.legacy.javaCharsets",
    "spark.sql.legacy.keepPartitionSpecAsStringLiteral",
    "spark.sql.legacy.literal.pickMinimumPrecision",
    "spark.sql.legacy.noCharPaddingInPredicate",
    "spark.sql.legacy.notReserveProperties",
    "spark.sql.legacy.parquet.nanosAsLong",
    "spark.sql.legacy.parseQueryWithoutEof",
    "spark.sql.legacy.parser.havingWithoutGroupByAsWhere",
    "spark.sql.legacy.setCommandRejectsSparkCoreConfs",
    "spark.sql.legacy.sizeOfNull",
    "spark.sql.legacy.timeParserPolicy",
    "spark.sql.legacy.typeCoercion.datetimeToString.enabled",
    "spark.sql.legacy.useV1Command",
    "spark.sql.legacy.v1IdentifierNoCatalog",
    "spark.sql.mapKeyDedupPolicy",
    "spark.sql.optimizer.maxIterations",
    "spark.sql.optimizer.plannedWrite.enabled",
    "spark.sql.parquet.binaryAsString",
    "spark.sql.parquet.columnarReaderBatchSize",
    "spark.sql.parquet.datetimeRebaseModeInRead",
    "spark.sql.parquet.enableVectorizedReader",
    "spark.sql.parquet.inferTimestampNTZ.enabled",
    "spark.sql.parquet.int96AsTimestamp",
    "spark.sql.parquet.int96RebaseModeInRead",
    "spark.sql.parquet.output.committer.class",
    "spark.sql.parquet.respectSummaryFiles",
    "spark.sql.parquet.writeLegacyFormat",
    "spark.sql.preserveCharVarcharTypeInfo",
    "spark.sql.readSideCharPadding",
    "spark.sql.session.timeZone",
    "spark.sql.shuffle.partitions",
    "spark.sql.sources.commitProtocolClass",
    "spark.sql.sources.outputCommitterClass",
    "spark.sql.sources.partitionOverwriteMode",
    "spark.sql.sources.useListFilesFileSystemList",
    "spark.sql.sources.useV1SourceList",
    "spark.sql.storeAssignmentPolicy",
    "spark.sql.timestampType",
    "spark.sql.variable.substitute",
    "spark.sql.variant.forceShreddingSchemaForTest",
)

COLUMNS = (
    "CAST(id AS INT) id, id * 3000000000 l, id / 8D d, concat(char(CAST(97 + id % 5 AS INT)), id) s, id % 3 = 0 b, "
    "TIMESTAMP'2024-01-01' + make_interval(0, 0, 0, CAST(id AS INT)) t, DATE'2024-01-01' + CAST(id AS INT) dt, "
    "TIMESTAMP_NTZ'2024-01-01 12:00:00' + make_dt_interval(CAST(id AS INT)) n, IF(id % 9 = 0, NULL, CAST(id / 3 AS FLOAT)) f, "
    "CAST(id / 4 AS DECIMAL(10,2)) dec, named_struct('a', IF(id % 7 = 0, NULL, id)) st, array(id, NULL, id % 5) a, "
    "map('k', id, concat('x', id % 4), 1) m, CAST(concat('b', id) AS BINARY) bin, CAST(concat('c', id) AS CHAR(5)) c, "
    "CAST(id % 2 AS INT) p, TIMESTAMP'2024-01-01' + make_interval(0, 0, 0, 0, CAST(id % 2 AS INT)) q"
)
CONDITIONS = (
    "p = 1 AND q = TIMESTAMP'2024-01-01 01:00:00' AND id < 1000",
    "s LIKE 'a%' AND d > 1 AND d < 6 OR t < TIMESTAMP'2024-01-01 00:00:09'",
    "l >= 330000000000 OR CASE WHEN dt = DATE'2024-02-20' THEN TRUE ELSE st.a IS NULL END",
)

#: Conditions of a query alone, which is quicker: what each says of every row is compared too.
QUERIES = (
    "dec IN (15.50, 16, 17.50)",
    "n = TIMESTAMP_NTZ'2024-02-20 12:00:00' OR f > 45",
    "c = 'c66' OR rtrim(c) IN ('c68', 'c70')",
    "s RLIKE '^.7\\\\d$' OR s = \"c72\"",
    "m['k'] = 62 OR element_at(a, 3) = 2 AND id > 100",
    "size(a) = 4 OR array_contains(a, 70L) OR bin = X'623634'",
    "CAST(id AS STRING) = '78' OR id + 0.5 = 80.5",
    "year(dt) = 2025 OR date_format(t, 'dd') = '31'",
    "b AND NOT (id <=> 84 OR id BETWEEN 0 AND 82) OR IF(id = 94, TRUE, NULL)",
    "to_date(concat('2024-1-', id % 28 + 1), 'yyyy-M-d') = DATE'2024-01-02'",
    "size(CAST(NULL AS ARRAY<INT>)) IS NULL OR CAST(t AS STRING) < '2024-01-01 00:00:05'",
    "dec * dec / 3 > 100 OR 1.5e0 = d OR CAST('1' AS INT) = id",
)
VACUUMS = ("VACUUM {t}", "VACUUM {t} RETAIN 0 HOURS")
APPEND = f"INSERT INTO {{t}} SELECT {COLUMNS} FROM range(120, 140, 1, 1)"


def make(spark: SparkSession, home: Path) -> None:
    """The two tables, each of three files or more, with files beside them that no action names."""
    vectors = "TBLPROPERTIES (delta.enableDeletionVectors = true, delta.checkpointInterval = 4)"
    plain = "TBLPROPERTIES (delta.enableDeletionVectors = false)"
    for name, clauses in (("vectors", f"PARTITIONED BY (p, q) {vectors}"), ("plain", plain)):
        for place, first in enumerate((0, 60)):
            rows = f"SELECT {COLUMNS} FROM range({first}, {first + 60}, 1, 1)"
            table = f"delta.`{home / name}`"
            spark.sql(f"INSERT INTO {table} {rows}" if place else f"CREATE TABLE {table} USING delta {clauses} AS {rows}")
        for stray in ("old.parquet", "young.parquet", "p=7/old.parquet", "p=7/young.parquet", "_hidden/old.parquet"):
            path = home / name / stray
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"stray")
            if "old" in stray:
                two_months_ago = time.time() - 60 * 24 * 3600
                os.utime(path, (two_months_ago, two_months_ago))


@dataclass(frozen=True)
class Facts:
    """What the commands did to a copy of a table. ``rows`` and ``wanted``: after the DELETEs and after VACUUM, and by queries;
    ``verdicts``: what queries say of each row."""

    answers: tuple[object, ...]
    rows: tuple[tuple[int, ...], ...]
    wanted: tuple[int, ...] | None
    verdicts: tuple[object, ...]
    actions: tuple[object, ...]
    files: tuple[object, ...]

    @property
    def lost(self) -> bool:
        """Whether a row is gone for which no condition holds, or there for which one does, or a stray file is as it must not be."""
        return any(rows != self.wanted for rows in self.rows) if self.wanted is not None else len(set(self.rows)) > 1

    @property
    def refused(self) -> bool:
        return any(isinstance(answer, str) for answer in self.answers)


class Experiment:
    def __init__(self, home: Path) -> None:
        self.home, self.number = home, 0
        self.spark = (
            SparkSession.builder.master("local[1]")
            .config("spark.jars.packages", "io.delta:delta-spark_4.2_2.13:4.4.0")
            .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
            .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
            .config("spark.sql.warehouse.dir", f"{home}/warehouse")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.databricks.delta.snapshotPartitions", "1")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
            .getOrCreate()
        )
        self.spark.sparkContext.setLogLevel("OFF")
        make(self.spark, home)
        begin = time.time()
        self.expected = self.run({})
        print(f"# first run {time.time() - begin:.1f} s", flush=True)
        assert self.expected == self.run({}), "the commands differ from run to run"
        assert not any(facts.lost or facts.refused for facts in self.expected), "by default rows are lost"

    def run(self, settings: Mapping[str, str]) -> list[Facts]:
        """The facts of both tables with these settings."""
        self.number += 1
        session = self.spark.newSession()
        for key, value in settings.items():
            session.conf.set(key, value)
        found = []
        for name in ("vectors", "plain"):
            root = self.home / f"{name}-{self.number}"
            shutil.copytree(self.home / name, root)
            found.append(self.facts(session, root))
            shutil.rmtree(root)
        return found

    def facts(self, session: SparkSession, root: Path) -> Facts:
        table = f"delta.`{root}`"
        first = len(list((root / "_delta_log").glob("*.json")))
        answers: list[object] = [_answer(session, APPEND.format(t=table))]
        wanted = None
        ids = self.ids(root)
        verdicts = _verdicts(session, table)
        rows = []
        deleted = set()
        for place, condition in enumerate(CONDITIONS):
            answers.append(_answer(session, f"DELETE FROM {table} WHERE {condition}"))
            if not isinstance(answers[-1], str) and verdicts is not None:
                deleted |= {id for id, holds in verdicts.items() if holds[place]}
        if verdicts is not None:
            wanted = tuple(id for id in ids if id not in deleted)
        elif all(isinstance(answer, str) for answer in answers[1:]):
            wanted = ids
        rows.append(self.ids(root))
        answers += [_answer(session, command.format(t=table)) for command in VACUUMS[:1]]
        strays = tuple(sorted(str(path.relative_to(root)) for path in root.rglob("*[dg].parquet") if path.stem in ("old", "young")))
        answers += [_answer(session, command.format(t=table)) for command in VACUUMS[1:]]
        rows.append(self.ids(root))
        actions = []
        for commit in sorted((root / "_delta_log").glob("*.json"))[first:]:
            found = [next(iter(json.loads(line).items())) for line in commit.read_text().splitlines()]
            kinds = Counter((kind, "deletionVector" in body, "numRecords" in body.get("stats", "")) for kind, body in found if body)
            actions.append(tuple(sorted(kinds.items())))
        left = [path for path in root.rglob("*") if path.is_file() and "_delta_log" not in path.parts and path.name[0] != "."]
        files = (strays, *sorted(Counter(path.suffix for path in left).items()))
        return Facts(tuple(answers), tuple(rows), wanted, tuple(sorted((verdicts or {}).items())), tuple(actions), files)

    def ids(self, root: Path) -> tuple[int, ...]:
        """The rows that a session by default sees."""
        table = self.spark.read.format("delta").load(str(root))
        return tuple(sorted(row[0] for row in table.select("id").collect()))

    def otherwise(self) -> dict[str, str]:
        """Of each setting of FAMILIES that can be set in a session, another value than its default."""
        jvm = self.spark._jvm
        loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        for holder in ("org.apache.spark.sql.delta.sources.DeltaSQLConf$", "org.apache.spark.sql.hive.HiveUtils$"):
            jvm.java.lang.Class.forName(holder, True, loader)
        conf = jvm.java.lang.Class.forName("org.apache.spark.sql.internal.SQLConf$", True, loader)
        found = {}
        for entry in conf.getField("MODULE$").get(None).getConfigEntries().toArray():
            key = str(entry.key())
            if key.startswith(tuple(family.rstrip("*") for family in FAMILIES)):
                value = _other(key, str(entry.defaultValueString()), self.spark) if self.spark.conf.isModifiable(key) else None
                if value is not None:
                    found[key] = value
        return dict(sorted(found.items()))


def _answer(session: SparkSession, command: str) -> object:
    """Rows, or the name of what it is refused with. Of VACUUM how many rows: paths are random."""
    try:
        answer = session.sql(command).collect()
        return len(answer) if command.startswith("VACUUM") else tuple(tuple(row) for row in answer)
    except Exception as refusal:
        return f"{type(refusal).__name__}: {str(refusal)[:100]}"


def _verdicts(session: SparkSession, table: str) -> dict[int, tuple[bool, ...]] | None:
    """Of each row whether each condition holds, as this session says; None if it refuses the query."""
    try:
        conditions = ", ".join(f"coalesce({condition}, FALSE)" for condition in (*CONDITIONS, *QUERIES))
        rows = session.sql(f"SELECT id, {conditions} FROM {table}").collect()
        return {row[0]: tuple(row[1:]) for row in rows}
    except Exception:
        return None


def _other(key: str, default: str, spark: SparkSession) -> str | None:
    if key in OTHERWISE:
        return OTHERWISE[key]
    if default.startswith("<value of"):
        default = spark.conf.get(key) or ""
    if default in ("true", "false"):
        return "false" if default == "true" else "true"
    try:
        number = float(default)
    except ValueError:
        return None
    return ("2" if number == 1 else "1") if number == int(number) else "0.9"


def differing(experiment: Experiment, settings: Mapping[str, str]) -> Iterator[tuple[Mapping[str, str], list[Facts]]]:
    """The settings that make a difference, each with the facts: all at once, then halves."""
    facts = experiment.run(settings)
    if facts == experiment.expected:
        return
    if len(settings) == 1:
        yield settings, facts
        return
    keys = list(settings)
    halves = (keys[: len(keys) // 2], keys[len(keys) // 2 :])
    alone = [found for half in halves for found in differing(experiment, {key: settings[key] for key in half})]
    yield from alone or [(settings, facts)]  # only together


def word(facts: Sequence[Facts], expected: Sequence[Facts]) -> str:
    """What settings make of the commands."""
    if any(one.lost for one in facts):
        return "LOST"
    if any(one.refused for one in facts):
        return "REFUSED"
    if [one.rows for one in facts] != [one.rows for one in expected]:
        return "MEANING"
    return "WRITTEN" if list(facts) != list(expected) else "none"


def what(facts: Sequence[Facts], expected: Sequence[Facts]) -> str:
    """The first thing that differs."""
    for one, other in zip(facts, expected):
        for name in ("answers", "rows", "wanted", "verdicts", "actions", "files"):
            if (new := getattr(one, name)) != (old := getattr(other, name)):
                pairs = [(a, b) for a, b in zip(new or (), old or ()) if a != b] or [(new, old)]
                return f"{name}: {str(pairs[0])[:300]}"
    return ""


def main(parts: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = unclear = 0
    try:
        experiment = Experiment(home)
        settings = experiment.otherwise()
        assert settings.keys() >= {*ALONE, *CONTROLS}, f"not among the settings: {sorted({*ALONE, *CONTROLS} - settings.keys())}"
        together = [key for key in settings if key not in (*ALONE, *CONTROLS)]
        if parts:
            groups = [[key] for key in settings if any(part in key for part in parts)]
        else:
            groups = [together[first : first + TOGETHER] for first in range(0, len(together), TOGETHER)]
            unclear = any(word(experiment.run({key: settings[key]}), experiment.expected) == "none" for key in CONTROLS)
        for group in groups:
            begin = time.time()
            found = list(differing(experiment, {key: settings[key] for key in group})) or [({}, experiment.expected)]
            for keys, facts in found:
                now = word(facts, experiment.expected)
                violated += bool(keys) and (now == "LOST" or not parts)
                names = list(keys) or group
                name = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)})"
                print(f"{time.time() - begin:.0f} s", now, name, dict(keys), what(facts, experiment.expected), flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 2 if unclear else int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:600])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
