"""The files of a table as data of a script, and the lines that restore them."""

from __future__ import annotations

import base64
import posixpath
import textwrap
import zlib
from collections.abc import Iterable, Mapping

from engines.quoting import Code, called, quoted
from harness.tables.plan import PlannedLink
from model.vocabulary.steps import Append
from reports.counterexamples.plan import Arranged, Things, instants_in

#: Files of more bytes, such as checkpoints, are compressed.
LARGE = 4_000


def restored(name: str, things: Things) -> list[str]:
    """The lines of ``main`` that restore the files, directories and links of these names."""
    lines = [called("restore", Code(name))]
    if _instants(things):
        lines.append(called("set_instants", Code(f"{name}_INSTANTS")))
    if things.directories:
        lines.append(called("make_directories", Code(f"{name}_DIRECTORIES")))
    if things.links:
        lines.append(called("make_links", Code(f"{name}_LINKS")))
    return lines


def arranged(name: str, arranged: Arranged) -> list[str]:
    """The lines for what is there from a step on: the commit of another writer becomes the next version."""
    if isinstance(arranged.step, Append):
        return [called("restore", Code(called("as_next_version", Code(name))))]
    return restored(name, arranged.things)


def constants(things: Things, steps: Iterable[object]) -> list[str]:
    """All constants of a script for the files of its table, and of its steps that the engine does not run."""
    arranged = (one for one in steps if isinstance(one, Arranged))
    return [data("TABLE", things), *(data(f"STEP_{one.index}", one.things) for one in arranged)]


def data(name: str, things: Things) -> str:
    """Constants for the files: text files first, then the others, if there are any."""
    lines = [f"{name} = ["]
    lines += [f"    {quoted((file.path, file.modified, Code(block(file.text))))}," for file in things.log]
    lines += [f"    {quoted((file.path, file.modified, Code(_written(file.content))))}," for file in things.files]
    lines.append("]")
    if instants := _instants(things):
        lines += [
            f"{name}_INSTANTS = {{",
            *(f"    {quoted(path)}: {quoted(of)}," for path, of in instants.items()),
            "}",
        ]
    if things.directories:
        lines.append(f"{name}_DIRECTORIES = {quoted(list(things.directories))}")
    if things.links:
        lines += [f"{name}_LINKS = [", *(f"    {quoted(_link(one))}," for one in things.links), "]"]
    return "\n".join(lines)


def block(text: str) -> str:
    """A raw string with the lines as they are after an empty one, if it can hold them."""
    plain = text.endswith("\n") and all(map(str.isprintable, text.split("\n")))
    return quoted(text) if "'''" in text or not plain else f"r'''\n{text}'''"


def _instants(things: Things) -> Mapping[str, Mapping[int, int]]:
    found = {file.path: instants_in(file.content) for file in things.checkpoints}
    return {path: instants for path, instants in found.items() if instants}


def _link(link: PlannedLink) -> tuple[str, int, str]:
    """The path of the link, its modification time, and its target as a relative path."""
    target = posixpath.relpath(posixpath.normpath("/t/" + link.target), posixpath.dirname("/t/" + link.path))
    return link.path, link.modified, target


def _written(content: bytes) -> str:
    if len(content) <= LARGE:
        return _base64(content)
    return called("inflated", Code(_base64(zlib.compress(content, 9))))


def _base64(content: bytes) -> str:
    chunks = textwrap.wrap(base64.b64encode(content).decode(), 100)
    return '"""\n' + "\n".join(chunks) + '\n"""' if len(chunks) > 1 else quoted("".join(chunks))
