"""Commands answer, and refuse, as was approved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts import KEPT, commands, said


@pytest.mark.long
@pytest.mark.parametrize("file", sorted(KEPT.glob("*.txt")), ids=lambda file: file.stem)
def test_the_commands_say_what_was_approved(file: Path) -> None:
    """``python -m tests.transcripts`` writes it again: the diff is the change of what the commands say."""
    text = file.read_text(encoding="utf-8")
    assert list(said(commands(text))) == text.split("\n")[:-1]
