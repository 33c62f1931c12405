"""The reference engine: changes a table as the model predicts."""

from selfcheck.reference_engine.engine import ReferenceEngine
from selfcheck.reference_engine.vacuuming import Habits

__all__ = ["Habits", "ReferenceEngine"]
