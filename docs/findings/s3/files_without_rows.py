"""A DELETE in S3 fails where a file of the table has no rows and a BOOLEAN column; on a local file system it succeeds.

    pip install deltalake==1.6.6 pyarrow==26.0.1
    python files_without_rows.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

It needs a server: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, which must be on PATH.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

KEY, SECRET = "finding", "finding-secret"


def main(address: str, bucket: Path) -> int:
    options = {"AWS_ENDPOINT_URL": f"http://{address}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
    options |= {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    rows = pa.table({"b": [True, False]})  # a chunk of BOOLEAN values has no dictionary: without values it has no bytes
    write_deltalake("s3://bucket/t", rows, storage_options=options)
    path = bucket / "t" / "part-00001-without-rows.parquet"  # an object of the bucket is a file below it
    pq.write_table(rows.slice(0, 0), path)
    fields = {"path": path.name, "partitionValues": {}, "size": path.stat().st_size, "dataChange": True}
    add = {"add": {**fields, "modificationTime": int(time.time() * 1000)}}
    (bucket / "t" / "_delta_log" / f"{1:020}.json").write_text(json.dumps(add) + "\n")
    try:
        DeltaTable("s3://bucket/t", storage_options=options).delete("b")
    except Exception as error:
        print("DELETE WHERE b fails:", str(error).splitlines()[0])
    left = DeltaTable("s3://bucket/t", storage_options=options).to_pyarrow_table().column("b").to_pylist()
    print("rows:", left, "- expected [False]")
    return 0 if left == [False] else 1


def served(home: Path) -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "{}:{}".format(*free.getsockname())
    bucket = home / "bucket"
    bucket.mkdir()
    environ = {**os.environ, "ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
    command = ["versitygw", "--quiet", "--port", address, "posix", "--default-etag", "finding", str(home)]
    server = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    try:
        time.sleep(2)
        return main(address, bucket)
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory(prefix="tombstone-") as directory:
            code = served(Path(directory).resolve())
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if code else "HOLDS")
    sys.exit(code)
