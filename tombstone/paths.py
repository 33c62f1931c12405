"""Paths that a user names: relative to where the user stands, and the suite runs elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tombstone.mistakes import Mistake

#: Options whose value is a path, and whether something must be there: a file, anything, or nothing.
PATHS = {
    "--replay": "file",
    "--known-faults": "file",
    "--like": "file",
    "--accept": "file",
    "--jars": "any",
    "--extra-classpath": "any",
    "--propose-known-faults": "",
    "--propose-accept": "",
    "--report-dir": "",
    "--out": "",
    "--table-root": "",
    "--tables": "",
}
#: A setting of Spark whose value is a path.
_IVY = "spark.jars.ivySettings="


def resolved(words: Iterable[str], here: Path) -> list[str]:
    """The words of a command with each path that an option names made absolute, option and value as one word.

    Raises Mistake for one that must be there and is not.
    """
    made, left = [], list(words)
    while left:
        word = left.pop(0)
        option, equals, value = word.partition("=")
        if option in PATHS and (equals or left):
            made.append(f"{option}={_path(option, value if equals else left.pop(0), here)}")
        elif option == "--spark-conf" and (equals or left):
            made.append(f"{option}={_setting(value if equals else left.pop(0), here)}")
        else:
            made.append(word)
    return made


def existing(text: str, here: Path) -> str:
    """The absolute path of what must be there. Raises Mistake."""
    if not (here / text).exists():
        raise Mistake(f"{text} does not exist: name an existing file or directory.")
    return str(here / text)


def file(text: str, here: Path) -> str:
    """The absolute path of a file that must be there. Raises Mistake."""
    if not (here / text).is_file():
        raise Mistake(f"{text} is not a file: name an existing one.")
    return str(here / text)


def _path(option: str, text: str, here: Path) -> str:
    if "://" in text or text == "-":
        return text  # a table root may be a URI, a list come from the standard input
    try:
        if PATHS[option] == "file":
            return file(text, here)
        return existing(text, here) if PATHS[option] == "any" else str(here / text)
    except Mistake as mistake:
        raise Mistake(f"{option} {mistake}") from None


def _setting(text: str, here: Path) -> str:
    value = text.removeprefix(_IVY)
    return f"{_IVY}{here / value}" if text.startswith(_IVY) and (here / value).is_file() else text
