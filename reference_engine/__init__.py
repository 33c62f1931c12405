"""The reference engine: changes a table as the model predicts."""

from reference_engine.engine import ReferenceEngine
from reference_engine.vacuuming import ReferenceOptions

__all__ = ["ReferenceEngine", "ReferenceOptions"]
