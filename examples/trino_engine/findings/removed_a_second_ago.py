"""VACUUM deletes the file that a DELETE removed a second ago, if nothing was written before for longer than the retention.

On a server of Trino with a catalog delta, which TRINO names (localhost:8080). The table is made in the new directory that LOCATION names
(s3://bucket/directory), and stays there.

    pip install trino==0.340.0
    python removed_a_second_ago.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys
import time

import trino

HOST, _, PORT = os.environ.get("TRINO", "localhost:8080").partition(":")
SCHEMA = "tombstone_removed_a_second_ago"
PLACE = f"location = '{os.environ.get('LOCATION', '')}/t'"


def run(sql):
    options = {"catalog": "delta", "schema": SCHEMA, "session_properties": {"delta.vacuum_min_retention": "0s"}}
    connection = trino.dbapi.connect(host=HOST, port=int(PORT), user="tombstone", **options)
    return connection.cursor().execute(sql).fetchall()


def is_violated():
    run(f"CREATE TABLE t (v BIGINT) WITH ({PLACE})")
    run("INSERT INTO t VALUES 1, 2")
    time.sleep(20)
    run("DELETE FROM t WHERE v = 1")
    run(f"CALL delta.system.vacuum('{SCHEMA}', 't', '15s')")
    try:
        print("a reader of the version before the DELETE finds", run("SELECT v FROM t FOR VERSION AS OF 1"))
    except trino.exceptions.TrinoQueryError as problem:
        print("a reader of the version before the DELETE fails:", problem.message)
        return True
    return False


if __name__ == "__main__":
    try:
        run(f"CREATE SCHEMA {SCHEMA}")
        try:
            violated = is_violated()
        finally:
            run(f"DROP SCHEMA {SCHEMA} CASCADE")
    except Exception as problem:
        print("CANNOT TELL:", repr(problem)[:300])
        sys.exit(2)
    print("VIOLATED" if violated else "HOLDS", "on Trino", run("SELECT version()")[0][0])
    sys.exit(1 if violated else 0)
