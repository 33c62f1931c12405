"""The files of a table as data of a script, and the lines that restore them."""

from __future__ import annotations

import base64
import posixpath
import textwrap
from collections.abc import Sequence

from engines.dialect import Code, code
from harness.tables.plan import PlannedLink
from reports.counterexamples.plan import GENERATED, NEXT_COMMIT, Things

#: NEXT and WRITE are what only some tables need, or need otherwise.
_RESTORE = '''
def restore(files):
    """Writes the files: the log from text, the others from base64. Modification times are in ms from T."""
    for path, modified, content in files:
NEXT        place = Path(os.path.normpath(f"{ROOT}/{path}"))
        place.parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r'"T([+-]\\d+)"', lambda offset: str(T + int(offset[1])), content).lstrip()
WRITE        os.utime(place, ns=((T + modified) * 10**6,) * 2)
'''

_NEXT = f"""        if path == "{NEXT_COMMIT}":
            path = f"_delta_log/{{version() + 1:020d}}.json"
"""

_WRITE = """        place.write_bytes(text.encode() if path.startswith("_delta_log/") else base64.b64decode(content))
"""

#: With checkpoints. An instant in one is 8 bytes; MARK are the last two of each.
_WRITE_CHECKPOINTS = f"""        if path.startswith("_delta_log/") and path.endswith(".parquet"):
            place.write_bytes(re.sub(rb"(?s).{{6}}MARK", from_t, base64.b64decode(content)))
        else:
    {_WRITE}"""

_FROM_T = '''
def from_t(found):
    """An instant in a checkpoint (8 bytes): the data counts from a fixed number instead of T."""
    offset = int.from_bytes(found[0], "little") - GENERATED
    return (T + offset).to_bytes(8, "little") if abs(offset) < 10**12 else found[0]
'''


def functions(found: Sequence[Things]) -> dict[str, Code]:
    """The functions that restore these files, by name; ``restore`` does no more than they need."""
    next_one, write, uses = "", _WRITE, {"Path", "base64", "os", "re"}
    if any(things.checkpoints for things in found):
        mark = "".join(f"\\x{byte:02x}" for byte in GENERATED.to_bytes(8, "little")[6:])
        write = _WRITE_CHECKPOINTS.replace("MARK", mark)
        uses.add("from_t")
    if any(file.path == NEXT_COMMIT for things in found for file in things.log):
        next_one = _NEXT
        uses.add("version")
    restore = _RESTORE.replace("NEXT", next_one).replace("WRITE", write)
    return {"restore": Code(restore, frozenset(uses)), "from_t": code(_FROM_T.replace("GENERATED", str(GENERATED)))}


def calls(name: str, things: Things) -> Code:
    """The lines of ``main`` that restore these files, directories and links."""
    lines = [f"restore({name})"]
    if things.directories:
        lines += [f"for path in {name}_DIRECTORIES:", '    os.makedirs(f"{ROOT}/{path}", exist_ok=True)']
    if things.links:
        lines += [
            f"for path, modified, target in {name}_LINKS:",
            "    os.makedirs(os.path.dirname(os.path.normpath(path)), exist_ok=True)",
            "    os.symlink(target, path)",
            "    os.utime(path, ns=((T + modified) * 10**6,) * 2, follow_symlinks=False)",
        ]
    return code("\n".join(lines), "restore os")


def data(name: str, things: Things) -> str:
    """Constants for the files, with text files first, and for the directories and links if there are any."""
    lines = [f"{name} = ["]
    lines += [f"    ({file.path!r}, {file.modified}, {_text(file.text)})," for file in things.log]
    lines += [f"    ({file.path!r}, {file.modified}, {_base64(file.content)})," for file in things.files]
    lines.append("]")
    if things.directories:
        lines.append(f"{name}_DIRECTORIES = {list(things.directories)!r}")
    if things.links:
        lines += [f"{name}_LINKS = [", *(f"    {_link(one)}," for one in things.links), "]"]
    return "\n".join(lines)


def _link(link: PlannedLink) -> str:
    """The path of the link, its modification time, and its target as a relative path."""
    target = posixpath.relpath(posixpath.normpath("/t/" + link.target), posixpath.dirname("/t/" + link.path))
    return f'(f"{{ROOT}}/" + {link.path!r}, {link.modified}, {target!r})'


def _base64(content: bytes) -> str:
    chunks = textwrap.wrap(base64.b64encode(content).decode(), 100)
    return '"""\n' + "\n".join(chunks) + '\n"""' if len(chunks) > 1 else repr("".join(chunks))


def _text(text: str) -> str:
    """A raw string with the lines as they are, if it can hold them."""
    plain = text.endswith("\n") and all(map(str.isprintable, text.split("\n")))
    if "'''" in text or not plain:
        return repr(text)
    return f"r'''\n{text}'''"
