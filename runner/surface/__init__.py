"""What an engine offers, and for each item whether the suite draws it: ``python -m runner.surface``."""
