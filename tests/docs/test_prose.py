"""The plain words of documents, messages and comments: turns that a reader stumbles over are not used."""

from __future__ import annotations

import re
import subprocess

from runner.plugin import ROOT

#: Each with what says the same.
TURNS = {
    "but for": "except for",
    "that which": "what",
    "mend": "fix",
    "held against": "compared with",
    "otherwise than": "differently from",
    "not the run's": "foreign",
    "what is said of": "the verdict on",
    "does the same wrong": "makes the same mistake",
    "none: it is none": "None if …",
    "none: there is none": "None if …",
    "xfail": "known fault",
    "anew": "again",
    "whatever way": "however",
    "what there is": "all",
    "at the least": "at least",
    "proves nothing": "is inconclusive",
    "nothing is proven": "the run is inconclusive",
    "mended": "fixed",
    "mends": "fixes",
    "come to its end": "finish",
    "came to its end": "finished",
}

KINDS = ("*.md", "*.py", "*.j2", "*.toml", "*.yml", "*.ini")


def texts() -> list[str]:
    listed = subprocess.run(["git", "ls-files", *KINDS], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if name != "tests/docs/test_prose.py"]


def test_no_text_has_a_turn_that_is_read_twice() -> None:
    turn = re.compile(rf"(?<![-_.\w])({'|'.join(TURNS)})(?![-_\w])", re.IGNORECASE)
    found = [
        f"{name}:{number}: write {TURNS[word.lower()]!r} for {word!r}"
        for name in texts()
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8").splitlines(), start=1)
        for word in turn.findall(line)
    ]
    assert found == []
