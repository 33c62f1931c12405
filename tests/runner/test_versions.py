"""The commands about versions, with a fake gate instead of tox: its arguments, and what is made of its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engines.deltalake.versions import JUDGED as JUDGED_DELTALAKE
from engines.kind import Version
from engines.port import EngineUnavailable
from engines.provider import ENGINES
from engines.versions import version_of
from reports.render.together import write_files
from reports.together.answer import TurnReport, TurnWay
from runner import all_versions, gate_version, together, upgrade
from runner.command_line.given_options import given
from runner.together import Asked, short
from tests.builders.small_streams import CLAUSES, case, header, run, written
from tests.builders.turn_ways import WAY


class Gate:
    """Writes a report of one case, and returns the exit code of the version; with code 2 there is no report.

    With the code ``UNEXERCISED`` there is one, in which no case exercised a clause, and the exit code is 2.
    """

    UNEXERCISED = -2

    def __init__(self, **ends: int) -> None:
        self.ends = {version.strip("v").replace("_", "."): code for version, code in ends.items()}
        self.asked: list[tuple[Version, list[str]]] = []
        self.turns: list[str] = []  # the versions that ran in turn
        self.ways: tuple[TurnWay, ...] | str = ()  # what they show then; a text: why they cannot run

    def in_turn(self, a: Version, b: Version, *, out: Path, asked: Asked) -> TurnReport:
        self.turns += [a.title, b.title]
        if isinstance(self.ways, str):
            raise EngineUnavailable(self.ways)
        report = TurnReport((short(a), short(b)), 1, 2, 3.0, self.ways)
        write_files(report, out)
        return report

    def __call__(self, version: Version, arguments: Sequence[str], *, report: Path | None = None) -> int:
        self.asked.append((version, list(arguments)))
        code = self.ends.get(version.version, 0)
        if report is not None and code != 2:
            unexercised = code == self.UNEXERCISED
            report.mkdir(parents=True, exist_ok=True)
            failing = ("VAC-SAFE-1",) if code == 1 else ()
            if version.engine == "spark":
                head = header(versions={"delta": version.version, "pyspark": version.parts["pyspark"]})
            else:
                others = {"pyarrow": "26.0.1", "library": "3.2"}
                head = header(engine=next(iter(version.parts)), versions={**version.parts, **others})
            clauses = CLAUSES[:1] if unexercised else CLAUSES
            judged = run(case(1, failing=failing, clauses=clauses), first=head)
            (report / "run.jsonl").write_bytes(written([judged.header, *judged.cases, judged.footer]))
        return abs(code)


def use(gate: Gate, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    for module in (upgrade, all_versions):
        monkeypatch.setattr(module, "run_gate", gate)
        monkeypatch.setattr(module, "ROOT", root)
    for module in (upgrade, gate_version, all_versions):
        monkeypatch.setattr(module, "check_gate", lambda _: None)  # pytest in another process: it takes seconds
    monkeypatch.setattr(gate_version, "run_gate", gate)
    monkeypatch.setattr(together, "judged_in_turn", gate.in_turn)


# One version ----------------------------------------------------------------------------------------------------------


def test_the_gate_of_one_version_gets_its_options(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gate = Gate(v3_3_2=1, v1_6_3=1)
    use(gate, monkeypatch, tmp_path)
    for version in ("3.3.2", "deltalake==1.6.3"):
        assert gate_version.main([version, "--profile", "smoke"]) == 1
        assert gate.asked[-1] == (version_of(version), ["--profile", "smoke"])


def test_what_tox_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], dict[str, str]]] = []

    def tox(command: list[str], *, environ: Mapping[str, str], **_: object) -> int:
        if "--notest" in command:  # it makes the environment
            return 0
        asked.append((command[3:], {key: value for key, value in environ.items() if key.startswith("TOMBSTONE_")}))
        return 0

    monkeypatch.setattr(gate_version, "check_gate", lambda _: None)
    monkeypatch.setattr(gate_version, "exit_code_of", tox)
    assert gate_version.main(["deltalake==1.0.0", "-x"]) == 0
    assert gate_version.main(["3.3.2"]) == 0
    assert asked == [
        (
            ["run", "-qq", "-e", "versioned", "--skip-env-install", "--", "-x"],
            {
                "TOMBSTONE_ENVIRONMENT": "deltalake-1.0.0",
                "TOMBSTONE_REQUIREMENTS": "deltalake==1.0.0",
                "TOMBSTONE_ENGINE": "deltalake",
            },
        ),
        (
            ["run", "-qq", "-e", "versioned", "--skip-env-install", "--"],
            {
                "TOMBSTONE_ENVIRONMENT": "delta-3.3.2-pyspark-3.5.7",
                "TOMBSTONE_REQUIREMENTS": "delta-spark==3.3.2\npyspark==3.5.7\njdk4py==17.0.9.2",
                "TOMBSTONE_ENGINE": "spark",
            },
        ),
    ]


def test_tox_reads_what_it_is_given() -> None:
    settings = (gate_version.ROOT / "tox.ini").read_text(encoding="utf-8")
    section = settings.partition("[testenv:versioned]")[2].partition("[")[0]
    assert all(f"{{env:{name}:" in section for name in gate_version.variables(version_of("4.4.0")))


@pytest.mark.parametrize(
    ("options", "name", "more"),
    [
        ([], "deltalake-1.6.3", []),
        (["--table-root", "/shared/new"], "deltalake-1.6.3", []),
        (["--table-root=s3a://lake/new"], "deltalake-1.6.3-bucket", ["boto3"]),
        (["--spark-remote", "sc://here:1"], "deltalake-1.6.3-connect", ["pandas<3", "pyspark[connect]"]),
        (
            ["--spark-remote", "local", "--table-root", "s3://lake/new"],
            "deltalake-1.6.3-bucket-connect",
            ["boto3", "pandas<3", "pyspark[connect]"],
        ),
    ],
)
def test_what_a_run_uses_has_an_environment_with_its_packages(options: list[str], name: str, more: list[str]) -> None:
    version = version_of("deltalake==1.6.3")
    found = gate_version.variables(replace(version, uses=gate_version.used_by(given(options))))
    assert found["TOMBSTONE_ENVIRONMENT"] == name
    assert found["TOMBSTONE_REQUIREMENTS"].split("\n") == [*version.requirements, *more]


#: What an upgrade asks of each gate.
QUIET = ["--brief", "--no-header", "-qq"]


# Two versions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "candidate", "code"), [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0)])
def test_both_versions_get_cases_that_both_support(
    base: int, candidate: int, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = Gate(v3_3_2=base, v4_4_0=candidate)
    use(gate, monkeypatch, tmp_path)
    assert upgrade.main(["3.3.2", "4.4.0", "--out", "there", "--profile", "smoke"]) == code
    assert gate.asked == [
        (version_of("3.3.2"), [*QUIET, "--shared-with", "spark==4.4.0", "--profile", "smoke"]),
        (version_of("4.4.0"), [*QUIET, "--shared-with", "spark==3.3.2", "--profile", "smoke"]),
    ]
    assert (tmp_path / "there" / "comparison.md").is_file()


@pytest.mark.parametrize(
    ("ways", "code", "first"),
    [
        ((), 0, "UPGRADE: nothing is worse on Delta 4.4.0 than on 3.3.2"),
        ((WAY,), 1, "DO NOT UPGRADE: Delta 4.4.0 loses data in 1 way on tables of 3.3.2"),
        (
            (replace(WAY, side="Delta 3.3.2", other="Delta 4.4.0"),),
            3,
            "LOOK FIRST: there is no way back; nothing is worse on Delta 4.4.0 than on 3.3.2",
        ),
        (
            "tox cannot make it.",
            3,
            "LOOK FIRST: nothing is worse on Delta 4.4.0 than on 3.3.2; no case was judged in turn: tox cannot make it",
        ),
    ],
)
def test_both_run_in_turn_on_the_same_tables(
    ways: tuple[TurnWay, ...] | str,
    code: int,
    first: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gate = Gate()
    gate.ways = ways
    use(gate, monkeypatch, tmp_path)
    assert upgrade.main(["3.3.2", "4.4.0", "--out", "there", "--profile", "smoke"]) == code
    assert gate.turns == ["Delta 3.3.2 on PySpark 3.5.7", "Delta 4.4.0 on PySpark 4.2.0"]
    assert first in " ".join(capsys.readouterr().out.split())


def test_without_the_option_or_with_others_they_do_not_run_in_turn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    assert upgrade.main(["3.3.2", "4.4.0", "--out", "there", "--no-together"]) == 0
    assert upgrade.main(["3.3.2", "4.4.0", "--out", "there", "--clause", "VAC"]) == 0
    assert "Not run in turn on the same tables, because of --clause." in capsys.readouterr().out
    assert upgrade.main(["4.4.0@4.1.1", "4.4.0", "--out", "there"]) == 0
    assert not gate.turns


def test_a_build_of_ones_own_against_its_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    own = ["--candidate-jars", "a.jar", "--candidate-classpath", "classes", "--candidate-jars", "b.jar"]
    assert upgrade.main(["4.4.0", "4.4.0", "--out", "there", "--profile", "smoke", *own]) == 0
    both = [*QUIET, "--shared-with", "spark==4.4.0", "--profile", "smoke"]
    assert [options for _, options in gate.asked] == [
        both,
        [*both, "--jars", "a.jar", "--extra-classpath", "classes", "--jars", "b.jar"],
    ]
    assert not gate.turns


@pytest.mark.process
def test_a_jar_that_is_missing_is_said_of_the_option_that_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert upgrade.main(["4.4.0", "4.4.0", "--candidate-jars", "none.jar"]) == 2
    assert capsys.readouterr().err == "--candidate-jars none.jar does not exist: name an existing jar or directory.\n"


def test_an_incomplete_gate_is_not_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v4_4_0=2), monkeypatch, tmp_path)
    assert upgrade.main(["3.3.2", "4.4.0"]) == 2
    assert capsys.readouterr().err == "The gate on Delta 4.4.0 on PySpark 4.2.0 did not finish: nothing is compared.\n"


def test_a_gate_that_left_a_clause_unexercised_is_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its exit code is 2 too, but it judged all its cases: the exit code is the comparison's."""
    gate = Gate(v3_3_2=Gate.UNEXERCISED, v4_4_0=Gate.UNEXERCISED)
    use(gate, monkeypatch, tmp_path)
    monkeypatch.setattr(upgrade, "reports", lambda arguments: 7 if arguments[0] == "compare" else 0)
    assert upgrade.main(["3.3.2", "4.4.0"]) == 7
    assert len(gate.asked) == 2 and not capsys.readouterr().err


def test_a_gate_that_ended_with_1_without_a_report_is_not_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """tox ends with 1 too, where it cannot make the environment."""
    use(Gate(), monkeypatch, tmp_path)
    monkeypatch.setattr(upgrade, "run_gate", lambda *_, **__: 1)
    assert upgrade.main(["3.3.2", "4.4.0"]) == 2
    assert capsys.readouterr().err == "The gate on Delta 3.3.2 on PySpark 3.5.7 did not finish: nothing is compared.\n"


# All versions ---------------------------------------------------------------------------------------------------------


def test_the_table_has_a_row_for_each_judged_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v4_1_0=1, v4_4_0=2), monkeypatch, tmp_path)
    assert all_versions.main(["3.3.2"]) == 0
    assert all_versions.main(["4.1.0", "4.4.0"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        "| 3.3.2 | 3.5.7 | ✅ PASS | 1 | 1 | 3 | 0 | 0 | – |",
        "| 4.1.0 | 4.1.0 | ❌ FAIL | 1 | 1 | 2 | 0 | 0 | VAC-SAFE-1 |",
        "| 4.4.0 | 4.2.0 | ⚠️ INCONCLUSIVE | 0 | 0 | 0 | 0 | 0 | – |",
    ]


def test_where_no_gate_ends_there_is_no_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where tox can make no environment. A page keeps the table that it has."""
    use(Gate(v4_4_0=2), monkeypatch, tmp_path)
    readme, (begin, end) = tmp_path / "README.md", all_versions.marks("spark")
    readme.write_text(f"{begin}\nold\n{end}\n", encoding="utf-8")
    assert all_versions.main(["4.4.0", "--write"]) == 2
    said = capsys.readouterr()
    assert said.err == "No gate finished (see above), so there is no table.\n" and "|" not in said.out
    assert "old" in readme.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (["--budget", "0.5", "4.4.0"], ["--budget", "0.5"]),
        (["4.4.0", "-n", "2", "--brief"], ["-n", "2", "--brief"]),
        (["--clause=VAC", "4.4.0", "--draw", "3"], ["--clause", "VAC", "--draw", "3"]),
    ],
)
def test_the_value_of_an_option_is_no_version(
    arguments: list[str], passed: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gate = Gate()
    use(gate, monkeypatch, tmp_path)
    assert all_versions.main(arguments) == 0
    assert gate.asked == [(version_of("4.4.0"), ["--profile", "smoke", *passed])]


@pytest.mark.process
def test_an_option_that_nothing_knows_is_refused_before_the_versions(capsys: pytest.CaptureFixture[str]) -> None:
    assert all_versions.main(["--profle", "smoke", "4.4.0"]) == 2
    assert capsys.readouterr().err == "--profle is not known: did you mean --profile?\n"


def test_the_table_replaces_the_previous_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(Gate(), monkeypatch, tmp_path)
    readme, (begin, end) = tmp_path / "README.md", all_versions.marks("spark")
    readme.write_text(f"before\n{begin}\nthe table of before\n{end}\nafter\n", encoding="utf-8")
    assert all_versions.main(["4.4.0", "--write"]) == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "of before" not in text
    assert "| 4.4.0 | 4.2.0 | ✅ PASS |" in text


def test_the_table_of_deltalake(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    use(Gate(v1_0_2=1, v1_5_0=2), monkeypatch, tmp_path)
    page, (begin, end) = tmp_path / "docs" / "versions.md", all_versions.marks("deltalake")
    page.parent.mkdir()
    page.write_text(f"{begin}\n{end}\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("nothing\n", encoding="utf-8")
    assert all_versions.main(["deltalake", "--write"]) == 2
    lines = capsys.readouterr().out.splitlines()[-len(JUDGED_DELTALAKE) - 2 :]
    assert lines[0].startswith("| deltalake | pyarrow | Answer |")
    assert lines[2] == "| 1.0.2 | 26.0.1 | ❌ FAIL | 1 | 1 | 2 | 0 | 0 | VAC-SAFE-1 |"
    assert "| 1.5.0 | – | ⚠️ INCONCLUSIVE | 0 | 0 | 0 | 0 | 0 | – |" in lines
    assert "\n".join(lines) in page.read_text(encoding="utf-8")


OUTSIDE = "tests.outside_engine:WITH_ALL"


def test_an_engine_from_outside_that_has_releases(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = Gate(v1_1=1)
    use(gate, monkeypatch, tmp_path)
    one, other = (version_of(f"{OUTSIDE}=={number}") for number in ("1.0", "1.1"))
    assert gate_version.main([f"{OUTSIDE}==1.1"]) == 1
    assert upgrade.main([f"{OUTSIDE}==1.0", f"{OUTSIDE}==1.1"]) == 1
    assert gate.asked == [
        (other, []),
        (one, [*QUIET, "--shared-with", f"{OUTSIDE}==1.1"]),
        (other, [*QUIET, "--shared-with", f"{OUTSIDE}==1.0"]),
    ]


def test_the_documents_have_a_place_for_their_tables() -> None:
    pages = {engine: all_versions.page_of(engine).relative_to(gate_version.ROOT) for engine in ENGINES}
    assert pages == {"spark": Path("docs/versions.md"), "deltalake": Path("docs/versions.md")}
