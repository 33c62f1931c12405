"""In a partition with a space, a second DELETE with a deletion vector brings the rows of the first one back, and doubles the others.

On a server of Trino with a catalog delta, which TRINO names (localhost:8080). The table is made in the new directory that LOCATION names
(s3://bucket/directory), and stays there.

    pip install trino==0.340.0
    python vector_of_an_encoded_path.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys

import trino

HOST, _, PORT = os.environ.get("TRINO", "localhost:8080").partition(":")
SCHEMA = "tombstone_vector_of_an_encoded_path"
PLACE = f"location = '{os.environ.get('LOCATION', '')}/t'"


def run(sql):
    options = {"catalog": "delta", "schema": SCHEMA, "session_properties": {"delta.vacuum_min_retention": "0s"}}
    connection = trino.dbapi.connect(host=HOST, port=int(PORT), user="tombstone", **options)
    return connection.cursor().execute(sql).fetchall()


def is_violated():
    options = "partitioned_by = ARRAY['p'], deletion_vectors_enabled = true"
    run(f"CREATE TABLE t (v BIGINT, p VARCHAR) WITH ({options}, {PLACE})")
    run("INSERT INTO t VALUES (1, 'a b'), (2, 'a b'), (3, 'a b'), (4, 'a b')")
    run("DELETE FROM t WHERE v = 1")
    run("DELETE FROM t WHERE v = 2")
    left = [v for (v,) in run("SELECT v FROM t ORDER BY v")]
    print(f"of the rows 1 to 4, 1 and 2 were deleted: {left} are left")
    return left != [3, 4]


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
