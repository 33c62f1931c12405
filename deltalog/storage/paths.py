"""The paths of actions. They are URIs in the log, and decoded on storage.

Encoding is that of ``java.net.URI`` for a path (Delta's ``add.path`` comes from Hadoop's ``Path.toUri``): letters, digits
and ``-_.!~*'();/:@&=+$,`` are kept, as are characters beyond ASCII that are neither spaces nor controls; others, ``%``
included, become the %XX of their UTF-8 bytes. So the partition directory ``a%3Db`` is ``a%253Db`` in the log.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from urllib.parse import unquote

from deltalog.errors import MalformedPath

_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'();/:@&=+$,")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"\A[A-Za-z][A-Za-z0-9+.\-]*://[^/]*(?=/)")
_PLAIN_PATH = re.compile(r"[\w=-][\w=.-]*(/[\w=-][\w=.-]*)*", re.ASCII)  # nothing in it stands for anything else
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")

#: Unicode categories that Java calls space characters or ISO controls.
_QUOTED_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc"})


def encode(path: str) -> str:
    """The path of a file, relative to the table's root or absolute, as an action's ``path``.

    A colon in the first component becomes ``%3A``, as it would mean a scheme.
    Source: PROTOCOL.md, "Add File and Remove File" (RFC 2396); the characters are those of ``java.net.URI``.
    """
    encoded = "".join(char if _is_plain(char) else _quote(char) for char in path)
    first, slash, rest = encoded.partition("/")
    return first.replace(":", "%3A") + slash + rest


def decode(path: str) -> str:
    """The path on storage of an action's ``path``: relative to the root, or absolute.

    ``.`` and ``..`` are resolved, as in Hadoop. ``file:/x`` and ``file:///x`` become ``/x``; other URIs keep their scheme
    and authority: ``s3://bucket/a b``. Raises MalformedPath for an invalid %XX, an empty path, or a URI without a path
    (``http:example``).
    Source: PROTOCOL.md, "Add File and Remove File".
    """
    if _PLAIN_PATH.fullmatch(path):
        return path
    if _BROKEN_ESCAPE.search(path):
        raise MalformedPath(f"the path {path!r} has a % that is not followed by two hexadecimal digits")
    prefix, raw = "", path
    match = _SCHEME.fullmatch(path)
    if match:
        scheme, raw = match.group(1), match.group(2)
        if not raw.startswith("/"):
            raise MalformedPath(f"the path {path!r} is a URI with the scheme {scheme!r} but without a path")
        prefix = f"{scheme}:"
        if raw.startswith("//"):
            authority, slash, rest = raw[2:].partition("/")
            prefix, raw = f"{scheme}://{authority}", slash + rest
        if prefix in ("file:", "file://"):
            prefix = ""
    decoded = unquote(raw, errors="replace") if "%" in raw else raw
    if not decoded:
        raise MalformedPath(f"the path {path!r} names no file")
    return prefix + _normal(decoded)


def is_absolute(file: str) -> bool:
    """Whether a decoded path is not relative to the table's root: ``/x`` or ``scheme://x``."""
    return file.startswith("/") or re.match(r"[A-Za-z][A-Za-z0-9+.\-]*:/", file) is not None


def from_root(file: str, root: str) -> str:
    """A decoded path, made relative to the table's root (an absolute path) if it is below the root or beside it (``../…``).

    Other files keep their absolute path or URI. An object is a file at the path that its key ends with:
    ``s3://bucket/<root>/x``, ``s3://bucket/prefix/<root>/x``.
    """
    path = file if file.startswith("/") else _AUTHORITY.sub("", file)
    if not path.startswith("/"):
        return file
    base = posixpath.dirname(root)
    if path is not file and base != "/":
        path = path[max(path.find(f"{base}/"), 0) :]  # without the prefix of its key
    return posixpath.relpath(path, root) if path.startswith((f"{root}/", f"{base}/")) else file


def _normal(path: str) -> str:
    parts = path.split("/")
    if "." in parts or ".." in parts or "" in parts[1:]:
        path = posixpath.normpath("/" + path.lstrip("/")) if path.startswith("/") else posixpath.normpath(path)
    return path


def _is_plain(char: str) -> bool:
    return char in _PLAIN or (char > "\x7f" and unicodedata.category(char) not in _QUOTED_CATEGORIES)


def _quote(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))
