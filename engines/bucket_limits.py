"""What no engine can be asked for if tables are objects of a bucket, each with the reason."""

from __future__ import annotations

from dataclasses import replace

from engines.kind import Limits
from model.vocabulary.capabilities import EVERYTHING
from model.vocabulary.spellings import Spelling

#: Spellings of a path that are none of a URI, or name another object.
_OF_FILES = {Spelling.RELATIVE, Spelling.FILE, Spelling.FILE_HOST, Spelling.FILE_PARENT}

NO_LINKS = Limits(
    replace(EVERYTHING, links=False, spellings=EVERYTHING.spellings - {Spelling.LINK}),
    "There are no symbolic links in a bucket.",
)

NO_DIRECTORIES = Limits(
    replace(EVERYTHING, directories=False),
    "There are no directories in a bucket: a prefix of keys is there as long as an object is.",
)

NO_FILES = Limits(
    replace(EVERYTHING, spellings=EVERYTHING.spellings - _OF_FILES),
    "In a bucket, a path is a URI: none is relative, and none begins with file:.",
)

NO_DOUBLED_SLASH = Limits(
    replace(EVERYTHING, spellings=EVERYTHING.spellings - {Spelling.DOUBLED_SLASH}),
    "A doubled slash in a URI means another object, for an engine that does not read it as a path.",
)

NO_NONCHARACTERS = Limits(
    replace(EVERYTHING, noncharacters=False),
    "A server lists its keys in XML, which has neither U+FFFE nor U+FFFF: some list another key.",
)

AS_OLD_AS_UPLOADS = Limits(
    replace(EVERYTHING, ages_files=False),
    "In a bucket of your own a file is as old as its upload, and the engine's clock is the machine's.",
)

#: Of every engine.
IN_BUCKETS = (NO_LINKS, NO_DIRECTORIES, NO_FILES)
