"""A DELETE whose condition has a list of some thousand values ends the server.

    pip install pysail==0.7.2 pyspark-client==4.2.0 'pandas<3'
    python sail_long_list.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from pyspark.sql.connect.session import SparkSession

SERVER = """
import sys
from pysail.spark import SparkConnectServer
server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
print(server.listening_address[1], flush=True)
sys.stdin.read()
"""


def is_violated(home: Path) -> bool:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.stdout.readline().strip()}").create()
        session.client.set_retry_policies([])  # else the client calls a server that is gone for ten minutes
        session.client.disable_reattachable_execute()
        session.sql(f"CREATE TABLE t (v BIGINT) USING delta LOCATION '{home / 't'}'")
        session.sql("INSERT INTO t VALUES (1)")
        for count in (100, 1_000, 30_000):
            values = ", ".join(str(value) for value in range(count))
            try:
                session.sql(f"DELETE FROM delta.`{home / 't'}` WHERE v IN ({values})")
                print(f"a list of {count} values: done, as expected")
            except Exception as error:  # noqa: BLE001 - any class
                server.stdin.close()
                print(
                    f"a list of {count} values: {type(error).__name__}, and the server's exit code is {server.wait(30)}"
                )
                return server.returncode != 0
        return False


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            violated = is_violated(Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on pysail", version("pysail"))
    sys.exit(1 if violated else 0)
