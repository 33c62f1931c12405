"""What notices a known-bad engine, and how that is told."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from selfcheck.faults import FAULTS, Fault, KnownBadEngine
from model.capabilities import EVERYTHING, Capabilities
from model.rules import DELTA_RS
from model.steps import Delete, Mode
from selfcheck.bench import Bench, Worker, bench
from selfcheck.deck import deck, rest
from selfcheck.detection import Examiner, chapters, inapplicable, size_of
from selfcheck.reference_engine import ReferenceEngine
from selfcheck.power import exit_code, main, read_lines, unproven
from selfcheck.power_document import document
from runner.options import UsageMistake
from suites.campaigns import CAMPAIGNS, REGRESSIONS, Shard, shards
from harness.clause import CATALOGUE
from suites.profiles import PROFILES

SMOKE = PROFILES["smoke"]

LOSES_A_ROW = FAULTS["read-loses-a-row"]


@pytest.fixture
def worker(tmp_path: Path) -> Worker:
    return Worker(Bench("model", tmp_path))


def harmless(caught_by: str = "DEL-ROW-1") -> Fault:
    return Fault("harmless", "Nothing is wrong.", Delete, (caught_by,), lambda tampering: None)


# Cases ------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cases by their places: a shard has two."""

    def places(shard: Shard, seed: int, capabilities: Capabilities) -> list[str]:
        return [f"{shard.name}:{place}" for place in range(2)]

    monkeypatch.setattr("selfcheck.deck.cases_of", places)


@pytest.mark.usefixtures("named")
def test_each_campaign_of_the_chapter_gives_a_case_in_turn() -> None:
    names = sorted(campaign.name for campaign in (*CAMPAIGNS, REGRESSIONS) if "DEL" in campaign.chapters)
    first = list(islice(deck(PROFILES["gate"], {"DEL"}, EVERYTHING), 2 * len(names)))
    assert first == [f"{name}-0:{place}" for place in range(2) for name in names]


@pytest.mark.usefixtures("named")
def test_the_deck_and_the_rest_are_all_cases_of_the_profile() -> None:
    found = [*deck(SMOKE, {"DEL"}, EVERYTHING), *rest(SMOKE, {"DEL"}, EVERYTHING)]
    assert sorted(map(str, found)) == sorted(
        f"{shard.name}:{place}" for shard in shards(SMOKE, ()) for place in range(2)
    )


# Faults -----------------------------------------------------------------------------------------------------------------


def test_the_chapters_of_a_fault_are_those_of_its_clauses() -> None:
    assert chapters(harmless("VAC-SAFE-1")) == {"VAC"}


def test_a_fault_applies_where_one_of_its_clauses_is_promised() -> None:
    fault = Fault("two", "", Delete, ("DEL-ROW-1", "DEL-ROW-2"), lambda tampering: None)
    assert inapplicable(fault, ReferenceEngine(), {"DEL-ROW-1": "It is not."}, {}) == ""
    assert inapplicable(fault, ReferenceEngine(), {}, {"DEL-ROW-2"}) == ""


def test_a_fault_does_not_apply_where_the_engine_promises_none_of_its_clauses() -> None:
    why = inapplicable(harmless(), ReferenceEngine(), {"DEL-ROW-1": "It has no rows."}, {})
    assert why == "the engine does not promise DEL-ROW-1 (DEL-ROW-1: It has no rows.)"


def test_a_fault_does_not_apply_where_the_engine_has_it_already() -> None:
    why = inapplicable(harmless(), ReferenceEngine(), {}, {"DEL-ROW-1"})
    assert why == "the engine itself breaks DEL-ROW-1, as deviations/ says"


def test_a_fault_does_not_apply_where_the_engine_lacks_what_it_tampers_with() -> None:
    fault = Fault("lite", "", Delete, ("DEL-ROW-1",), lambda tampering: None, (Mode.LITE,))
    assert inapplicable(fault, ReferenceEngine(), {}, {}) == ""
    without = ReferenceEngine(capabilities=Capabilities(modes=frozenset({Mode.FULL})))
    assert inapplicable(fault, without, {}, {}) == f"the engine lacks what it tampers with ({Mode.LITE.value})"


def test_a_fault_does_not_apply_where_the_engine_may_do_so() -> None:
    fault = Fault("window", "", Delete, ("DEL-ROW-1",), lambda tampering: None, rules={"lite_window": True})
    assert inapplicable(fault, ReferenceEngine(), {}, {}) == ""
    assert (
        inapplicable(fault, ReferenceEngine(rules=DELTA_RS), {}, {}) == "by the engine's own rules it is none (lite_window)"
    )


def test_a_fault_is_shown_by_the_first_case_in_which_a_clause_notices_it(worker: Worker) -> None:
    cases = list(islice(deck(SMOKE, {"DEL"}, EVERYTHING), 40))
    found = Examiner(worker, LOSES_A_ROW).search(cases, tries=30, alone=False)
    assert found.shown is not None and found.failures == []
    assert found.judged == found.shown.cases <= len(cases)
    assert set(found.shown.clauses) & set(LOSES_A_ROW.caught_by)
    assert found.ever == set(found.shown.clauses)
    assert found.shown.seconds > 0
    assert size_of(found.shown.smallest) < size_of(cases[found.judged - 1])


def test_what_one_clause_alone_notices_meets_all_cases(worker: Worker) -> None:
    cases = list(islice(deck(SMOKE, {"DEL"}, EVERYTHING), 40))
    found = Examiner(worker, FAULTS["accepts-mistakes"]).search(cases, tries=1, alone=True)
    assert found.shown is not None and found.shown.cases < len(cases)
    assert found.judged == len(cases)
    assert found.ever == {"DEL-REF-2A"}


def test_the_search_ends_where_a_second_clause_notices(worker: Worker) -> None:
    cases = list(islice(deck(SMOKE, {"DEL"}, EVERYTHING), 40))
    found = Examiner(worker, LOSES_A_ROW).search(cases, tries=1, alone=True)
    assert found.shown is not None and found.judged < len(cases)
    assert len(found.ever) > 1 and found.ever >= set(found.shown.clauses)


def test_what_does_nothing_is_missed(worker: Worker) -> None:
    found = Examiner(worker, harmless()).search(islice(deck(SMOKE, {"DEL"}, EVERYTHING), 10), tries=1, alone=False)
    assert (found.judged, found.shown, found.ever) == (10, None, set())


def test_what_the_healthy_engine_breaks_too_is_not_the_faults_doing(worker: Worker) -> None:
    worker.engine = KnownBadEngine(ReferenceEngine(), LOSES_A_ROW)
    cases = islice(deck(SMOKE, {"DEL"}, EVERYTHING), 20)
    assert Examiner(worker, harmless()).search(cases, tries=1, alone=False).shown is None


def test_a_clause_is_proven_by_the_first_case_in_which_it_notices_the_fault(worker: Worker) -> None:
    cases = list(islice(deck(SMOKE, {"DEL"}, EVERYTHING), 40))
    clause = LOSES_A_ROW.caught_by[0]
    number = Examiner(worker, LOSES_A_ROW).proves(clause, cases)
    assert number is not None
    assert Examiner(worker, LOSES_A_ROW).proves(clause, cases[: number - 1]) is None


# Lines ------------------------------------------------------------------------------------------------------------------

HEADER: dict[str, Any] = {
    "type": "header",
    "engine": "model",
    "versions": {"delta": "4.4.0"},
    "profile": "gate",
    "seed": 4,
    "alone": True,
    "unpromised": {"DEL-X-3": "It holds from 9 only."},
    "broken": ["DEL-X-4"],
    "clauses": {f"DEL-X-{number}": "" for number in range(1, 6)},
}


def line(name: str, *ever: str, **more: object) -> dict[str, Any]:
    caught = {"clauses": list(ever), "cases": 7, "seconds": 0.5, "steps": 2, "bytes": 400}
    return {
        "type": "fault",
        "name": name,
        "sentence": "Some | thing.",
        "chapter": "DELETE",
        "caught_by": ["DEL-X-1"],
        "judged": 9,
        "failures": [],
        "ever": list(ever),
        "status": "caught" if ever else "missed",
        **(caught if ever else {}),
        **more,
    }


ALL = [HEADER, line("a", "DEL-X-1"), line("b", "DEL-X-1", "DEL-X-2"), line("c", "DEL-X-5")]


def test_a_clause_that_notices_nothing_is_unproven() -> None:
    assert unproven(ALL) == []
    assert unproven(ALL[:2]) == ["DEL-X-2", "DEL-X-5"]
    assert unproven([*ALL[:3], {"type": "proof", "clause": "DEL-X-5", "fault": "b", "cases": 3}]) == []


def test_the_exit_code() -> None:
    assert exit_code(ALL, chosen=False) == 0
    assert exit_code(ALL[:2], chosen=False) == 1
    assert exit_code(ALL[:2], chosen=True) == 0
    assert exit_code([*ALL, line("d")], chosen=True) == 1
    assert exit_code([*ALL, line("d", "DEL-X-1", failures=["case x: it broke"])], chosen=False) == 2


def test_the_document() -> None:
    spark = {**HEADER, "engine": "spark", "alone": False}
    none = {"type": "fault", "name": "b", "sentence": "", "chapter": "DELETE", "caught_by": ["DEL-X-2"]}
    other = [spark, line("a", "DEL-X-1"), {**none, "status": "not applicable", "reason": "it is so"}, line("c")]
    text = document([ALL, other])
    assert "| model 4.4.0 | gate | 3 | 3 | 3 | 7 | 7 | 0.50 | 0 |" in text
    assert "| spark 4.4.0 | gate | 3 | 2 | 1 | 7 | 7 | 0.50 | 2 |" in text
    assert "**Not caught** on spark: c." in text
    assert "**Unproven** on spark: DEL-X-2, DEL-X-5." in text
    assert "| `a` | Some \\| thing. | DEL-X-1 | 7 | 0.50 | 2, 400 | 7 | 0.50 | 2, 400 |" in text
    assert "| DEL-X-1 | 2 | 1 | `a` |" in text
    assert "| DEL-X-3 | not promised | not promised |  |" in text
    assert "| DEL-X-4 | broken by the engine | broken by the engine |  |" in text
    assert "| `b` | it is so |" in text


# The command ------------------------------------------------------------------------------------------------------------


def test_the_command_examines_a_chosen_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--profile", "smoke", "--fault", LOSES_A_ROW.name, "--lines", str(tmp_path), "-n", "1"]) == 0
    assert f"{LOSES_A_ROW.name}: caught by" in capsys.readouterr().out
    head, found = read_lines(tmp_path / "model-chosen.jsonl")
    assert list(head["clauses"]) == list(CATALOGUE)
    assert found["status"] == "caught"


def test_the_document_is_made_again_from_the_lines(tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text("".join(json.dumps(one) + "\n" for one in ALL), encoding="utf-8")
    assert main(["--render", "--lines", str(tmp_path), "--out", str(tmp_path / "power.md")]) == 0
    assert (tmp_path / "power.md").read_text(encoding="utf-8") == document([ALL])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--profile", "nightly"], "--profile nightly draws no fixed cases"),
        (["--fault", "none"], "--fault none is not known"),
        (["--nothing"], "unrecognized arguments: --nothing"),
        (["-n", "0"], "0 is not 1 or more"),
        (["--render", "--lines", "/nowhere"], "--lines /nowhere holds no run"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], said: str) -> None:
    with pytest.raises(UsageMistake) as refusal:
        main(arguments)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value) and str(refusal.value).endswith(".")


def test_an_engine_must_be_known() -> None:
    with (
        pytest.raises(UsageMistake, match=r"--engine flink is not known: use one of model, spark, deltalake\."),
        bench("flink"),
    ):
        pass
