"""Releases of engines with one fault of VACUUM each, as ``tests.rehearsal.known_bad:NAME==1.1``."""

from __future__ import annotations

from faults import FAULTS, KnownBadEngine
from model.vocabulary.capabilities import Capabilities
from reference_engine import ReferenceEngine
from tests.outside_engine import OutsideWithAll


def _with(fault: str) -> OutsideWithAll:
    def opened(capabilities: Capabilities) -> KnownBadEngine:
        return KnownBadEngine(ReferenceEngine(capabilities=capabilities), FAULTS[fault])

    return OutsideWithAll(adapter=opened)


BY_FILE_AGE = _with("vacuums-by-file-age")
KEEPS_EXPIRED = _with("keeps-an-expired-file")
