"""Two sessions of the reference engine at once: optimistic concurrency control, as Delta's with Serializable isolation."""

from __future__ import annotations

from deltalog.entries.actions import Add, Metadata, Protocol
from engines.port import EngineError
from model.prediction.conflicts import Conflict, reads
from model.prediction.delete import matches
from model.vocabulary.commands import Optimize, Purge, SetRetention, Switch, Update
from model.vocabulary.rules import DELTA_RS, Rules
from model.vocabulary.steps import Delete, OtherCommand, Request, SessionStep
from reference_engine.refusals import Refused
from reference_engine.view import View

#: The commands whose commits change no data: they are not in the way of files that others add, nor others in theirs.
_KEEP_DATA = (Optimize, Purge)

#: The commands that read no rows.
_READ_NOTHING = (SetRetention, Switch)


def refuse_conflict(step: Request, view: View, rules: Rules) -> None:
    """Raise Refused if others have committed since ``view`` what is in the way of the step, which was run on that."""
    newest = View(view.root)
    conflict = _conflict(step, view, newest)  # type: ignore[arg-type]  # no other step commits
    if conflict is None:
        return
    refusal = Refused(None, None, "CommitFailedError")
    if rules.implementation != DELTA_RS.implementation:
        exception, condition = conflict.value
        refusal.error = EngineError(exception, condition, "2D521", f"[{condition}] another session has committed")
    raise refusal


def _conflict(step: SessionStep, view: View, newest: View) -> Conflict | None:
    commits = newest.log.commits_after(view.snapshot.version)
    actions = [action for commit in commits for action in commit.actions]
    if any(isinstance(action, Protocol) for action in actions):
        return Conflict.PROTOCOL
    if any(isinstance(action, Metadata) for action in actions):
        return Conflict.METADATA
    command = step.command if isinstance(step, OtherCommand) else None
    if isinstance(command, _READ_NOTHING):
        return None
    adds = [view.partition(add) for commit in commits for add in commit.adds]
    if not isinstance(command, _KEEP_DATA) and any(reads(step, view.table, partition) for partition in adds):
        return Conflict.APPEND
    removed = [
        view.live[view.place(one)] for commit in commits for one in commit.removes if view.place(one) in view.live
    ]
    if any(_reads_file(step, view, add) for add in removed):
        return Conflict.DELETE_READ
    return None


def _reads_file(step: SessionStep, view: View, add: Add) -> bool:
    """Whether the step depends on a file: a DELETE or an UPDATE on those with rows that satisfy its condition."""
    command = step.command if isinstance(step, OtherCommand) else step
    if isinstance(command, (Delete, Update)):
        return any(matches(Delete(command.where), view.table, row) is True for row in view.visible(add))
    return reads(step, view.table, view.partition(add))
