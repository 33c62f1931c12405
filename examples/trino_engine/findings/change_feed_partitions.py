"""The change feed has the values of two partition columns exchanged, if the table is partitioned in another order than its schema's.

On a server of Trino with a catalog delta, which TRINO names (localhost:8080). The table is made in the new directory that LOCATION names
(s3://bucket/directory), and stays there.

    pip install trino==0.340.0
    python change_feed_partitions.py    # exit code 0: HOLDS, 1: VIOLATED, 2: CANNOT TELL
"""

import os
import sys

import trino

HOST, _, PORT = os.environ.get("TRINO", "localhost:8080").partition(":")
SCHEMA = "tombstone_change_feed_partitions"
PLACE = f"location = '{os.environ.get('LOCATION', '')}/t'"


def run(sql):
    options = {"catalog": "delta", "schema": SCHEMA, "session_properties": {"delta.vacuum_min_retention": "0s"}}
    connection = trino.dbapi.connect(host=HOST, port=int(PORT), user="tombstone", **options)
    return connection.cursor().execute(sql).fetchall()


def is_violated():
    options = "partitioned_by = ARRAY['b', 'a'], change_data_feed_enabled = true"
    run(f"CREATE TABLE t (a VARCHAR, v BIGINT, b VARCHAR) WITH ({options}, {PLACE})")
    run("INSERT INTO t VALUES ('x', 1, 'y'), ('x', 2, 'y')")
    run("DELETE FROM t WHERE v = 1")
    feed = f"TABLE(delta.system.table_changes('{SCHEMA}', 't', 1))"
    found = run(f"SELECT a, v, b FROM {feed} WHERE _change_type = 'delete'")
    print(f"the row that was deleted is ['x', 1, 'y']; the change feed has {found}")
    return found != [["x", 1, "y"]]


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
