"""The recipe for a scheduled job: one issue has the answer for the newest release."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "newer_release" / "judge.sh"

#: They write down what they are called with. ``python`` says and leaves what a test wants of an upgrade.
_PYTHON = """#!/bin/sh
if [ "$1" = -c ]; then cat >/dev/null; echo "$OPEN"; exit 0; fi
echo "python $*" >>"$LOG"
echo "$SAYS"
echo "# the answer" >build/newest/comparison.md
exit "$ENDS"
"""
_FORGE = """#!/bin/sh
case "$2" in list) echo "$OPEN" ;; *) echo "forge $*" >>"$LOG" ;; esac
for one in "$@"; do if [ -f "$one" ]; then cat "$one" >>"$LOG"; fi; done
"""


def judged(
    place: Path, version: str, forge: str, *, says: str = "", ends: int = 0, number: str = ""
) -> tuple[int, str]:
    """The exit code, and what was called. ``number``: of the open issue."""
    commands = place / "bin"
    commands.mkdir()
    for name, text in {"python": _PYTHON, "gh": _FORGE, "glab": _FORGE}.items():
        (commands / name).write_text(text, encoding="utf-8")
        (commands / name).chmod(0o755)
    log = place / "log"
    environ = {
        "PATH": f"{commands}:{os.environ['PATH']}",
        "LOG": str(log),
        "SAYS": says,
        "ENDS": str(ends),
        "OPEN": number,
    }
    sh = shutil.which("sh")
    assert sh is not None
    done = subprocess.run([sh, str(SCRIPT), version, forge], cwd=place, env=environ, capture_output=True, check=False)
    return done.returncode, log.read_text(encoding="utf-8")


@pytest.mark.parametrize("forge", ["gh", "glab"])
def test_there_is_one_issue(tmp_path: Path, forge: str) -> None:
    for place, number, does in ((tmp_path / "new", "", "create"), (tmp_path / "old", "7", "edit 7 update 7")):
        place.mkdir()
        code, log = judged(place, "4.4.0", forge, ends=1, number=number)
        assert code == 0 and "python -m tombstone upgrade 4.4.0 newest --out build/newest --profile gate" in log
        called = log[log.index("forge ") :]
        assert any(f"issue {one}" in called for one in (does, does[:6], does[7:])) and "# the answer" in called


def test_without_a_newer_release_nothing_is_filed(tmp_path: Path) -> None:
    says = "deltalake 1.6.6 is the newest: there is nothing to upgrade to."
    code, log = judged(tmp_path, "deltalake==1.6.6", "gh", says=says)
    assert code == 0 and "upgrade deltalake==1.6.6 deltalake==newest" in log and "forge" not in log


def test_what_cannot_be_judged_is_filed_too(tmp_path: Path) -> None:
    code, log = judged(tmp_path, "4.4.0", "gh", says="Maven has no jar.", ends=2)
    assert (
        code == 0 and "It could not be judged:" in log and "    Maven has no jar." in log and "# the answer" not in log
    )
