"""Trouble with one path while a step runs: a file system that fails, as a disk or another process makes it fail.

Permissions do not do it: people's CI often runs as root, whom they do not bind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from engines.spark.settings import settings
from model.steps import IOFault

_SOURCE = Path(__file__).with_name("FaultyLocalFileSystem.java")
_PACKAGE = "org.apache.hadoop.fs"
_NAME = f"{_PACKAGE}.{_SOURCE.stem}"


@contextmanager
def faulty_path(spark: SparkSession, path: Path, io_fault: IOFault) -> Iterator[None]:
    """``path`` has this trouble for what the session does meanwhile, in the driver and in its tasks.

    Delta's and Spark's Hadoop configurations take every setting of the session. Without the cache, no other session
    gets a file system that this one made, nor this one a sound one.
    """
    _define(spark)
    with settings(
        spark,
        {
            "fs.file.impl": _NAME,
            "fs.file.impl.disable.cache": "true",
            "tombstone.trouble": io_fault.name,
            "tombstone.troubled.path": str(path),
        },
    ):
        yield


def _define(spark: SparkSession) -> None:
    """Compile the class where the JVM does not have it yet, and define it beside Hadoop's own.

    The compiler is Janino, which Spark ships: there may be a Java without a compiler. The workers share the JVM: where
    two come here at once, the JVM defines the class of one of them and refuses the other's, which is the same.
    """
    jvm: Any = spark._jvm
    neighbour = jvm.java.lang.Class.forName(f"{_PACKAGE}.LocalFileSystem")
    loader = neighbour.getClassLoader()
    if _is_defined(jvm, loader):
        return
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(loader)
    compiler.cook(_SOURCE.read_text(encoding="utf-8"))
    code = compiler.getBytecodes()[_NAME]
    lookups = jvm.java.lang.invoke.MethodHandles
    try:
        lookups.privateLookupIn(neighbour, lookups.lookup()).defineClass(code)
    except Py4JJavaError:
        if not _is_defined(jvm, loader):
            raise


def _is_defined(jvm: Any, loader: Any) -> bool:
    try:
        jvm.java.lang.Class.forName(_NAME, False, loader)
    except Py4JJavaError as missing:
        if missing.java_exception.getClass().getSimpleName() != "ClassNotFoundException":
            raise
        return False
    return True
