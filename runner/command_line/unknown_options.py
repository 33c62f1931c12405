"""Options that nothing knows: the one that was meant, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import pytest

#: How much alike two names are, from 0 to 1, of which one may have been meant by the other.
_ALIKE = 0.8


def options_of(parser: pytest.Parser) -> list[str]:
    """The names of all options that pytest takes."""
    return list(parser.optparser._option_string_actions)  # neither it nor argparse has an API for them


def unknown_option(unknown: Sequence[str], known: Iterable[str]) -> str | None:
    """A sentence about the first of the ``unknown`` arguments that is an option, with the ``known`` one that it resembles."""
    option = next((argument.partition("=")[0] for argument in unknown if argument.startswith("-")), None)
    if option is None:
        return None
    meant = get_close_matches(option, known, n=1, cutoff=_ALIKE)
    found = f"did you mean {meant[0]}?" if meant else "docs/options.md lists the options of a gate."
    return f"{option} is not known: {found}"
