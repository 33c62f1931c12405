"""The demo's pages come from kept streams, without an engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from records.mistakes import UsageMistake
from runner import demo


@pytest.mark.long
def test_the_pages_are_made_again_and_nothing_else_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(UsageMistake, match="exists and is not a demo: name a new directory"):
        demo.main(["--out", str(tmp_path)])
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / ".tombstone-demo").touch()
    (tmp_path / "demo" / "earlier").touch()
    assert demo.main(["--out", str(tmp_path / "demo")]) == 0
    assert not (tmp_path / "demo" / "earlier").exists()
    said = capsys.readouterr().out
    assert "DO NOT UPGRADE: deltalake 1.5.0 loses data in 3 ways that 1.5.1 does not" in " ".join(said.split())
    assert said.splitlines()[-1].startswith("The demo shows what it should: ")
    index = (tmp_path / "demo" / "index.html").read_text(encoding="utf-8")
    for page in (
        "healthy/report.html",
        "broken/report.html",
        "upgrade/base/report.html",
        "upgrade/candidate/report.html",
    ):
        assert (tmp_path / "demo" / page).is_file() and f'href="{page}"' in index
    assert (tmp_path / "demo" / "upgrade" / "compare.html").is_file() and (
        tmp_path / "demo" / ".tombstone-demo"
    ).is_file()
    assert "def main" in (tmp_path / "demo" / "broken" / "report.html").read_text(encoding="utf-8"), "with the script"
