"""``python -m reports``: see ``reports.command``."""

from __future__ import annotations

import shlex
import sys

try:
    from reports.command import main
except ModuleNotFoundError as missing:  # Python would end with 1, which is DO NOT UPGRADE
    asked = shlex.join(sys.argv[1:])
    print(f"{missing.name} is not installed here: `tox -e command -- reports {asked}` brings it.", file=sys.stderr)
    sys.exit(2)

if __name__ == "__main__":
    sys.exit(main())
