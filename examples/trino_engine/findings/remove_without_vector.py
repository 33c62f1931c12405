"""In a table with deletion vectors, a DELETE of whole files answers that it deleted the rows, and deletes none.

On a server of Trino with a catalog delta, which TRINO names (localhost:8080). The table is made in the new directory that LOCATION names
(s3://bucket/directory), and stays there.

    pip install trino==0.340.0
    python remove_without_vector.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys

import trino

HOST, _, PORT = os.environ.get("TRINO", "localhost:8080").partition(":")
SCHEMA = "tombstone_remove_without_vector"
PLACE = f"location = '{os.environ.get('LOCATION', '')}/t'"


def run(sql):
    options = {"catalog": "delta", "schema": SCHEMA, "session_properties": {"delta.vacuum_min_retention": "0s"}}
    connection = trino.dbapi.connect(host=HOST, port=int(PORT), user="tombstone", **options)
    return connection.cursor().execute(sql).fetchall()


def is_violated():
    options = "partitioned_by = ARRAY['p'], deletion_vectors_enabled = true"
    run(f"CREATE TABLE t (v BIGINT, p VARCHAR) WITH ({options}, {PLACE})")
    run("INSERT INTO t VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'b')")
    run("DELETE FROM t WHERE v = 1")
    answer = run("DELETE FROM t WHERE p = 'a'")
    left = run("SELECT v, p FROM t ORDER BY v")
    print(f"the DELETE of the partition a answers {answer}, and the table still has {left}")
    return left != [[4, "b"]]


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
