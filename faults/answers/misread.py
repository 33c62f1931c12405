"""Faults of an engine that does well what it was not asked: it reads the condition of a DELETE, or the time of a VACUUM, slightly
wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from functools import partial

from faults.machinery import actions, files
from faults.machinery.fault import Fault, Question, delete_fault, nothing, vacuum_fault, when
from faults.machinery.members import drop
from faults.machinery.runs import full_run_fault
from faults.machinery.tampering import Tampering
from model.semantics.condition_mutants import Mutation, mutants
from model.vocabulary.predicate import And, Between, Compare, In, Not, Or, Predicate, columns_of
from model.vocabulary.rules import SPARK
from model.vocabulary.steps import Delete, Literals, Vacuum
from model.vocabulary.values import Value


def _kind_of(question: Question) -> str | None:
    """What a DELETE with a condition does with files; None of other steps."""
    step, log = question.step, question.log
    if not isinstance(step, Delete) or step.where is None:
        return None
    if columns_of(step.where) <= set(log.partition_by):
        return "whole-files"
    return "vectors" if log.has("delta.enableDeletionVectors") else "rewrites"


def _misread(kind: str, *mutations: Mutation) -> Callable[[Question], Question]:
    """A DELETE of this kind is run with a condition in which the first of these mutations is made that can be."""

    def ask(question: Question) -> Question:
        if _kind_of(question) != kind:
            return question
        assert isinstance(question.step, Delete) and question.step.where is not None, "a DELETE with a condition"
        found = (one.where for one in mutants(question.step.where, {}) if one.mutation in mutations)
        return question.with_condition(next(found, question.step.where))

    return ask


def _as_doubles(question: Question) -> Question:
    """Each DECIMAL that is written without its type is read as a DOUBLE, and compared with all its digits."""
    step = question.step
    if not isinstance(step, Delete) or step.where is None or step.literals is Literals.EXACT:
        return question
    return question.with_condition(_with_doubles(step.where))


def _with_doubles(where: Predicate) -> Predicate:
    if isinstance(where, (And, Or)):
        return replace(where, left=_with_doubles(where.left), right=_with_doubles(where.right))
    if isinstance(where, Not):
        return Not(_with_doubles(where.operand))
    if isinstance(where, Compare):
        return replace(where, value=_double(where.value))
    if isinstance(where, Between):
        return replace(where, low=_double(where.low), high=_double(where.high))
    return replace(where, values=tuple(map(_double, where.values))) if isinstance(where, In) else where


def _double(value: Value) -> Value:
    """The DOUBLE nearest to a DECIMAL, with all its digits; other values are as they are."""
    return Decimal(float(value)) if isinstance(value, Decimal) else value


def _of_kind(kind: str, t: Tampering) -> bool:
    return not t.failed and _kind_of(Question(t.step, t.clock, t.log)) == kind


def _in_time(ms: int, *, dry_run: bool, inventory: bool = False, lite: bool = False) -> Callable[[Question], Question]:
    """A VACUUM of this kind is run with a clock that is so many ms ahead."""

    def ask(question: Question) -> Question:
        step = question.step
        assert isinstance(step, Vacuum), "a VACUUM"
        asked = step.dry_run is dry_run and step.mode.inventory is inventory and step.mode.lite is lite
        return question.at(question.clock + ms) if asked else question

    return ask


def _vectors_at(after_cutoff: int) -> files.ChosenPaths:
    """The deletion-vector files whose latest remove is so many ms after the cutoff."""
    return lambda t: [path for path, at in t.log.vector_tombstones.items() if at - t.cutoff == after_cutoff]


#: Of each kind of DELETE, a clause that must notice a wrong choice of files or rows.
_NOTICED = {"whole-files": "DEL-META-1", "rewrites": "DEL-ROW-5B", "vectors": "DEL-ROW-5B"}

_SENTENCES = {
    "whole-files": "A DELETE of whole files",
    "rewrites": "A DELETE that rewrites files",
    "vectors": "A DELETE that writes deletion vectors",
}

#: What an engine may do with a condition: the end of the fault's name, of its sentence, and the mutations.
_MISREADINGS = (
    ("by-the-first-operand", "evaluates the first operand of an AND only", (Mutation.AND_RIGHT,)),
    ("by-the-last-operand", "evaluates the last operand of an AND only", (Mutation.AND_LEFT,)),
    ("without-an-alternative", "evaluates the first operand of an OR only", (Mutation.OR_RIGHT,)),
    ("without-a-negation", "leaves out a NOT", (Mutation.NO_NOT,)),
    ("beyond-a-bound", "takes < for <=, or > for >=", (Mutation.LT_AS_LE, Mutation.GT_AS_GE)),
    ("short-of-a-bound", "takes <= for <, or >= for >", (Mutation.LE_AS_LT, Mutation.GE_AS_GT)),
    ("within-a-range", "leaves out the ends of a BETWEEN", (Mutation.LOW_EXCLUSIVE, Mutation.HIGH_EXCLUSIVE)),
    ("without-the-last-value", "leaves out the last value of an IN", (Mutation.IN_LAST,)),
    ("by-the-value-above", "takes a literal for its neighbour above", (Mutation.LITERAL_ABOVE,)),
    ("where-a-test-is-null", "takes a test that is NULL for TRUE", (Mutation.NULL_AS_TRUE,)),
)

#: The members of a remove, and the clauses that notice that one is left out.
_MEMBERS = (
    ("dataChange", "data-change", "DEL-PHYS-3"),
    ("extendedFileMetadata", "extended-metadata", "DEL-REM-1G"),
    ("size", "size", "DEL-REM-1G"),
    ("partitionValues", "partition-values", "DEL-REM-1G"),
)


def _misreadings() -> Iterable[Fault]:
    for kind, clause in _NOTICED.items():
        for name, what, mutations in _MISREADINGS:
            # CASE takes the NULL for TRUE.
            needs = ("casts",) if Mutation.NULL_AS_TRUE in mutations else ()
            yield delete_fault(
                f"{kind}-{name}",
                clause,
                nothing,
                f"{_SENTENCES[kind]} {what}.",
                asks=_misread(kind, *mutations),
                needs=needs,
            )


def _incomplete_removes() -> Iterable[Fault]:
    for kind in _NOTICED:
        for member, name, clause in _MEMBERS:
            tamper = when(partial(_of_kind, kind), actions.first(actions.removes, drop(member)))
            sentence = f"{_SENTENCES[kind]} leaves {member} out of each remove."
            yield delete_fault(f"{kind}-removes-without-{name}", clause, tamper, sentence)


# fmt: off
FAULTS = (
    *_misreadings(),
    *_incomplete_removes(),
    delete_fault("reads-decimals-as-doubles", "DEL-ROW-1 DEL-META-1 DEL-ROW-5B", nothing,
        "A DECIMAL that is written without its type is read as a DOUBLE.",
        asks=_as_doubles, needs=(Literals.PLAIN,), rules={"implementation": SPARK.implementation}),  # delta-rs does so itself
    full_run_fault("cutoff-late-for-vectors", "VAC-SAFE-8B", files.delete_first(_vectors_at(1)),
        "The file of a removed deletion vector is deleted one ms too early."),
    vacuum_fault("inventory-one-ms-early", "VAC-EDGE-1B", nothing,
        "With an inventory VACUUM deletes what expires one ms later.", asks=_in_time(1, dry_run=False, inventory=True)),
    vacuum_fault("inventory-one-ms-late", "VAC-EDGE-1B", nothing,
        "With an inventory VACUUM keeps what expired one ms before.", asks=_in_time(-1, dry_run=False, inventory=True)),
    vacuum_fault("dry-run-one-ms-early", "VAC-DRY-2C", nothing,
        "A DRY RUN lists what expires one ms later.", asks=_in_time(1, dry_run=True), needs=("sets_clock",)),
    vacuum_fault("dry-run-one-ms-late", "VAC-DRY-2C", nothing,
        "A DRY RUN does not list what expired one ms before.", asks=_in_time(-1, dry_run=True), needs=("sets_clock",)),
    vacuum_fault("dry-run-of-lite-one-ms-early", "VAC-DRY-2C", nothing,
        "A DRY RUN of LITE lists what expires one ms later.", asks=_in_time(1, dry_run=True, lite=True), needs=("sets_clock",)),
    vacuum_fault("dry-run-of-lite-one-ms-late", "VAC-DRY-2C", nothing,
        "A DRY RUN of LITE does not list what expired one ms before.", asks=_in_time(-1, dry_run=True, lite=True), needs=("sets_clock",)),
)
# fmt: on
