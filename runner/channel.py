"""Calls from pytest-xdist's workers to the controller, over a loopback socket that only they know the key of."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from multiprocessing.connection import Client, Connection, Listener
from typing import Any

Handlers = Mapping[str, Callable[..., Any]]


class Server:
    """Answers calls by name, each client in a thread of its own. What a handler raises is raised at the caller."""

    def __init__(self, handlers: Handlers) -> None:
        self._handlers = handlers
        self.key = secrets.token_bytes(16)
        self._listener = Listener(("127.0.0.1", 0), authkey=self.key)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> tuple[str, int]:
        host, port = self._listener.address[:2]
        return str(host), int(port)

    def _accept(self) -> None:
        while True:
            try:
                client = self._listener.accept()
            except (OSError, EOFError):
                return  # closed
            threading.Thread(target=self._serve, args=[client], daemon=True).start()

    def _serve(self, client: Connection[Any, Any]) -> None:
        with client:
            while True:
                try:
                    name, arguments = client.recv()
                except (EOFError, OSError):
                    return  # the worker ended
                try:
                    client.send((self._handlers[name](*arguments), None))
                except Exception as error:  # noqa: BLE001 - it is raised where it belongs: at the caller
                    client.send((None, error))

    def close(self) -> None:
        self._listener.close()


class Caller:
    """A worker's end. Calls are made one after another."""

    def __init__(self, address: tuple[str, int], key: bytes) -> None:
        self._connection = Client(address, authkey=key)

    def call(self, name: str, *arguments: Any) -> Any:
        self._connection.send((name, arguments))
        result, error = self._connection.recv()
        if error is not None:
            raise error
        return result
