"""The root conftest: the suite's options and hooks are in ``runner.plugin``, which tox.ini loads before any conftest."""

pytest_plugins = ["runner.plugin"]
