"""VACUUM in S3 takes an object whose key ends in a slash for an empty directory, and deletes it with its data, however new it is.

    pip install pyspark==4.2.0 delta-spark==4.4.0 moto[server]==5.2.5 boto3
    python slash_keys.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

The server is moto: one that keeps objects in files cannot hold such a key.
"""

import logging
import os
import sys
import tempfile

import boto3
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

SDK = "software.amazon.awssdk"  # the modules that S3A uses here; its POM asks for all of them, in one jar
JARS = ["io.delta:delta-spark_4.2_2.13:4.4.0", "org.apache.hadoop:hadoop-aws:3.5.0", f"{SDK}:s3:2.35.4"]
JARS += [f"{SDK}:s3-transfer-manager:2.35.4", f"{SDK}:sts:2.35.4"]
JARS += ["software.amazon.s3.analyticsaccelerator:analyticsaccelerator-s3:1.3.1"]


def start(home: str, url: str) -> SparkSession:
    settings = {
        "spark.jars.packages": ",".join(JARS),
        "spark.jars.excludes": f"{SDK}:bundle",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": f"{home}/warehouse",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
        "spark.delta.logStore.s3a.impl": "io.delta.storage.S3SingleDriverLogStore",
        "spark.hadoop.fs.s3a.endpoint": url,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.access.key": "finding",
        "spark.hadoop.fs.s3a.secret.key": "finding",
        "spark.hadoop.fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.input.stream.type": "classic",
    }
    spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def main(spark: SparkSession, url: str) -> int:
    access = {"region_name": "us-east-1", "aws_access_key_id": "finding", "aws_secret_access_key": "finding"}
    s3 = boto3.client("s3", endpoint_url=url, **access)
    s3.create_bucket(Bucket="bucket")
    lost = 0
    for table, keys in (("alone", ["new/"]), ("beside", ["new", "new/"])):
        spark.sql(f"CREATE TABLE delta.`s3a://bucket/{table}` (id INT) USING delta")
        for key in keys:
            s3.put_object(Bucket="bucket", Key=f"{table}/{key}", Body=b"written a moment ago")
        spark.sql(f"VACUUM delta.`s3a://bucket/{table}`")
        found = s3.list_objects_v2(Bucket="bucket", Prefix=f"{table}/new").get("Contents", [])
        left = [one["Key"].removeprefix(f"{table}/") for one in found]
        print("of objects that are younger than the retention", left, "are left - expected", keys)
        lost += len(keys) - len(left)
    return 1 if lost else 0


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    try:
        server.start()
        address = "http://{}:{}".format(*server.get_host_and_port())
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = main(start(os.path.realpath(directory), address), address)
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
