"""The root conftest: the suite's options and hooks are in ``runner.plugin``."""

from runner.plugin import *  # noqa: F403 - pytest finds hooks and fixtures by their names here
