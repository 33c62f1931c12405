"""delta-rs as an engine: the package deltalake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from engines.bucket_limits import AS_OLD_AS_UPLOADS, IN_BUCKETS, NO_DOUBLED_SLASH, NO_NONCHARACTERS
from engines.deltalake import capabilities
from engines.deltalake.script import DeltalakeScript
from engines.deltalake.versions import PACKAGE, RELEASES, DeltalakeReleases
from engines.dialect import DialectFor
from engines.kind import Costs, EngineKind, Limits, Provider, Settings
from engines.object_store import Storage
from engines.port import Engine
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import DELTA_RS, Rules


class Deltalake(EngineKind):
    name = "deltalake"
    releases = DeltalakeReleases()
    costs = Costs(speed=30.0, start=5.0, slow_scripts=False)

    def capabilities_of(self, version: str | None) -> Capabilities:
        return capabilities.capabilities_of(version or RELEASES[-1])

    def rules_of(self, version: str) -> Rules:
        return DELTA_RS

    def limits_in(self, storage: Storage) -> Sequence[Limits]:
        if storage is Storage.LOCAL:
            return ()
        in_bucket = (*IN_BUCKETS, NO_DOUBLED_SLASH)
        return (*in_bucket, NO_NONCHARACTERS, AS_OLD_AS_UPLOADS) if storage is Storage.BUCKET else in_bucket

    def dialect_of(self, versions: Mapping[str, str]) -> DialectFor:
        pyarrow = f"pyarrow=={versions['pyarrow']}" if "pyarrow" in versions else "pyarrow"
        return partial(DeltalakeScript, pip=f"{PACKAGE}=={versions[PACKAGE]} {pyarrow}")

    # The package need not be installed until it is judged.

    def installed_version(self) -> str:
        from engines.deltalake.adapter import installed

        return installed()

    def provider(self, settings: Settings) -> Provider:
        from engines.deltalake.provider import DeltalakeProvider

        return DeltalakeProvider(settings.store, settings.directory)

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        from engines.deltalake.adapter import DeltalakeEngine

        return DeltalakeEngine(lease(0), time_limit=time_limit)


ENGINE = Deltalake()
