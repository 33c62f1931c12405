"""A run of pytest: its plan, its controller and workers, and what it leaves in the report directory."""
