"""A PySpark session in a JVM that is already running."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from engines.spark.jvm.driver import Lease
from model.vocabulary.versions import parse

_END_OF_THREAD = Path(__file__).with_name("EndOfThread.java")


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
    # What a user's function in Python counts comes here. When the JVM is gone, this is no error that anyone must read.
    server: Any = context._accumulatorServer
    server.handle_error = lambda request, client_address: None
    for form in ("short", "long"):  # else Spark looks through the stack for the caller of each of its operations
        context.setLocalProperty(f"callSite.{form}", "tombstone")
    if (
        not lease.serves_connect
    ):  # where no result comes through Py4J, and threads of the server may end by an exception
        _end_with_any_thread(jvm)
    _silence_refusals()
    return SparkSession(context).newSession()


def has_jvm(spark: SparkSession) -> bool:
    """Whether the run can reach the session's JVM. It cannot for a client's session on a foreign server."""
    return hasattr(type(spark), "_jvm") or "_jvm" in vars(spark)


def activate(spark: SparkSession) -> None:
    """Make this the active session of the thread in the JVM, as in a program with a single session.

    Code that runs before a command, such as the parsing of literals in a Column, uses its settings. Nothing to do for the
    session of a client.
    """
    if not has_jvm(spark):
        return
    sql: Any = spark._jvm.org.apache.spark.sql  # type: ignore[union-attr]
    # Spark 4 has two SparkSessions, for Connect.
    classes = sql.classic if parse(pyspark.__version__).major >= 4 else sql
    classes.SparkSession.setActiveSession(spark._jsparkSession)


def _end_with_any_thread(jvm: Any) -> None:
    """Let an exception that ends a thread end the JVM, so that the step fails at once.

    The rows of a result come from a thread that only catches what Scala calls non-fatal. If it ends by another exception,
    as when a class cannot be loaded, Py4J waits for its promise for ever. Spark's own handler exits in order, which takes
    long while a startup cache is recorded.
    """
    if jvm.java.lang.Thread.getDefaultUncaughtExceptionHandler() is not None:
        return
    compiler = jvm.org.codehaus.janino.SimpleCompiler()  # which Spark ships; a JRE has no compiler
    compiler.cook(_END_OF_THREAD.read_text(encoding="utf-8"))
    handler = compiler.getClassLoader().loadClass(f"tombstone.{_END_OF_THREAD.stem}").getConstructors()[0]
    jvm.java.lang.Thread.setDefaultUncaughtExceptionHandler(handler.newInstance(None))


def _silence_refusals() -> None:
    """PySpark 4 logs each error of Spark to standard error with its stack; here errors are results."""
    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # PySpark 3
        return
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def disconnect() -> None:
    """Close the connections of this process. The JVM keeps running."""
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.close()  # else what is collected later would still be reported to the JVM, also to one that was killed
    _forget()


def _forget() -> None:
    """PySpark keeps its JVM in class attributes and has no API to reset them."""
    SparkContext._active_spark_context = None
    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._next_accum_id = 0
    SparkSession._instantiatedSession = None
