"""Ends this process when tox, or the command ``tombstone``, that launched it is gone: killed, or with a job that was cancelled.

As a script, with the standard library only: ``python launched.py MODULE [ARGUMENTS]`` runs a module so, ``pip`` or ``tox``.
"""

from __future__ import annotations

import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Callable

#: Variables of what a launcher starts. What a shell starts may outlive the shell.
_LAUNCHED = ("TOX_ENV_NAME", "TOMBSTONE_LAUNCHED")

#: Seconds between two looks, and for a run to end in order.
_EVERY, _PATIENCE = 0.5, 30

#: What this process itself sends to its main thread: SIGINT is ignored in the background of a script.
_SIGNAL = signal.SIGUSR1

#: The parent of this process when the watch began.
_parents: list[int] = []


def end_with_launcher() -> None:
    """From now on this process is interrupted, as by Ctrl-C, when its launcher is gone. Does nothing without a launcher."""
    if any(name in os.environ for name in _LAUNCHED) and threading.current_thread() is threading.main_thread():
        _watch(_interrupt)


def is_alone() -> bool:
    """Whether the launcher is gone."""
    return bool(_parents) and os.getppid() != _parents[0]


def _watch(end: Callable[[], None]) -> None:
    if _parents:
        return
    _parents.append(os.getppid())
    signal.signal(_SIGNAL, signal.default_int_handler)

    def wait() -> None:
        while not is_alone():
            time.sleep(_EVERY)
        end()

    threading.Thread(target=wait, daemon=True, name="launcher").start()


def _interrupt() -> None:
    """End in order; processes that do not end are killed, and their reaper cleans up (runner.processes.reaper)."""
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, _SIGNAL)
    time.sleep(_PATIENCE)
    _kill()


def _kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.path[:] = [place for place in sys.path if place != os.path.dirname(os.path.abspath(__file__))]
    del sys.argv[0]
    module = sys.argv[0]
    # tox would go on for half a minute: what it has started has a watch of its own.
    _watch(_kill if module == "tox" else _interrupt)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        # tox ends as pip does, and 1 is a verdict.
        sys.exit(2 if module == "pip" and ended.code == 1 else ended.code)
