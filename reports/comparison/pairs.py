"""The cases that two runs judged, in pairs, by their places: they may be too many to be in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from records.mistakes import UsageMistake
from records.run import RecordedCase
from reports.stream.reading import Run
from reports.text.quantities import counted

#: One case of so many may be one that the other run did not judge: a version may be asked for a little more than the other.
_ONE_OF = 10


class Incomparable(UsageMistake):
    """The two runs cannot be compared. The text is one sentence."""


@dataclass(frozen=True)
class CasePairs:
    """The places of the cases that both runs judged, each once, and of those that only the candidate judged. ``unpaired`` counts
    the generated cases that only one of the two judged.
    """

    both: Sequence[tuple[int, int]]
    alone: Sequence[int]
    unpaired: int


def pairs_of(base: Run, candidate: Run) -> CasePairs:
    """The generated cases, and those listed ones (``regressions/``) and shrunk ones that both have. Raises Incomparable."""
    if base.header.engine != candidate.header.engine:
        engines = f"{base.header.engine} and {candidate.header.engine}"
        raise Incomparable(f"The runs are of two engines, {engines}: compare two versions of one.")
    places = _places(base), _places(candidate)
    one, other = (found["generated"] for found in places)
    listed, also_listed = ({**found["shrunk"], **found["explicit"]} for found in places)
    if not one and not other:
        raise Incomparable("Neither run judged any case: there is nothing to compare.")
    only = [[id for id in mine if id not in theirs] for mine, theirs in ((one, other), (other, one))]
    if _ONE_OF * max(map(len, only)) > max(len(one), len(other)):
        first = (only[0] or only[1])[0]
        case = base.cases[one[first]] if only[0] else candidate.cases[other[first]]
        raise Incomparable(
            f"The runs judged different cases: {len(only[0])} of {counted(len(one), 'case')} are in the base only and "
            f"{len(only[1])} of {len(other)} in the candidate only, the first being {first} of {case.campaign}"
            f"{_why(base, candidate)}: run both with the same cases."
        )
    common = {id: place for id, place in listed.items() if id in also_listed and id not in one}
    of_other = {**also_listed, **other}
    pairs = {id: (place, of_other[id]) for id, place in {**one, **common}.items() if id in of_other}
    alone = {place for found in places[1].values() for id, place in found.items() if id not in pairs}
    return CasePairs(list(pairs.values()), sorted(alone), len(only[0]) + len(only[1]))


def _places(run: Run) -> Mapping[str, dict[str, int]]:
    """The places of the cases, by origin and id. They are sorted, so both sides use the same one of a case drawn twice."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for place, case in enumerate(run.cases):
        found[case.origin].setdefault(case.id, place)
    return found


def check_same(base: RecordedCase, candidate: RecordedCase) -> None:
    """Raises Incomparable for a case that is not the same on both sides."""
    texts = [{step.index: step.text for step in case.steps} for case in (base, candidate)]
    differing = [index for index in texts[0] if texts[1].get(index, texts[0][index]) != texts[0][index]]
    if differing or base.document != candidate.document:
        where = f"in step {differing[0]}" if differing else "in its JSON form"
        raise Incomparable(
            f"Case {base.id} is not the same in both runs ({where}), though its id is: different releases of the suite "
            "wrote them, so run both with one."
        )


def _why(base: Run, candidate: Run) -> str:
    """The differences of the headers that explain why the cases differ."""
    one, other = base.header, candidate.header
    pairs = {
        "profile": (one.profile, other.profile),
        "budget_share": (one.budget_share or 1, other.budget_share or 1),
        "seed": (one.seed, other.seed),
        "Hypothesis": (one.versions.get("hypothesis"), other.versions.get("hypothesis")),
        "suite": (one.suite, other.suite),
        "engine": (one.engine, other.engine),
    }
    reasons = [f"{name} {mine} and {theirs}" for name, (mine, theirs) in pairs.items() if mine != theirs]
    return f" ({'; '.join(reasons)})" if reasons else ""
