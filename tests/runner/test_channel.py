"""Calls from workers to the controller: answers, errors, many clients at a time, and no access without the key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import AuthenticationError
from typing import Any

import pytest

from engines.port import EngineUnavailable
from runner.processes.channel import Caller, Server

#: How long a call may take, seconds.
LIMIT = 20

#: Passed when three clients have called.
MEETING = threading.Barrier(3)


def add(left: int, right: int) -> int:
    return left + right


def meet() -> int:
    return MEETING.wait(LIMIT)


def refuse(text: str) -> None:
    raise EngineUnavailable(text)


def unsendable() -> None:
    raise UnsendableError


class UnsendableError(Exception):
    """Cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("it holds a lambda")
        self.held = lambda: None


@pytest.fixture
def server() -> Iterator[Server]:
    noted: list[Any] = []

    def note(value: Any) -> None:
        noted.append(value)

    handlers: dict[str, Callable[..., Any]] = {
        "add": add,
        "meet": meet,
        "refuse": refuse,
        "note": note,
        "noted": lambda: noted,
        "fail": unsendable,
        "lambda": lambda: lambda: None,
    }
    server = Server(handlers)
    yield server
    server.close()


def caller(server: Server) -> Caller:
    return Caller(server.address, server.key)


def test_the_server_listens_on_this_machine_only(server: Server) -> None:
    assert server.address[0] == "127.0.0.1"


def test_values_arrive_unchanged(server: Server) -> None:
    client = caller(server)
    value = {"größe": [None, 1.5, {"a": (1, 2)}], "long": "x" * 2_000_000}
    assert client.call("note", value) is None
    assert client.call("noted") == [value]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (("refuse", "There is no Java."), EngineUnavailable, r"^There is no Java\.$"),
        (("add", 1), TypeError, "argument"),
        (("absent",), KeyError, "absent"),
        (("fail",), RuntimeError, "UnsendableError: it holds a lambda"),
        (("lambda",), Exception, "pickle"),
    ],
    ids=[
        "raised",
        "wrong arguments",
        "no such handler",
        "error that cannot be pickled",
        "answer that cannot be pickled",
    ],
)
def test_an_error_is_raised_at_the_caller_and_the_next_call_works(
    call: tuple[Any, ...], error: type[Exception], message: str, server: Server
) -> None:
    client = caller(server)
    with pytest.raises(error, match=message):
        client.call(*call)
    assert client.call("add", 1, 1) == 2


def test_clients_do_not_wait_for_each_other(server: Server) -> None:
    with ThreadPoolExecutor(3) as pool:
        places = list(pool.map(lambda client: client.call("meet"), [caller(server) for _ in range(3)]))
    assert sorted(places) == [0, 1, 2]


def test_many_clients_lose_nothing(server: Server) -> None:
    def send(number: int) -> None:
        client = caller(server)
        for index in range(20):
            client.call("note", (number, index))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(send, range(8)))
    noted = caller(server).call("noted")
    assert sorted(noted) == [(number, index) for number in range(8) for index in range(20)]
    for number in range(8):
        assert [index for client, index in noted if client == number] == list(range(20)), (
            "calls of a client arrive in order"
        )


def test_without_the_key_a_client_is_refused_and_others_still_connect(server: Server) -> None:
    with pytest.raises((AuthenticationError, EOFError, OSError)):
        Caller(server.address, b"another key")
    assert caller(server).call("add", 1, 2) == 3


def test_two_servers_have_two_keys(server: Server) -> None:
    other = Server({})
    try:
        assert other.key != server.key and other.address != server.address
    finally:
        other.close()
