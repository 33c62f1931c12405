"""The JVM of a run, with Delta's jars. The workers' adapters connect to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyspark

from engines.spark.adapter import installed_delta
from engines.spark.executors import check_executors, executor_settings
from engines.spark.jars import delta_jars
from engines.spark.java import find_java
from engines.spark.jvm import JvmPlan, Lease, Leases
from engines.spark.masters import is_local, require_reachable
from engines.spark.releases import settings_of
from engines.spark.startup_cache import startup_cache
from engines.versions import GROUP, artifact_for


class SparkProvider:
    """Starts the JVM, or raises EngineUnavailable with the remedy."""

    def __init__(
        self,
        *,
        directory: Path,
        started: Callable[[int], None],
        spark_conf: Mapping[str, str],
        extra_classpath: Sequence[str],
        jars: Sequence[str],
        master: str,
    ) -> None:
        self._directory = directory
        self._started = started
        self._conf = {"spark.master": master, "spark.app.name": "tombstone", **spark_conf}
        self._patches = tuple(extra_classpath)
        self._jars = tuple(jars)
        self._leases: Leases | None = None

    @property
    def packages(self) -> dict[str, str]:
        """The Maven coordinates of Delta's jar and the PyPI packages, for reproduction scripts."""
        delta = installed_delta()
        artifact = artifact_for(delta=delta, pyspark=pyspark.__version__)
        return {
            "engine": "spark",
            "packages": f"{GROUP}:{artifact}:{delta}",
            "pip": f"pyspark=={pyspark.__version__} delta-spark=={delta}",
        }

    @property
    def operation(self) -> None:
        return None

    def start(self) -> None:
        master = self._conf["spark.master"]
        require_reachable(master)
        delta = installed_delta()
        artifact = artifact_for(delta=delta, pyspark=pyspark.__version__)
        java = find_java()
        settings = self._conf.get("spark.jars.ivySettings")
        jars = self._jars or tuple(map(str, delta_jars(artifact, delta, java=java.path, ivy_settings=settings)))
        conf = {**settings_of(delta), **self._conf}
        if not is_local(master):
            conf |= executor_settings(self._directory, patches=self._patches, jars=jars, conf=conf)
        plan = JvmPlan(java, jars, self._patches, conf, self._directory)
        plan = replace(plan, cache=startup_cache(java, options=plan.options, classpath=plan.files))
        self._leases = Leases(plan, self._started)
        lease = self._leases.lease()
        if not is_local(master):
            check_executors(lease, conf=conf, directory=self._directory)

    def lease(self, lost: int) -> Lease:
        assert self._leases is not None, "start() comes first"
        return self._leases.lease(lost)

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        if self._leases is not None:
            self._leases.keep_startup_cache(tell)

    def close(self) -> None:
        if self._leases is not None:
            self._leases.close()
