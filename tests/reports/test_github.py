"""What GitHub is told of a run and of a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from reports.command import main
from reports.render.github import Annotation, of_run
from tests.builders.small_streams import case, kept, run, violation
from tests.reports.test_comparison import stating
from tests.reports.test_failures import failing


def test_an_annotation_is_one_line_whatever_it_says() -> None:
    one = Annotation("error", "100 %: a, b", "first\nsecond\r100 %: a, b")
    assert str(one) == "::error title=100 %25%3A a%2C b::first%0Asecond%0D100 %25: a, b"


def test_what_proves_nothing_is_a_warning() -> None:
    (one,) = of_run(stating(run(case(1, clauses=("DEL-ROW-1", "VAC-SAFE-2"))), "not tested"))
    assert (one.kind, one.title) == ("warning", "INCONCLUSIVE") and "no case decides on" in one.message


@pytest.mark.parametrize("is_github", [True, False])
def test_a_job_has_the_annotations_and_the_summary(
    is_github: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = kept(tmp_path / "base", case(1)), kept(tmp_path / "candidate", failing(1, violation("VAC-SAFE-1")))
    summary = tmp_path / "summary.md"
    summary.write_text("of an earlier step\n", encoding="utf-8")
    if is_github:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    out = tmp_path / "out"
    assert main(["compare", *map(str, sides), "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert ("::error title=DO NOT UPGRADE::Delta 4.4.0 loses data in 1 way" in said) == is_github
    told = summary.read_text(encoding="utf-8")
    whole = (out / "comparison.md").read_text(encoding="utf-8")
    assert told == "of an earlier step\n" + (whole + "\n" if is_github else "")
