"""Spark's masters: which are local, which can be reached."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from engines.port import EngineUnavailable
from engines.spark.masters.names import (
    is_local,
    is_master,
    own_cluster,
    own_workers,
    require_reachable,
    with_free_slots,
)

LOCAL = ("local", "local[4]", "local[*]", "local[*, 2]")
CLUSTERS = (
    "local-cluster[1,1,1024]",
    "spark://host:7077",
    "spark://one:7077,other:7078",
    "spark://[::1]:7077",
    "yarn",
    "k8s://https://host:6443",
)
NONE = ("", "foo", "Local", "local[0]", "local[]", "local-cluster[1]", "spark://", "spark://host", "spark://host:port")


@pytest.fixture
def listening() -> Iterator[str]:
    """The address of a port that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def closed() -> Iterator[str]:
    """The address of a port that refuses connections: it is taken, and nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_what_is_a_master() -> None:
    for master in (*LOCAL, *CLUSTERS):
        assert is_master(master) and is_local(master) is (master in LOCAL), master
    for text in (*NONE, "spark://host:0", "spark://host:7077/path", "spark://one:7077,"):
        assert not is_master(text), text


def test_one_of_several_masters_that_listens_is_enough(listening: str, closed: str) -> None:
    require_reachable(f"spark://{listening}")
    require_reachable(f"spark://{closed},{listening}")


def test_a_master_that_does_not_listen_is_refused_in_one_sentence(closed: str) -> None:
    with pytest.raises(EngineUnavailable) as refusal:
        require_reachable(f"spark://{closed}")
    assert str(refusal.value) == (
        f"--spark-master spark://{closed} cannot be reached (Connection refused): start the master, or correct its address."
    )


@pytest.mark.parametrize("master", [*LOCAL, "local-cluster[1,1,1024]", "yarn", "k8s://https://host.invalid:6443"])
def test_other_masters_are_left_to_spark(master: str) -> None:
    require_reachable(master)


def test_the_name_of_a_cluster_that_a_run_starts() -> None:
    own = own_cluster(12)
    assert own_workers(own) == 12
    assert not is_local(own) and not is_master(own), "only --spark-cluster starts one"
    assert not any(own_workers(master) for master in (*LOCAL, *CLUSTERS, *NONE, "standalone[0]"))
    require_reachable(own)


def test_local_mode_has_free_slots_and_splits_data_as_without_them() -> None:
    assert with_free_slots({"spark.master": "local[4]"}) == {
        "spark.master": "local[12]",
        "spark.default.parallelism": "4",
    }
    assert with_free_slots({"spark.master": "local"})["spark.default.parallelism"] == "1"
    assert int(with_free_slots({"spark.master": "local[*]"})["spark.default.parallelism"]) >= 1
    given = {"spark.master": "local[2]", "spark.default.parallelism": "7"}
    assert with_free_slots(given)["spark.default.parallelism"] == "7"
    for master in (*CLUSTERS, "local[*, 2]"):
        assert with_free_slots({"spark.master": master}) == {"spark.master": master}
