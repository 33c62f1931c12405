"""Settings of a session that last for one step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession


@contextmanager
def settings(spark: SparkSession, values: Mapping[str, str | None]) -> Iterator[None]:
    """Put these settings (``None``: not set at all), and put back what they were, also where the step fails."""
    before = {key: spark.conf.get(key, None) for key in values}
    try:
        for key, value in values.items():
            _put(spark, key, value)
        yield
    finally:
        for key, value in before.items():
            _put(spark, key, value)


def _put(spark: SparkSession, key: str, value: str | None) -> None:
    if value is None:
        spark.conf.unset(key)
    else:
        spark.conf.set(key, value)
