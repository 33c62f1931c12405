"""The engine of the suite's own: it does to a table what the model says that it must."""

from proof.model_engine.engine import ModelEngine
from proof.model_engine.vacuuming import Habits

__all__ = ["Habits", "ModelEngine"]
