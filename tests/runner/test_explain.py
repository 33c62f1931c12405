"""The texts about a clause, a case, a known fault and a known-bad engine."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
from pathlib import Path

import pytest
from rich.console import Console

from faults import FAULTS
from reports.document.terminal import show
from runner.explain.__main__ import explained, main
from runner.explain.cases import REPORTS, case_of, names
from runner.explain.known import known_faults
from runner.explain.texts import about
from runner.finding.entries import ROOT
from suites.catalogue import CATALOGUE


def told(name: str, engine: str | None = None, reports: Path = REPORTS) -> list[str]:
    shown = io.StringIO()
    show(explained(name, engine, reports), Console(file=shown, width=10_000), whole=True)
    return shown.getvalue().splitlines()


def test_every_clause_is_explained() -> None:
    said = {id: told(id) for id in CATALOGUE}
    assert [id for id, lines in said.items() if not lines[0].startswith(f"{id} (")] == []
    assert [id for id, lines in said.items() if CATALOGUE[id].sentence not in lines] == []
    sources = {id: lines[lines.index("Sources:") + 1 : lines.index("A violation:")] for id, lines in said.items()}
    assert [id for id, lines in sources.items() if not any(re.match("  - .*: ", line) for line in lines)] == []


def test_every_known_fault_is_explained_and_listed_with_its_clauses() -> None:
    said = {fault.name: told(fault.name) for fault in known_faults()}
    assert [name for name, lines in said.items() if not lines[0].startswith(f"{name}, a known fault of ")] == []
    pairs = [(fault.name, id) for fault in known_faults() for id in fault.clauses]
    assert [(name, id) for name, id in pairs if f"  - {id}: {CATALOGUE[id].sentence}" not in said[name]] == []
    of_clause = {id: "\n".join(told(id)) for _, id in pairs}
    assert [(name, id) for name, id in pairs if f"\n  - {name} (" not in of_clause[id]] == []


def test_every_known_bad_engine_is_explained() -> None:
    assert [name for name, fault in FAULTS.items() if told(name)[1] != fault.sentence] == []


def test_a_clause_is_explained_with_what_is_known_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["vac-safe-2", "spark"]) == 0
    said = capsys.readouterr().out
    assert "can lose data: " in said and "   spark:    2.4.0 to " in said and "https://www.waitingforcode.com/" in said
    assert "deltalake:" not in said.partition("Known faults")[2], "only the faults of spark are asked for"
    assert "young_tombstone (deltalake): " in said and "vacuums-inside-retention" in said


def test_whom_a_known_fault_concerns_is_said() -> None:
    concerned = [one for one in known_faults("deltalake") if one.entry.keys() & {"concerns", "when"}]
    assert concerned
    for one in concerned:
        assert any(line.startswith("Concerns you only if ") for line in told(one.name))


def test_where_a_clause_does_not_hold_the_reason_is_said() -> None:
    assert any(line.startswith("   deltalake: not judged. ") for line in told("VAC-INV-1C"))


def test_the_findings_about_a_clause_are_those_that_break_it() -> None:
    assert "vacuum_follows_links" in [one.name for one in about("VAC-SAFE-7C")]
    assert not about("VAC-SAFE")


def test_a_case_is_found_by_its_id_its_name_and_its_file(tmp_path: Path) -> None:
    by_name = case_of("inline-vector")
    assert by_name is not None
    (tmp_path / "case.json").write_bytes((ROOT / "regressions" / "inline-vector.json").read_bytes())
    by_file, by_id = case_of(str(tmp_path / "case.json")), case_of("686937e527fb")
    assert by_file is not None and by_id is not None and by_file.case == by_id.case == by_name.case
    said = told("inline-vector")
    assert said[0] == "Case 686937e527fb, judged first by every run: regressions/inline-vector.json"
    of_gate, of_delta_rs = told("checkpoint-of-a-delete"), told("change-feed-read-back")
    assert "judged first by every run, but not by smoke: regressions/gate/checkpoint" in of_gate[0]
    assert "judged first by every run, but by smoke only on deltalake: regressions/deltalake/" in of_delta_rs[0]
    assert "  - Step 0: VACUUM t." in said and any("deletion vector" in line for line in said)


def test_a_case_of_a_report_is_found_in_the_newest_that_has_it(tmp_path: Path) -> None:
    case = json.loads((ROOT / "regressions" / "inline-vector.json").read_text(encoding="utf-8"))
    line = json.dumps({"type": "case", "id": "0123456789ab", "case": case}, separators=(",", ":")) + "\n"
    for age, name in enumerate(("older", "newer")):
        (tmp_path / name).mkdir()
        with gzip.open(tmp_path / name / "run.jsonl.gz", "wt") as stream:
            stream.write('{"type":"header"}\n' + line)
        os.utime(tmp_path / name / "run.jsonl.gz", (age, age))
    said = told("01234567", None, tmp_path)
    assert said[0].endswith(f", judged by the run in {tmp_path / 'newer' / 'run.jsonl.gz'}")


@pytest.mark.long
def test_cases_of_the_corpus_are_explained_within_a_screen_or_two() -> None:
    for name in names()[::150]:
        said = told(name)
        assert said[0].startswith("Case ") and len(said) < 80 and any(line.startswith("  - Step ") for line in said)
