"""A PySpark session in a JVM that is already running."""

from __future__ import annotations

import logging
import os

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from engines.spark.jvm import Lease


def connect(lease: Lease) -> SparkSession:
    """A session with its own settings in the shared JVM. Disconnects from the previous JVM."""
    _forget()
    os.environ["PYSPARK_GATEWAY_PORT"] = str(lease.port)
    os.environ["PYSPARK_GATEWAY_SECRET"] = lease.secret
    try:
        gateway = launch_gateway()
    finally:  # child processes must not connect to this JVM
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
    jvm = gateway.jvm
    java_conf = jvm.org.apache.spark.SparkConf()
    scala_context = jvm.org.apache.spark.SparkContext.getOrCreate(java_conf)
    java_context = jvm.org.apache.spark.api.java.JavaSparkContext.fromSparkContext(scala_context)
    context = SparkContext(gateway=gateway, jsc=java_context, conf=SparkConf(_jconf=java_conf))
    context.setLogLevel("ERROR")
    _silence_refusals()
    return SparkSession(context).newSession()


def _silence_refusals() -> None:
    """PySpark 4 logs each error of Spark to standard error with its stack; here errors are results."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # PySpark 3
        return
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def _forget() -> None:
    """PySpark keeps its JVM in class attributes and has no API to reset them."""
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._next_accum_id = 0
    SparkSession._instantiatedSession = None
