"""I/O faults: a file system that fails for one path while a step runs.

Permissions would not work, because CI often runs as root.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from engines.spark.settings import settings
from model.vocabulary.steps import IOFault

_SOURCE = Path(__file__).with_name("FaultyLocalFileSystem.java")
_PACKAGE = "org.apache.hadoop.fs"
_NAME = f"{_PACKAGE}.{_SOURCE.stem}"


@contextmanager
def faulty_path(spark: SparkSession, path: Path, io_fault: IOFault) -> Iterator[None]:
    """``path`` has this fault for the session, in the driver and in its tasks.

    Hadoop configurations of Delta and Spark include all settings of the session. The file system cache is disabled, so
    that no other session gets the faulty file system, nor this one a cached healthy one.
    """
    _define(spark)
    with settings(
        spark,
        {
            "fs.file.impl": _NAME,
            "fs.file.impl.disable.cache": "true",
            "tombstone.fault": io_fault.name,
            "tombstone.fault.path": str(path),
        },
    ):
        yield


def _define(spark: SparkSession) -> None:
    """Compile the class and define it in Hadoop's package, unless the JVM already has it.

    The compiler is Janino, which Spark ships, because a JRE has no compiler. If two workers define the class at the same
    time, the JVM refuses the second definition, which is the same.
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
