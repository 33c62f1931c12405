"""Lists a table's directory, one directory at a time, if the user asks for it."""

from __future__ import annotations

from deltalog.storage.names import LOG_DIRECTORY
from deltalog.storage.store import Store, walk
from shapes.shape import Listing
from shapes.sizes import size_class


def listing_of(store: Store) -> Listing:
    """Without the log, which has been listed; links are not followed, as they may lead in a circle. Raises StoreError."""
    files = size = directories = depth = 0
    hidden = False
    for path, found in walk(store, without=LOG_DIRECTORY):
        if not found.is_directory:
            files, size, depth = files + 1, size + found.size, max(depth, path.count("/"))
        elif path != LOG_DIRECTORY:  # it may be a link
            directories, hidden = directories + 1, hidden or found.name[:1] in ("_", ".")
    return Listing(size_class(files), size_class(size), size_class(directories), depth, hidden)
