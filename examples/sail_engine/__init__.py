"""Sail as an engine from outside: ``--engine examples.sail_engine:ENGINE``."""

from examples.sail_engine.kind import ENGINE as ENGINE
