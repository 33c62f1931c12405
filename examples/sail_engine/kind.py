"""Sail (https://github.com/lakehq/sail): a Spark Connect server in Rust, with a Delta writer of its own."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from engines.dialect import DialectFor
from engines.kind import EngineKind
from engines.port import Engine, EngineUnavailable
from examples.sail_engine.script import SailScript
from model.vocabulary.capabilities import Capabilities
from model.vocabulary.rules import DELTA_RS, Rules
from model.vocabulary.steps import DeleteMistake, Form, Literals
from model.vocabulary.table import Feature

#: The version of Spark's client, as in requirements.txt.
CLIENT = "4.2.0"

CAPABILITIES = Capabilities(
    # It refuses tables with these: "Unsupported table features required".
    features=frozenset(Feature) - {Feature.CHANGE_DATA_FEED, Feature.ROW_TRACKING},
    delete_forms=frozenset({Form.SQL_PATH}),
    delete_mistakes=frozenset(DeleteMistake) - {DeleteMistake.PARTITION_DIRECTORY, DeleteMistake.VIEW},
    languages=frozenset(),  # it is not asked, though it speaks Spark's
    literals=frozenset({Literals.EXACT}),  # what it makes of others was not examined
    vacuum=False,
    wrappers=frozenset(),
    settings=frozenset(),
    change_feed=False,
    inserts=False,
    commands=frozenset(),
    earlier_sessions=False,
    caches=False,
    crashes=False,
    sessions=False,
    sets_clock=False,
    checksum_details=False,
    pointer_checksums=False,
    counts_accesses=False,
)

#: Those of delta-rs, except for what it does with deletion vectors. It keeps nobody's promises but the format's, so nothing is
#: asked of what its DELETE answers: one number, which is of rows rewritten, or of rows deleted where it writes deletion vectors.
RULES = replace(DELTA_RS, implementation=None, writes_vectors=True, keeps_emptied_files=True, draws_processors=False)


class Sail(EngineKind):
    name = "sail"

    def capabilities_of(self, version: str | None) -> Capabilities:
        return CAPABILITIES

    def rules_of(self, version: str) -> Rules:
        return RULES

    def dialect_of(self, versions: Mapping[str, str]) -> DialectFor:
        sail, client = next(iter(versions.values())), versions.get("pyspark-client", CLIENT)
        return partial(SailScript, pip=f"pysail=={sail} pyspark-client=={client} 'pandas<3' pyarrow")

    def installed_version(self) -> str:
        try:
            return importlib.metadata.version("pysail")
        except importlib.metadata.PackageNotFoundError:
            raise EngineUnavailable(
                "The package pysail is not installed here: use `tox -e gate-sail`, or "
                "`pip install -r examples/sail_engine/requirements.txt`."
            ) from None

    def open_adapter(self, lease: Callable[[int], Any], *, time_limit: float) -> Engine:
        version = self.installed_version()
        # In a worker of pytest-xdist the main module has no file, by which PySpark's client would take it for a doctest.
        vars(sys.modules["__main__"]).setdefault("__file__", __file__)
        from examples.sail_engine.adapter import SailEngine  # the packages need not be installed until it is judged

        return SailEngine(version, time_limit=time_limit)


ENGINE = Sail()
