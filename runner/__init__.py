"""The pytest plugin: options, the run's directory, the way between pytest-xdist's workers and the controller, the report."""
