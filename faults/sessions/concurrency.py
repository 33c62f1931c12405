"""Faults of two sessions at once: what one has committed is lost by the other, or one is refused that has committed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engines.port import Outcome
from faults.log.log_files import without_first, write_junk
from faults.machinery import actions, files
from faults.machinery.fault import Condition, fault, when
from faults.machinery.tampering import Tampering
from model.prediction.conflicts import Conflict
from model.vocabulary.steps import AtOnce, Delete, Read, Vacuum

_fault = partial(fault, on=AtOnce, needs=("sessions",))


def _at_once(t: Tampering) -> AtOnce:
    assert isinstance(t.step, AtOnce)
    return t.step


# When -----------------------------------------------------------------------------------------------------------------


def _both(t: Tampering) -> bool:
    """Both succeeded, and each has committed a version."""
    return not t.failed and _second(t).error is None and len(t.log.written) == 2 and not _has(t, Vacuum)


def _has(t: Tampering, kind: type) -> bool:
    return any(isinstance(one, kind) for one in _at_once(t).steps)


def _second(t: Tampering) -> Outcome:
    assert t.outcome.second is not None, "the outcome of an AtOnce has that of the second"
    return t.outcome.second


def _is_refused(t: Tampering) -> bool:
    """The first was refused, and the second has committed."""
    return t.failed and bool(t.log.written) and not isinstance(_at_once(t).first, Vacuum)


def _both_delete(t: Tampering) -> bool:
    return all(isinstance(one, Delete) for one in _at_once(t).steps)


def _reads_first(t: Tampering) -> bool:
    return isinstance(_at_once(t).first, Read) and not t.failed


def _and(*conditions: Condition) -> Condition:
    return lambda t: all(condition(t) for condition in conditions)


# What -----------------------------------------------------------------------------------------------------------------


def _conflict(t: Tampering) -> Outcome:
    exception, condition = Conflict.APPEND.value
    return t.refuse(condition, exception)


def _replace_the_other(t: Tampering) -> None:
    """The later commit becomes the version of the earlier one, as by a rename that replaces a file."""
    earlier, later = sorted(t.log.written)
    t.log.rewrite(earlier, t.log.written[later])
    t.log.uncommit(later)


def _leave_a_gap(t: Tampering) -> None:
    t.log.uncommit(min(t.log.written))


def _undo_the_other(t: Tampering) -> Outcome:
    """The first, which was to be refused, commits the files that it has read: rows come back that the second has deleted."""
    back = [{"add": add} for add in t.log.removed_adds.values()]
    gone = [actions.removal(add, at=t.outcome.ended) for add in actions.new_adds(t)]
    t.log.commit(t.clock, *back, *gone)
    return t.answer([(1,)])


def _remove_what_is_gone(t: Tampering) -> None:
    """The later commit removes again what the earlier one has removed."""
    earlier, later = sorted(t.log.written)
    again = [action for action in t.log.written[earlier] if "remove" in action]
    t.log.rewrite(later, [*t.log.written[later], *again])


def _refuse_without_cause(t: Tampering) -> Outcome:
    """As if the other had been in the way: nothing is committed of the last one."""
    actions.drop_last_commit(t)
    return _conflict(t)


def _in_other_partitions(t: Tampering) -> bool:
    """Whether the two commits touch no partition in common."""
    parts = [
        {
            repr(add.get("partitionValues"))
            for action in found
            for kind, add in action.items()
            if kind in ("add", "remove")
        }
        for found in t.log.written.values()
    ]
    return len(parts) == 2 and not parts[0] & parts[1]


# fmt: off
FAULTS = (
    _fault("lost-update", "CONC-1A CONC-1E", when(_both, _replace_the_other),
        "The later of two commits takes the version of the earlier one, which is lost."),
    _fault("lost-commit", "CONC-1E CONC-1A", when(_both, actions.drop_last_commit),
        "The later of two commits is not in the log, though the command says that it succeeded."),
    _fault("deleted-rows-come-back", "CONC-1A", when(_and(_is_refused, _both_delete), _undo_the_other),
        "A DELETE commits what it has read although another DELETE has deleted from the same files."),
    _fault("refused-but-committed", "CONC-1B", when(_both, _conflict),
        "A command is refused for a conflict, and has committed."),
    _fault("refused-and-deletes-a-file", "CONC-1B", when(_is_refused, files.delete_first(files.live)),
        "A command that is refused for a conflict has deleted a file of the table."),
    _fault("conflict-without-a-name", "CONC-1C", when(_is_refused, lambda t: t.refuse("INTERNAL_ERROR", "SparkException")),
        "A conflict ends in another error than the documented ones."),
    _fault("refused-without-a-conflict", "CONC-1D", when(_and(_both, _in_other_partitions), _refuse_without_cause),
        "A command is refused for a conflict although the other works on other partitions."),
    _fault("second-is-refused", "CONC-1D",
        when(_both, lambda t: replace(t.outcome, second=replace(_second(t), rows=(), error=_conflict(t).error))),
        "A command is refused for a conflict although nothing was committed while it ran."),
    _fault("removes-what-is-gone", "CONC-1F", when(_both, _remove_what_is_gone),
        "The later of two commits removes files that the earlier one has removed."),
    _fault("leaves-a-gap-in-the-log", "CONC-1G", when(_both, _leave_a_gap),
        "The later of two commits takes a version too high: the log has a gap."),
    _fault("property-changes-by-itself", "CONC-1H", actions.set_table_property,
        "Of two commands at once one sets a property that neither is about."),
    _fault("two-at-once-delete-a-removed-file", "CONC-1I",
        when(lambda t: not _has(t, Vacuum), files.delete_first(lambda t: t.log.removed)),
        "A command deletes a file that it removes from the table while another session is at work."),
    _fault("two-at-once-leave-junk-in-the-log", "CONC-1J", write_junk,
        "Two commands at once leave a file in the log that is no part of it."),
    _fault("two-at-once-checkpoint-loses-a-file", "CONC-1K", without_first("add"),
        "A checkpoint that is written while another session is at work lacks a file."),
    _fault("vacuum-deletes-what-is-committed-beside-it", "CONC-2A", when(lambda t: _has(t, Vacuum), files.delete_all(actions.first_new_file)),
        "A VACUUM deletes a file that another session commits while it runs."),
    _fault("reader-sees-half-of-a-version", "CONC-2B", when(_reads_first, Tampering.lose_first_row),
        "A reader beside a writer misses a row of the version that it reads."),
    _fault("reader-fails-beside-a-writer", "CONC-2C", when(_reads_first, lambda t: t.refuse("FAILED_READ_FILE", "SparkException")),
        "A reader ends in an error because another session commits."),
)
# fmt: on
