"""The pytest plugin: options, the run's directory, the link between pytest-xdist's workers and the controller, the report."""
