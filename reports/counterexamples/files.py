"""The data of a script: the files of the table, and the lines that restore them."""

from __future__ import annotations

import posixpath
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

Things = Sequence[Mapping[str, Any]]

#: Where the instants of a checkpoint count from: harness.reproduction_plan.GENERATED.
GENERATED = 4_555_555_555_500_000_000

RESTORE = '''
def restore(files):
    """Writes text into the log and other files from base64, with modification times in ms from T."""
    for path, modified, content in files:
        place = Path(os.path.normpath(f"{ROOT}/{path}"))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r'"T([+-]\\d+)"', lambda offset: str(T + int(offset[1])), content).lstrip()
        place.write_bytes(text.encode() if path.startswith("_delta_log/") else base64.b64decode(content))
        os.utime(place, ns=((T + modified) * 10**6,) * 2)
'''

_MARK = "".join(f"\\x{byte:02x}" for byte in GENERATED.to_bytes(8, "little")[6:])

#: The instants in a checkpoint are 8 bytes each, and count from when the script was generated.
_WRITE_CHECKPOINTS = f"""        if path.startswith("_delta_log/") and path.endswith(".parquet"):
            place.write_bytes(re.sub(rb"(?s).{{6}}{_MARK}", from_t, base64.b64decode(content)))
        else:
            place.write_bytes(text.encode() if path.startswith("_delta_log/") else base64.b64decode(content))
"""

FROM_T = f'''
def from_t(found):
    """An instant in a checkpoint (8 bytes), moved from the time when this script was generated to T."""
    offset = int.from_bytes(found[0], "little") - {GENERATED}
    return (T + offset).to_bytes(8, "little") if abs(offset) < 10**12 else found[0]
'''


def restore(tables: Sequence[Things]) -> str:
    """The function that restores these files; it does no more than they need."""
    things = [one for table in tables for one in table]
    code = RESTORE
    if any(_is_checkpoint(one) for one in things):
        start = code.index("        place.write_bytes")
        code = code[:start] + _WRITE_CHECKPOINTS + code[code.index("\n", start) + 1 :]
    if any(one["path"].endswith("/next.json") for one in things):
        next_version = """        if path == "_delta_log/next.json":
            path = f"_delta_log/{version() + 1:020d}.json"
"""
        code = code.replace("        place = Path", f"{next_version}        place = Path", 1)
    return code


def calls(name: str, things: Things) -> list[str]:
    """The lines of main that restore these files, and their directories and links."""
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
    """The files as a constant: the log first, then everything else; directories and links as constants of their own."""
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
    """Where it is, its time, and the target as a relative path."""
    target = posixpath.relpath(posixpath.normpath("/t/" + thing["target"]), posixpath.dirname("/t/" + thing["path"]))
    return f'(f"{{ROOT}}/" + {thing["path"]!r}, {thing["modified"]}, {target!r})'


def _base64(content: str) -> str:
    chunks = textwrap.wrap(content, 100)
    return '"""\n' + "\n".join(chunks) + '\n"""' if len(chunks) > 1 else repr(content)


def _text(text: str) -> str:
    """The lines as they are where a raw string can hold them."""
    if "'''" in text or text.endswith(("\\", "'")) or not text.endswith("\n") or "\r" in text:
        return repr(text)
    return f"r'''\n{text}'''"
