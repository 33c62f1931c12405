"""The version of the suite, which only this says: ``pyproject.toml`` reads it for the package, and the header of a run has it."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
