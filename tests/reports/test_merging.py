"""``python -m reports merge``: the parts of a run become one run, and what is no whole run is refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.mistakes import UsageMistake
from records.run import Header, Part, RecordedCase, Verdict
from reports.counterexamples.checked import ScriptResult, read_checked, write_checked
from reports.findings.answers import answer_of
from reports.findings.of_run import findings_of
from reports.merging import merge
from reports.stream.reading import read_stream
from reports.text.circumstances import machine_of, machines_differ
from reports.text.ladder import Word
from tests.builders.small_streams import CLAUSES, case, footer, header, run, written

PLAN = "0123456789abcdef"
ENTRY = '[[known_fault]]\nclause = "{}"\nreason = "r"\nlink = "l"\nsymptom.causes = ["never seen"]\n'
LISTED = [{"reason": "r", "clauses": ["VAC-SAFE-2"]}]


def part(number: int, of: int, *cases: RecordedCase, **other: Any) -> tuple[Header, bytes]:
    """The header and the stream of a part with these cases."""
    first = header(**{"known_faults": [], **other, "shard": {"number": number, "of": of, "plan": PLAN}})
    return first, written([first, *cases, footer(first, cases, seconds=float(number), part=True)])


def written_parts(directory: Path, *parts: Sequence[RecordedCase], **other: Any) -> list[Path]:
    """The directories of the parts of a run."""
    found = []
    for number, cases in enumerate(parts, start=1):
        place = directory / f"part-{number}"
        place.mkdir(parents=True)
        (place / "run.jsonl").write_bytes(part(number, len(parts), *cases, **other)[1])
        found.append(place)
    return found


@pytest.fixture
def nothing_known(tmp_path: Path) -> Path:
    """A file without known faults."""
    path = tmp_path / "none.toml"
    path.write_text("")
    return path


def known(directory: Path, clause: str = "VAC-SAFE-2") -> Path:
    path = directory / "known.toml"
    path.write_text(ENTRY.format(clause))
    return path


# ---- what the merged run is


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.sampled_from(CLAUSES))), max_size=8), st.booleans())
def test_merged_parts_say_what_the_undivided_run_says(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, set[str]]], few: bool
) -> None:
    """The cases of each part, and what they fail."""
    directory = tmp_path_factory.mktemp("merged")
    (directory / "none.toml").write_text("")
    judged = CLAUSES[:2] if few else CLAUSES  # with a clause that no case exercises
    cases = [
        (place, case(number, clauses=judged, failing=tuple(sorted(failing & set(judged)))))
        for number, (place, failing) in enumerate(drawn)
    ]
    places = written_parts(directory, *([one for place, one in cases if place == wanted] for wanted in range(3)))
    merged = merge(places, directory / "whole", known_faults=directory / "none.toml")
    whole = run(*(one for _, one in cases), first=header(known_faults=[]))
    assert list(merged.cases) == list(whole.cases)
    assert replace(merged.footer, digest="", seconds=0) == replace(whole.footer, digest="", seconds=0)
    assert merged.footer.seconds == 3.0, "what the longest part took"
    assert findings_of(merged).coverage == findings_of(whole).coverage
    assert [one.lead.judged.id for one in findings_of(merged).failures] == [
        one.lead.judged.id for one in findings_of(whole).failures
    ]
    assert str(answer_of(merged)) == str(answer_of(whole))
    views = {"run.jsonl", "report.html", "summary.md", "junit.xml"}
    assert views <= {path.name for path in (directory / "whole").iterdir()}


def test_stale_and_unexercised_are_decided_by_the_whole_run(tmp_path: Path) -> None:
    """VAC-SAFE-2 is listed, and holds; VAC-SAFE-1 is exercised in one part, DEL-ROW-1 in none."""
    cases = [case(1, clauses=["VAC-SAFE-2"])], [case(2, clauses=["VAC-SAFE-1"])]
    places = written_parts(tmp_path, *cases, known_faults=LISTED)
    for place in places:
        found = read_stream(place)
        assert {one.verdict for one in found.footer.verdicts.values()} <= {Verdict.HOLDS, Verdict.DISABLED}
        assert answer_of(found).word is Word.PASS_SO_FAR
    merged = merge(places, tmp_path / "whole", known_faults=known(tmp_path))
    words = {id: one.verdict.value for id, one in merged.footer.verdicts.items()}
    assert words == {"DEL-ROW-1": "not tested", "VAC-SAFE-1": "holds", "VAC-SAFE-2": "listed but gone"}
    assert merged.footer.exit == 1


def test_a_part_that_judges_no_case_is_one(tmp_path: Path, nothing_known: Path) -> None:
    places = written_parts(tmp_path, [case(1)], [])
    assert read_stream(places[1]).footer.exit == 0
    assert merge(places, tmp_path / "whole", known_faults=nothing_known).footer.exit == 0
    empty = written_parts(tmp_path / "empty", [], [])
    assert merge(empty, tmp_path / "none", known_faults=nothing_known).footer.exit == 2, "no clause was judged"


def test_what_is_planned_is_added_up_and_the_first_day_counts(tmp_path: Path, nothing_known: Path) -> None:
    places = written_parts(tmp_path, [case(1)], [case(2)], date="2026-03-02")
    (places[1] / "run.jsonl").write_bytes(part(2, 2, case(2), date="2026-03-01")[1])
    merged = merge(places, tmp_path / "whole", known_faults=nothing_known).header
    assert [(one.name, one.planned) for one in merged.campaigns] == [("strays", 4)]
    assert merged.date == "2026-03-01"


def test_the_day_of_the_run_decides_which_known_fault_is_in_force(tmp_path: Path) -> None:
    """Not the day on which its parts are merged."""
    places = written_parts(tmp_path, [case(1)], date="2020-01-31", known_faults=LISTED)
    file = known(tmp_path)
    file.write_text(file.read_text() + "until = 2020-01-31\n")
    assert (
        "is listed as a known fault"
        in merge(places, tmp_path / "a", known_faults=file).footer.verdicts["VAC-SAFE-2"].reason
    )
    later = written_parts(tmp_path / "later", [case(1)], date="2020-02-01")
    assert "which is past" in merge(later, tmp_path / "b", known_faults=file).footer.verdicts["VAC-SAFE-2"].reason


def test_machines_may_differ_and_are_listed(tmp_path: Path, nothing_known: Path) -> None:
    two = {"processors": "2", "time_zone": "UTC", "locale": "C", "file_system": "tmpfs"}
    four = {**two, "processors": "4"}
    places = written_parts(tmp_path, [case(1)], [case(2)], [case(3)], machine=two)
    same = merge(places, tmp_path / "same", known_faults=nothing_known).header
    assert machine_of(same) == "in 3 parts: 2 processors, time zone UTC, locale C, tables on tmpfs"
    (places[1] / "run.jsonl").write_bytes(part(2, 3, case(2), machine=four)[1])
    merged = merge(places, tmp_path / "whole", known_faults=nothing_known).header
    rest = "time zone UTC, locale C, tables on tmpfs"
    assert machine_of(merged) == f"in 3 parts: 1, 3: 2 processors, {rest}; 2: 4 processors, {rest}"
    assert machines_differ(same, header(machine=two)) == "" == machines_differ(merged, merged)
    assert machines_differ(header(machine=two), merged) == "2 processors → 2 processors or 4 processors"
    assert machine_of(merged) in (tmp_path / "whole" / "summary.md").read_text()


# ---- counterexamples


def with_counterexample(place: Path, clause: str, id: str, **answer: str) -> None:
    """A counterexample, and what its script answered."""
    folder = f"counterexamples/{clause}-{id}"
    (place / folder).mkdir(parents=True)
    for name in ("case.json", "reproduce.py", "explanation.md"):
        (place / folder / name).write_text(f"{name} of {id}")
    write_checked([ScriptResult(folder, clause, answer.get("says", "VIOLATED"), "a line", "VIOLATED")], place)


def test_counterexamples_are_copied_with_what_their_scripts_answered(tmp_path: Path, nothing_known: Path) -> None:
    """The example of the whole run is the simplest case of all parts; those of other parts are not shown."""
    wrong = [case(1, failing=("VAC-SAFE-1",))], [case(2, failing=("VAC-SAFE-1",))]
    places = written_parts(tmp_path, *wrong)
    for number, place in enumerate(places, start=1):
        with_counterexample(place, "VAC-SAFE-1", f"{number:012x}")
    merge(places, tmp_path / "whole", known_faults=nothing_known)
    folder = tmp_path / "whole" / f"counterexamples/VAC-SAFE-1-{1:012x}"
    assert [path.parent for path in (tmp_path / "whole").rglob("reproduce.py")] == [folder]
    assert (folder / "reproduce.py").read_text() == f"reproduce.py of {1:012x}"
    assert [one.folder for one in read_checked(tmp_path / "whole")] == [f"counterexamples/VAC-SAFE-1-{1:012x}"]
    assert "says VIOLATED" in (tmp_path / "whole" / "summary.md").read_text()


def test_a_counterexample_that_no_part_has_is_written(tmp_path: Path, nothing_known: Path) -> None:
    places = written_parts(tmp_path, [case(1, failing=("VAC-SAFE-1",))], [])
    merged = merge([place / "run.jsonl" for place in places], tmp_path / "whole", known_faults=nothing_known)
    folder = tmp_path / "whole" / f"counterexamples/VAC-SAFE-1-{merged.cases[0].id}"
    assert json.loads((folder / "case.json").read_text()) == merged.cases[0].document
    assert "CANNOT TELL" in (folder / "reproduce.py").read_text()


def test_where_every_script_contradicts_nothing_is_proven(tmp_path: Path, nothing_known: Path) -> None:
    places = written_parts(tmp_path, [case(1, failing=("VAC-SAFE-1",))], [])
    with_counterexample(places[0], "VAC-SAFE-1", f"{1:012x}", says="HOLDS")
    merged = merge(places, tmp_path / "whole", known_faults=nothing_known)
    assert merged.footer.exit == 2 and "the scripts contradict every failure" in str(answer_of(merged))


# ---- what is refused


Edit = dict[str, Any]


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"engine": "deltalake"}, "engine spark and deltalake"),
        ({"option": "their:ENGINE"}, "engine spark and their:ENGINE"),
        ({"versions": {"delta": "4.3.0", "hypothesis": "6.170.15"}}, "delta 4.4.0 and 4.3.0"),
        ({"versions": {"delta": "4.4.0", "hypothesis": "6.1.0"}}, "hypothesis 6.170.15 and 6.1.0"),
        ({"versions": {"delta": "4.4.0", "hypothesis": "6.170.15", "java": "17"}}, "java none and 17"),
        ({"known_bad": "removes-twice"}, "known-bad engine none and removes-twice"),
        ({"profile": "smoke"}, "profile gate and smoke"),
        ({"seed": 5}, "seed 4 and 5"),
        ({"budget_share": 0.5}, "budget none and 0.5"),
        ({"clauses": ["VAC-SAFE-1"]}, "other clauses"),
        ({"known_faults": LISTED}, "other known faults"),
        ({"left_out": 3}, "other cases"),
        ({"plan": "f" * 16}, "other cases"),
    ],
)
def test_parts_of_other_runs_are_refused(other: Edit, difference: str, tmp_path: Path, nothing_known: Path) -> None:
    places = written_parts(tmp_path, [], [])
    first, _ = part(2, 2, **{name: value for name, value in other.items() if name != "plan"})
    first = replace(first, shard=Part(2, 2, other.get("plan", PLAN)))
    (places[1] / "run.jsonl").write_bytes(written([first, footer(first, (), part=True)]))
    with pytest.raises(UsageMistake) as refused:
        merge(places, tmp_path / "whole", known_faults=nothing_known)
    assert not (tmp_path / "whole").exists()
    assert str(refused.value) == (
        f"{places[0]} (part 1 of 2) and {places[1]} (part 2 of 2) are not of one run ({difference}): judge all parts with the "
        "same versions, options and release of the suite."
    )
