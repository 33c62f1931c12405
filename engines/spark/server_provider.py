"""What the workers of a run share of a foreign server: its address, once it has been tried."""

from __future__ import annotations

import threading

import pyspark

from engines.kind import Provider, Settings
from engines.port import EngineUnavailable
from engines.spark.adapter import installed_delta
from engines.spark.masters.names import without_parameters
from engines.spark.masters.server import ServerLease, client, probed, require_reachable

#: How often a run asks a server again that did not answer.
_MOST = 12


class SparkServerProvider(Provider):
    """Tries the server, or raises EngineUnavailable with the remedy."""

    def __init__(self, settings: Settings, address: str) -> None:
        self._settings = settings
        self._address = address
        self._place = without_parameters(address)
        self._generation = 0
        self._spark = ""
        self._lock = threading.Lock()

    def start(self) -> None:
        """Raises EngineUnavailable if the server is not there, cannot reach what the run writes, or has another Delta."""
        require_reachable(self._address)
        remote = client(self._address)
        try:
            if self._settings.store is None:
                # The server may run as another user.
                self._settings.directory.chmod(0o777)
            found = probed(remote, self._address, self._settings.directory, self._settings.store)
        finally:
            remote.stop()
        here = installed_delta()
        if found.delta is None:
            self._settings.tell(
                f"The server does not say which Delta it has ({found.engine_info}): it is judged by the rules of Delta {here}."
            )
        elif found.delta != here:
            raise EngineUnavailable(
                f"--spark-remote {self._place} has Delta {found.delta}, and this environment is for {here}: use "
                f"tombstone gate {found.delta}@{found.spark} with the same options."
            )
        self._spark = found.spark
        if not pyspark.__version__.startswith(found.spark.rpartition(".")[0]):
            self._settings.tell(f"The server has Spark {found.spark}, and the client is PySpark {pyspark.__version__}.")

    def lease(self, lost: int) -> ServerLease:
        """Raises EngineUnavailable if the server does not answer any more."""
        with self._lock:
            if lost >= self._generation:
                if self._generation >= _MOST:
                    raise EngineUnavailable(
                        f"--spark-remote {self._place} was lost {_MOST} times in this run: see the cases in error."
                    )
                require_reachable(self._address)
                self._generation += 1
            return ServerLease(self._generation, self._address, self._spark, self._settings.store)
