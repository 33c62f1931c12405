"""What the value of an option may be: each kind reads its text, or says what is wrong with it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tombstone.mistakes import Mistake
from tombstone.parts import part


def _as_it_is(text: str, _: Path) -> str:
    return text


@dataclass(frozen=True)
class Kind:
    """``read``: the value of a text. Raises Mistake, whose sentence goes on after the option and the text.
    ``place``: the text for a command that runs elsewhere than in a directory: a path becomes absolute.
    """

    read: Callable[[str], Any] = str
    place: Callable[[str, Path], str] = _as_it_is


def _path(text: str, here: Path) -> str:
    return text if "://" in text or text == "-" else str(here / text)  # a URI; the standard input


def _setting(text: str, here: Path) -> str:
    """A setting of Spark's whose value may be a path."""
    key, _, value = text.partition("=")
    return f"{key}={here / value}" if key == "spark.jars.ivySettings" and (here / value).is_file() else text


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Mistake("is not a whole number: give one, such as {option} 7.") from None


def _natural(text: str) -> int:
    if (number := _whole(text)) < 0:
        raise Mistake("is negative: give a number, such as {option} 3.")
    return number


def _positive(text: str) -> int:
    if (number := _whole(text)) < 1:
        raise Mistake("is not 1 or more: give a number, such as {option} 2.")
    return number


def _above_zero(text: str, what: str, example: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number < math.inf:
        raise Mistake(f"is not {what}: give one, such as {{option}} {example}.")
    return number


@dataclass(frozen=True)
class Budget:
    """A part of a profile; or a time in seconds, and all of it."""

    share: float = 1
    seconds: float | None = None


def _budget(text: str) -> Budget:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    seconds = float(match[1]) * {"s": 1, "m": 60, "h": 3600}[match[2]] if match else 0
    return Budget(seconds=seconds) if seconds else Budget(_above_zero(text, "a time or a factor", "3m"))


def _file(text: str) -> Path:
    if not Path(text).is_file():
        raise Mistake("is not a file: name an existing one.")
    return Path(text)


def _new_file(text: str) -> Path:
    if Path(text).exists():
        raise Mistake("exists already: name a new file.")
    if not Path(text).absolute().parent.is_dir():
        raise Mistake("is in no directory: name a file in an existing one.")
    return Path(text)


def _existing(text: str) -> Path:
    if not Path(text).exists():
        raise Mistake("does not exist: name an existing file or directory.")
    return Path(text)


def _named(text: str, here: Path) -> str:
    return str(here / text) if (here / text).is_file() else text


def _jar(text: str) -> Path:
    if not Path(text).exists():
        raise Mistake("does not exist: name an existing jar or directory.")
    return Path(text).absolute()


def one_of(*names: str) -> Kind:
    def read(text: str) -> str:
        if text not in names:
            raise Mistake(f"is not known: use one of {', '.join(names)}.")
        return text

    return Kind(read)


#: A text; and a whole number: any, from 0, from 1.
TEXT, WHOLE, NATURAL, POSITIVE = Kind(), Kind(_whole), Kind(_natural), Kind(_positive)
NUMBER = Kind(lambda text: _above_zero(text, "above 0", "1.5"))
SECONDS = Kind(lambda text: _above_zero(text, "a time in seconds", "120"))
BUDGET, PART, SETTING = Kind(_budget), Kind(part), Kind(place=_setting)
#: Paths: of a file that is there; of a new one; of a jar or a folder that is there; of what is there; of anything; of a
#: directory, or a URI; and a file, or something else.
FILE, NEW_FILE, JAR = Kind(_file, _path), Kind(_new_file, _path), Kind(_jar, _path)
EXISTING, PATH, URI, ANY = Kind(_existing, _path), Kind(Path, _path), Kind(place=_path), Kind(place=_named)
