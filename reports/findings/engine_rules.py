"""The rules of a run's engine: of a built-in one by its release, of any other as its header has them.

Nothing that reads a stream imports what the stream names: a stream may come from anywhere.
"""

from __future__ import annotations

from engines.provider import ENGINES, kind_of
from model.vocabulary.rules import Rules
from records.run import Header


def is_built_in(header: Header) -> bool:
    """Whether the run judged an engine of this project, and not one from outside, whatever its name."""
    return header.engine in ENGINES and header.option in (None, header.engine)


def rules_in(header: Header) -> Rules | None:
    """None for an engine from outside in a stream that does not record them."""
    return kind_of(header.engine).rules_of(header.version) if is_built_in(header) else header.rules


def sets_clock(header: Header) -> bool:
    """Whether the run set the engine's clock; of an engine whose rules are not known it is taken to be so."""
    rules = rules_in(header)
    return rules is None or rules.own_clock
