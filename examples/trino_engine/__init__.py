"""Trino's Delta Lake connector as an engine from outside: ``--engine examples.trino_engine:ENGINE``."""

from examples.trino_engine.kind import ENGINE as ENGINE
