"""The JVM of a run, by a stand-in for Java."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engines.spark.jvm.driver import Jvm, JvmPlan
from engines.spark.jvm.java import Java


def test_a_start_that_is_interrupted_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the JVM would write into the run's directory when that is gone."""
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nexec sleep 600\n")
    java.chmod(0o755)
    started: list[int] = []

    def interrupted(self: Jvm, info: Path) -> tuple[int, str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(Jvm, "_wait_for", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Jvm(JvmPlan(Java(java, 17, ""), (), (), {}, tmp_path), 1, started.append)
    (pid,) = started
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
