"""Commands other than DELETE and VACUUM of the reference engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from model.prediction.commands import may_be_refused
from model.prediction.refusals import APPEND_ONLY, MISSING_FILE
from model.text.layout import clone_of
from model.vocabulary.commands import (
    AddColumn,
    AsWritten,
    Checkpoint,
    CleanUpLog,
    Command,
    CompactLog,
    DropColumn,
    DropFeature,
    Merge,
    Optimize,
    Overwrite,
    Purge,
    RenameColumn,
    Restore,
    SetRetention,
    ShallowClone,
    StreamAppend,
    Switch,
    Update,
    VacuumClone,
    WidenColumn,
    conditions_of,
)
from model.vocabulary.steps import Vacuum
from model.vocabulary.table import Feature
from reference_engine.altering import Altering
from reference_engine.cloning import clone
from reference_engine.log_upkeep import checkpoint, clean_up, compact
from reference_engine.refusals import due, failing, refuse_expired
from reference_engine.rewriting import Rewriting
from reference_engine.storage import TableStorage
from reference_engine.transaction import Transaction
from reference_engine.vacuuming import ReferenceOptions, Vacuuming
from reference_engine.view import View

_REWRITING: Mapping[type[Command], Callable[[Rewriting, Any], None]] = {
    Optimize: Rewriting.optimize,
    Purge: Rewriting.purge,
    Update: Rewriting.update,
    Merge: Rewriting.merge,
    Overwrite: Rewriting.overwrite,
    StreamAppend: Rewriting.stream,
}

_ALTERING: Mapping[type[Command], Callable[[Altering, Any], None]] = {
    SetRetention: Altering.set_retention,
    Switch: Altering.switch,
    DropFeature: Altering.drop_feature,
    AddColumn: Altering.add_column,
    RenameColumn: Altering.rename_column,
    DropColumn: Altering.drop_column,
    WidenColumn: Altering.widen_column,
}


def run(command: Command, base: Transaction, version: int | None, habits: ReferenceOptions) -> None:
    """Run the command as the transaction ``base``; ``version`` is that of a RESTORE. Raises Refused."""
    view = base.view
    if type(command) in _REWRITING:
        _refuse(command, view)
        _REWRITING[type(command)](base.become(Rewriting), command)
    elif type(command) in _ALTERING:
        _ALTERING[type(command)](base.become(Altering), command)
    elif isinstance(command, Restore):
        assert version is not None, "a RESTORE has a version"
        refuse_expired(view, version, base.clock, base.rules)
        then = view.log.snapshot(version)
        if view.lacks(add for key, add in then.adds.items() if key not in view.snapshot.adds):
            raise due(MISSING_FILE.at(base.rules.release))
        base.become(Rewriting).restore(then)
    elif isinstance(command, Checkpoint):
        checkpoint(view, base.storage, view.snapshot.version, base.clock)
    elif isinstance(command, CompactLog):
        compact(view, command, base.at)
    elif isinstance(command, CleanUpLog):
        clean_up(view, base.clock, base.rules)
    elif isinstance(command, ShallowClone):
        clone(base)
    elif isinstance(command, AsWritten):
        return  # it knows no words but those of a case
    else:
        assert isinstance(command, VacuumClone), "no other command is left"
        step = Vacuum(retain_hours=0, safety_check=False)
        root = Path(clone_of(str(view.root)))
        Vacuuming(View(root), TableStorage(root, base.at), step, base.clock, base.at, habits, base.rules).run()


def _refuse(command: Command, view: View) -> None:
    """Raise Refused in a table that only grows, and where the condition is an error for some row."""
    if isinstance(command, (Update, Merge, Overwrite)) and view.table.has(Feature.APPEND_ONLY):
        raise due(APPEND_ONLY)
    for where in conditions_of(command):
        if may_be_refused(command, view.table, Counter(view.rows_for(where))):
            raise failing(where, view.table)
