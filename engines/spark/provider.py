"""The JVM of a run, with Delta's jars. The workers' adapters connect to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyspark

from engines.kind import Provider, Settings
from engines.port import EngineUnavailable
from engines.spark.adapter import installed_delta
from engines.spark.jvm.driver import JvmPlan, Lease, Leases
from engines.spark.jvm.jars import delta_jars
from engines.spark.jvm.java import find_java
from engines.spark.jvm.missing_classes import missing_class
from engines.spark.jvm.startup_cache import startup_cache
from engines.spark.masters.cluster import EXECUTOR_OPTIONS, Cluster
from engines.spark.masters.executors import check_executors, executor_settings, served_to_executors
from engines.spark.masters.names import REMOTE, is_local, own_workers, require_reachable, with_free_slots
from engines.spark.masters.remote import server_settings
from engines.spark.options import SparkOptions
from engines.spark.releases import settings_of
from engines.spark.storage.s3a import SCHEME, require_usable, s3a_jars, s3a_settings
from engines.spark.versions import artifact_for


class SparkProvider(Provider):
    """Starts the JVM, or raises EngineUnavailable with the remedy."""

    def __init__(self, settings: Settings, chosen: SparkOptions) -> None:
        self._directory = settings.directory
        self._started = settings.started
        self._conf = {"spark.master": chosen.master, "spark.app.name": "tombstone", **chosen.conf}
        self._patches = tuple(map(str, chosen.patches))
        self._jars = tuple(map(str, chosen.jars))
        self._store = None if settings.store is None else replace(settings.store, scheme=SCHEME)
        self._tell = settings.tell
        self._cluster: Cluster | None = None  # that this run has started
        self._plan: JvmPlan | None = None
        self._leases: Leases | None = None
        self._lock = threading.Lock()
        self._checked = 0  # the generation of the JVM whose executors were checked last
        self._refusal: str | None = None  # of the cluster, once and for all

    def start(self) -> None:
        master = self._conf["spark.master"]
        require_reachable(master)
        delta = installed_delta()
        artifact = artifact_for(delta=delta, pyspark=pyspark.__version__)
        java = find_java()
        settings = self._conf.get("spark.jars.ivySettings")
        jars = self._jars
        if not jars:
            found = delta_jars(artifact, delta, java=java.path, ivy_settings=settings, tell=self._tell)
            jars = tuple(map(str, found))
        conf = {**settings_of(delta), **self._conf}
        if self._store is not None:
            jars += tuple(map(str, s3a_jars(java=java.path, ivy_settings=settings)))
            conf = {**s3a_settings(self._store, self._directory), **conf}
        if master == REMOTE:
            conf |= {"spark.master": "local[*]", **server_settings(conf)}
        if workers := own_workers(master):
            self._cluster = Cluster(workers, java=java, directory=self._directory / "cluster", started=self._started)
            conf |= self._cluster.start(conf.get(EXECUTOR_OPTIONS, ""))
        conf = with_free_slots(conf)
        if not is_local(conf["spark.master"]):
            conf |= (
                executor_settings(self._directory, patches=self._patches, jars=jars, conf=conf)
                if self._store is None
                else served_to_executors(jars=jars, conf=conf)
            )
        plan = JvmPlan(
            java, jars, self._patches, conf, self._directory, serves_connect=master == REMOTE, store=self._store
        )
        plan = replace(plan, cache=startup_cache(java, options=plan.options, classpath=plan.files))
        self._plan, self._leases = plan, Leases(plan, self._started)
        if self._cluster is not None:
            self._cluster.watch(self._leases.close)
        self._tell("Waiting for Spark's JVM to start.")
        lease = self.lease(0)
        if self._store is not None:
            require_usable(lease, self._store, self._directory / "spark-probe")

    def lease(self, lost: int) -> Lease:
        """Raises EngineUnavailable; of a cluster that cannot serve any more, at once from then on."""
        assert self._leases is not None and self._plan is not None, "start() comes first"
        if is_local(self._plan.conf["spark.master"]):
            if lost and (self._jars or self._patches):
                self._require_classes(self._plan.log_of(lost))
            return self._leases.lease(lost)
        with self._lock:
            if self._refusal is not None:
                raise EngineUnavailable(self._refusal)
            try:
                return self._on_cluster(self._leases, self._plan, lost)
            except EngineUnavailable as refusal:
                self._refusal = str(refusal)
                raise

    def _require_classes(self, log: Path) -> None:
        """Raises EngineUnavailable if the JVM with this log died as the user's jars lack a class."""
        if name := missing_class(log):
            raise EngineUnavailable(
                f"Spark's JVM died, because it cannot load the class {name}: --jars replaces all of Delta's jars from Maven, "
                "so name the jar with this class too (docs/ci.md)."
            )

    def _on_cluster(self, leases: Leases, plan: JvmPlan, lost: int) -> Lease:
        """A JVM whose executors have been checked: what the last one died of may have been the cluster."""
        if self._cluster is not None:
            self._cluster.require_whole()
        lease = leases.lease(lost)
        if lease.generation != self._checked:
            try:
                check_executors(lease, conf=plan.conf, directory=self._directory)
            except EngineUnavailable as refusal:
                if self._cluster is None:
                    raise
                self._cluster.require_whole()
                raise EngineUnavailable(f"{refusal}{self._cluster.executors_said()}") from refusal
            self._checked = lease.generation
        return lease

    def keep_startup_cache(self, tell: Callable[[str], None]) -> None:
        if self._leases is not None:
            self._leases.keep_startup_cache(tell)

    def close(self) -> None:
        """The driver first: with it, its executors have nothing to do."""
        if self._leases is not None:
            self._leases.close()
        if self._cluster is not None:
            self._cluster.close()
