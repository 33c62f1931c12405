"""The functions that a reproduction script may consist of, whatever its engine: plain Python, which uses nothing of the project.

A script has the source of those that it calls. It defines the names of ``engines.script_names`` itself.
"""

from __future__ import annotations

from pathlib import Path

from engines.script_library import library

LIBRARY = library(*sorted(Path(__file__).parent.glob("[!_]*.py")))
