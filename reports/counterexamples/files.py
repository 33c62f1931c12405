"""The files of a table as data of a script, and the lines that restore them."""

from __future__ import annotations

import posixpath
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

Things = Sequence[Mapping[str, Any]]

_RESTORE = '''
def restore(files):
    """Writes the files: the log from text, the others from base64. Modification times are in ms from T."""
    for path, modified, content in files:
        place = Path(os.path.normpath(f"{ROOT}/{path}"))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r'"T([+-]\\d+)"', lambda offset: str(T + int(offset[1])), content).lstrip()
        place.write_bytes(text.encode() if path.startswith("_delta_log/") else base64.b64decode(content))
        os.utime(place, ns=((T + modified) * 10**6,) * 2)
'''

#: Replaces the line that writes a file. An instant in a checkpoint is 8 bytes; MARK are the last two of each.
_WRITE_CHECKPOINTS = """        if path.startswith("_delta_log/") and path.endswith(".parquet"):
            place.write_bytes(re.sub(rb"(?s).{6}MARK", from_t, base64.b64decode(content)))
        else:
            place.write_bytes(text.encode() if path.startswith("_delta_log/") else base64.b64decode(content))
"""

_FROM_T = '''
def from_t(found):
    """An instant in a checkpoint (8 bytes): the data counts from a fixed number instead of T."""
    offset = int.from_bytes(found[0], "little") - GENERATED
    return (T + offset).to_bytes(8, "little") if abs(offset) < 10**12 else found[0]
'''


def functions(tables: Sequence[Things], generated: int) -> dict[str, str]:
    """The functions that restore these files, by name; ``restore`` does no more than they need.

    ``generated`` is what the instants in checkpoints count from.
    """
    things = [thing for table in tables for thing in table]
    code = _RESTORE
    if any(_is_checkpoint(thing) for thing in things):
        mark = "".join(f"\\x{byte:02x}" for byte in generated.to_bytes(8, "little")[6:])
        start = code.index("        place.write_bytes")
        code = code[:start] + _WRITE_CHECKPOINTS.replace("MARK", mark) + code[code.index("\n", start) + 1 :]
    if any(thing["path"].endswith("/next.json") for thing in things):
        next_version = """        if path == "_delta_log/next.json":
            path = f"_delta_log/{version() + 1:020d}.json"
"""
        code = code.replace("        place = Path", f"{next_version}        place = Path", 1)
    return {"restore": code, "from_t": _FROM_T.replace("GENERATED", str(generated))}


def calls(name: str, things: Things) -> list[str]:
    """The lines of ``main`` that restore these files, directories and links."""
    lines = [f"restore({name})"]
    if any(_kind(one) == "directory" for one in things):
        lines += [f"for path in {name}_DIRECTORIES:", '    os.makedirs(f"{ROOT}/{path}", exist_ok=True)']
    if any(_kind(one) == "link" for one in things):
        lines += [
            f"for path, modified, target in {name}_LINKS:",
            "    os.makedirs(os.path.dirname(os.path.normpath(path)), exist_ok=True)",
            "    os.symlink(target, path)",
            "    os.utime(path, ns=((T + modified) * 10**6,) * 2, follow_symlinks=False)",
        ]
    return lines


def _kind(thing: Mapping[str, Any]) -> str:
    return "link" if "target" in thing else "file" if "text" in thing or "content" in thing else "directory"


def _is_checkpoint(thing: Mapping[str, Any]) -> bool:
    return bool(thing["path"].startswith("_delta_log/") and "content" in thing)


def data(name: str, things: Things) -> str:
    """Constants for the files, with text files first, and for the directories and links if there are any."""
    files = [one for one in things if _kind(one) == "file"]
    lines = [f"{name} = ["]
    for one in sorted(files, key=lambda one: "text" not in one):
        content = _text(one["text"]) if "text" in one else _base64(one["content"])
        lines.append(f"    ({one['path']!r}, {one['modified']}, {content}),")
    lines.append("]")
    directories = [one["path"] for one in things if _kind(one) == "directory"]
    if directories:
        lines.append(f"{name}_DIRECTORIES = {directories!r}")
    links = [one for one in things if _kind(one) == "link"]
    if links:
        lines += [f"{name}_LINKS = [", *(f"    {_link(one)}," for one in links), "]"]
    return "\n".join(lines)


def _link(thing: Mapping[str, Any]) -> str:
    """The path of the link, its modification time, and its target as a relative path."""
    target = posixpath.relpath(posixpath.normpath("/t/" + thing["target"]), posixpath.dirname("/t/" + thing["path"]))
    return f'(f"{{ROOT}}/" + {thing["path"]!r}, {thing["modified"]}, {target!r})'


def _base64(content: str) -> str:
    chunks = textwrap.wrap(content, 100)
    return '"""\n' + "\n".join(chunks) + '\n"""' if len(chunks) > 1 else repr(content)


def _text(text: str) -> str:
    """A raw string with the lines as they are, if it can hold them."""
    if "'''" in text or text.endswith(("\\", "'")) or not text.endswith("\n") or "\r" in text:
        return repr(text)
    return f"r'''\n{text}'''"
