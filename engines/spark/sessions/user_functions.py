"""Functions of the user around conditions, in a session."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from pyspark.sql import SparkSession

from model.text.sql import WRAPPERS
from model.vocabulary.predicate import Wrapper


def register(spark: SparkSession, wrappers: Iterable[Wrapper]) -> None:
    """Register these functions in the session; those that it has are replaced by the same.

    Spark starts a Python for the first, and ends it with the JVM.
    """
    for wrapper in wrappers:
        # Else Spark starts the first Python of the PATH.
        spark.sparkContext.pythonExec = sys.executable
        # A function without a name of its own goes to it as code: that Python cannot import this module.
        if wrapper is Wrapper.PYTHON:
            spark.udf.register(WRAPPERS[wrapper], lambda b: b, "boolean")
        else:
            from pyspark.sql.functions import arrow_udf  # type: ignore[attr-defined]  # since PySpark 4.1

            spark.udf.register(WRAPPERS[wrapper], arrow_udf(lambda b: b, "boolean"))
