"""Conditions on a VACUUM, for its faults."""

from __future__ import annotations

from functools import partial

from faults.machinery.fault import Condition, vacuum_fault
from faults.machinery.tampering import Tampering
from model.prediction.refusals import TOO_SHORT
from model.vocabulary.steps import IOFault


def completed(t: Tampering) -> bool:
    """A VACUUM without error, in any mode, with any RETAIN, and no DRY RUN."""
    return not t.vacuum.dry_run and not t.failed


def full_run(t: Tampering) -> bool:
    """A completed VACUUM of the whole directory with the table's own retention."""
    return completed(t) and t.vacuum.retain_hours is None and not t.vacuum.mode.lite


def lite_run(t: Tampering) -> bool:
    """A completed LITE VACUUM with the table's own retention."""
    return completed(t) and t.vacuum.retain_hours is None and t.vacuum.mode.lite


def inventory_run(t: Tampering) -> bool:
    """A completed VACUUM with an inventory and the table's own retention."""
    return full_run(t) and t.vacuum.mode.inventory


def parallel_run(t: Tampering) -> bool:
    return completed(t) and bool(t.vacuum.parallel)


def dry_run(t: Tampering) -> bool:
    """A DRY RUN without error."""
    return t.vacuum.dry_run and not t.failed


def refused_retain(t: Tampering) -> bool:
    """A VACUUM with RETAIN that failed; because RETAIN is too short, if the engine has error classes."""
    error = t.outcome.error
    return error is not None and error.condition in (TOO_SHORT.condition, None) and t.vacuum.retain_hours is not None


def io_fault(*faults: IOFault, failed: bool) -> Condition:
    """A VACUUM with one of these I/O faults that failed, or did not fail; no DRY RUN."""
    return lambda t: t.vacuum.io_fault in faults and not t.vacuum.dry_run and t.failed is failed


full_run_fault = partial(vacuum_fault, run=full_run)
lite_run_fault = partial(vacuum_fault, run=lite_run)
