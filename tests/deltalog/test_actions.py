"""Actions to JSON and back; paths; names of log files; deletion vector descriptors."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltalog.entries.actions import (
    Action,
    Add,
    Cdc,
    CommitInfo,
    DomainMetadata,
    Format,
    Metadata,
    Protocol,
    Remove,
    Txn,
    Unknown,
)
from deltalog.entries.codec import from_json, to_json, to_line
from deltalog.entries.descriptors import DeletionVectorDescriptor, z85_decode, z85_encode
from deltalog.errors import MalformedAction, MalformedPath, MalformedVector
from deltalog.frozen import FrozenMap
from deltalog.storage.names import LogFileKind, LogFileName, checkpoint_name, commit_name, parse_name
from deltalog.storage.paths import decode, encode, is_absolute

texts = st.text(st.characters(codec="utf-8"), max_size=12)
wholes = st.integers(-(2**63), 2**63 - 1)
names = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..")
)
files = st.lists(names, min_size=1, max_size=4).map("/".join)
paths = files.map(encode)
text_maps = st.dictionaries(texts, texts, max_size=3)
value_maps = st.dictionaries(texts, st.none() | texts, max_size=3)
tags = st.none() | st.dictionaries(texts, st.none() | texts, min_size=1, max_size=3)
extras = st.dictionaries(
    st.sampled_from(["backReference", "new", "x y"]), st.integers() | texts | text_maps, max_size=2
)


def maybe(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.none() | strategy


vectors = st.builds(
    DeletionVectorDescriptor, st.sampled_from("uip"), texts, wholes, wholes, offset=maybe(wholes), extra=extras
)
features = maybe(st.lists(texts, max_size=3).map(tuple))
tracked = {"base_row_id": maybe(wholes), "default_row_commit_version": maybe(wholes)}
actions: st.SearchStrategy[Action] = st.one_of(
    st.builds(Protocol, wholes, wholes, features, features, extra=extras),
    st.builds(
        Metadata,
        texts,
        texts,
        st.lists(texts, max_size=3).map(tuple),
        text_maps,
        created_time=maybe(wholes),
        name=maybe(texts),
        description=maybe(texts),
        format=st.builds(Format, texts, text_maps, extra=extras),
        extra=extras,
    ),
    st.builds(
        Add,
        paths,
        value_maps,
        wholes,
        wholes,
        st.booleans(),
        stats=maybe(texts),
        tags=tags,
        deletion_vector=maybe(vectors),
        clustering_provider=maybe(texts),
        extra=extras,
        **tracked,
    ),
    st.builds(
        Remove,
        paths,
        maybe(wholes),
        st.booleans(),
        extended_file_metadata=maybe(st.booleans()),
        partition_values=maybe(value_maps),
        size=maybe(wholes),
        stats=maybe(texts),
        tags=tags,
        deletion_vector=maybe(vectors),
        extra=extras,
        **tracked,
    ),
    st.builds(Cdc, paths, value_maps, wholes, st.booleans(), tags=tags, extra=extras),
    st.builds(Txn, texts, wholes, maybe(wholes), extra=extras),
    st.builds(DomainMetadata, texts, texts, st.booleans(), extra=extras),
    st.builds(CommitInfo, st.dictionaries(texts, st.integers() | texts | value_maps, max_size=4)),
    st.builds(Unknown, st.sampled_from(["sidecar", "checkpointMetadata", "future"]), text_maps),
)


@given(actions)
def test_actions_read_back(action: Action) -> None:
    (again,) = from_json(to_json(action))
    assert again == action
    assert hash(again) == hash(action), "equal actions have equal hashes"


@given(actions)
def test_an_action_is_one_line(action: Action) -> None:
    line = to_line(action)
    assert "\n" not in line and "\r" not in line, "a commit file is split at line ends"
    assert from_json(json.loads(line)) == (action,)


def test_an_absent_field_is_not_written_and_null_counts_as_absent() -> None:
    (action,) = from_json({"remove": {"path": "f", "dataChange": True, "deletionTimestamp": None, "tags": None}})
    assert action == Remove("f", None, True)
    assert to_json(action) == {"remove": {"path": "f", "dataChange": True}}


def test_a_null_partition_value_is_written_as_null() -> None:
    add = Add("f", {"p": None}, 1, 2, True)
    assert to_json(add) == {
        "add": {"path": "f", "partitionValues": {"p": None}, "size": 1, "modificationTime": 2, "dataChange": True}
    }


def test_mappings_are_copied_and_compare_without_order() -> None:
    values: dict[str, str | None] = {"a": "1", "b": None}
    add = Add("f", values, 1, 2, True)
    values["a"] = "changed"
    assert add.partition_values == {"b": None, "a": "1"}
    assert hash(add) == hash(Add("f", FrozenMap({"b": None, "a": "1"}), 1, 2, True))


ADD = {"path": "f", "partitionValues": {}, "size": 1, "modificationTime": 2, "dataChange": True}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "an action must be a JSON object, not []"),
        ({"txn": {}, "add": {}}, "an action must have exactly one kind; found add, txn"),
        ({"add": 3}, "add must be an object, not 3"),
        ({"add": {**ADD, "size": None}}, "add lacks the field size"),
        ({"add": {**ADD, "size": "1"}}, 'add.size must be a whole number; it is "1"'),
        ({"add": {**ADD, "size": True}}, "add.size must be a whole number; it is true"),
        ({"add": {**ADD, "size": 1.0}}, "add.size must be a whole number; it is 1.0"),
        ({"add": {**ADD, "dataChange": 1}}, "add.dataChange must be true or false; it is 1"),
        (
            {"add": {**ADD, "partitionValues": {"p": 1}}},
            'add.partitionValues must be an object of strings; it is {"p": 1}',
        ),
        ({"add": {**ADD, "deletionVector": {"storageType": "u"}}}, "deletionVector lacks the field pathOrInlineDv"),
        ({"add": {**ADD, "path": "100%"}}, "has a % that is not followed by two hexadecimal digits"),
        ({"add": {**ADD, "path": ""}}, "names no file"),
        (
            {"metaData": {"id": "x", "schemaString": "", "partitionColumns": [], "configuration": {}}},
            "metaData lacks the field format",
        ),
        (
            {"metaData": {"id": "x", "format": {}}},
            "metaData.format must be a format, but format lacks the field provider",
        ),
        ({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2, "readerFeatures": "x"}}, "a list of strings"),
    ],
)
def test_invalid_actions_are_refused(value: object, sentence: str) -> None:
    with pytest.raises(MalformedAction) as caught:
        from_json(value)
    assert sentence in str(caught.value)


def test_what_the_protocol_does_not_define_is_kept_beside_the_action() -> None:
    txn = {"appId": "a", "version": 1}
    assert from_json({}) == from_json({"txn": None}) == ()
    assert from_json({"newKind": ["x"], "txn": txn}) == (Unknown("newKind", ["x"]), Txn("a", 1))
    assert from_json({"one": 1, "two": {}}) == (Unknown("one", 1), Unknown("two", {}))


@given(files)
def test_paths_read_back(file: str) -> None:
    assert decode(encode(file)) == file
    assert decode(encode(f"/{file}")) == f"/{file}"
    assert not is_absolute(decode(encode(file))) or ":/" in file


@pytest.mark.parametrize(
    ("file", "path"),
    [
        ("p=a b/f", "p=a%20b/f"),
        ("a%3Db=1/f", "a%253Db=1/f"),
        ("p=ü日本\U0001f600/f", "p=ü日本\U0001f600/f"),
        ("p=\u00a0\u2028/f", "p=%C2%A0%E2%80%A8/f"),
        ("p=\u0085/f", "p=%C2%85/f"),
        ("p='+,;&@$!~*()/f", "p='+,;&@$!~*()/f"),
        ('p="<>|`{}[]^\\#?/f', "p=%22%3C%3E%7C%60%7B%7D%5B%5D%5E%5C%23%3F/f"),
        ("a:b/c:d", "a%3Ab/c:d"),
        ("/a:b/c d", "/a:b/c%20d"),
    ],
)
def test_encoded_paths(file: str, path: str) -> None:
    assert encode(file) == path
    assert decode(path) == file


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("file:/x%20y/f", "/x y/f"),
        ("file:///x/f", "/x/f"),
        ("file://host/x/f", "file://host/x/f"),
        ("s3://bucket/a%20b", "s3://bucket/a b"),
        ("./a//b/../c", "a/c"),
        ("%C3%BC", "ü"),
    ],
)
def test_decoded_paths(path: str, file: str) -> None:
    assert decode(path) == file
    assert is_absolute(file) == (not path.startswith((".", "%")))


@pytest.mark.parametrize(
    "path", ["/some/p%40%23h", "file:/some/p@%23h", "file:///some/./p@%23h", "file:////some//p@%23h"]
)
def test_spellings_of_one_file_are_one_file(path: str) -> None:
    assert Add(path, {}, 1, 2, True).key == Remove("/some/p@%23h", 1, True).key


@pytest.mark.parametrize("path", ["", "http:example.com", "a%2", "a%zz/b", "s3://bucket"])
def test_invalid_paths_are_refused(path: str) -> None:
    with pytest.raises(MalformedPath):
        decode(path)


def test_the_examples_of_the_protocol() -> None:
    relative = DeletionVectorDescriptor("u", "ab^-aqEH.-t@S}K{vb[*k^", 40, 6, offset=4)
    assert relative.unique_id == "uab^-aqEH.-t@S}K{vb[*k^@4"
    assert relative.file == "ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin"
    absolute = DeletionVectorDescriptor("p", "s3://mytable/deletion_vector_d2c639aa.bin", 40, 6, offset=4)
    assert absolute.file == "s3://mytable/deletion_vector_d2c639aa.bin"
    inline = DeletionVectorDescriptor("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", 40, 6)
    assert inline.file is None
    assert len(z85_decode(inline.path_or_inline)) == inline.size
    assert inline.unique_id == "iwi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"


@given(st.uuids())
def test_the_path_of_a_vector_in_the_root(uuid: UUID) -> None:
    assert DeletionVectorDescriptor("u", z85_encode(uuid.bytes), 1, 1).file == f"deletion_vector_{uuid}.bin"


@given(st.binary().map(lambda data: data[: len(data) // 4 * 4]))
def test_z85_reads_back(data: bytes) -> None:
    assert z85_decode(z85_encode(data)) == data


def test_a_last_group_may_be_shorter() -> None:
    assert [z85_decode(text) for text in ("000b+##093", "###03", "#0962")] == [b"\0\0\3\xe8\3\0", b"\3", b"\1\0\1"]


@pytest.mark.parametrize("text", ["abcd", "abc d", "#####", "####0", "##0930000", "##09300000", "###33"])
def test_invalid_z85_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not Z85"):
        z85_decode(text)


def test_a_vector_without_a_uuid_is_refused() -> None:
    with pytest.raises(MalformedVector, match="does not end in a base85 UUID"):
        assert DeletionVectorDescriptor("u", "short", 1, 1).file


@given(st.integers(0, 10**20 - 1), st.integers(2, 10**10 - 1), st.data())
def test_names_of_log_files_read_back(version: int, parts: int, data: st.DataObject) -> None:
    part = data.draw(st.integers(1, parts))
    assert parse_name(commit_name(version)) == LogFileName(LogFileKind.COMMIT, version)
    assert parse_name(checkpoint_name(version)) == LogFileName(LogFileKind.CHECKPOINT, version)
    multi = parse_name(checkpoint_name(version, part, parts))
    assert multi == LogFileName(LogFileKind.CHECKPOINT_PART, version, part, parts)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("00000000000000000004.crc", LogFileKind.CHECKSUM),
        ("00000000000000000004.00000000000000000006.compacted.json", LogFileKind.COMPACTED),
        (
            "00000000000000000010.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json",
            LogFileKind.CHECKPOINT_UUID,
        ),
        ("_last_checkpoint", None),
        ("0.json", None),
        (".00000000000000000004.json.crc", None),
        ("00000000000000000004.json.tmp", None),
    ],
)
def test_other_names_of_log_files(name: str, kind: LogFileKind | None) -> None:
    parsed = parse_name(name)
    assert (None if parsed is None else parsed.kind) == kind
