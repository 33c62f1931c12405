"""``python -m shapes``: the shapes of tables, from their logs: they contain no name, no value and no path."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from records.json_form import to_json
from records.mistakes import UsageMistake, told
from shapes.folding import Folded
from shapes.many import read_all
from shapes.reading import RefusedTable, Wanted
from shapes.shape import Shapes
from shapes.store import root_of
from tombstone.commands import SHAPE
from tombstone.reading import Asked, asked_of


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code: 0 if all tables were read, 2 if some were not, or for a mistake in the command."""
    try:
        arguments = asked_of(SHAPE, sys.argv[1:] if argv is None else argv)
        tables = [_from(one, arguments.relative_to) for one in _tables(arguments.words, arguments.tables)]
        for table in tables:
            root_of(table)
        folded = _read(tables, arguments)
        _write(text_of(folded.shapes), arguments.out)
    except UsageMistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted: nothing was written.", file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no verdict
        return told(error)
    return 2 if folded.refused else 0


def _tables(named: Sequence[str], file: Path | None) -> list[str]:
    """Raises UsageMistake."""
    found = list(named)
    if file is not None:
        try:
            text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageMistake(f"{file} cannot be read: {error}. Name a file in UTF-8 with a path a line.") from None
        found += [line.strip() for line in text.split("\n") if line.strip()]
    if not found and str(file) == "-":
        raise UsageMistake(
            "The standard input names no table: give it a path a line. tox passes it on with -i: tox -i -e shape -- --tables -."
        )
    if not found:
        raise UsageMistake("Name the tables: tombstone shape PATH ..., or --tables FILE with a path a line.")
    return found


def _from(table: str, directory: str) -> str:
    return table if "://" in table else os.path.join(directory, table)


def _read(tables: Sequence[str], arguments: Asked) -> Folded:
    wanted = Wanted(arguments.listing, arguments.keep_names, arguments.history)
    folded = Folded(names=arguments.keep_names)
    for done, found in enumerate(read_all(tables, wanted, arguments.jobs), start=1):
        if isinstance(found, RefusedTable):
            _say(f"{found.table}: {found.reason.value}: {found.sentence}", sys.stderr)
        folded.take(found)
        if sys.stderr.isatty():
            end = "\n" if done == len(tables) else ""
            print(f"\r{done} of {len(tables)} tables, {folded.refused} not read", end=end, file=sys.stderr, flush=True)
    return folded


def _say(line: str, to: TextIO) -> None:
    """Instead of the progress."""
    print(f"\r\033[K{line}" if to.isatty() else line, file=to)


def text_of(shapes: Shapes) -> str:
    """The document, with a line for each member, and for each of those in a list: small, and two can be compared by lines."""
    members = [f"{json.dumps(name)}: {_lines(value)}" for name, value in to_json(shapes).items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def _lines(value: object) -> str:
    if not isinstance(value, (list, tuple)) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in value) + "\n]"


def _write(text: str, out: Path | None) -> None:
    """Raises UsageMistake."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageMistake(f"{out} cannot be written: {error}. Name another file with --out.") from None


if __name__ == "__main__":
    sys.exit(main())
