"""The cases that two runs judged, in pairs. They may be too many to be in memory: they are read one pair after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from records.mistakes import UsageMistake
from records.run import JudgedCase
from reports.compare.typed import case_of, header_of
from reports.quantities import counted
from reports.stream import Run


class Incomparable(UsageMistake):
    """The two runs cannot be compared. The text is one sentence."""


@dataclass(frozen=True)
class Pairs:
    """Each case that both runs judged, once. ``places``: where it is in the base and in the candidate.

    ``others``: where the candidate has cases that the base did not judge, such as those made by shrinking.
    """

    base: Run
    candidate: Run
    places: tuple[tuple[int, int], ...]
    others: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[tuple[JudgedCase, JudgedCase]]:
        """Raises Incomparable for a case that is not the same on both sides."""
        for mine, theirs in self.places:
            pair = case_of(self.base.cases[mine]), case_of(self.candidate.cases[theirs])
            _check_same(*pair)
            yield pair

    def alone(self) -> Iterator[JudgedCase]:
        """The other cases of the candidate."""
        return (case_of(self.candidate.cases[place]) for place in self.others)


def pairs_of(base: Run, candidate: Run) -> Pairs:
    """The cases that two runs judged: the generated ones, and the listed ones (``regressions/``) of both. Raises Incomparable."""
    places = _places(base), _places(candidate)
    (one, listed), (other, also_listed) = ((found["generated"], found["explicit"]) for found in places)
    if not one and not other:
        raise Incomparable("Neither run judged any case: there is nothing to compare.")
    only = [[id for id in mine if id not in theirs] for mine, theirs in ((one, other), (other, one))]
    if only[0] or only[1]:
        first = (only[0] or only[1])[0]
        case = case_of(base.cases[one[first]] if only[0] else candidate.cases[other[first]])
        raise Incomparable(
            f"The runs judged different cases: {len(only[0])} of {counted(len(one), 'case')} are in the base only and "
            f"{len(only[1])} of {len(other)} in the candidate only, the first being {first} of {case.campaign}"
            f"{_why(base, candidate)}: run both with the same cases."
        )
    common = {id: place for id, place in listed.items() if id in also_listed and id not in one}
    of_other = {**also_listed, **other}
    pairs = {id: (place, of_other[id]) for id, place in {**one, **common}.items()}
    alone = {place for found in places[1].values() for id, place in found.items() if id not in pairs}
    return Pairs(base, candidate, tuple(pairs.values()), tuple(sorted(alone)))


def _places(run: Run) -> Mapping[str, dict[str, int]]:
    """Where the cases are, by origin and id. They are sorted, so of a case drawn twice both sides use the same one."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for place, case in enumerate(map(case_of, run.cases)):
        found[case.origin].setdefault(case.id, place)
    return found


def _check_same(base: JudgedCase, candidate: JudgedCase) -> None:
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
    one, other = header_of(base), header_of(candidate)
    pairs = {
        "profile": (one.profile, other.profile),
        "part": (one.part or 1, other.part or 1),
        "seed": (one.seed, other.seed),
        "Hypothesis": (one.versions.get("hypothesis"), other.versions.get("hypothesis")),
        "engine": (one.engine, other.engine),
    }
    reasons = [f"{name} {mine} and {theirs}" for name, (mine, theirs) in pairs.items() if mine != theirs]
    return f" ({'; '.join(reasons)})" if reasons else ""
