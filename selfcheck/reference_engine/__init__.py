"""The engine of the suite's own: it does to a table what the model says that it must."""

from selfcheck.reference_engine.engine import ReferenceEngine
from selfcheck.reference_engine.vacuuming import Habits

__all__ = ["Habits", "ReferenceEngine"]
