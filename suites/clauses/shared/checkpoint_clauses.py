"""DEL-CKPT and VAC-CKPT: what must hold of the checkpoint that is written along with a DELETE or a VACUUM, and of its pointer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from harness.judging.clause import NOT_EXERCISED, Clause, Judgement, clause, judgement
from harness.judging.severity import Harm
from harness.observing.steps.observation import Observation
from model.vocabulary.capabilities import Need
from model.vocabulary.rules import Implementation
from model.vocabulary.table import Feature
from suites.clauses.shared import harms
from suites.clauses.shared.checkpoint_contents import (
    ContentCheck,
    check_data_change,
    check_division,
    check_embedded,
    check_kinds_held,
    check_metadata,
    check_removes,
    check_sidecars,
    judge_checkpoints,
    judge_v2_checkpoints,
)
from suites.clauses.shared.log_files import check_pointer, check_pointer_checksum, new_checkpoints


@dataclass(frozen=True)
class _Row:
    ids: str  # for DELETE and for VACUUM
    sentence: str  # with {} for "DELETE" or "VACUUM"
    sources: tuple[str, ...]
    harm: Harm
    judge: Callable[[Observation], Judgement]
    implementation: Implementation | None = None
    since: str | None = None
    needs: tuple[Need, ...] = ()  # none: that the engine writes checkpoints along with the command


def _pointer_names_it(o: Observation) -> Judgement:
    return judgement(check_pointer(o)) if new_checkpoints(o) else NOT_EXERCISED


def _each(check: ContentCheck) -> Callable[[Observation], Judgement]:
    def judge(o: Observation) -> Judgement:
        return judge_checkpoints(o, check)

    return judge


def _each_v2(check: ContentCheck) -> Callable[[Observation], Judgement]:
    def judge(o: Observation) -> Judgement:
        return judge_v2_checkpoints(o, check)

    return judge


_V2 = "3.0"  # the first with V2 checkpoints
_FREQUENT: tuple[Need, ...] = (Feature.FREQUENT_CHECKPOINTS,)

# fmt: off
_ROWS = (
    _Row("DEL-CKPT-2 VAC-CKPT-4",
        "After a {} that writes a checkpoint, _last_checkpoint names it.",
        ("P Last Checkpoint File", "C 2.5"), harms.CHECKPOINT_NOT_THERE, _pointer_names_it),
    _Row("DEL-CKPT-3 VAC-CKPT-5",
        "The checksum in the _last_checkpoint that a {} writes is that of its JSON.",
        ("P Last Checkpoint File", "P JSON checksum"), harms.WRONG_POINTER, check_pointer_checksum, needs=("pointer_checksums",)),
    _Row("DEL-CKPT-4 VAC-CKPT-6",
        "A checkpoint that is written along with a {} holds neither commitInfo nor cdc, and its removes neither stats nor tags.",
        ("P Checkpoints",), harms.CHECKPOINT_HOLDS_MORE, _each(check_kinds_held)),
    _Row("DEL-CKPT-5 VAC-CKPT-7",
        "In a checkpoint that is written along with a {}, dataChange of every add and remove is false.",
        ("C 2.5",), harms.CHECKPOINT_CHANGES_DATA, _each(check_data_change), implementation="spark", needs=_FREQUENT),
    _Row("DEL-CKPT-10 VAC-CKPT-12",
        "In a checkpoint that is written along with a {}, every remove has the extended metadata and the row tracking fields that it has in the log.",
        ("C 2.3",), harms.REMOVES_WITHOUT_SIZES, _each(check_removes), implementation="spark", needs=_FREQUENT),
    _Row("DEL-CKPT-6 VAC-CKPT-8",
        "A V2 checkpoint that is written along with a {} has one checkpointMetadata, with its version and, where its tags count actions and bytes, with true counts.",
        ("P V2 Spec", "P Checkpoint Metadata"), harms.WRONG_V2_METADATA, _each_v2(check_metadata), since=_V2, needs=("v2_checkpoints",)),
    _Row("DEL-CKPT-7 VAC-CKPT-9",
        "A V2 checkpoint that is written along with a {} names each of its sidecars once, with the size and the modification time of the file in _delta_log/_sidecars.",
        ("P Sidecar File Information",), harms.WRONG_SIDECAR, _each_v2(check_sidecars), since=_V2, needs=("v2_checkpoints",)),
    _Row("DEL-CKPT-8 VAC-CKPT-10",
        "A V2 checkpoint that is written along with a {} has its adds and removes all in its own file, or all in sidecars, which hold nothing else.",
        ("P V2 Spec", "P Sidecar Files"), harms.DIVIDED_CHECKPOINT, _each_v2(check_division), since=_V2, needs=("v2_checkpoints",)),
    _Row("DEL-CKPT-9 VAC-CKPT-11",
        "After a {} that writes a V2 checkpoint, _last_checkpoint embeds what that checkpoint has: its name, size and modification time, its sidecars, and its other actions.",
        ("P V2 Spec", "C 2.5"), harms.WRONG_EMBEDDED_ACTIONS, check_embedded, implementation="spark", since=_V2, needs=_FREQUENT),
)
# fmt: on


def checkpoint_clauses(command: str, of: type[Observation], writes: Need) -> tuple[Clause[Any], ...]:
    """The clauses of DELETE or VACUUM. ``writes``: what an engine needs that writes checkpoints along with it."""

    def made(row: _Row) -> Clause[Any]:
        id = next(id for id in row.ids.split() if id.startswith(command[:3]))
        about = clause(
            id,
            row.sentence.format(command),
            sources=row.sources,
            harm=row.harm,
            implementation=row.implementation,
            since=row.since,
            needs=row.needs or (writes,),
        )
        return replace(about(row.judge), of=of)

    return tuple(map(made, _ROWS))
