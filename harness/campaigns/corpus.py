"""The cases of ``corpus/``: those that show most, chosen out of many thousands (selfcheck.distillation)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from deltalog.storage.lines import json_lines
from model.codec import case_id, from_json, to_json
from model.vocabulary.case import Case

FOLDER = Path(__file__).parent.parent.parent / "corpus"


@cache
def corpus_cases(name: str, folder: Path = FOLDER) -> tuple[Case, ...]:
    """The cases of ``corpus/<name>.jsonl``, those that show most first. Raises model.codec.InvalidCase."""
    return tuple(from_json(line["case"]) for line in json_lines((folder / f"{name}.jsonl").read_bytes()))


def write_corpus(name: str, cases: Iterable[Case], folder: Path = FOLDER) -> None:
    """Write the file that ``corpus_cases`` reads: a line of JSON for each case, with its id."""
    folder.mkdir(exist_ok=True)
    lines = (json.dumps({"id": case_id(case), "case": to_json(case)}, separators=(",", ":")) for case in cases)
    (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
