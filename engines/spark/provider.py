"""The JVM of a run, with Delta's jars. The workers' adapters connect to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pyspark

from engines.dialect import DialectFor
from engines.kind import Settings
from engines.spark.adapter import installed_delta
from engines.spark.executors import check_executors, executor_settings
from engines.spark.jars import delta_jars
from engines.spark.java import find_java
from engines.spark.jvm import JvmPlan, Lease, Leases
from engines.spark.masters import is_local, require_reachable
from engines.spark.releases import settings_of
from engines.spark.s3a import require_usable, s3a_jars, s3a_settings
from engines.spark.script import SparkScript
from engines.spark.startup_cache import startup_cache
from engines.spark.versions import artifact_for


class SparkProvider:
    """Starts the JVM, or raises EngineUnavailable with the remedy."""

    def __init__(self, settings: Settings) -> None:
        self._directory = settings.directory
        self._started = settings.started
        self._conf = {"spark.master": settings.master, "spark.app.name": "tombstone", **settings.spark_conf}
        self._patches = tuple(settings.extra_classpath)
        self._jars = tuple(settings.jars)
        self._store = settings.store
        self._leases: Leases | None = None

    @property
    def dialect(self) -> DialectFor:
        return partial(SparkScript, delta=installed_delta(), pyspark=pyspark.__version__)

    def start(self) -> None:
        master = self._conf["spark.master"]
        require_reachable(master)
        delta = installed_delta()
        artifact = artifact_for(delta=delta, pyspark=pyspark.__version__)
        java = find_java()
        settings = self._conf.get("spark.jars.ivySettings")
        jars = self._jars or tuple(map(str, delta_jars(artifact, delta, java=java.path, ivy_settings=settings)))
        conf = {**settings_of(delta), **self._conf}
        if self._store is not None:
            jars += tuple(map(str, s3a_jars(java=java.path, ivy_settings=settings)))
            conf = {**s3a_settings(self._store, self._directory), **conf}
        if not is_local(master):
            conf |= executor_settings(self._directory, patches=self._patches, jars=jars, conf=conf)
        plan = JvmPlan(java, jars, self._patches, conf, self._directory)
        plan = replace(plan, cache=startup_cache(java, options=plan.options, classpath=plan.files))
        self._leases = Leases(plan, self._started)
        lease = self._leases.lease()
        if not is_local(master):
            check_executors(lease, conf=conf, directory=self._directory)
        if self._store is not None:
            require_usable(lease, self._store, self._directory / "spark-probe")

    def lease(self, lost: int) -> Lease:
        assert self._leases is not None, "start() comes first"
        return replace(self._leases.lease(lost), store=self._store)

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        if self._leases is not None:
            self._leases.keep_startup_cache(tell)

    def close(self) -> None:
        if self._leases is not None:
            self._leases.close()
