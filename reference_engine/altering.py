"""Commands of the reference engine that change the definition of the table: properties, features, columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from deltalog.entries.actions import Action, Metadata
from deltalog.entries.protocols import features_of, with_features, without_feature
from deltalog.values.schemas import Field, schema_string
from model.text.literals import identifier
from model.vocabulary.commands import (
    AddColumn,
    DropColumn,
    DropFeature,
    Purge,
    RenameColumn,
    SetRetention,
    Switch,
    WidenColumn,
)
from model.vocabulary.table import WIDER, Feature, retention_text
from model.vocabulary.values import Type
from reference_engine.refusals import Refused
from reference_engine.rewriting import Rewriting
from reference_engine.transaction import ROW_ID, ROW_IDS, ROW_VERSION, Transaction
from reference_engine.view import PROPERTIES, View

_PROPERTY_OF = {feature: name for name, feature in PROPERTIES.items()}

#: The protocol's features that a switched feature needs, its own first.
_FEATURES = {
    Feature.DELETION_VECTORS: ("deletionVectors",),
    Feature.CHANGE_DATA_FEED: ("changeDataFeed",),
    Feature.ROW_TRACKING: ("rowTracking", "domainMetadata"),
    Feature.IN_COMMIT_TIMESTAMPS: ("inCommitTimestamp",),
}

_MATERIALIZED = {
    ROW_ID: "_row-id-col-00000000-0000-4000-8000-000000000000",
    ROW_VERSION: "_row-commit-version-col-00000000-0000-4000-8000-000000000000",
}

_WIDENING = "delta.enableTypeWidening"
_LISTED = "delta.dataSkippingStatsColumns"
_TYPE_CHANGES = "delta.typeChanges"


@dataclass
class Altering(Transaction):
    """One such command."""

    # Properties and features ------------------------------------------------------------------------------------------

    def set_retention(self, command: SetRetention) -> None:
        name = "logRetentionDuration" if command.of_log else "deletedFileRetentionDuration"
        self._define("SET TBLPROPERTIES", self._configured({f"delta.{name}": retention_text(command.hours)}))

    def switch(self, command: Switch) -> None:
        """Switch it on, with the protocol's features and what these ask for, or off: the protocol stays."""
        feature, view = command.feature, self.view
        properties = {_PROPERTY_OF[feature]: "true" if command.on else "false"}
        beside: list[Action] = []
        if command.on and feature is Feature.IN_COMMIT_TIMESTAMPS and not view.table.has(feature):
            enabled = {"Version": view.snapshot.version + 1, "Timestamp": view.next_commit_time(self.clock)}
            properties |= {f"delta.inCommitTimestampEnablement{key}": str(value) for key, value in enabled.items()}
        if command.on and feature is Feature.ROW_TRACKING:
            properties |= {key: view.metadata.configuration.get(key, name) for key, name in _MATERIALIZED.items()}
            beside += self.with_row_ids(add for _, add in sorted(view.live.items()) if add.base_row_id is None)
        features = _FEATURES[feature] if command.on else ()
        self._define("SET TBLPROPERTIES", self._configured(properties), *beside, features=features)

    def drop_feature(self, command: DropFeature) -> None:
        """Remove its traces in one commit, and the feature from the protocol in the next."""
        (name, *_), view = _FEATURES[command.feature], self.view
        if name not in features_of(view.snapshot.protocol):
            raise Refused("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", None, "DeltaTableFeatureException")
        gone = {_PROPERTY_OF[command.feature]}
        beside: list[Action] = []
        if command.feature is Feature.IN_COMMIT_TIMESTAMPS:
            gone |= {f"delta.inCommitTimestampEnablement{key}" for key in ("Version", "Timestamp")}
        if command.feature is Feature.ROW_TRACKING:
            gone |= set(_MATERIALIZED)
            beside += [replace(mark, removed=True) for mark in view.snapshot.domains.values() if mark.domain == ROW_IDS]
            beside += [
                replace(add, base_row_id=None, default_row_commit_version=None) for _, add in sorted(view.live.items())
            ]
        left = {key: value for key, value in view.metadata.configuration.items() if key not in gone}
        beside.append(replace(view.metadata, configuration=left))
        if command.feature is Feature.DELETION_VECTORS:
            replace(self.become(Rewriting), beside=beside).purge(Purge(), "DROP FEATURE")
        else:
            self.commit("DROP FEATURE", *beside)
        after = replace(self, view=View(view.root))
        after.commit("DROP FEATURE", without_feature(view.snapshot.protocol, name))

    # Columns ----------------------------------------------------------------------------------------------------------

    def add_column(self, command: AddColumn) -> None:
        self._define("ADD COLUMNS", self.with_column(command.column))

    def rename_column(self, command: RenameColumn) -> None:
        self._refuse_unmapped("RENAME")
        fields = [replace(one, name=command.to) if one.name == command.column else one for one in self.view.fields]
        names = tuple(command.to if name == command.column else name for name in self.view.metadata.partition_columns)
        metadata = self._with_fields(*fields, properties=self._listed(command.column, command.to))
        self._define("RENAME COLUMN", replace(metadata, partition_columns=names))

    def drop_column(self, command: DropColumn) -> None:
        self._refuse_unmapped("DROP")
        fields = [one for one in self.view.fields if one.name != command.column]
        self._define("DROP COLUMNS", self._with_fields(*fields, properties=self._listed(command.column)))

    def widen_column(self, command: WidenColumn) -> None:
        fields = [_widened(one) if one.name == command.column else one for one in self.view.fields]
        metadata = self._with_fields(*fields, properties={_WIDENING: "true"})
        self._define("CHANGE COLUMN", metadata, features=["typeWidening"])

    # Parts ------------------------------------------------------------------------------------------------------------

    def _define(self, operation: str, metadata: Metadata, *beside: Action, features: Iterable[str] = ()) -> None:
        """Commit the definition, with the protocol if it lacks these features."""
        now = self.view.snapshot.protocol
        needed = with_features(now, features)
        self.commit(operation, *([] if needed == now else [needed]), metadata, *beside)

    def _configured(self, properties: dict[str, str]) -> Metadata:
        metadata = self.view.metadata
        return replace(metadata, configuration={**metadata.configuration, **properties})

    def _listed(self, column: str, to: str | None = None) -> dict[str, str]:
        """The property that lists columns with statistics, where one has another name or is gone; {} if it is not set."""
        listed = self.view.metadata.configuration.get(_LISTED)
        if listed is None:
            return {}
        new = "," if to is None else f",{identifier(to)},"
        return {_LISTED: f",{listed},".replace(f",{identifier(column)},", new).strip(",")}

    def _with_fields(self, *fields: Field, properties: dict[str, str] | None = None) -> Metadata:
        return replace(self._configured(properties or {}), schema_string=schema_string(fields))

    def _refuse_unmapped(self, what: str) -> None:
        """Raise Refused in a table without column mapping."""
        if not self.view.table.maps_columns:
            raise Refused(f"DELTA_UNSUPPORTED_{what}_COLUMN", "0AKDC")


def _widened(field: Field) -> Field:
    wide = WIDER[Type(field.type)].value
    changes = [*cast("list[object]", field.metadata.get(_TYPE_CHANGES, [])), {"fromType": field.type, "toType": wide}]
    return replace(field, type=wide, metadata={**field.metadata, _TYPE_CHANGES: changes})
