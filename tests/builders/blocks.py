"""The blocks of a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from reports.document import Block, Details, Document, Finding, Section, Several

Kind = TypeVar("Kind", bound=Block)


def blocks_of(document: Document, kind: type[Kind]) -> list[Kind]:
    """All of a kind, in their order."""
    return [one for one in _walked(document.blocks) if isinstance(one, kind)]


def _walked(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for one in blocks:
        yield one
        if isinstance(one, (Details, Finding, Section, Several)):
            yield from _walked(one.blocks)
