"""Functions that a script may contain, the same for every engine. Each is there only if a script uses it."""

from __future__ import annotations

FUNCTIONS = {
    "state": '''
def state(path):
    """Absent, a directory, a link, or a file with a checksum of its bytes."""
    if os.path.islink(path):
        return "a link to " + os.readlink(path)
    if not os.path.isfile(path):
        return "a directory" if os.path.isdir(path) else "absent"
    with open(path, "rb") as file:
        return f"a file with CRC {zlib.crc32(file.read()):08x}"
''',
    "dated": '''
def dated(path):
    """The same with a file's modification time, in ms from T."""
    modified = f", modified at T{os.stat(path).st_mtime_ns // 10**6 - T:+d}" if os.path.isfile(path) else ""
    return state(path) + modified
''',
    "listing": '''
def listing():
    """Everything below the table's directory and beside it; the size of files."""
    found = [os.path.join(top, one) for top, dirs, files in os.walk(os.path.dirname(ROOT)) for one in dirs + files]
    sizes = [os.path.getsize(path) if os.path.isfile(path) else None for path in found]
    return {os.path.relpath(path, ROOT): size for path, size in zip(found, sizes)}
''',
    "log": '''
def log():
    """The actions of each commit, by version."""
    found = {int(one.stem): one for one in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json")}
    return {one: list(map(json.loads, found[one].read_text("utf-8").strip().split("\\n"))) for one in sorted(found)}
''',
    "version": '''
def version():
    """The current version."""
    return max(int(one.stem) for one in Path(ROOT, "_delta_log").glob("[0-9]" * 20 + ".json"))
''',
    "removed_at": '''
def removed_at(first, last):
    """The latest deletionTimestamp in these versions; T where they remove nothing."""
    actions = [action for version in range(first, last + 1) for action in log().get(version, [])]
    return max([action["remove"]["deletionTimestamp"] for action in actions if "remove" in action], default=T)
''',
    "name": '''
def name(action):
    """The path of an action's file, relative to the root and not URL-encoded."""
    path = unquote(re.sub("^file:/*", "/", action["path"]))
    return os.path.relpath(path, ROOT) if path.startswith("/") else path
''',
    "in_path": '''
def in_path(path):
    """The partition values in the names of directories."""
    pairs = [part.split("=", 1) for part in path.split("/")[:-1] if "=" in part]
    return {unquote(key): unquote(value) for key, value in pairs if value != "__HIVE_DEFAULT_PARTITION__"}
''',
    "at": '''
def at(value, field):
    """A dotted field of an object, or of an object in JSON text (stats); without what is null."""
    for part in field.split("."):
        value = json.loads(value) if isinstance(value, str) else value
        value = value.get(part) if isinstance(value, dict) else None
    return {key: one for key, one in value.items() if one is not None} if isinstance(value, dict) else value
''',
    "plain": '''
def plain(value):
    """A value in a form that compares: NaN equals NaN, -0.0 equals 0.0, decimals without trailing zeros."""
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
}

#: Modules of the standard library, by what in a script needs them.
MODULES = ("base64", "json", "os", "re", "shutil", "sys", "time", "zlib")

FROM = {
    "Path(": "from pathlib import Path",
    "datetime)": "from datetime import datetime",
    "Decimal)": "from decimal import Context, Decimal",
    "unquote(": "from urllib.parse import unquote",
}
