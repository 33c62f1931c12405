"""Each listed change explains its differences, between the versions it lies between, and no neighbouring ones."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

from model.vocabulary.versions import parse
from reports.comparison.commands import ComparedCommand
from reports.comparison.differences import Amount, Difference
from reports.comparison.facts import FactField, Facts
from reports.comparison.known_changes import (
    BY_ENGINE,
    OTHER_WORDS,
    ChangeEntry,
    KnownChange,
    knowledge,
    packed_otherwise,
)

LISTED = [(name, change, entry) for name, found in BY_ENGINE.items() for change in found for entry in change.entries]
KINDS = ("invalid_delete", "invalid_vacuum", "delete", "read", "read_changes", "truncate", "vacuum")
BESIDE = FactField("changed_beside")


def written(rows: int, partitions: int = 5) -> Facts:
    """What a DELETE did that removed a file of each partition, and wrote so many rows of one of them."""
    removed = Counter(json.dumps(f"p={number}/a.parquet") for number in range(partitions))
    return {FactField("removed"): removed, FactField("added"): Counter({'{"p": "0"}': rows}), BESIDE: Counter[str]()}


#: Each entry can be seen between these.
SEEN = written(5), written(5)


def difference(entry: ChangeEntry) -> Difference:
    kind, _, mistake = entry.command.partition(": ")
    command = ComparedCommand(kind, mistake=mistake)
    part, _, name = entry.field.partition(".")
    return Difference(command, FactField(part, name, entry.within), entry.older, entry.newer, entry.amount)


def neighbours(entry: ChangeEntry) -> list[ChangeEntry]:
    """The same with another value, field, command or place."""
    return [
        replace(entry, older=f"{entry.older} other"),
        replace(entry, newer=f"{entry.newer} other"),
        replace(entry, older=entry.newer, newer=entry.older),
        replace(entry, older=None, newer=None, amount=Amount.OTHER),
        replace(entry, field=f"{entry.field}.other"),
        replace(entry, within=f"{entry.within} other"),
        *(replace(entry, command=kind) for kind in KINDS if kind != entry.command),
    ]


#: The release before each that changed something.
BEFORE = {
    "spark": {
        "3.0": "2.4.0",
        "3.1": "3.0.0",
        "3.2": "3.1.0",
        "3.3": "3.2.1",
        "4.0": "3.3.2",
        "4.1": "4.0.1",
        "4.4": "4.3.1",
    },
    "deltalake": {"1.1": "1.0.2", "1.2": "1.1.4", "1.5": "1.4.2", "1.5.1": "1.5.0", "1.6.6": "1.6.3"},
}


def ends(engine: str, change: KnownChange) -> tuple[tuple[str, str], tuple[str, str]]:
    """Two releases between which the change lies, as the oldest with its entries: a later release may change the same again."""
    return (engine, BEFORE[engine][change.since]), (engine, "9.0.0" if engine == "spark" else change.since)


def test_every_change_has_a_sentence_a_source_and_entries() -> None:
    for changes in BY_ENGINE.values():
        assert [parse(change.since) for change in changes] == sorted(parse(change.since) for change in changes)
        for change in changes:
            assert change.sentence.endswith(".") and change.source.startswith("https://github.com/") and change.entries


def test_an_entry_explains_its_difference_and_no_neighbouring_one() -> None:
    listed = {entry for _, _, entry in LISTED}
    for engine, change, entry in LISTED:
        both = ends(engine, change)
        assert knowledge(*both).of(difference(entry), SEEN) is change, entry
        assert knowledge(*reversed(both)).of(difference(entry).reversed, SEEN) is change, entry
        others = [one for one in neighbours(entry) if one not in listed]
        assert [one for one in others if knowledge(*both).of(difference(one), SEEN) is not None] == []
        assert not set(neighbours(entry)[:2]) & set(change.entries) and change.entries.count(entry) == 1


def test_a_change_is_known_between_versions_before_and_after_it() -> None:
    for engine, changes in BY_ENGINE.items():
        (other,) = BEFORE.keys() - {engine}
        for change in changes:
            found = difference(min(change.entries, key=repr))
            for new in (change.since, f"{change.since}.0"):
                assert knowledge((engine, BEFORE[engine][change.since]), (engine, new)).of(found, SEEN) is change, (
                    change
                )
                assert knowledge((engine, new), (engine, "9.0.0")).of(found, SEEN) is not change, change
            assert knowledge((other, "0.1.0"), (other, "9.0.0")).of(found, SEEN) is not change, change


def test_rows_in_other_files_are_explained_if_no_row_is_in_another_partition() -> None:
    assert packed_otherwise(*SEEN)
    assert not packed_otherwise(written(5), written(4))
    assert not packed_otherwise(written(5), written(5, partitions=6))
    assert not packed_otherwise(written(5, partitions=4), written(5, partitions=4))
    change, entry = next((one, entry) for _, one, entry in LISTED if one.shown_by is packed_otherwise)
    assert knowledge(*ends("spark", change)).of(difference(entry), SEEN) is change
    assert knowledge(*ends("spark", change)).of(difference(entry), (written(5), written(4))) is None


def test_the_words_of_an_error_are_no_promise_and_its_class_is() -> None:
    of = knowledge(("deltalake", "1.5.1"), ("deltalake", "1.6.3")).of
    words = Difference(ComparedCommand("delete"), FactField("error", "message", "DeltaError"), amount=Amount.OTHER)
    assert of(words, SEEN) is OTHER_WORDS
    assert of(Difference(ComparedCommand("delete"), FactField("error"), "DeltaError", "Exception"), SEEN) is None


def test_of_a_clone_the_files_of_its_log_are_explained() -> None:
    def beside(*files: str) -> Facts:
        return {BESIDE: Counter(f"../clone/{file}" for file in files)}

    of = knowledge(("spark", "3.2.1"), ("spark", "3.3.2")).of
    more = Difference(ComparedCommand("VACUUM of a clone"), BESIDE, amount=Amount.MORE)
    written = ("_delta_log/00000000000000000001.crc", "_delta_log/._last_vacuum_info.crc")
    assert of(more, (beside("a"), beside("a", *written))) is not None
    assert of(more, (beside("a"), beside("a", "b.parquet", *written))) is None
