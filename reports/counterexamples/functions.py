"""Functions that a script may contain, whatever its engine, and imports. A script has only those that it uses."""

from __future__ import annotations

from collections.abc import Mapping

from engines.dialect import Code, code

FUNCTIONS: Mapping[str, Code] = {
    "state": code(
        '''
def state(path):
    """absent, or a directory, a link, or a file with a checksum of its bytes."""
    if os.path.islink(path):
        return "a link to " + os.readlink(path)
    if not os.path.isfile(path):
        return "a directory" if os.path.isdir(path) else "absent"
    with open(path, "rb") as file:
        return f"a file with CRC {zlib.crc32(file.read()):08x}"
''',
        "os zlib",
    ),
    "dated": code(
        '''
def dated(path):
    """The state of a path; for a file with its modification time, in ms from T."""
    modified = f", modified at T{os.stat(path).st_mtime_ns // 10**6 - T:+d}" if os.path.isfile(path) else ""
    return state(path) + modified
''',
        "os state",
    ),
    "listing": code(
        '''
def listing():
    """The paths in the table's directory and beside it, with the sizes of files."""
    paths = [os.path.join(top, name) for top, dirs, files in os.walk(os.path.dirname(ROOT)) for name in dirs + files]
    sizes = [os.path.getsize(path) if os.path.isfile(path) else None for path in paths]
    return {os.path.relpath(path, ROOT): size for path, size in zip(paths, sizes)}
''',
        "os",
    ),
    "log": code(
        '''
def log():
    """The actions of each commit, by version."""
    commits = sorted(Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json"))
    return {int(file.stem): list(map(json.loads, file.read_text("utf-8").strip().split("\\n"))) for file in commits}
''',
        "Path json",
    ),
    "version": code(
        '''
def version():
    """The current version."""
    return max(int(file.stem) for file in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json"))
''',
        "Path",
    ),
    "removed_at": code(
        '''
def removed_at(first, last):
    """The latest deletionTimestamp of these commits; T if they remove nothing."""
    actions = [action for version in range(first, last + 1) for action in log().get(version, [])]
    return max([action["remove"]["deletionTimestamp"] for action in actions if "remove" in action], default=T)
''',
        "log",
    ),
    "name": code(
        '''
def name(action):
    """The path of an action's file, relative to the table and URL-decoded."""
    path = unquote(re.sub("^file:/*", "/", action["path"]))
    return os.path.relpath(path, ROOT) if path.startswith("/") else path
''',
        "os re unquote",
    ),
    "in_path": code(
        '''
def in_path(path):
    """The partition values in the names of directories."""
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): unquote(value) for key, value in pairs if value != "__HIVE_DEFAULT_PARTITION__"}
''',
        "unquote",
    ),
    "at": code(
        '''
def at(value, field):
    """A dotted field of an object (also of stats, which is JSON text), without members that are null; else None."""
    for part in field.split("."):
        try:
            value = json.loads(value) if isinstance(value, str) else value
        except ValueError:
            return None
        value = value.get(part) if isinstance(value, dict) else None
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value
''',
        "json",
    ),
    "plain": code(
        '''
def plain(value):
    """A value in a form that can be compared: NaN equals NaN, -0.0 equals 0.0, decimals have no trailing zeros."""
    if isinstance(value, float):
        return repr(value + 0.0)
    if isinstance(value, dict):
        return sorted(([plain(key), plain(item)] for key, item in value.items()), key=json.dumps)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, Decimal):
        return format(value.normalize(Context(60)), "f")
    if isinstance(value, datetime):
        return str(value.replace(tzinfo=None))
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
''',
        "Context Decimal datetime json",
    ),
}

#: Modules of the standard library, which one line imports.
MODULES = ("base64", "io", "json", "os", "re", "shutil", "sys", "time", "zlib")

#: The other imports from it, by the name that code uses.
IMPORTS: Mapping[str, str] = {
    "Path": "from pathlib import Path",
    "datetime": "from datetime import datetime",
    "Context": "from decimal import Context, Decimal",
    "Decimal": "from decimal import Context, Decimal",
    "unquote": "from urllib.parse import unquote",
}
