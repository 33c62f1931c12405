"""Lists a table's directory, one directory at a time, if the user asks for it."""

from __future__ import annotations

from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.store import Store
from shapes.shape import Listing
from shapes.sizes import size_class


def listing_of(store: Store) -> Listing:
    """Without the log, which has been listed. Raises StoreError."""
    files = size = directories = depth = 0
    hidden = False
    left = [""]
    while left:
        directory = left.pop()
        for entry in store.list(directory):
            path = f"{directory}/{entry.name}" if directory else entry.name
            if not entry.is_directory:
                files, size = files + 1, size + entry.size
                depth = max(depth, path.count("/"))
            elif path != LOG_DIRECTORY:
                directories += 1
                hidden = hidden or entry.name[:1] in ("_", ".")
                left.append(path)
    return Listing(size_class(files), size_class(size), size_class(directories), depth, hidden)
