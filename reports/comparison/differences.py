"""The differences between the facts of two records of the same step.

A difference is the same for every case that has it, so it contains no file name, number of rows or id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from reports.comparison.commands import ComparedCommand
from reports.comparison.facts import BY_ORDER, ERROR, OPERATIONS, FactField, Facts, RecordedFact, of_one_side


class Amount(str, Enum):
    """How the candidate's amount compares with the base's."""

    MORE = "more"
    FEWER = "fewer"
    OTHER = "different"

    @property
    def reversed(self) -> Amount:
        return {Amount.MORE: Amount.FEWER, Amount.FEWER: Amount.MORE}.get(self, self)


@dataclass(frozen=True)
class Rule:
    """When two facts are a difference.

    ``both``: only where both sides have the field. ``of_commits``: only where both committed the same operations: if one side
    commits nothing, it has no actions either. ``diverges``: the tables are not the same afterwards. ``follows``: left out where
    the tables differ, since it follows from them. ``form``: it is about how something is written, and independent of the
    command's options.
    """

    both: bool = False
    of_commits: bool = False
    diverges: bool = False
    follows: bool = False
    form: bool = False


_TABLE, _ACTIONS = Rule(diverges=True), Rule(diverges=True, of_commits=True)
_NUMBERS = Rule(both=True, of_commits=True, follows=True)
_FORM, _FORM_OF_COMMITS = Rule(both=True, form=True), Rule(both=True, of_commits=True, form=True)

#: By kind of field. What has no rule is no difference.
RULES: Mapping[str, Rule] = {
    "case": Rule(),
    "error": Rule(),
    "error.": Rule(both=True),
    **dict.fromkeys(("broken", "operations", "vanished", "changed_beside", "checkpoints"), _TABLE),
    **dict.fromkeys(("removed", "masked", "added", "changed", "appeared"), _ACTIONS),
    "rows": Rule(follows=True),
    **dict.fromkeys(("parameters.", "metrics."), _NUMBERS),
    # What a VACUUM writes for the next LITE one. If one side writes nothing, its LITE does not need it: no divergence.
    "last_vacuum": Rule(),
    "last_vacuum.": Rule(both=True, diverges=True),
    **dict.fromkeys(("remove_fields", "add_fields", "change_fields", "places"), _FORM),
    **dict.fromkeys(("keys", "values.", "parameters", "metrics"), _FORM_OF_COMMITS),
}


@dataclass(frozen=True)
class Difference:
    """One field in which two records of a step differ. ``base`` and ``candidate`` are the texts, or the name of a member that
    only one side has (a metric, a field of an action); None if the side has none. Counts have an ``amount`` instead.
    """

    command: ComparedCommand
    field: FactField
    base: str | None = None
    candidate: str | None = None
    amount: Amount | None = None

    @property
    def form(self) -> bool:
        return RULES[self.field.kind].form

    @property
    def diverges(self) -> bool:
        """Whether the tables are not the same afterwards, also if only one side fails."""
        fails = self.field == ERROR and None in (self.base, self.candidate)
        return RULES[self.field.kind].diverges or (fails and not self.command.reads)

    @property
    def reversed(self) -> Difference:
        """The same with base and candidate exchanged."""
        amount = self.amount and self.amount.reversed
        return replace(self, base=self.candidate, candidate=self.base, amount=amount)

    @property
    def grouped(self) -> Difference:
        """The difference to group by: a form is the same for all VACUUMs."""
        return replace(self, command=ComparedCommand("vacuum")) if self.form and self.command.kind == "vacuum" else self


def differences(command: ComparedCommand, base: Facts, candidate: Facts) -> tuple[Difference, ...]:
    """The differences between two records of one step, without those that follow from others: everything if only one side
    fails, and what is reported if the tables differ afterwards.
    """
    if (base[ERROR] is None) != (candidate[ERROR] is None):
        fields: Iterable[FactField] = (ERROR,)
    else:
        same_commits = base[OPERATIONS] == candidate[OPERATIONS]
        fields = [field for field in {**base, **candidate} if _compared(field, base, candidate, same_commits)]
    found = [
        Difference(command, field, *sides)
        for field in fields
        for sides in _between(base.get(field), candidate.get(field))
    ]
    changes = any(one.diverges for one in found if one.field.part != "last_vacuum")
    order = deletion_order_differs(base, candidate)

    def follows(rule: Rule) -> bool:
        return rule.follows and (changes or (order and rule.of_commits))

    return tuple(one for one in found if not follows(RULES[one.field.kind]))


def deletion_order_differs(base: Facts, candidate: Facts) -> bool:
    """Whether the order of deletion left other directories: not a difference, but later ones may follow from it."""
    return base[BY_ORDER] != candidate[BY_ORDER]


def _compared(field: FactField, base: Facts, candidate: Facts, same_commits: bool) -> bool:
    rule = RULES.get(field.kind)
    if rule is None or (rule.both and not (field in base and field in candidate)):
        return False
    return same_commits or not rule.of_commits


def _between(base: RecordedFact, candidate: RecordedFact) -> Iterable[tuple[str | None, str | None, Amount | None]]:
    """The texts that only the base has, that only the candidate has, and how much more or less."""
    if isinstance(base, Counter) or isinstance(candidate, Counter):
        one, other = (side if isinstance(side, Counter) else Counter[str]() for side in (base, candidate))
        lost, new = one - other, other - one
        if lost or new:
            yield None, None, Amount.OTHER if lost and new else Amount.FEWER if lost else Amount.MORE
    elif isinstance(base, frozenset) and isinstance(candidate, frozenset):
        for name in sorted(base ^ candidate):
            yield name if name in base else None, name if name in candidate else None, None
    elif base != candidate and not isinstance(base, frozenset) and not isinstance(candidate, frozenset):
        yield base, candidate, None


#: Where each file counts by itself.
_OF_FILES = ("vanished", "changed_beside", "removed", "masked")


def value_of(difference: Difference, found: Facts, seen: tuple[Facts, Facts]) -> object:
    """A record's value in the field of a difference: equal for two records that do not differ in it. For names: whether the
    record has the name; for files: those that only one of both sides has ``seen``; for an error without a class, which no rule
    names: whether there is one. None if the record lacks the field. With it, whether the commit exists.
    """
    field = difference.field
    fact: object = found.get(field)
    fails = field == ERROR and None in (difference.base, difference.candidate)
    if fails and any(FactField("error", "message", str(side[ERROR])) in side for side in seen):
        fact = fact is not None
    elif isinstance(fact, frozenset):
        fact = (difference.base or difference.candidate) in fact
    elif field.part in _OF_FILES and isinstance(fact, Counter):
        fact = +Counter({name: fact[name] for name in of_one_side(field, seen)})
    return fact or None, FactField("keys", within=field.within) in found
