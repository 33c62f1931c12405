"""Settings and table properties that must make no difference to a DELETE or a VACUUM: the same commands with each of them.

    pip install pyspark==4.2.0 delta-spark==4.4.0
    python spark_no_difference.py [PART OF A NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Two tables, one with deletion vectors, a change feed and a partition column, one with neither, are copied for each. What the
commands answer, the rows that are left, the actions of each commit, and the files that VACUUM leaves are compared with those by
default. CONTROLS must make a difference: otherwise the comparison sees nothing.
"""

import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession

#: Each set alone.
SETTINGS = {
    "spark.databricks.delta.alwaysCollectStats.enabled": "true",
    "spark.databricks.delta.autoCompact.nonBlindAppend.enabled": "true",
    "spark.databricks.delta.checkLatestSchemaOnRead": "false",
    "spark.databricks.delta.checkpoint.partSize": "1",
    "spark.databricks.delta.checksum.mismatch.fatal": "false",
    "spark.databricks.delta.collectStats.fallbackToInterpretedProjection": "false",
    "spark.databricks.delta.collectStats.useMultiThreadedStatsCollection": "false",
    "spark.databricks.delta.commitLock.enabled": "true",
    "spark.databricks.delta.commitValidation.enabled": "false",
    "spark.databricks.delta.deletionVectors.propagateCloseFailure": "false",
    "spark.databricks.delta.deletionVectors.skipCommitCheck": "false",
    "spark.databricks.delta.delete.allowExistsSubquery": "true",
    "spark.databricks.delta.deltaLog.minorCompaction.useForReads": "false",
    "spark.databricks.delta.dmlMetricsFromMetadata.enabled": "false",
    "spark.databricks.delta.duplicateActionCheck.enabled": "false",
    "spark.databricks.delta.generatedColumn.partitionFilterOptimization.enabled": "false",
    "spark.databricks.delta.incremental.commit.verify": "true",
    "spark.databricks.delta.internalUdfOptimization.enabled": "false",
    "spark.databricks.delta.maxCommitAttempts": "1",
    "spark.databricks.delta.maxSnapshotLineageLength": "1",
    "spark.databricks.delta.optimizeMetadataQuery.enabled": "false",
    "spark.databricks.delta.readProtocolAndMetadataFromChecksum.enabled": "false",
    "spark.databricks.delta.schema.typeCheck.enabled": "false",
    "spark.databricks.delta.skipping.enhancedIsNullPushdownExprs.enabled": "false",
    "spark.databricks.delta.skipping.partitionLikeFilters.enabled": "true",
    "spark.databricks.delta.snapshotCache.storageLevel": "MEMORY_ONLY",
    "spark.databricks.delta.stalenessLimit": "3600000",
    "spark.databricks.delta.stats.limitPushdown.enabled": "false",
    "spark.databricks.delta.vacuum.relativize.ignoreError": "true",
    "spark.databricks.delta.write.dataFilesToSubdir": "true",
    "spark.databricks.io.skipping.stringPrefixLength": "2",
    "spark.sql.files.maxPartitionBytes": "4096",
    "spark.sql.files.openCostInBytes": "0",
    "spark.sql.parquet.aggregatePushdown": "true",
    "spark.sql.parquet.columnarReaderBatchSize": "3",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.parquet.enableNestedColumnVectorizedReader": "false",
    "spark.sql.parquet.fieldId.read.enabled": "true",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "false",
    "spark.sql.parquet.mergeSchema": "true",
    "spark.sql.parquet.pushdown.inFilterThreshold": "1",
    "spark.sql.parquet.recordLevelFilter.enabled": "true",
    "spark.sql.parquet.writeLegacyFormat": "true",
    "spark.sql.optimizer.metadataOnly": "true",
    "spark.sql.optimizer.nestedSchemaPruning.enabled": "false",
}

#: What begins so and is a switch is switched the other way, and what is a whole number is 1: all of a family at once.
FAMILIES = (
    "spark.databricks.delta.alterTable.*",
    "spark.databricks.delta.autoCompact.max*",
    "spark.databricks.delta.catalog.update.*",
    "spark.databricks.delta.changeDataFeed.*",
    "spark.databricks.delta.clone.*",
    "spark.databricks.delta.columnMapping.*",
    "spark.databricks.delta.convert.*",
    "spark.databricks.delta.coordinatedCommits.*",
    "spark.databricks.delta.identityColumn.*",
    "spark.databricks.delta.merge.*",
    "spark.databricks.delta.optimize.*",
    "spark.databricks.delta.replaceWhere.*",
    "spark.databricks.delta.rowTracking.*",
    "spark.databricks.delta.streaming.*",
    "spark.databricks.delta.typeWidening.*",
    "spark.databricks.delta.uniform.*",
    "spark.databricks.delta.variant*",
    "spark.sql.adaptive.*",
    "spark.sql.codegen.*",
    "spark.sql.execution.arrow.*",
    "spark.sql.execution.pandas.*",
    "spark.sql.execution.python*",
    "spark.sql.inMemoryColumnarStorage.*",
    "spark.sql.legacy.csv.*",
    "spark.sql.legacy.db2.*",
    "spark.sql.legacy.json.*",
    "spark.sql.legacy.mssqlserver.*",
    "spark.sql.legacy.mysql.*",
    "spark.sql.optimizer.*",
    "spark.sql.parquet.filterPushdown.*",
    "spark.sql.session.localRelation*",
    "spark.sql.sources.bucketing.*",
    "spark.sql.sources.v2.*",
)

#: Each set on its own table, before the commands.
PROPERTIES = {
    "delta.enableExpiredLogCleanup": "false",
    "delta.isolationLevel": "SnapshotIsolation",
    "delta.randomizeFilePrefixes": "true",
    "delta.setTransactionRetentionDuration": "interval 1 day",
    "delta.dataSkippingStringPrefixLength": "2",
    "delta.enableFullRetentionRollback": "false",
    "delta.randomPrefixLength": "5",
    "delta.sampleRetentionDuration": "interval 1 day",
}

#: Statements that read, by the names of their rules in the grammars of Delta and Spark: each once before the commands.
READS = {
    "describeDeltaHistory": "DESCRIBE HISTORY {t} LIMIT 1",
    "describeDeltaDetail": "DESCRIBE DETAIL {t}",
    "describeQuery": "DESCRIBE QUERY SELECT * FROM {t}",
    "describeRelation": "DESCRIBE TABLE EXTENDED {t}",
    "explain": "EXPLAIN EXTENDED SELECT * FROM {t} WHERE id = 3",
    "refreshTable": "REFRESH TABLE {t}",
    "showColumns": "SHOW COLUMNS IN {t}",
    "showTblProperties": "SHOW TBLPROPERTIES {t}",
}

#: These make a difference, and the comparison must see it.
CONTROLS = {
    "spark.databricks.delta.delete.deletionVectors.persistent": "false",
    "spark.databricks.delta.retentionDurationCheck.enabled": "true",
    "spark.databricks.delta.stats.collect": "false",
}

COLUMNS = (
    "CAST(id AS INT) id, id * 3000000000 l, id / 8D d, concat(char(CAST(97 + id % 5 AS INT)), id) s, id % 3 = 0 b, id % 4 p, "
    "TIMESTAMP'2024-01-01' + make_interval(0, 0, 0, CAST(id AS INT)) t, DATE'2024-01-01' + CAST(id AS INT) dt, "
    "CAST(id / 4 AS DECIMAL(10,2)) dec, named_struct('a', IF(id % 7 = 0, NULL, id)) st"
)
COMMANDS = (
    "DELETE FROM {t} WHERE id = 3",
    "DELETE FROM {t} WHERE s LIKE 'a%' AND d > 1",
    "DELETE FROM {t} WHERE p = 1",
    "DELETE FROM {t} WHERE t < TIMESTAMP'2024-01-08' OR dt = DATE'2024-02-20'",
    "DELETE FROM {t} WHERE dec IN (15.50, 16, 17.50) OR st.a IS NULL",
    "DELETE FROM {t} WHERE l >= 330000000000",
    "VACUUM {t} RETAIN 0 HOURS DRY RUN",
    "VACUUM {t} RETAIN 0 HOURS",
)


def make(spark: SparkSession, home: Path) -> None:
    """The two tables, each of three files."""
    feed = "TBLPROPERTIES (delta.enableChangeDataFeed = true, delta.enableDeletionVectors = true)"
    plain = "TBLPROPERTIES (delta.enableDeletionVectors = false)"
    for name, clauses in (("vectors", f"PARTITIONED BY (p) {feed}"), ("plain", plain)):
        for place, first in enumerate((0, 40, 80)):
            rows = f"SELECT {COLUMNS} FROM range({first}, {first + 40}, 1, 1)"
            table = f"delta.`{home / name}`"
            spark.sql(
                f"INSERT INTO {table} {rows}" if place else f"CREATE TABLE {table} USING delta {clauses} AS {rows}"
            )


def facts(spark: SparkSession, root: Path) -> list[object]:
    """What the commands did to a copy of a table."""
    first = len(list((root / "_delta_log").glob("*.json")))
    found: list[object] = []
    for command in COMMANDS:
        try:
            answer = spark.sql(command.format(t=f"delta.`{root}`")).collect()
            found.append(len(answer) if "VACUUM" in command else [tuple(row) for row in answer])
        except Exception as refusal:
            found.append(type(refusal).__name__)
        if command in (COMMANDS[-3], COMMANDS[-1]):  # after the last DELETE, and after VACUUM
            table = spark.read.format("delta").load(str(root))
            found.append(sorted(row[0] for row in table.select("id").collect()))
    for commit in sorted((root / "_delta_log").glob("*.json"))[first:]:
        actions = [next(iter(json.loads(line).items())) for line in commit.read_text().splitlines()]
        kinds = Counter(
            (kind, "deletionVector" in body, "numRecords" in body.get("stats", "")) for kind, body in actions if body
        )
        found.append(sorted(kinds.items()))
    left = [
        path for path in root.rglob("*") if path.is_file() and "_delta_log" not in path.parts and path.name[0] != "."
    ]
    return [*found, sorted(Counter(path.suffix for path in left).items())]


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
            .config("spark.databricks.delta.snapshotPartitions", "1")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
            .config("spark.ui.showConsoleProgress", "false")
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
        self.expected = self.run({}, {})
        assert self.expected == self.run({}, {}), "the commands differ from run to run"

    def run(self, settings: dict, properties: dict, read: str = "") -> list[list[object]]:
        """The facts of both tables with these settings, or these properties, or after this statement."""
        self.number += 1
        session, found = self.spark.newSession(), []
        for key, value in settings.items():
            session.conf.set(key, value)
        for name in ("vectors", "plain"):
            root = self.home / f"{name}-{self.number}"
            shutil.copytree(self.home / name, root)
            for key, value in properties.items():
                session.sql(f"ALTER TABLE delta.`{root}` SET TBLPROPERTIES ('{key}' = '{value}')")
            if read:
                session.sql(read.format(t=f"delta.`{root}`")).collect()
            found.append(facts(session, root))
        return found

    def entries(self) -> dict[str, tuple[str, str]]:
        """Of each setting that can be set in a session its type and default, as Spark registers them."""
        holder = self.spark._jvm.java.lang.Class.forName(
            "org.apache.spark.sql.internal.SQLConf$",
            True,
            self.spark._jvm.java.lang.Thread.currentThread().getContextClassLoader(),
        )
        entries = holder.getField("MODULE$").get(None).getConfigEntries().toArray()
        return {str(entry.key()): str(entry.defaultValueString()) for entry in entries}

    def family(self, family: str) -> dict[str, str]:
        """The settings of a family, otherwise than by default."""
        start, changed = family.rstrip("*"), {}
        for key, default in self.entries().items():
            if key.startswith(start) and self.spark.conf.isModifiable(key):
                if default in ("true", "false"):
                    changed[key] = "false" if default == "true" else "true"
                elif default.isdigit():
                    changed[key] = "1"
        return changed


def main(parts: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = unclear = 0
    try:
        experiment = Experiment(home)
        tried = [(key, {key: value}, {}) for key, value in CONTROLS.items()]
        tried += [(key, {}, {key: value}) for key, value in PROPERTIES.items()]
        tried += [(rule, {}, {}, read) for rule, read in READS.items()]
        tried += [(family, experiment.family(family), {}) for family in FAMILIES]
        tried += [(key, {key: value}, {}) for key, value in SETTINGS.items()]
        for name, settings, properties, *read in tried:
            if name not in CONTROLS and not any(part in name for part in parts):
                continue
            try:
                same = experiment.run(settings, properties, *read) == experiment.expected
                wrong = same is (name in CONTROLS)
            except Exception as problem:
                same, wrong = False, name not in CONTROLS
                print("  ", repr(problem)[:200])
            unclear += wrong and name in CONTROLS
            violated += wrong and name not in CONTROLS
            what = ", ".join([*read, *(f"{key} = {value}" for key, value in {**settings, **properties}.items())])
            print(
                "WRONG" if wrong else "ok", "no difference:" if same else "a difference:", name, f"({what})", flush=True
            )
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 2 if unclear else int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:] or [""])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
