"""The number of processors for an engine."""

from __future__ import annotations

import os


def processors() -> int:
    """The processors that this process and its children may use; on a system that does not say it, all."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
