"""Calls from pytest-xdist's workers to the controller, over a loopback socket with a key.

``multiprocessing.managers`` does not fit: its server needs a process of its own, as ``serve_forever`` replaces ``sys.stdout``,
calls ``sys.exit`` at its end, and leaves its accepting thread running.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from multiprocessing.reduction import ForkingPickler
from typing import Any


class Server:
    """Answers calls by name, with a thread for each client. An error of a handler is raised in the client."""

    def __init__(self, handlers: Mapping[str, Callable[..., Any]]) -> None:
        self._handlers = handlers
        self.key = secrets.token_bytes(16)
        self._closed = threading.Event()
        self._listener = Listener(("127.0.0.1", 0), backlog=64, authkey=self.key)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.address[:2]
        return str(host), int(port)

    def _accept(self) -> None:
        while True:
            try:
                client = self._listener.accept()
            except (AuthenticationError, EOFError, OSError):
                if self._closed.is_set():
                    return
                continue  # a client without the key, or one that ended while it connected
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: Connection[Any, Any]) -> None:
        with client:
            while True:
                try:
                    name, arguments = client.recv()
                except (EOFError, OSError):
                    return  # the worker ended
                try:
                    client.send_bytes(self._answer(name, arguments))
                except OSError:
                    return  # the worker ended before its answer arrived

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> bytes:
        try:
            return _pickled((self._handlers[name](*arguments), None))
        except Exception as error:  # noqa: BLE001 - it is raised in the client
            try:
                return _pickled((None, error))
            except Exception:  # noqa: BLE001 - an error that cannot be pickled is sent as its text
                return _pickled((None, RuntimeError(f"{type(error).__name__}: {error}")))

    def close(self) -> None:
        self._closed.set()
        self._listener.close()


def _pickled(value: object) -> bytes:
    return bytes(ForkingPickler.dumps(value))


class Caller:
    """The client: one call after another."""

    def __init__(self, address: tuple[str, int], key: bytes) -> None:
        self._connection = Client(address, authkey=key)

    def call(self, name: str, *arguments: Any) -> Any:
        self._connection.send((name, arguments))
        result, error = self._connection.recv()
        if error is not None:
            raise error
        return result
