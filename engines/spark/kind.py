"""Delta on Spark as an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engines.kind import Provider, Settings
from engines.port import Engine
from engines.spark import releases
from engines.versions import JUDGED
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import Rules


class Spark:
    name = "spark"

    def capabilities_of(self, version: str | None) -> Capabilities:
        return releases.capabilities_of(version or JUDGED[-1])

    def rules_of(self, version: str) -> Rules:
        return releases.rules_of(version)

    # PySpark need not be installed until it is judged.

    def installed_version(self) -> str:
        from engines.spark.adapter import installed_delta

        return installed_delta()

    def provider(self, settings: Settings) -> Provider:
        from engines.spark.provider import SparkProvider

        return SparkProvider(settings)

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        from engines.spark.adapter import SparkEngine

        return SparkEngine(lease, time_limit=time_limit)


ENGINE = Spark()
