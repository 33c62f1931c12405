"""Reads a table's shape from its log."""

from __future__ import annotations

from dataclasses import dataclass

from deltalog.checkpoints.reading import LoggedCheckpoint
from deltalog.entries.actions import Metadata, Protocol
from deltalog.errors import DeltaLogError, NotATable, StoreError, UnreadableCommit
from deltalog.log_files import LogListing, list_log
from deltalog.storage.names import LOG_DIRECTORY, LogFileKind, commit_name, parse_name
from deltalog.storage.store import Store, lines_of
from deltalog.values.schemas import parse_schema
from shapes.columns import columns_of
from shapes.features import protocol_of, unknown_features
from shapes.history import Seen, infos_of
from shapes.latest import Latest, latest_of
from shapes.listing import listing_of
from shapes.log_files import others_of
from shapes.properties import properties_of, unknown_properties
from shapes.refusals import RefusalReason, reason_of
from shapes.shape import CheckpointForm, HistoryShape, KeptNames, LogFiles, Shape
from shapes.sizes import size_class
from shapes.store import Root

_DOMAINS = frozenset({"delta.clustering", "delta.rowTracking"})


@dataclass(frozen=True)
class Wanted:
    """What is asked for beside the log's latest version: ``history`` is the number of newest commits (None: all)."""

    listing: bool = False
    names: bool = False
    history: int | None = None


@dataclass(frozen=True)
class ReadTable:
    table: str
    shape: Shape
    names: KeptNames | None


@dataclass(frozen=True)
class RefusedTable:
    """A table that was not, and why: ``sentence`` may name what the user chose, and is for the terminal."""

    table: str
    reason: RefusalReason
    sentence: str


def read_table(table: str, root: Root, wanted: Wanted) -> ReadTable | RefusedTable:
    """``table`` is how the user names it."""
    try:
        return _read(table, root, wanted)
    except NotATable as error:
        return RefusedTable(table, reason_of(error), "it does not exist" if root.is_missing else str(error))
    except (DeltaLogError, StoreError) as error:
        return RefusedTable(table, reason_of(error), _on_one_line(error))
    except Exception as error:  # noqa: BLE001 - one table of many must not end the others
        return RefusedTable(table, RefusalReason.UNKNOWN_FORM, f"{type(error).__name__}: {_on_one_line(error)}")


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _read(table: str, root: Root, wanted: Wanted) -> ReadTable:
    log = list_log(root.store)
    latest = latest_of(root.store, root.path, log)
    assert latest.protocol is not None and latest.metadata is not None, "else it is refused"
    columns, names = columns_of(latest.metadata, root.name)
    there = [domain for domain, is_there in latest.domains.items() if is_there]
    shape = Shape(
        protocol=protocol_of(latest.protocol),
        properties=properties_of(latest.metadata.configuration),
        columns=columns,
        names=names,
        sizes=latest.tally.sizes(len(latest.applications)),
        vectors=latest.tally.vectors,
        paths=latest.tally.paths,
        statistics=latest.tally.statistics,
        domains=tuple(sorted({domain if domain in _DOMAINS else "other" for domain in there})),
        history=_history(root.store, log, latest, wanted.history),
        log=_log_files(log, latest),
        listing=listing_of(root.store) if wanted.listing else None,
    )
    return ReadTable(table, shape, _kept(table, latest.protocol, latest.metadata) if wanted.names else None)


def _history(store: Store, log: LogListing, latest: Latest, most: int | None) -> HistoryShape:
    """The newest ``most`` commits; before the checkpoint only commitInfo is looked for."""
    seen = Seen()
    for version in [*log.commits][0 if most is None else max(len(log.commits) - most, 0) :]:
        if version in latest.infos:
            seen.add(latest.infos[version])
            continue
        try:
            seen.add(infos_of(lines_of(store, f"{LOG_DIRECTORY}/{commit_name(version)}")))
        except ValueError as error:
            raise UnreadableCommit(f"{commit_name(version)} has a commitInfo that is not JSON: {error}") from None
        except StoreError as error:
            if not error.missing:  # a clean-up may be at work
                raise
    return seen.history


def _log_files(log: LogListing, latest: Latest) -> LogFiles:
    base = -1 if latest.base is None else latest.base.version
    return LogFiles(
        versions=size_class(log.version + 1),
        commits=size_class(len(log.commits)),
        cleaned=0 not in log.commits,
        gap=bool(log.commits) and max(log.commits) - min(log.commits) + 1 != len(log.commits),
        checkpoint=_form(latest.base),
        sidecars=size_class(latest.sidecars),
        since_checkpoint=size_class(log.version - base),
        damaged_checkpoint=latest.damaged,
        others=others_of(log.others),
    )


def _form(base: LoggedCheckpoint | None) -> CheckpointForm:
    if base is None:
        return "none"
    name = parse_name(base.files[0].name)
    assert name is not None, "it was found by its name"
    if name.kind is LogFileKind.CHECKPOINT_UUID:
        return "uuid-json" if base.files[0].suffix == ".json" else "uuid-parquet"
    return "classic" if name.kind is LogFileKind.CHECKPOINT else "parts"


def _kept(table: str, protocol: Protocol, metadata: Metadata) -> KeptNames:
    unknown = (*unknown_features(protocol), *unknown_properties(metadata.configuration))
    columns = tuple(field.name for field in parse_schema(metadata.schema_string))
    return KeptNames(table, columns, metadata.partition_columns, tuple(sorted(unknown)))
