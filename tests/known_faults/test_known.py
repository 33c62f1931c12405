"""The file of known faults, checked against the catalogue."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.provider import ENGINES
from engines.versions import releases_of
from known_faults.entries import PLACES
from known_faults.known import by_reason, known, known_faults_in, places_of
from records.known_fault import KnownFault, Symptom
from records.mistakes import UsageMistake
from records.run import ListedFault
from runner.plugin import ROOT

ENTRY = '[[known_fault]]\nclause = "{}"\nreason = "r"\nlink = "l"\nversions = "<2"\nsymptom.causes = ["c"]\n{}\n'
OTHERS = 'symptom.errors = ["MatchError"]\nsymptom.of = "encoded path"'


@pytest.mark.parametrize("engine", ENGINES)
def test_the_projects_own_files_can_be_used(engine: str) -> None:
    assert known_faults_in(ROOT / "known_faults" / f"{engine}.toml")


#: Versions, condition and link of entries that are of two faults.
TWO_FAULTS = {
    (">=1.4,<1.5", "whole files", "https://github.com/delta-io/delta-rs/pull/4150"),
    ("<1.4", "change feed", "https://github.com/delta-io/delta-rs/blob/main/crates/core/src/operations/delete.rs"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_fault_of_some_releases_has_one_reason(engine: str) -> None:
    """A comparison counts reasons: with two of them a fault that comes or goes would be two ways."""
    reasons: dict[tuple[str | None, ...], set[str | None]] = {}
    for one in known_faults_in(ROOT / "known_faults" / f"{engine}.toml"):
        if one.versions:
            reasons.setdefault((one.versions, one.when, one.link), set()).add(one.reason)
    assert not [found for fault, found in reasons.items() if len(found) > 1 and fault not in TWO_FAULTS]


def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert known_faults_in(tmp_path / "none.toml") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY.format("VAC-SAFE-99", ""), "lists VAC-SAFE-99, which is not a clause: `--clause list` names them all"),
        (
            ENTRY.format("VAC-SAFE-1", 'when = "rain"'),
            "when = 'rain', which is not a condition: write one of ARRAY column",
        ),
        (
            ENTRY.format("VAC-SAFE-1", 'symptom.of = "rain"'),
            "symptom.of = 'rain', which is not a kind of subject: write one of changes of rows that stay",
        ),
        ("[[known_fault]]", "reason is missing"),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageMistake, match=message):
        known_faults_in(file)


def test_the_judge_gets_the_known_faults_of_the_version(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text(ENTRY.format("VAC-SAFE-1", 'when = "deletion vectors"') + ENTRY.format("DEL-ROW-1", OTHERS))
    found = known_faults_in(file)
    assert known(found, "1.9") == [
        KnownFault("VAC-SAFE-1", "r", "l", Symptom(("c",)), "<2", when="deletion vectors"),
        KnownFault("DEL-ROW-1", "r", "l", Symptom(("c",), ("MatchError",), "encoded path"), "<2"),
    ]
    assert known(found, "2.0") == []


def test_the_header_lists_the_clauses_of_each_reason_once() -> None:
    listed = [KnownFault(clause, reason) for clause, reason in (("A", "r"), ("B", "s"), ("A", "r"), ("B", "r"))]
    assert by_reason(listed) == (ListedFault("r", ("A", "B")), ListedFault("s", ("B",)))


def test_the_header_says_whom_a_fault_concerns_and_where_it_is_described() -> None:
    listed = [
        KnownFault("A", "r", "https://example.org/1", when="column mapping"),
        KnownFault("B", "r", "https://example.org/2", when="deletion vectors"),
        KnownFault("C", "r", when="column mapping"),
        KnownFault("D", "s", when="column mapping", concerns="it rains"),
    ]
    both = "a table has column mapping, or a table has deletion vectors"
    assert by_reason(listed) == (
        ListedFault("r", ("A", "B", "C"), "https://example.org/1", both),
        ListedFault("s", ("D",), "", "it rains"),
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_of_each_fault_of_the_newest_release_it_is_said_whom_it_concerns(engine: str) -> None:
    found = known_faults_in(ROOT / "known_faults" / f"{engine}.toml", places=PLACES)
    newest = list(releases_of(engine).judged)[-1]
    assert [one.reason for one in by_reason(known(found, newest)) if not one.concerns] == []


def test_an_entry_may_be_for_one_storage(tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    wanted = ("", 'on = "s3"', 'on = "local files"')
    texts = (ENTRY.format(f"DEL-ROW-{number}", more) for number, more in enumerate(wanted, start=1))
    file.write_text("".join(texts), encoding="utf-8")
    for storage, others in (("local", "DEL-ROW-3"), ("s3", "DEL-ROW-2")):
        found = known_faults_in(file, places=places_of({"storage": storage}))
        assert [one.clause for one in found] == ["DEL-ROW-1", others]
    assert known_faults_in(file) == known_faults_in(file, places=places_of({}))
