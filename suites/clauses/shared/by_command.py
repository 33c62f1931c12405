"""Clauses that say the same of several commands: a rule is one function, and has a row for each command.

``clauses_of`` gives the rows to the chapter of the command, where reports list them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from deltalog.entries.commits import LoggedCommit
from harness.judging.clause import NOT_EXERCISED, Clause, Judgement, Violation, clause, each, judgement, matches
from harness.judging.severity import Harm, unreadable, wrong_numbers, wrong_words
from harness.observing.steps.at_once_observation import AtOnceObservation
from harness.observing.steps.crash_observation import DeleteCrashObservation, VacuumCrashObservation
from harness.observing.steps.observation import (
    CommandObservation,
    ConflictObservation,
    DeleteObservation,
    InsertObservation,
    Observation,
    UnreadTableObservation,
)
from harness.observing.steps.vacuum_observation import VacuumObservation
from model.vocabulary.capabilities import Need
from model.vocabulary.steps import Delete, Vacuum
from model.vocabulary.table import Feature
from suites.clauses.shared import checkpoint_contents as contents
from suites.clauses.shared import harms, provenance
from suites.clauses.shared import version_checksums as crc
from suites.clauses.shared.checks import check_definition_unchanged, check_nothing_changed, check_replayed
from suites.clauses.shared.earlier_versions import earlier_versions
from suites.clauses.shared.log_files import (
    check_checkpoint,
    check_pointer,
    check_pointer_checksum,
    check_rest_of_log,
    new_checkpoints,
)

S = TypeVar("S", bound=Observation)

Judge = Callable[[S], Judgement]


# The rules ------------------------------------------------------------------------------------------------------------


def _rest_of_the_log(command: str, *, killed: bool = False) -> Judge[Observation]:
    return lambda o: judgement(check_rest_of_log(command, o, killed=killed))


def _replayed(command: str) -> Judge[Observation]:
    return lambda o: judgement(check_replayed(o, command))


def _definition(o: Observation) -> Judgement:
    return judgement(check_definition_unchanged(o))


def _half_read(command: str) -> Judge[Observation]:
    """The commits that the checkpoint replaces are all there, so that an engine may also read the table from them."""
    return lambda o: judgement(check_nothing_changed(f"The refused {command}", o))


def _each_commit(check: Callable[[Observation, LoggedCommit], Violation | None]) -> Judge[Observation]:
    """Also the commits of a step that failed on the way."""
    return lambda o: each(o.commits, lambda commit: check(o, commit))


def _vacuum_origin(o: Observation, commit: LoggedCommit) -> Violation | None:
    known = {"readVersion": commit.version - 1, "isBlindAppend": True, "isolationLevel": "SnapshotIsolation"}
    return provenance.check_origin(o, commit, known)


def _checksums(*checks: crc.ChecksumCheck, having: Callable[[crc.VersionChecksum], bool] = bool) -> Judge[Observation]:
    """Those checksums that have what the checks are about."""
    return lambda o: crc.judge_checksums(filter(having, crc.new_checksums(o)), *checks)


def _state(o: Observation) -> Judgement:
    return each(new_checkpoints(o), lambda checkpoint: check_checkpoint(o, checkpoint))


def _contents(check: contents.ContentCheck) -> Judge[Observation]:
    return lambda o: contents.judge_checkpoints(o, check)


def _v2(check: contents.ContentCheck) -> Judge[Observation]:
    return lambda o: contents.judge_v2_checkpoints(o, check)


def _of_the_whole(judge: Judge[Observation]) -> Judge[DeleteCrashObservation | VacuumCrashObservation]:
    """The step as one that was not killed."""
    return lambda c: judge(c.whole)


# The rows -------------------------------------------------------------------------------------------------------------


def _row(
    id: str,
    of: type[S],
    sentence: str,
    sources: tuple[str, ...],
    harm: Harm,
    judge: Judge[S],
    *,
    when: Callable[[S], object] = lambda _: True,
    **options: Any,
) -> Iterator[Clause[Any]]:
    about = clause(id, sentence, sources=sources, harm=harm, of=of, **options)
    yield about(lambda o: judge(o) if when(o) else NOT_EXERCISED)


_CHECKPOINTED: tuple[tuple[type[Observation], str, Need], ...] = (
    (DeleteObservation, "DELETE", Feature.FREQUENT_CHECKPOINTS),
    (VacuumObservation, "VACUUM", "checkpoints_of_vacuums"),
)


def _pair(ids: str, sentence: str, *row: Any, needs: tuple[Need, ...] = (), **options: Any) -> Iterator[Clause[Any]]:
    """A row for DELETE and one for VACUUM; without ``needs`` an engine needs to write checkpoints along with the command."""
    for id, (of, command, writes) in zip(ids.split(), _CHECKPOINTED):
        yield from _row(id, of, sentence.format(command), *row, needs=needs or (writes,), **options)


_CRASHES, _SESSIONS, _CHECKSUMS, _DETAILS = ("crashes",), ("sessions",), ("version_checksums",), ("checksum_details",)
_OF_VACUUMS = ("commits_vacuums",)
_V2: dict[str, Any] = {"since": "3.0", "needs": ("v2_checkpoints",)}  # the first with V2 checkpoints
_SPARK: dict[str, Any] = {"implementation": "spark", "needs": (Feature.FREQUENT_CHECKPOINTS,)}
_HALF: dict[str, Any] = {"of_broken": True, "needs": (Feature.HALF_CHECKPOINT, Feature.HALF_CHECKPOINT_NAMED)}
_LOG = ("P Delta Log Entries", "P Metadata Cleanup")
_CREATION = ("P Creation of New Log Entries", "P Delta Log Entries", "P Last Checkpoint File")
_CHECKPOINTS = ("P Checkpoints", "P Action Reconciliation")

# fmt: off
_ALL: tuple[Clause[Any], ...] = (
    # What a step leaves of the log
    *_row("DEL-LOG-1", DeleteObservation,
        "A DELETE adds the files of its own version to the log, and leaves every other file there as it was: bytes and modification time; except what log cleanup may delete.",
        (*_LOG, "C 2.5"), harms.LOG_FILES_LOST, _rest_of_the_log("DELETE"), when=lambda d: d.commits),
    *_row("VAC-LOG-1C", VacuumObservation,
        "Nothing else in the log changes.",
        ("S1", "C 1.2", "C 2.5"), harms.LOG_FILES_LOST, _rest_of_the_log("VACUUM"), when=lambda v: v.ran or (v.fails and v.commits)),
    *_row("LIFE-1I", CommandObservation,
        "A command adds the files of its own versions to the log, and leaves every other file there as it was: bytes and modification time; except what log clean-up may delete.",
        _LOG, harms.ROWS_OR_VERSIONS_LOST, _rest_of_the_log("A command"), when=lambda c: not c.makes_again),
    *_row("CRASH-1C", DeleteCrashObservation,
        "A DELETE that is killed in the middle leaves the log as it was, except for the files of its own version, _last_checkpoint, what log cleanup may delete, and temporary files that no reader takes for a part of the log.",
        _CREATION, harms.LOG_FILES_TORN, _of_the_whole(_rest_of_the_log("A killed DELETE", killed=True)), needs=_CRASHES),
    *_row("CRASH-2C", VacuumCrashObservation,
        "A VACUUM that is killed in the middle leaves the log as it was, except for the files of its own versions, _last_checkpoint, _last_vacuum_info, what log cleanup may delete, and temporary files that no reader takes for a part of the log.",
        _CREATION, harms.LOG_FILES_TORN, _of_the_whole(_rest_of_the_log("A killed VACUUM", killed=True)), needs=_CRASHES),
    *_row("CONC-1J", AtOnceObservation,
        "Two commands at once add the files of their own versions to the log, and leave every other file there as it was, except what log clean-up may delete.",
        _LOG, harms.LOG_FILES_LOST, _rest_of_the_log("Two commands at once"), needs=_SESSIONS),
    # That it can be replayed
    *_row("DEL-PHYS-3", DeleteObservation,
        "After a DELETE the log can be replayed.",
        ("P Action Reconciliation",), harms.TABLE_UNREADABLE, _replayed("the DELETE"), of_broken=True),
    *_row("LIFE-1J", Observation,
        "After a command other than DELETE and VACUUM, after an INSERT, and after what is refused for a conflict the log can be replayed.",
        ("P Action Reconciliation",), harms.TABLE_UNREADABLE,
        _replayed("the command"), of_broken=True,
        when=lambda o: isinstance(o, (CommandObservation, InsertObservation, ConflictObservation))),
    # The versions before it
    *_row("DEL-TT-2", DeleteObservation,
        "After a DELETE an independent reader reads every version before it as the steps made it, unless a VACUUM could delete its files.",
        ("S0", "S1"), harms.HISTORY_LOST, earlier_versions, when=lambda d: d.commits),
    *_row("VAC-SAFE-10F", VacuumObservation,
        "After VACUUM an independent reader reads every version before it as the steps made it, unless its files could be deleted.",
        ("S1",), harms.FILES_LOST, earlier_versions, when=lambda v: v.ran),
    *_row("LIFE-1C", CommandObservation,
        "After a command every version whose files no VACUUM was allowed to delete has its rows, read from the log and the files alone.",
        ("S5", "P Metadata Cleanup"), harms.ROWS_OR_VERSIONS_LOST, earlier_versions, when=lambda c: not c.makes_again),
    *_row("LIFE-6C", InsertObservation,
        "After an INSERT every version whose files no VACUUM was allowed to delete has its rows, read from the log and the files alone.",
        ("S5", "P Metadata Cleanup"), harms.ROWS_OR_VERSIONS_LOST, earlier_versions),
    *_row("CRASH-1E", DeleteCrashObservation,
        "After a DELETE that is killed in the middle an independent reader reads every version before it as the steps made it, unless a VACUUM could delete its files.",
        ("P Overview", "S1"), harms.TORN, _of_the_whole(earlier_versions), needs=_CRASHES),
    *_row("CRASH-2E", VacuumCrashObservation,
        "After a VACUUM that is killed in the middle an independent reader reads every version before it as the steps made it, unless a VACUUM could delete its files.",
        ("P Overview", "S1"), harms.TORN, _of_the_whole(earlier_versions), needs=_CRASHES),
    *_row("CONC-1I", AtOnceObservation,
        "After two commands at once every version before them has its rows, unless a VACUUM was allowed to delete its files.",
        ("S7", "S5"), harms.COMMITS_LOST, earlier_versions, when=lambda c: not c.is_unsafe, needs=_SESSIONS),
    # The definition
    *_row("DEL-INFO-1C", DeleteObservation,
        "A DELETE changes neither protocol nor metadata.",
        ("P Change Metadata", "P Protocol Evolution"), harms.DEFINITION_CHANGED, _definition, when=lambda d: d.commits),
    *_row("VAC-LOG-1E", VacuumObservation,
        "A VACUUM changes neither protocol nor metadata.",
        ("C 1.5", "P Change Metadata"), harms.DEFINITION_CHANGED, _definition, when=lambda v: v.ran and v.commits, needs=_OF_VACUUMS),
    # What a commit records of itself
    *_row("DEL-INFO-2A", DeleteObservation,
        "commitInfo's timestamp is the time of the DELETE, by the engine's clock.",
        ("P Commit Provenance Information", "C 2.4"),
        wrong_numbers("The history of the table tells another time than that of the DELETE."), _each_commit(provenance.check_timestamp)),
    *_row("VAC-LOG-3A", VacuumObservation,
        "The timestamps of START and END are the time of the VACUUM, by the engine's clock.",
        ("P Commit Provenance Information", "C 1.5"),
        wrong_numbers("The history of the table tells another time than that of the VACUUM."),
        _each_commit(provenance.check_timestamp), needs=_OF_VACUUMS),
    *_row("DEL-INFO-2B", DeleteObservation,
        "With in-commit timestamps commitInfo is the first action of the commit and has one, the time of the DELETE, or a millisecond after the commit before if that is later; without them it has none.",
        ("P In-Commit Timestamps",), harms.WRONG_VERSION_TIMES, _each_commit(provenance.check_in_commit_timestamp)),
    *_row("VAC-LOG-3B", VacuumObservation,
        "With in-commit timestamps those of START and END are the time of the VACUUM, or a millisecond after the commit before if that is later; without them there is none.",
        ("P In-Commit Timestamps",), harms.WRONG_VERSION_TIMES, _each_commit(provenance.check_in_commit_timestamp), needs=_OF_VACUUMS),
    *_row("DEL-INFO-2C", DeleteObservation,
        "The commit's file is modified while the DELETE runs: without in-commit timestamps, that is the version's time.",
        ("P Commit Provenance Information", "C 1.3"), harms.WRONG_VERSION_TIMES, _each_commit(provenance.check_file_time)),
    *_row("VAC-LOG-3F", VacuumObservation,
        "The files of START and END are modified while the VACUUM runs: without in-commit timestamps, that is the versions' time.",
        ("P Commit Provenance Information", "C 1.3"), harms.WRONG_VERSION_TIMES, _each_commit(provenance.check_file_time), needs=_OF_VACUUMS),
    *_row("DEL-INFO-3A", DeleteObservation,
        "The commit of a DELETE has one commitInfo, and beside it adds, removes, change files and row tracking's domain only.",
        ("S0", "P Delta Log Entries"), unreadable("The commit says more than what a DELETE may change."),
        _each_commit(lambda o, commit: provenance.check_kinds(commit, provenance.OF_DELETE))),
    *_row("VAC-LOG-3C", VacuumObservation,
        "START and END have one commitInfo each, and no other action.",
        ("S1", "C 1.5"), unreadable("The commit of a VACUUM changes the table."),
        _each_commit(lambda o, commit: provenance.check_kinds(commit, ())), needs=_OF_VACUUMS),
    *_row("DEL-INFO-3B", DeleteObservation,
        "commitInfo names the engine, and has a txnId that no other commit has.",
        ("C 2.4",), harms.WRONG_OPERATION, _each_commit(lambda o, commit: provenance.check_origin(o, commit, {})), implementation="spark"),
    *_row("VAC-LOG-3D", VacuumObservation,
        "START and END have the version before as readVersion, isBlindAppend=true, the isolation level SnapshotIsolation, the engine's name, and a txnId that no other commit has.",
        ("C 1.5",), wrong_words("The history of the table tells another transaction than what happened."),
        _each_commit(_vacuum_origin), implementation="spark"),
    # Version checksums
    *_row("DEL-CRC-1", DeleteObservation,
        "A version checksum that is written along with a DELETE counts the live files of its version, their bytes, one protocol and one metaData; so does its histogram of file sizes.",
        ("P Version Checksum File",), harms.WRONG_COUNTS, _checksums(crc.counts), needs=_CHECKSUMS),
    *_row("DEL-CRC-2", DeleteObservation,
        "A version checksum that is written along with a DELETE has the protocol, the metadata, the transaction identifiers and the domains of its version, and the in-commit timestamp and txnId of its commit.",
        ("P Version Checksum File",), harms.WRONG_CHECKSUM, _checksums(crc.definition), needs=_CHECKSUMS),
    *_row("DEL-CRC-3", DeleteObservation,
        "If a version checksum that is written along with a DELETE counts deletion vectors, its figures are right: the number of vectors, the number of rows that they delete, and the histogram of these rows.",
        ("P Version Checksum File",), harms.WRONG_COUNTS, _checksums(crc.vectors, having=crc.counts_vectors), needs=_DETAILS),
    *_row("DEL-CRC-4", DeleteObservation,
        "A version checksum that is written along with a DELETE and lists files lists exactly the live files of its version, each as the log has it.",
        ("P Version Checksum File",), harms.WRONG_CHECKSUM, _checksums(crc.files, having=crc.lists_files), needs=_DETAILS),
    *_row("VAC-CRC-1", VacuumObservation,
        "A version checksum that is written along with START or END describes its version: files, bytes, protocol, metadata, deletion vectors, in-commit timestamp.",
        ("P Version Checksum File",), harms.WRONG_CHECKSUM, _checksums(crc.counts, crc.definition, crc.vectors, crc.files), needs=_CHECKSUMS),
    # Checkpoints
    *_row("DEL-CKPT-1", DeleteObservation,
        "A checkpoint that is written along with a DELETE holds the state of its version: protocol, metadata, every live file with its statistics, every tombstone inside retention, none twice.",
        _CHECKPOINTS, harms.TOMBSTONES_LOST, _state, needs=(Feature.FREQUENT_CHECKPOINTS,)),
    *_row("VAC-CKPT-3", VacuumObservation,
        "A checkpoint that is written along with a VACUUM holds the state of its version: protocol, metadata, every live file with its statistics, and none twice.",
        _CHECKPOINTS, harms.TOMBSTONES_HIDDEN, _state, needs=("checkpoints_of_vacuums",)),
    *_row("LIFE-3C", CommandObservation,
        "A checkpoint that a command writes holds the state of its version: protocol, metadata, every live file, and every tombstone that is inside retention.",
        _CHECKPOINTS, harms.TOMBSTONES_LOST, _state),
    *_row("CONC-1K", AtOnceObservation,
        "A checkpoint that is written while another session is at work holds the state of its version.",
        _CHECKPOINTS, harms.TOMBSTONES_LOST, _state, needs=_SESSIONS),
    *_pair("DEL-CKPT-2 VAC-CKPT-4",
        "After a {} that writes a checkpoint, _last_checkpoint names it.",
        ("P Last Checkpoint File", "C 2.5"), harms.CHECKPOINT_NOT_THERE, lambda o: judgement(check_pointer(o)), when=new_checkpoints),
    *_pair("DEL-CKPT-3 VAC-CKPT-5",
        "The checksum in the _last_checkpoint that a {} writes is that of its JSON.",
        ("P Last Checkpoint File", "P JSON checksum"), harms.WRONG_POINTER, check_pointer_checksum, needs=("pointer_checksums",)),
    *_pair("DEL-CKPT-4 VAC-CKPT-6",
        "A checkpoint that is written along with a {} holds neither commitInfo nor cdc, and its removes neither stats nor tags.",
        ("P Checkpoints",), harms.CHECKPOINT_HOLDS_MORE, _contents(contents.check_kinds_held)),
    *_pair("DEL-CKPT-5 VAC-CKPT-7",
        "In a checkpoint that is written along with a {}, dataChange of every add and remove is false.",
        ("C 2.5",), harms.CHECKPOINT_CHANGES_DATA, _contents(contents.check_data_change), **_SPARK),
    *_pair("DEL-CKPT-10 VAC-CKPT-12",
        "In a checkpoint that is written along with a {}, every remove has the extended metadata and the row tracking fields that it has in the log.",
        ("C 2.3",), harms.REMOVES_WITHOUT_SIZES, _contents(contents.check_removes), **_SPARK),
    *_pair("DEL-CKPT-6 VAC-CKPT-8",
        "A V2 checkpoint that is written along with a {} has one checkpointMetadata, with its version and, where its tags count actions and bytes, with true counts.",
        ("P V2 Spec", "P Checkpoint Metadata"), harms.WRONG_V2_METADATA, _v2(contents.check_metadata), **_V2),
    *_pair("DEL-CKPT-7 VAC-CKPT-9",
        "A V2 checkpoint that is written along with a {} names each of its sidecars once, with the size and the modification time of the file in _delta_log/_sidecars.",
        ("P Sidecar File Information",), harms.WRONG_SIDECAR, _v2(contents.check_sidecars), **_V2),
    *_pair("DEL-CKPT-8 VAC-CKPT-10",
        "A V2 checkpoint that is written along with a {} has its adds and removes all in its own file, or all in sidecars, which hold nothing else.",
        ("P V2 Spec", "P Sidecar Files"), harms.DIVIDED_CHECKPOINT, _v2(contents.check_division), **_V2),
    *_pair("DEL-CKPT-9 VAC-CKPT-11",
        "After a {} that writes a V2 checkpoint, _last_checkpoint embeds what that checkpoint has: its name, size and modification time, its sidecars, and its other actions.",
        ("P V2 Spec", "C 2.5"), harms.WRONG_EMBEDDED_ACTIONS, contents.check_embedded, since="3.0", **_SPARK),
    # What is refused, as the newest checkpoint was written by half
    *_row("DEL-REF-6", UnreadTableObservation,
        "A DELETE that is refused because the newest checkpoint was written by half changes nothing: version, log files, data files and modification times are as before.",
        ("P Checkpoints",), harms.WRONG_DELETE_REFUSAL, _half_read("DELETE"), when=lambda o: isinstance(o.step, Delete),
        since="3.3", **_HALF),  # before, Delta reads such a table from its commits, and refuses nothing
    *_row("VAC-REF-2", UnreadTableObservation,
        "A VACUUM that is refused because the newest checkpoint was written by half changes nothing, dry run or not: no file of the table goes.",
        ("P Checkpoints",), harms.WRONG_VACUUM_REFUSAL, _half_read("VACUUM"), when=lambda o: isinstance(o.step, Vacuum), **_HALF),
)
# fmt: on


def clauses_of(
    *prefixes: str, told: Callable[[Any, Judgement], Judgement] = lambda _, judged: judged
) -> tuple[Clause[Any], ...]:
    """The rows that each of these prefixes selects, in the order of the prefixes. ``told``: what the chapter adds to a judgement."""

    def made(one: Clause[Any]) -> Clause[Any]:
        return replace(one, judge=lambda o: told(o, one.judge(o)))

    return tuple(made(one) for prefix in prefixes for one in _ALL if matches(one.id, prefix))
