"""Runs cases on an engine: each step is observed and judged, and what a case exercised is counted."""
