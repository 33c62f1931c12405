"""The known faults file: what is read from it, what is refused, and what is in force."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from known_faults.entries import CLUSTER, InvalidKnownFaults, ended, holding_on, in_force, proposed, read_known_faults
from records.known_fault import KnownFault, Symptom

GOOD = """
[[known_fault]]
clause = "VAC-KEEP-2"
reason = "RETAIN is ignored"
link = "https://example.org/5028"
versions = ">=4.1,<5"
until = 2027-01-31
symptom.causes = ["kept", "lost"]
symptom.of = "a file"

[[known_fault]]
clause = "DEL-ROW-1"
symptom.errors = ["MatchError"]
reason = "another"
link = "https://example.org/1"
"""

SYMPTOM = Symptom(causes=("c",))


def written(directory: Path, text: str) -> Path:
    path = directory / "spark.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries_are_read_in_order(tmp_path: Path) -> None:
    assert read_known_faults(written(tmp_path, GOOD)) == (
        KnownFault(
            "VAC-KEEP-2",
            "RETAIN is ignored",
            "https://example.org/5028",
            Symptom(("kept", "lost"), of="a file"),
            ">=4.1,<5",
            date(2027, 1, 31),
        ),
        KnownFault("DEL-ROW-1", "another", "https://example.org/1", Symptom(errors=("MatchError",))),
    )
    assert read_known_faults(written(tmp_path, "")) == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('clause = "DEL-ROW-1"', "", "Known fault 2 of .* \\(line 11\\) must have either 'clause' or 'clauses'"),
        ('reason = "another"', 'reason = " "', "line 11.*: reason must not be empty"),
        ('"DEL-ROW-1"', '"del row"', "clause must be an id such as"),
        ('">=4.1,<5"', '">=4.x"', "line 2.*: versions must be a range such as"),
        ('">=4.1,<5"', '">=4.1,"', "must be a range such as"),
        ("2027-01-31", '"soon"', "until must be a day such as"),
        ("2027-01-31", '"2027-01-31"', "until must be a day such as"),
        ("2027-01-31", '"5"', "or a version such as '4.5'"),
        ("2027-01-31", "2027-01-31T00:00:00", "until must be a day such as"),
        ("until", "expires", "expires is not a known field; those are .*until"),
        ('symptom.errors = ["MatchError"]', "", "line 11.*: symptom is missing"),
        ('symptom.errors = ["MatchError"]', 'symptom.of = "a file"', "needs symptom.causes or symptom.errors"),
        ('["MatchError"]', '"MatchError"', 'symptom.errors must be an array, but is "MatchError"'),
        ('["kept", "lost"]', '["kept", ""]', "symptom.causes\\[1\\] must not be empty"),
        ('symptom.of = "a file"', 'symptom.off = "a file"', "symptom.off is not a known field; those are causes"),
        (
            'clause = "DEL-ROW-1"\nsymptom.errors = ["MatchError"]',
            'clause = "VAC-KEEP-2"\nversions = ">=4.1,<5"\nsymptom.of = "a file"\nsymptom.causes = ["kept", "lost"]',
            "a second time",
        ),
        (
            'reason = "another"',
            'reason = "another"\non = "windows"',
            'on must be one of cluster, s3, local files, but is "windows"',
        ),
        ('clause = "DEL-ROW-1"', "clauses = []", "clauses must not be empty"),
        ('clause = "DEL-ROW-1"', "clauses = [7]", "clauses\\[0\\] must be a string, but is 7"),
        ('clause = "DEL-ROW-1"', 'clause = "DEL-ROW-1"\nclauses = ["DEL-ROW-2"]', "either 'clause' or 'clauses'"),
        ('clause = "DEL-ROW-1"', 'clauses = ["DEL-ROW-1", "DEL-ROW-1"]', "a second time"),
        ("[[known_fault]]", "[[known_fualt]]", "only \\[\\[known_fault\\]\\]"),
        ("reason =", "reason", "is not TOML"),
    ],
)
def test_a_bad_entry_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InvalidKnownFaults, match=message):
        read_known_faults(written(tmp_path, GOOD.replace(old, new)))


def test_an_entry_may_list_clauses_and_a_condition(tmp_path: Path) -> None:
    text = (
        '[[known_fault]]\nclauses = ["A-1", "A-2"]\nreason = "r"\nlink = "l"\nwhen = "rain"\nsymptom.causes = ["c"]\n'
    )
    expected = tuple(KnownFault(clause, "r", "l", Symptom(("c",)), when="rain") for clause in ("A-1", "A-2"))
    assert read_known_faults(written(tmp_path, text)) == expected


def test_an_entry_may_hold_on_a_cluster_only(tmp_path: Path) -> None:
    entry = '[[known_fault]]\nclause = "A-1"\nreason = "r"\nlink = "l"\nsymptom.causes = ["c"]\n'
    found = read_known_faults(written(tmp_path, entry + entry + f'on = "{CLUSTER}"\n'))
    assert holding_on((CLUSTER,), found) == found
    assert holding_on((), found) == found[:1]


def test_a_clause_may_be_listed_for_several_conditions(tmp_path: Path) -> None:
    entry = '[[known_fault]]\nclause = "A-1"\nreason = "r"\nlink = "l"\nsymptom.causes = ["c"]\nwhen = "{}"\n'
    found = read_known_faults(written(tmp_path, entry.format("rain") + entry.format("snow")))
    assert [known_fault.when for known_fault in found] == ["rain", "snow"]


@pytest.mark.parametrize("text", ["known_fault = 1", "known_fault = [1]", "[known_fault]\nclause = 'A-1'"])
def test_entries_must_be_an_array_of_tables(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidKnownFaults, match="must write its entries"):
        read_known_faults(written(tmp_path, text))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidKnownFaults, match="cannot be read"):
        read_known_faults(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("versions", "version", "holds"),
    [
        ("", "2.4.0", True),
        (">=4.1", "4.1.0", True),
        (">=4.1", "4.0.9", False),
        (">=4.1,<4.10", "4.9.3", True),
        ("<4.4", "4.4.0", False),
        ("<=4.4", "4.4.0", True),
        (">4.4", "4.4.0", False),
        ("==4.4.0", "4.4", True),
        ("!=4.4", "4.4.0", False),
        ("==4.5", "4.5.0-SNAPSHOT", True),
    ],
)
def test_version_ranges(versions: str, version: str, holds: bool) -> None:
    assert KnownFault("A-1", "r", "l", SYMPTOM, versions).holds_for(version) is holds


def test_a_known_fault_is_accepted_up_to_its_last_day() -> None:
    known_fault = KnownFault("A-1", "r", "l", SYMPTOM, ">=4", date(2027, 1, 31))
    for version, day, force, past in (
        ("4.4.0", 31, (known_fault,), ()),
        ("4.4.0", 30, (known_fault,), ()),
        ("3.3.2", 31, (), ()),
    ):
        assert in_force([known_fault], version=version, today=date(2027, 1, day)) == force
        assert ended([known_fault], version=version, today=date(2027, 1, day)) == past
    after = date(2027, 2, 1)
    assert in_force([known_fault], version="4.4.0", today=after) == ()
    assert ended([known_fault], version="4.4.0", today=after) == (known_fault,)
    assert ended([known_fault], version="3.3.2", today=after) == (), "it is not about this version"


@pytest.mark.parametrize(("version", "past"), [("4.4.0", False), ("4.5", False), ("4.5.1", True), ("5.0", True)])
def test_or_up_to_its_last_version(version: str, past: bool) -> None:
    known_fault = KnownFault("A-1", "r", "l", SYMPTOM, until="4.5")
    today = date(2027, 1, 31)
    assert (ended([known_fault], version=version, today=today) == (known_fault,)) is past
    assert (in_force([known_fault], version=version, today=today) == (known_fault,)) is not past


def test_a_proposed_entry_is_invalid_without_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "proposed.toml"
    found = [("VAC-SAFE-1", 'It deleted "a\nb".', "deleted"), ("DEL-ROW-1", "", "x"), ("VAC-SAFE-1", "", "changed")]
    text = proposed(found, version="4.4.0")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidKnownFaults, match="reason must not be empty"):
        read_known_faults(path)
    path.write_text(text.replace('reason = ""', 'reason = "r"').replace('link = ""', 'link = "l"'), encoding="utf-8")
    assert [(one.clause, one.versions, one.symptom.causes) for one in read_known_faults(path)] == [
        ("VAC-SAFE-1", "==4.4.0", ("deleted", "changed")),
        ("DEL-ROW-1", "==4.4.0", ("x",)),
    ]
    assert proposed([], version="4.4.0") == "# Nothing failed on 4.4.0.\n"
