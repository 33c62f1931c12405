"""An engine that is brought from outside is judged like the built-in ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from engines import provider
from engines.kind import Costs, EngineKind
from engines.object_store import Storage
from engines.port import EngineUnavailable
from engines.provider import ENGINES, kind_of
from engines.versions import judged_of, version_of
from model.vocabulary.rules import SPARK, Retain, Rules
from records.run import Header, ListedRuleChange
from reports.comparison.prediction import prediction_between
from reports.counterexamples.checked import read_checked
from reports.stream.reading import read_run
from tests.builders.small_streams import header
from tests.runner.in_process import Ended, run_suite

OUTSIDE = "tests.outside_engine:ENGINE"
WITH_ALL = "tests.outside_engine:WITH_ALL"


def judged(directory: Path, *options: str, engine: str = OUTSIDE) -> Ended:
    return run_suite(directory, "--profile", "smoke", "--budget", "0.1", *options, engine=engine)


def test_the_built_in_engines_are_found_by_their_names() -> None:
    assert [kind_of(name).name for name in ENGINES] == list(ENGINES)


HERE = "tests.outside_engine"


@pytest.mark.parametrize(
    ("ask", "text", "words"),
    [
        (kind_of, "snowflake", "snowflake is not known: use one of spark, deltalake, or module:name"),
        (kind_of, "no_such_module:ENGINE", "cannot be loaded (ModuleNotFoundError: No module named 'no_such_module')"),
        (kind_of, f"{HERE}:NOTHING", "cannot be loaded (AttributeError: "),
        (kind_of, f"{HERE}:UNFINISHED", "is not derived from EngineKind of engines/kind.py (docs/engines.md)."),
        (kind_of, f"{HERE}:NO_CAPABILITIES", "are {'deletes': True}, and no model.vocabulary.capabilities.Capab"),
        (kind_of, f"{HERE}:UNKNOWN_FORM", "is 'sql by telepathy', and must be a frozenset of members of Form"),
        (kind_of, f"{HERE}:NO_BOOLEAN", "vacuum is 'no', and must be True or False"),
        (version_of, f"{WITH_ALL}==0.9", "Outside 0.9 is not judged: use 1.0 or newer."),
        (version_of, WITH_ALL, f"{WITH_ALL} names no version of {WITH_ALL}: write, say, {WITH_ALL}==1.1."),
        (version_of, f"{OUTSIDE}==1.0", "what its releases need: judge it where it is installed, with --engine"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_one_sentence(ask: Callable[[str], object], text: str, words: str) -> None:
    with pytest.raises(EngineUnavailable) as refused:
        ask(text)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("UNFINISHED", "UNFINISHED cannot be judged: Unfinished is not derived from EngineKind"),
        ("NO_ADAPTER", "NO_ADAPTER cannot be judged: Unfinished has no versions, capabilities, rules, run"),
        ("UNAVAILABLE", "The server does not start: install it."),
        ("BROKEN", "BROKEN cannot be judged: it raises OSError at "),
    ],
)
def test_a_run_of_it_ends_before_it_begins(name: str, words: str, tmp_path: Path) -> None:
    done = judged(tmp_path / "report", engine=f"{HERE}:{name}")
    assert done.code == 2 and words in " ".join((done.said).split())
    assert "Traceback" not in done.said


def test_an_engine_without_a_member_is_none() -> None:
    class Unnamed(EngineKind): ...

    members = "capabilities_of.*installed_version.*name.*open_adapter.*rules_of"
    with pytest.raises(TypeError, match=members):
        Unnamed()  # type: ignore[abstract]


def test_what_an_engine_may_have_besides() -> None:
    plain, full = kind_of(OUTSIDE), kind_of(WITH_ALL)
    assert plain.costs == Costs() and full.costs.speed == 10.0
    assert plain.rule_changes == () and [change.since for change in full.rule_changes] == ["1.1"]
    assert plain.releases is None and full.releases is not None
    assert plain.limits_in(Storage.LOCAL) == () and plain.limits_in(Storage.S3) is None
    assert plain.with_options({}) is plain and not plain.options and not plain.machine and plain.is_scripted


def test_its_versions_are_named_by_it() -> None:
    assert judged_of(WITH_ALL) == (f"{WITH_ALL}==1.0", f"{WITH_ALL}==1.1")
    version = version_of(f"{WITH_ALL}==1.1")
    assert (version.engine, version.version, version.title) == (WITH_ALL, "1.1", "Outside 1.1")


def test_an_engine_may_come_with_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = EntryPoints([EntryPoint("outside", WITH_ALL, provider.GROUP)])
    monkeypatch.setattr(provider, "entry_points", brought.select)
    assert version_of("outside==1.0").engine == "outside"
    kind_of.cache_clear()


def test_what_its_rules_explain_is_known_from_the_headers_alone() -> None:
    def of(version: str, rules: Rules | None, *said: ListedRuleChange) -> Header:
        return replace(header(version, engine="outside", option=OUTSIDE), rules=rules, rule_changes=said)

    said = ListedRuleChange("1.1", "retain", "RETAIN is ignored.", "https://example.org")
    older, newer = replace(SPARK, retain=Retain.ANY, time_unit=1000), SPARK
    prediction = prediction_between(of("1.0", older), of("1.1", newer, said))
    assert prediction is not None
    assert [(one.since, one.field, one.value, one.sentence) for one in prediction.changes] == [
        ("1.1", "retain", Retain.ZERO, "RETAIN is ignored."),
        ("", "time_unit", 1, "The engine has another rule time_unit."),
    ]
    same = prediction_between(of("1.0", newer, said), of("1.1", newer, said))
    assert same is not None and same.changes == ()
    assert prediction_between(of("1.0", None), of("1.1", newer)) is None, "an older stream does not say them"


def test_it_is_judged_and_named(tmp_path: Path) -> None:
    done = judged(tmp_path, "--clause", "VAC-SAFE")
    assert done.code == 0, done.said
    assert "PASS: no new fault in outside 4.4.0" in done.said
    header = read_run(tmp_path).header
    assert (header.engine, header.option) == ("outside", OUTSIDE)


@pytest.mark.long
def test_a_fault_in_it_is_noticed_and_can_be_replayed(tmp_path: Path) -> None:
    fault = ("--known-bad", "vacuums-inside-retention")
    done = judged(tmp_path, "--clause", "VAC-SAFE-2", *fault)
    assert done.code == 1 and "FAIL: outside 4.4.0 with the fault" in done.said, done.said
    folders = (tmp_path / "counterexamples").glob("VAC-SAFE-2-*")
    folder = next(one for one in folders if f"--replay={one}/case.json" in done.said)
    command = f"--engine {OUTSIDE} --known-bad vacuums-inside-retention --replay={folder}/case.json"
    assert command in done.said and command in (folder / "explanation.md").read_text(encoding="utf-8")
    script = subprocess.run([sys.executable, str(folder / "reproduce.py")], capture_output=True, text=True, check=False)
    assert script.returncode == 2 and "explanation.md" in script.stdout, "no dialect, so it cannot tell"
    again = ("--replay", str(folder / "case.json"))
    assert judged(tmp_path / "again", *again, *fault).code == 1
    assert judged(tmp_path / "again", *again).code == 0
    assert json.loads((folder / "case.json").read_text(encoding="utf-8"))["steps"]


def test_it_may_bring_the_commands_of_its_scripts(tmp_path: Path) -> None:
    fault = ("--known-bad", "vacuums-inside-retention")
    done = judged(tmp_path, "--clause", "VAC-SAFE-2", *fault, engine="tests.outside_engine:WITH_SCRIPTS")
    assert done.code == 1, done.said
    assert {one.answer for one in read_checked(tmp_path)} == {"HOLDS"}, "without the fault"


def test_without_vacuum_delete_alone_is_judged(tmp_path: Path) -> None:
    done = judged(tmp_path, "--clause", "DEL-ROW", "--clause", "VAC-SAFE", engine=f"{HERE}:WITHOUT_VACUUM")
    assert done.code == 0, done.said
    run = read_run(tmp_path)
    reasons = {clause.id: clause.reason for clause in run.header.clauses if clause.status == "not applicable"}
    assert reasons["VAC-SAFE-2"] == "The engine has no VACUUM."
    assert "DEL-ROW-1" not in reasons


def test_without_vacuum_a_fault_of_it_is_refused(tmp_path: Path) -> None:
    fault = ("--known-bad", "vacuums-inside-retention")
    done = judged(tmp_path, *fault, engine=f"{HERE}:WITHOUT_VACUUM")
    assert done.code == 2 and "vacuums-inside-retention changes VACUUM, which" in done.said


def test_its_known_faults_are_beside_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "bought_engine"
    place.mkdir()
    (place / "__init__.py").write_text(
        "from tests.outside_engine import Outside\n\n\nclass Bought(Outside): ...\n\n\nENGINE = Bought()\n"
    )
    (place / "known_faults.toml").write_text("[[known_fault]]\nclause = 'DEL-ROW-1'\n")
    monkeypatch.syspath_prepend(tmp_path)
    done = judged(tmp_path / "report", engine="bought_engine:ENGINE")
    assert done.code == 2 and f"{place / 'known_faults.toml'}" in "".join((done.said).split())
