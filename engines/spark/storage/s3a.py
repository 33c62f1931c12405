"""Tables in an S3 bucket: S3A, Hadoop's client of it, with the modules of Amazon's SDK that it needs, and whether it works."""

from __future__ import annotations

from pathlib import Path

import pyspark

from engines.object_store import ObjectStore
from engines.port import EngineUnavailable
from engines.spark.jvm.driver import Lease
from engines.spark.jvm.jars import Dependency, downloaded_jars, spark_jars
from engines.spark.masters.executors import FAILURES, cause_of, interrupts_as_before
from engines.spark.sessions.session import connect, disconnect

#: The scheme of URIs by which Spark names objects in S3.
SCHEME = "s3a"

#: By the version of Hadoop that PySpark ships, what the POM of its hadoop-aws asks for: the versions of Amazon's SDK, and of its
#: library for streams, of which S3A loads a class in any case.
_ASKED = {"3.5.0": ("2.35.4", "1.3.1")}

#: The modules of the SDK that S3A uses here. The POM asks for all of them in one jar, of hundreds of megabytes.
_MODULES = ("s3", "s3-transfer-manager", "sts")


def s3a_jars(*, java: Path, ivy_settings: str | None) -> tuple[Path, ...]:
    """S3A's jar and what it needs, downloaded unless cached. Raises EngineUnavailable, also for an unknown Hadoop."""
    hadoop = _hadoop()
    if hadoop not in _ASKED:
        raise EngineUnavailable(
            f"--storage s3 works with Hadoop {', '.join(_ASKED)} only, which PySpark {pyspark.__version__} does not ship: "
            "use Delta 4.4 with PySpark 4.2."
        )
    sdk, streams = _ASKED[hadoop]
    wanted = (
        Dependency("org.apache.hadoop", "hadoop-aws", hadoop, alone=True),
        *(Dependency("software.amazon.awssdk", name, sdk) for name in _MODULES),
        Dependency("software.amazon.s3.analyticsaccelerator", "analyticsaccelerator-s3", streams, alone=True),
    )
    return downloaded_jars(wanted, java=java, ivy_settings=ivy_settings)


def _hadoop() -> str:
    """The version of Hadoop that PySpark ships; empty if it ships none, or several."""
    found = [jar.stem.removeprefix("hadoop-client-api-") for jar in spark_jars().glob("hadoop-client-api-*.jar")]
    return found[0] if len(found) == 1 else ""


def s3a_settings(store: ObjectStore, directory: Path) -> dict[str, str]:
    """Settings with which a path without a scheme means an object of this bucket. ``directory`` is the run's own."""
    return {
        "spark.hadoop.fs.defaultFS": f"{SCHEME}://{store.bucket}",
        "spark.sql.warehouse.dir": f"file:{directory}/warehouse",
        "spark.delta.logStore.s3a.impl": "io.delta.storage.S3SingleDriverLogStore",
        **client_settings(store, directory),
    }


def client_settings(store: ObjectStore, directory: Path) -> dict[str, str]:
    """Settings of S3A, by which it reaches the server. It gives up soon one that is gone."""
    s3a = "spark.hadoop.fs.s3a"
    provider = "SimpleAWSCredentialsProvider" if store.session_token is None else "TemporaryAWSCredentialsProvider"
    token = {} if store.session_token is None else {f"{s3a}.session.token": store.session_token}
    server = {} if store.endpoint is None else {f"{s3a}.endpoint": store.endpoint}
    secure = store.endpoint is None or store.endpoint.startswith("https:")
    return {
        **server,
        **token,
        f"{s3a}.endpoint.region": store.region,
        f"{s3a}.access.key": store.access_key,
        f"{s3a}.secret.key": store.secret_key,
        f"{s3a}.aws.credentials.provider": f"org.apache.hadoop.fs.s3a.{provider}",
        f"{s3a}.path.style.access": "true" if server else "false",
        f"{s3a}.connection.ssl.enabled": "true" if secure else "false",
        f"{s3a}.buffer.dir": f"{directory}/s3a",
        f"{s3a}.input.stream.type": "classic",  # the default reads ahead, of files of a few hundred bytes
        # Objects that the suite wrote as files all have the same ETag.
        f"{s3a}.change.detection.mode": "none",
        f"{s3a}.attempts.maximum": "2",
        f"{s3a}.retry.limit": "2",
        f"{s3a}.connection.establish.timeout": "5s",
        f"{s3a}.connection.timeout": "30s",
    }


def require_usable(lease: Lease, store: ObjectStore, path: Path) -> None:
    """Write a small Delta table at ``path`` in the bucket, and read it. Raises EngineUnavailable if that fails."""
    try:
        with interrupts_as_before():
            session = connect(lease)
        session.range(1).write.format("delta").save(f"{store.above}{path}")
        session.read.format("delta").load(f"{store.above}{path}").collect()
    except FAILURES as failure:
        raise EngineUnavailable(
            f"Spark cannot write and read a Delta table in the bucket {store.bucket} at {store.address} ({cause_of(failure)}): "
            "see that the server runs and has the bucket, and that it knows the access key."
        ) from failure
    finally:
        disconnect()
