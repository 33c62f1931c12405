"""VACUUM in S3 fails where a removed file has a character in its name that XML cannot hold, such as U+FFFF.

    pip install deltalake==1.6.6 pyarrow==26.0.1
    python beyond_xml.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL

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
    rows = pa.table({"n": [1, 2]})
    write_deltalake("s3://bucket/t", rows, storage_options=options)
    path = bucket / "t" / "part-\uffff.parquet"  # an object of the bucket is a file below it; Spark names partitions so
    pq.write_table(rows, path)
    fields = {"path": "part-%EF%BF%BF.parquet", "partitionValues": {}, "size": path.stat().st_size, "dataChange": True}
    add = {"add": {**fields, "modificationTime": int(time.time() * 1000)}}
    (bucket / "t" / "_delta_log" / f"{1:020}.json").write_text(json.dumps(add) + "\n")
    table = DeltaTable("s3://bucket/t", storage_options=options)
    table.delete()
    time.sleep(2)
    try:
        table.vacuum(0, dry_run=False, enforce_retention_duration=False)
    except Exception as error:
        print("VACUUM fails:", " ".join(str(error).split())[-400:])
    left = [path.name for path in bucket.rglob("*.parquet")]
    print("files:", left, "- expected none")
    return 1 if left else 0


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
