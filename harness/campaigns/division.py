"""A run in parts, each for a machine of its own: which of its test items are in which part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from harness.campaigns.campaign import Batch
from harness.campaigns.costs import DRAWN_SECONDS, seconds_of
from model.codec import case_id

#: A part's items, in the order of the run.
BatchItems = tuple[Batch, ...]


def divided(items: Sequence[Batch], number: int) -> tuple[BatchItems, ...]:
    """So many parts of about the same time: the longest item first, each to the part that has least so far. A part may be empty.

    Every machine must come to the same parts, so times are whole ms: sums of fractions differ between releases of Python.
    """
    times = [milliseconds_of(item) for item in items]
    parts: list[list[int]] = [[] for _ in range(number)]
    loads = [0] * number
    for place in sorted(range(len(items)), key=lambda place: -times[place]):
        lightest = loads.index(min(loads))
        parts[lightest].append(place)
        loads[lightest] += times[place]
    return tuple(tuple(items[place] for place in sorted(part)) for part in parts)


def digest_of(parts: Sequence[BatchItems]) -> str:
    """A digest of what is judged in which part; of cases that are kept, by their ids."""
    listed = [[[item.name, item.cases, _ids(item)] for item in part] for part in parts]
    return hashlib.blake2b(json.dumps(listed).encode(), digest_size=8).hexdigest()


def milliseconds_of(item: Batch) -> int:
    """What one worker needs for it, estimated (harness.campaigns.costs)."""
    if item.campaign.kept is None:
        return round(1000 * DRAWN_SECONDS) * item.cases
    return sum(round(1000 * seconds_of(case)) for case in item.campaign.kept())


def _ids(item: Batch) -> list[str]:
    return [] if item.campaign.kept is None else [case_id(case) for case in item.campaign.kept()]
