"""Suggestions for an unknown option, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from runner.command_line.near import meant


def options_of(parser: pytest.Parser) -> list[str]:
    """The names of all options that pytest takes."""
    return list(parser.optparser._option_string_actions)  # neither it nor argparse has an API for them


def unknown_option(unknown: Sequence[str], known: Iterable[str]) -> str | None:
    """A sentence about the first of the ``unknown`` arguments that is an option, with the ``known`` one that it resembles."""
    option = next((argument.partition("=")[0] for argument in unknown if argument.startswith("-")), None)
    if option is None:
        return None
    remedy = meant(option, known, otherwise="docs/options.md lists the options of a gate.", most=1)
    return f"{option} is not known: {remedy}"
