"""What Delta on Spark offers beside DELETE and VACUUM: whatever runs before them, they delete the same rows and keep what is live.

    pip install pyspark==4.2.0 delta-spark==4.4.0 pandas
    python spark_other_commands.py [PART OF A BATCH'S NAME ...]    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

Each batch runs its commands, one after another, on copies of two tables, one with deletion vectors, a change feed and partitions, one
with neither. In a batch of REFUSED each command must be refused, and every file be as before. In a batch of TAKEN each must be taken;
then the commands of spark_settings.py run, and the rows must be those without the batch. A command is named as the engine names it:
a rule of a grammar, a method, an option, a property, a feature. CONTROL must make a difference.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Union

from delta.tables import DeltaTable, IdentityGenerator
from pyspark.sql import SparkSession
from spark_settings import Experiment, Facts

#: SQL, in which {t} is the table by its path, {n} by a name in the catalog, {o} a name of another object, {d} a directory, {r} the
#: table's; or a function.
Command = Union[str, Callable[["Place"], object]]


class Place:
    """A copy of a table, with names for it."""

    def __init__(self, spark: SparkSession, root: Path, other: str) -> None:
        self.spark, self.root, self.other, self.directory = spark, root, other, root.with_name(f"{root.name}-beside")
        self.name, self.path = f"n_{other}", f"delta.`{root}`"
        spark.sql(f"CREATE TABLE {self.name} USING delta LOCATION '{root}'")
        self.by = ["p", "q"] if "vectors" in root.name else []

    @property
    def table(self) -> DeltaTable:
        return DeltaTable.forPath(self.spark, str(self.root))

    def run(self, command: Command) -> None:
        if callable(command):
            command(self)
        else:
            text = command.format(t=self.path, n=self.name, o=self.other, d=self.directory, r=self.root)
            self.spark.sql(text).collect()

    def last(self) -> str:
        """The time of the last commit."""
        return str(self.table.history(1).first()["timestamp"])

    def rows(self):
        return self.spark.read.format("delta").load(str(self.root))


def write(**options: str) -> Command:
    """The table's first rows, overwritten by themselves, with these options."""

    def command(place: Place) -> None:
        writer = place.rows().where("id < 5").write.format("delta").mode("overwrite").option("replaceWhere", "id < 5")
        for key, value in options.items():
            writer = writer.option(key.replace("__", "."), value)
        writer.save(str(place.root))

    return command


def read(**options: str) -> Command:
    def command(place: Place) -> None:
        reader = place.spark.read.format("delta")
        for key, value in options.items():
            reader = reader.option(key, value)
        reader.load(str(place.root)).count()

    return command


def stream(**options: str) -> Command:
    """A stream from the table to another, with these options."""

    def command(place: Place) -> None:
        reader = place.spark.readStream.format("delta")
        for key, value in options.items():
            reader = reader.option(key, value)
        target = f"{place.directory}/stream-{'-'.join(options)}"
        query = reader.load(str(place.root)).select("id").writeStream.format("delta").option("checkpointLocation", f"{target}/_c")
        query.trigger(availableNow=True).start(target).awaitTermination()

    return command


def merge(place: Place):
    """A MERGE whose source is the row with id 7."""
    return place.table.alias("t").merge(place.rows().where("id = 7").alias("s"), "s.id = t.id")


def made(place: Place, builder) -> None:
    """A table of the same columns beside it."""
    found = builder.location(
        f"{place.directory}/made-{place.other}-{len(list(place.directory.glob('*'))) if place.directory.exists() else 0}"
    )
    found.addColumns(place.rows().schema).execute()


TAKEN: dict[str, dict[str, Command]] = {
    "statements that read": {
        "describeDeltaHistory describeDeltaHistory(DESCRIBE) describeDeltaHistory(HISTORY) describeDeltaHistory(LIMIT) "
        "describeDeltaHistory(INTEGER_VALUE) describeDeltaHistory(qualifiedName)": "DESCRIBE HISTORY {t} LIMIT 1",
        "describeDeltaHistory(DESC)": "DESC HISTORY {t}",
        "describeDeltaHistory(stringLit)": lambda place: place.spark.sql(f"DESCRIBE HISTORY '{place.root}'").collect(),
        "describeDeltaDetail describeDeltaDetail(DESCRIBE) describeDeltaDetail(DETAIL) "
        "describeDeltaDetail(qualifiedName)": "DESCRIBE DETAIL {t}",
        "describeDeltaDetail(DESC)": "DESC DETAIL {t}",
        "describeDeltaDetail(stringLit)": lambda place: place.spark.sql(f"DESCRIBE DETAIL '{place.root}'").collect(),
        "describeQuery": "DESCRIBE QUERY SELECT * FROM {t}",
        "describeRelation": "DESCRIBE TABLE EXTENDED {n}",
        "describeFunction": "DESCRIBE FUNCTION upper",
        "describeNamespace": "DESCRIBE NAMESPACE default",
        "explain": "EXPLAIN EXTENDED DELETE FROM {t} WHERE id = 3",
        "refreshTable refreshTable(REFRESH) refreshTable(TABLE) refreshTable(identifierReference)": "REFRESH TABLE {n}",
        "refreshResource": "REFRESH '/no/such/path'",
        "showColumns": "SHOW COLUMNS IN {n}",
        "showTblProperties": "SHOW TBLPROPERTIES {n}",
        "showTableExtended": "SHOW TABLE EXTENDED LIKE '{n}'",
        "showTables": "SHOW TABLES",
        "showViews": "SHOW VIEWS",
        "showFunctions": "SHOW FUNCTIONS LIKE 'upp*'",
        "showCatalogs": "SHOW CATALOGS",
        "showCollations": "SHOW COLLATIONS LIKE 'UNI*'",
        "showNamespaces": "SHOW NAMESPACES",
        "showCurrentNamespace": "SHOW CURRENT NAMESPACE",
        "use": "USE spark_catalog.default",
        "useNamespace": "USE NAMESPACE default",
        "setCatalog": "SET CATALOG spark_catalog",
        "cacheTable cacheTable(CACHE) cacheTable(TABLE) cacheTable(identifierReference)": "CACHE TABLE {n}",
        "uncacheTable": "UNCACHE TABLE {n}",
        "cacheTable(LAZY)": "CACHE LAZY TABLE {n}",
        "cacheTable(AS) cacheTable(query)": "CACHE TABLE {o}_cached AS SELECT id FROM {n}",
        "cacheTable(OPTIONS) cacheTable(propertyList)": "CACHE TABLE {o}_cached2 OPTIONS ('storageLevel' "
        "'MEMORY_ONLY') AS SELECT id FROM {n}",
        "analyzeTables": "ANALYZE TABLES IN default COMPUTE STATISTICS NOSCAN",
        "visitExecuteImmediate": "EXECUTE IMMEDIATE 'SELECT count(*) FROM {n}'",
        "manageResource": "LIST JARS",
        "createVariable": "DECLARE VARIABLE {o}_v INT DEFAULT 3",
        "dropVariable": "DROP TEMPORARY VARIABLE {o}_v",
        "clearCache": "CLEAR CACHE",
    },
    "statements about other things": {
        "createView": "CREATE VIEW {o}_view AS SELECT * FROM {n}",
        "alterViewQuery": "ALTER VIEW {o}_view AS SELECT id FROM {n}",
        "createTempViewUsing": "CREATE TEMPORARY VIEW {o}_temp USING delta OPTIONS (path '{r}')",
        "dropView": "DROP VIEW {o}_view",
        "createNamespace": "CREATE NAMESPACE {o}_space",
        "commentNamespace": "COMMENT ON NAMESPACE {o}_space IS 'c'",
        "setNamespaceProperties": "ALTER NAMESPACE {o}_space SET PROPERTIES ('a' = 'b')",
        "dropNamespace": "DROP NAMESPACE {o}_space",
        "createUserDefinedFunction": "CREATE TEMPORARY FUNCTION {o}_g(x INT) RETURNS INT RETURN x + 1",
        "dropFunction": "DROP TEMPORARY FUNCTION {o}_g",
        "createTable clusterBy clusterBy(clusterBySpec) clusterBySpec clusterBySpec(CLUSTER) clusterBySpec(BY) "
        "clusterBySpec(qualifiedName)": "CREATE TABLE {o}_made USING delta CLUSTER BY (id) AS SELECT id FROM {n}",
        "createTableLike": "CREATE TABLE {o}_like LIKE {n} USING delta",
        "replaceTable": "CREATE OR REPLACE TABLE {o}_made USING delta AS SELECT id FROM {n} WHERE id < 3",
        "multiInsertQuery": "FROM {n} INSERT INTO {o}_made SELECT id WHERE id < 3 INSERT INTO {o}_made SELECT id WHERE id > 90",
        "renameTable": "ALTER TABLE {o}_like RENAME TO {o}_like2",
        "dropTable": "DROP TABLE {o}_made",
        "convert convert(CONVERT) convert(TO) convert(DELTA) convert(qualifiedName)": lambda place: _converted(place, ""),
        "convert(NO) convert(STATISTICS)": lambda place: _converted(place, " NO STATISTICS"),
        "convert(PARTITIONED) convert(BY) convert(colTypeList) colTypeList colTypeList(colType) colType "
        "colType(identifier) colType(dataType) "
        "dataType primitiveDataType primitiveDataType(identifier)": lambda place: _converted(place, " PARTITIONED BY (p INT)"),
        "clone(temporalClause)": "CREATE TABLE {o}_clone SHALLOW CLONE {t} VERSION AS OF 0",
        "clone(TBLPROPERTIES) clone(propertyList) propertyList propertyList(property) property property(EQ) property(propertyKey) "
        "property(propertyValue) propertyKey propertyKey(stringLit) propertyValue propertyValue(stringLit)": (
            "CREATE TABLE {o}_clone2 SHALLOW CLONE {t} TBLPROPERTIES ('my.key' = 'a')"
        ),
        "propertyKey(identifier) propertyValue(INTEGER_VALUE) propertyValue(DECIMAL_VALUE) propertyValue(booleanValue) booleanValue "
        "booleanValue(TRUE) booleanValue(FALSE)": "CREATE TABLE {o}_clone3 SHALLOW CLONE {t} TBLPROPERTIES (a = 1, "
        "b = 1.5, c = true, e = false)",
        "createTableHeader createTableHeader(CREATE) createTableHeader(TABLE) createTableHeader(IF) createTableHeader(NOT) "
        "createTableHeader(EXISTS) createTableHeader(qualifiedName)": "CREATE TABLE IF NOT EXISTS {o}_clone3 SHALLOW CLONE {t}",
        "cloneTableHeader(replaceTableHeader) replaceTableHeader replaceTableHeader(CREATE) replaceTableHeader(OR) "
        "replaceTableHeader(REPLACE) replaceTableHeader(TABLE) replaceTableHeader(qualifiedName)": (
            "CREATE OR REPLACE TABLE {o}_clone4 SHALLOW CLONE {t}"
        ),
    },
    "statements that change the table": {
        "addTableConstraint addTableConstraint(ALTER) addTableConstraint(TABLE) addTableConstraint(ADD) addTableConstraint(CONSTRAINT) "
        "addTableConstraint(constraint) addTableConstraint(identifier) addTableConstraint(qualifiedName) constraint exprToken": (
            "ALTER TABLE {t} ADD CONSTRAINT c CHECK (id >= 0)"
        ),
        "dropTableConstraint dropTableConstraint(ALTER) dropTableConstraint(TABLE) dropTableConstraint(DROP) "
        "dropTableConstraint(CONSTRAINT) dropTableConstraint(identifier) dropTableConstraint(qualifiedName)": (
            "ALTER TABLE {t} DROP CONSTRAINT c"
        ),
        "dropTableConstraint(IF) dropTableConstraint(EXISTS)": "ALTER TABLE {t} DROP CONSTRAINT IF EXISTS c",
        "commentTable": "COMMENT ON TABLE {n} IS 'c'",
        "unsetTableProperties": "ALTER TABLE {t} UNSET TBLPROPERTIES IF EXISTS ('my.key')",
        "hiveChangeColumn": "ALTER TABLE {t} CHANGE COLUMN id COMMENT 'c'",
        "restore by time: temporalClause(TIMESTAMP) temporalClause(STRING)": lambda place: place.spark.sql(
            f"RESTORE TABLE {place.path} TO TIMESTAMP AS OF '{place.last()}'"
        ).collect(),
        "temporalClause(FOR) temporalClause(SYSTEM_VERSION)": lambda place: place.spark.sql(
            f"RESTORE TABLE {place.path} TO FOR SYSTEM_VERSION AS OF {place.table.history(1).first()['version']}"
        ).collect(),
        "temporalClause(SYSTEM_TIME)": lambda place: place.spark.sql(
            f"RESTORE TABLE {place.path} TO FOR SYSTEM_TIME AS OF '{place.last()}'"
        ).collect(),
        "generate generate(GENERATE) generate(FOR) generate(TABLE) generate(identifier) generate(qualifiedName)": lambda place: (
            None if "vectors" in place.root.name else place.run("GENERATE symlink_format_manifest FOR TABLE {t}")
        ),
        "mergeIntoTable(notMatchedBySourceClause)": (
            "MERGE INTO {t} AS x USING (SELECT 7 AS k) s ON s.k = x.id WHEN NOT MATCHED BY SOURCE AND x.id = 9 THEN UPDATE SET s = x.s"
        ),
        "mergeIntoTable(WITH) mergeIntoTable(SCHEMA) mergeIntoTable(EVOLUTION) mergeIntoTable(tableAlias) "
        "mergeIntoTable(identifierReference)": (
            "MERGE WITH SCHEMA EVOLUTION INTO {t} AS x USING (SELECT * FROM {n} WHERE id = 7) s ON s.id = x.id "
            "WHEN MATCHED THEN UPDATE SET *"
        ),
        "updateTable(tableAlias)": "UPDATE {t} AS x SET s = x.s WHERE x.id = 7",
        "optimizeTable(stringLit)": lambda place: place.spark.sql(f"OPTIMIZE '{place.root}'").collect(),
        "reorgTable(WHERE) reorgTable(predicateToken)": lambda place: place.run(
            "REORG TABLE {t} WHERE p = 1 APPLY (PURGE)" if place.by else "REORG TABLE {t} APPLY (PURGE)"
        ),
        "alterTableClusterBy alterTableClusterBy(ALTER) alterTableClusterBy(TABLE) alterTableClusterBy(CLUSTER) alterTableClusterBy(BY) "
        "alterTableClusterBy(clusterBySpec) alterTableClusterBy(qualifiedName) alterClusterBy": lambda place: (
            None if place.by else place.run("ALTER TABLE {t} CLUSTER BY (id)")
        ),
        "optimizeTable(FULL)": lambda place: None if place.by else place.run("OPTIMIZE {t} FULL"),
        "alterTableClusterBy(NONE)": lambda place: None if place.by else place.run("ALTER TABLE {t} CLUSTER BY NONE"),
    },
    "the API": {
        "DeltaTable.__init__ DeltaTable.__init__(jdt) DeltaTable.__init__(spark) DeltaTable.forPath(hadoopConf)": lambda place: (
            DeltaTable.forPath(place.spark, str(place.root), {})
        ),
        "DeltaTable.alias DeltaTable.alias(aliasName) DeltaTable.toDF": lambda place: place.table.alias("x").toDF().count(),
        "DeltaTable.detail": lambda place: place.table.detail().collect(),
        "DeltaTable.history DeltaTable.history(limit)": lambda place: place.table.history(1).collect(),
        "DeltaTable.isDeltaTable DeltaTable.isDeltaTable(identifier) DeltaTable.isDeltaTable(sparkSession)": lambda place: (
            DeltaTable.isDeltaTable(place.spark, str(place.root))
        ),
        "DeltaTable.generate DeltaTable.generate(mode)": lambda place: (
            None if place.by else place.table.generate("symlink_format_manifest")
        ),
        "DeltaTable.update DeltaTable.update(condition) DeltaTable.update(set)": lambda place: place.table.update("id = 7", {"s": "s"}),
        "DeltaTable.merge DeltaTable.merge(source) DeltaTable.merge(condition) DeltaMergeBuilder.__init__ "
        "DeltaMergeBuilder.__init__(jbuilder) "
        "DeltaMergeBuilder.__init__(spark) DeltaMergeBuilder.execute DeltaMergeBuilder.whenMatchedUpdate "
        "DeltaMergeBuilder.whenMatchedUpdate(condition) DeltaMergeBuilder.whenMatchedUpdate(set)": lambda place: (
            merge(place).whenMatchedUpdate("t.id > 0", {"s": "t.s"}).execute()
        ),
        "DeltaMergeBuilder.whenMatchedUpdateAll DeltaMergeBuilder.whenMatchedUpdateAll(condition)": lambda place: (
            merge(place).whenMatchedUpdateAll("t.id > 0").execute()
        ),
        "DeltaMergeBuilder.whenMatchedDelete DeltaMergeBuilder.whenMatchedDelete(condition)": lambda place: (
            merge(place).whenMatchedDelete("t.id < 0").execute()
        ),
        "DeltaMergeBuilder.whenNotMatchedInsert DeltaMergeBuilder.whenNotMatchedInsert(condition) "
        "DeltaMergeBuilder.whenNotMatchedInsert(values)": lambda place: (
            merge(place).whenNotMatchedInsert("s.id < 0", {"id": "s.id"}).execute()
        ),
        "DeltaMergeBuilder.whenNotMatchedInsertAll DeltaMergeBuilder.whenNotMatchedInsertAll(condition)": lambda place: (
            merge(place).whenNotMatchedInsertAll("s.id < 0").execute()
        ),
        "DeltaMergeBuilder.whenNotMatchedBySourceUpdate DeltaMergeBuilder.whenNotMatchedBySourceUpdate(condition) "
        "DeltaMergeBuilder.whenNotMatchedBySourceUpdate(set)": lambda place: (
            merge(place).whenNotMatchedBySourceUpdate("t.id = 9", {"s": "t.s"}).execute()
        ),
        "DeltaMergeBuilder.whenNotMatchedBySourceDelete DeltaMergeBuilder.whenNotMatchedBySourceDelete(condition)": lambda place: (
            merge(place).whenNotMatchedBySourceDelete("t.id < 0").execute()
        ),
        "DeltaMergeBuilder.withSchemaEvolution": lambda place: merge(place).withSchemaEvolution().whenMatchedUpdateAll().execute(),
        "DeltaTable.optimize DeltaOptimizeBuilder.__init__ DeltaOptimizeBuilder.__init__(jbuilder) DeltaOptimizeBuilder.__init__(spark) "
        "DeltaOptimizeBuilder.executeCompaction": lambda place: place.table.optimize().executeCompaction(),
        "DeltaOptimizeBuilder.where DeltaOptimizeBuilder.where(partitionFilter)": lambda place: (
            place.table.optimize().where("p = 1").executeCompaction() if place.by else None
        ),
        "DeltaOptimizeBuilder.executeZOrderBy DeltaOptimizeBuilder.executeZOrderBy(cols)": lambda place: (
            place.table.optimize().executeZOrderBy("id")
        ),
        "DeltaTable.restoreToVersion DeltaTable.restoreToVersion(version)": lambda place: place.table.restoreToVersion(
            place.table.history(1).first()["version"]
        ),
        "DeltaTable.restoreToTimestamp DeltaTable.restoreToTimestamp(timestamp)": lambda place: place.table.restoreToTimestamp(
            place.last()
        ),
        "DeltaTable.upgradeTableProtocol DeltaTable.upgradeTableProtocol(readerVersion) "
        "DeltaTable.upgradeTableProtocol(writerVersion)": lambda place: place.table.upgradeTableProtocol(1, 2),
        "DeltaTable.addFeatureSupport DeltaTable.addFeatureSupport(featureName)": lambda place: place.table.addFeatureSupport(
            "vacuumProtocolCheck"
        ),
        "DeltaTable.dropFeatureSupport DeltaTable.dropFeatureSupport(featureName) "
        "DeltaTable.dropFeatureSupport(truncateHistory)": lambda place: place.table.dropFeatureSupport("vacuumProtocolCheck", False),
        "DeltaTable.clone DeltaTable.clone(target) DeltaTable.clone(isShallow) DeltaTable.clone(replace) DeltaTable.clone(properties)": (
            lambda place: place.table.clone(f"{place.directory}/c1", True, True, {"a": "b"})
        ),
        "DeltaTable.cloneAtVersion DeltaTable.cloneAtVersion(version) DeltaTable.cloneAtVersion(target) "
        "DeltaTable.cloneAtVersion(isShallow) "
        "DeltaTable.cloneAtVersion(replace) DeltaTable.cloneAtVersion(properties)": lambda place: place.table.cloneAtVersion(
            1, f"{place.directory}/c2", True, True, {"a": "b"}
        ),
        "DeltaTable.cloneAtTimestamp DeltaTable.cloneAtTimestamp(timestamp) DeltaTable.cloneAtTimestamp(target) "
        "DeltaTable.cloneAtTimestamp(isShallow) DeltaTable.cloneAtTimestamp(replace) "
        "DeltaTable.cloneAtTimestamp(properties)": lambda place: place.table.cloneAtTimestamp(
            place.last(), f"{place.directory}/c3", True, True, {"a": "b"}
        ),
        "DeltaTable.convertToDelta DeltaTable.convertToDelta(sparkSession) DeltaTable.convertToDelta(identifier) "
        "DeltaTable.convertToDelta(partitionSchema)": lambda place: _converted(place, None),
        "DeltaTable.create DeltaTable.create(sparkSession) DeltaTableBuilder.__init__ DeltaTableBuilder.__init__(spark) "
        "DeltaTableBuilder.__init__(jbuilder) DeltaTableBuilder.addColumns DeltaTableBuilder.addColumns(cols) DeltaTableBuilder.execute "
        "DeltaTableBuilder.location DeltaTableBuilder.location(location)": lambda place: made(place, DeltaTable.create(place.spark)),
        "DeltaTable.createIfNotExists DeltaTable.createIfNotExists(sparkSession) DeltaTableBuilder.partitionedBy "
        "DeltaTableBuilder.partitionedBy(cols)": lambda place: made(place, DeltaTable.createIfNotExists(place.spark).partitionedBy("p")),
        "DeltaTable.createOrReplace DeltaTable.createOrReplace(sparkSession) DeltaTableBuilder.clusterBy "
        "DeltaTableBuilder.clusterBy(cols)": lambda place: made(place, DeltaTable.createOrReplace(place.spark).clusterBy("id")),
        "DeltaTableBuilder.comment DeltaTableBuilder.comment(comment) DeltaTableBuilder.property DeltaTableBuilder.property(key) "
        "DeltaTableBuilder.property(value)": lambda place: made(place, DeltaTable.create(place.spark).comment("c").property("a", "b")),
        "DeltaTable.replace DeltaTable.replace(sparkSession) DeltaTableBuilder.tableName DeltaTableBuilder.tableName(identifier) "
        "DeltaTableBuilder.addColumn DeltaTableBuilder.addColumn(colName) DeltaTableBuilder.addColumn(dataType) "
        "DeltaTableBuilder.addColumn(nullable) DeltaTableBuilder.addColumn(comment) DeltaTableBuilder.addColumn(generatedAlwaysAs) "
        "DeltaTableBuilder.addColumn(generatedByDefaultAs) IdentityGenerator.__init__ IdentityGenerator.__init__(start) "
        "IdentityGenerator.__init__(step)": lambda place: (
            DeltaTable.create(place.spark).tableName(f"{place.other}_b").addColumn("a", "INT", nullable=True, comment="c").execute(),
            DeltaTable.replace(place.spark)
            .tableName(f"{place.other}_b")
            .addColumn("a", "BIGINT", generatedByDefaultAs=IdentityGenerator(start=1, step=2))
            .addColumn("b", "INT")
            .addColumn("c", "INT", generatedAlwaysAs="b + 1")
            .execute(),
        ),
    },
    "options": {
        "startingTimestamp endingTimestamp readChangeData": lambda place: (
            read(
                readChangeData="true",
                startingTimestamp=place.last(),
                endingTimestamp=place.last(),
            )(place)
            if place.by
            else None
        ),
        "compression": write(compression="zstd"),
        "dataChange": write(dataChange="true"),
        "maxRecordsPerFile": write(maxRecordsPerFile="1"),
        "mergeSchema": write(mergeSchema="true"),
        "optimizeWrite": write(optimizeWrite="true"),
        "parquet.writer.version": write(parquet__writer__version="v2"),
        "partitionOverwriteMode": lambda place: (
            place.rows()
            .where("p = 1")
            .write.format("delta")
            .mode("overwrite")
            .option("partitionOverwriteMode", "dynamic")
            .save(str(place.root))
            if place.by
            else None
        ),
        "spark.sql.parquet.outputTimestampType": write(spark__sql__parquet__outputTimestampType="TIMESTAMP_MICROS"),
        "userMetadata": write(userMetadata="me"),
        "txnAppId txnVersion": write(txnAppId="me", txnVersion="1"),
        "writePartitionColumns": write(writePartitionColumns="true"),
        "overwriteSchema": lambda place: (
            place.rows()
            .write.format("delta")
            .mode("overwrite")
            .option("overwriteSchema", "true")
            .partitionBy(*place.by)
            .save(str(place.root))
        ),
        "timestampAsOf": lambda place: read(timestampAsOf=place.last())(place),
    },
    "options of streams": {
        "ignoreChanges": stream(ignoreChanges="true"),
        "ignoreDeletes": stream(ignoreDeletes="true"),
        "ignoreFileDeletion": stream(ignoreFileDeletion="true"),
        "failOnDataLoss": stream(failOnDataLoss="false"),
        "excludeRegex": stream(excludeRegex="none"),
        "maxFilesPerTrigger": stream(maxFilesPerTrigger="2"),
    },
    "properties": {
        key: f"ALTER TABLE {{t}} SET TBLPROPERTIES ('{key}' = '{value}')"
        for key, value in {
            "delta.autoOptimize": "true",
            "delta.autoOptimize.optimizeWrite": "true",
            "delta.castIcebergTimeType": "true",
            "delta.checkpointRetentionDuration": "interval 1 day",
            "delta.dataSkippingNumIndexedCols": "1",
            "delta.dataSkippingStatsColumns": "id",
            "delta.dataSkippingStringPrefixLength": "2",
            "delta.dropFeatureTruncateHistory.retentionDuration": "interval 1 hour",
            "delta.enableExpiredLogCleanup": "false",
            "delta.enableFullRetentionRollback": "false",
            "delta.enableVariantShredding": "true",
            "delta.ignoreIcebergBucketPartition": "true",
            "delta.isolationLevel": "Serializable",
            "delta.parquet.format.version": "2.0.0",
            "delta.randomPrefixLength": "5",
            "delta.randomizeFilePrefixes": "true",
            "delta.rowTrackingSuspended": "false",
            "delta.sampleRetentionDuration": "interval 1 day",
            "delta.setTransactionRetentionDuration": "interval 1 day",
            "delta.writePartitionColumnsToParquet": "true",
            "delta.enableMaterializePartitionColumnsFeature": "true",
        }.items()
    },
    "features": {
        f"feature {name}": f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.feature.{name}' = 'supported')"
        for name in ("checkpointProtection", "materializePartitionColumns", "variantType", "variantShredding")
    },
}

REFUSED: dict[str, dict[str, Command]] = {
    "statements that are refused": {
        "addTablePartition": "ALTER TABLE {n} ADD PARTITION (p = 9)",
        "dropTablePartitions": "ALTER TABLE {n} DROP PARTITION (p = 1)",
        "renameTablePartition": "ALTER TABLE {n} PARTITION (p = 1) RENAME TO PARTITION (p = 9)",
        "setTableSerDe": "ALTER TABLE {n} SET SERDE 'x'",
        "hiveReplaceColumns": "ALTER TABLE {n} REPLACE COLUMNS (x INT)",
        "loadData": "LOAD DATA LOCAL INPATH '{d}' INTO TABLE {n}",
        "truncateTable(partitionSpec)": "TRUNCATE TABLE {n} PARTITION (p = 1)",
        "createIndex": "CREATE INDEX i ON {n} (id)",
        "dropIndex": "DROP INDEX i ON {n}",
        "failNativeCommand": "ALTER TABLE {n} TOUCH",
        "repairTable": "REPAIR TABLE {n}",
        "recoverPartitions": "ALTER TABLE {n} RECOVER PARTITIONS",
        "call": "CALL spark_catalog.default.p()",
        "describeProcedure": "DESCRIBE PROCEDURE spark_catalog.default.p",
        "showProcedures": "SHOW PROCEDURES",
        "createPipelineDataset": "CREATE MATERIALIZED VIEW {o}_mv AS SELECT 1",
        "declareCursorStatement": "DECLARE c CURSOR FOR SELECT 1",
        "openCursorStatement": "OPEN c",
        "fetchCursorStatement": "FETCH c INTO x",
        "closeCursorStatement": "CLOSE c",
        "alterViewSchemaBinding": "ALTER VIEW {n} WITH SCHEMA EVOLUTION",
        "showCreateTable": "SHOW CREATE TABLE {n}",
        "analyze": "ANALYZE TABLE {n} COMPUTE STATISTICS",
        "setNamespaceCollation": "ALTER NAMESPACE default DEFAULT COLLATION UTF8_LCASE",
    },
    "features that are refused": {
        f"feature {name}": f"ALTER TABLE {{t}} SET TBLPROPERTIES ('delta.feature.{name}' = 'supported')"
        for name in ("adaptiveMetadata-preview", "catalogManaged", "clustering")
    },
}


TAKEN["types"] = {
    f"type {name}": lambda place, name=name, sql=sql, value=value: _typed(place, name, sql, value)
    for name, sql, value in (
        ("Char", "CHAR(3)", "'a'"),
        ("Varchar", "VARCHAR(3)", "'a'"),
        ("Variant", "VARIANT", "parse_json('[1]')"),
        ("Null", "VOID", "NULL"),
    )
}
REFUSED["types that are refused"] = {
    f"type {name}": f"CREATE TABLE {{o}}_{name} (id INT, x {sql}) USING delta"
    for name, sql in (
        ("CalendarInterval", "INTERVAL"),
        ("DayTimeInterval", "INTERVAL DAY TO SECOND"),
        ("YearMonthInterval", "INTERVAL YEAR TO MONTH"),
        ("Time", "TIME"),
        ("Geography", "GEOGRAPHY(4326)"),
        ("Geometry", "GEOMETRY(4326)"),
    )
}

CONTROL: Command = "INSERT INTO {t} SELECT * FROM {t}"


def _converted(place: Place, clause: str | None) -> None:
    """Files of Parquet beside the table, made a table."""
    target = f"{place.directory}/parquet-{abs(hash(clause))}"
    by = ["p"] if clause is None or "PARTITIONED" in clause else []
    place.rows().select("id", "s", "p").write.partitionBy(*by).parquet(target)
    if clause is None:
        DeltaTable.convertToDelta(place.spark, f"parquet.`{target}`", "p INT")
    else:
        place.spark.sql(f"CONVERT TO DELTA parquet.`{target}`{clause}").collect()


def _typed(place: Place, name: str, sql: str, value: str) -> None:
    """A table with a column of a type beside this one: a DELETE takes the row that it names, and no other."""
    table = f"{place.other}_{name}"
    place.spark.sql(f"CREATE TABLE {table} (id INT, x {sql}) USING delta")
    place.spark.sql(f"INSERT INTO {table} SELECT CAST(id AS INT), {value} FROM range(3)")
    place.spark.sql(f"DELETE FROM {table} WHERE id = 1")
    assert [row[0] for row in place.spark.table(table).orderBy("id").collect()] == [0, 2]


class Batches:
    def __init__(self, experiment: Experiment) -> None:
        self.experiment, self.number = experiment, 0

    def place(self, name: str) -> Place:
        """A copy of a table, in a session of its own."""
        self.number += 1
        root = self.experiment.home / f"{name}-other-{self.number}"
        shutil.copytree(self.experiment.home / name, root)
        return Place(self.experiment.spark.newSession(), root, f"o{self.number}")

    def taken(self, commands: Sequence[Command]) -> tuple[list[Facts], list[str]]:
        """The facts of both tables after these commands, and which of them are refused."""
        found, wrong = [], []
        for name in ("vectors", "plain"):
            place = self.place(name)
            for command in commands:
                try:
                    place.run(command)
                except Exception as refusal:
                    wrong.append(f"{command if isinstance(command, str) else ''} on {name}: {type(refusal).__name__}: {str(refusal)[:200]}")
            found.append(self.experiment.facts(place.spark, place.root))
        return found, wrong

    def not_refused(self, commands: Sequence[Command]) -> list[str]:
        """Which of these commands are taken, or change a file though they are refused."""
        wrong = []
        for name in ("vectors", "plain"):
            place = self.place(name)
            for command in commands:
                before = files_of(place.root)
                try:
                    place.run(command)
                    wrong.append(f"{command} on {name}: taken")
                except Exception:
                    wrong += [f"{command} on {name}: files are changed"] if files_of(place.root) != before else []
        return wrong


def files_of(root: Path) -> dict[str, int]:
    """The time of each file, by its path."""
    return {str(path): path.stat().st_mtime_ns for path in root.rglob("*") if path.is_file()}


def rows_of(facts: Sequence[Facts]) -> list[object]:
    """What must be the same: the rows, and that none is lost."""
    return [(one.rows, one.lost, one.files[0]) for one in facts]


def main(parts: list[str]) -> int:
    home = Path(tempfile.mkdtemp(prefix="tombstone-"))
    violated = unclear = 0
    try:
        experiment = Experiment(home)
        batches = Batches(experiment)
        unclear = rows_of(batches.taken([CONTROL])[0]) == rows_of(experiment.expected) or not batches.not_refused([CONTROL])
        for name, commands in {**REFUSED, **TAKEN}.items():
            if parts and not any(part in name for part in parts):
                continue
            if name in REFUSED:
                wrong, same = batches.not_refused(list(commands.values())), True
            else:
                facts, wrong = batches.taken(list(commands.values()))
                same = rows_of(facts) == rows_of(experiment.expected)
            violated += bool(wrong) or not same
            print("WRONG" if wrong or not same else "ok", "the same rows:" if same else "other rows:", name, *wrong, sep="\n  ", flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 2 if unclear else int(violated > 0)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print(("HOLDS", "VIOLATED", "CANNOT TELL")[code])
    sys.exit(code)
