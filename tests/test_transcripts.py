"""Commands answer, and refuse, as was approved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.transcripts import KEPT, commands, said


@pytest.mark.long
@pytest.mark.parametrize("file", sorted(KEPT.glob("*.txt")), ids=lambda file: file.stem)
def test_the_commands_say_what_was_approved(file: Path) -> None:
    """``python -m tests.transcripts`` writes it again: the diff is the change of what the commands say."""
    text = file.read_text(encoding="utf-8")
    assert list(said(commands(text))) == text.split("\n")[:-1]


def test_a_mistake_is_one_sentence_and_2() -> None:
    mistakes = (KEPT / "mistakes.txt").read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n")
    assert not [one for one in mistakes if re.fullmatch(r"\$ .+\n.+\n= 2", one) is None]
