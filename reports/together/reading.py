"""Reads ``together.json``, which a run of two engines in turn leaves."""

from __future__ import annotations

import json
from pathlib import Path

from cattrs import Converter
from cattrs.errors import BaseValidationError

from records.mistakes import UsageMistake
from reports.together.answer import TurnReport

FILE = "together.json"


def read_together(directory: Path) -> TurnReport:
    """The run whose files are in the directory. Raises UsageMistake if there is none, or it cannot be read."""
    file = directory / FILE
    try:
        return Converter().structure(json.loads(file.read_text(encoding="utf-8")), TurnReport)
    except OSError as error:
        raise UsageMistake(
            f"{file} cannot be read ({error.strerror}): name a directory that `tox -e together` wrote."
        ) from error
    except (ValueError, BaseValidationError) as error:
        raise UsageMistake(f"{file} is not the JSON of two engines in turn: run `tox -e together` again.") from error
