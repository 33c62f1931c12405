"""Tests in forms of SQL that the model does not have, as texts: patterns, casts, intervals, lambda functions, rows.

As in ``verbatim_tests`` the engine is asked what they say, and a column is compared with values that it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from model.text.literals import type_sql
from model.vocabulary.predicate import Language, Verbatim
from model.vocabulary.table import Table
from model.vocabulary.values import Row
from strategies.conditions.verbatim_tests import literal_text, quoted
from strategies.weights import one_in

#: Of all types: {c} is a column, {v} and {w} are values of it.
_ANY = (
    "{c} IS DISTINCT FROM {v}",
    "{c} IS NOT DISTINCT FROM {v}",
    "({c} = {v}) IS NOT TRUE",
    "({c} > {v}) IS FALSE",
    "({c} = {v}) IS NULL",
    "CASE {c} WHEN {v} THEN TRUE WHEN {w} THEN FALSE END",
    "CASE WHEN {c} = {v} THEN 1 WHEN {c} > {w} THEN 2 ELSE 3 END < 3",
    "nullif({c}, {v}) IS NULL",
    "{c} NOT BETWEEN {v} AND {w}",
    "{c} IN ({v}, NULL)",
)
_TEXT = (
    "{c} ILIKE {v}",
    "{c} NOT ILIKE 'A%'",
    "{c} LIKE 'a!%%' ESCAPE '!'",
    "CAST({c} AS INT) = 1",
    "TRY_CAST({c} AS INT) IS NULL",
    "{c} || 'x' = {v} || 'x'",
    "SUBSTRING({c} FROM 1 FOR 1) = SUBSTRING({v} FROM 1 FOR 1)",
    "POSITION('a' IN {c}) > 0",
    "TRIM(BOTH 'a' FROM {c}) = {v}",
)
_NUMBER = ("CAST({c} AS {text}) = CAST({v} AS {text})", "-{c} > {v}", "{c} + 1 > {v}", "{c} * 2 = {v} * 2")
_WHOLE = (*_NUMBER, "{c} & 1 = 1", "{c} % 2 = 0", "CAST({c} AS DOUBLE) / 2 > CAST({v} AS DOUBLE)")
_DATE = (
    "{c} + INTERVAL '1' DAY > {v}",
    "{c} - INTERVAL '1' MONTH < {v}",
    "EXTRACT(YEAR FROM {c}) = EXTRACT(YEAR FROM {v})",
    "CAST({c} AS TIMESTAMP) > CAST({v} AS TIMESTAMP)",
)
_TIMESTAMP = ("{c} + INTERVAL '1' HOUR > {v}", "CAST({c} AS DATE) = CAST({v} AS DATE)")
_SPARK_ANY = (
    "!({c} = {v})",
    "STRUCT({c}) = STRUCT({v})",
    "named_struct('a', {c}).a > {v}",
    "array({c}, {v})[0] = {w}",
    "map('k', {c})['k'] = {v}",
    "({c}, {c}) IN (({v}, {w}), ({w}, {w}))",
    "({c} = {v}) IS NOT FALSE",
    "({c} > {v}) IS UNKNOWN",
    "{c} != {v}",
    "CURRENT_DATE IS NOT NULL AND {c} = {v}",
    "CURRENT_TIMESTAMP > TIMESTAMP '1990-01-01' AND {c} <> {v}",
    "CURRENT_USER = SESSION_USER AND USER IS NOT NULL AND {c} = {v}",
    "struct(*) IS NOT NULL AND {c} = {v}",
    "{c}::STRING = {v}::STRING",
    "CASE {c} WHEN {v} THEN 'a' WHEN {w} THEN 'b' ELSE 'c' END <> 'a'",
)
_SPARK_WHOLE = (
    "{c} << 1 > {v}",
    "{c} >> 1 = {v} >> 1",
    "{c} >>> 1 = 0",
    "{c} | 1 = {v} | 1",
    "{c} ^ {v} = 0",
    "~{c} < {v}",
    "+{c} >= {v}",
    "{c} DIV 2 = {v} DIV 2",
    "{c} / 2 > {v} / 2",
)
_SPARK_DATE = (
    "{c} - {v} > INTERVAL '0' DAY",
    "TIMESTAMPADD(DAY, 1, {c}) > {v}",
    "DATEADD(MONTH, 1, {c}) > {v}",
    "DATE_ADD(WEEK, -1, {c}) < {v}",
    "TIMESTAMPDIFF(DAY, {c}, {v}) > 0",
    "DATEDIFF(MONTH, {c}, {v}) = 0",
    "DATE_DIFF(YEAR, {c}, {v}) = 0",
    "{c} + INTERVAL '1-2' YEAR TO MONTH > {v}",
)
_SPARK_TIMESTAMP = (
    "{c} - INTERVAL '1 02:03' DAY TO MINUTE < {v}",
    "TIMESTAMPADD(HOUR, 1, {c}) > {v}",
    "TIMESTAMPDIFF(HOUR, {c}, {v}) > 0",
    "{c} + INTERVAL 1 DAY 2 HOURS > {v}",
)
_SPARK_TEXT = (
    "{c} COLLATE UTF8_LCASE = {v}",
    "{c} COLLATE UNICODE_CI < {v}",
    "contains({c} COLLATE UTF8_LCASE, 'A')",
    "OVERLAY({c} PLACING 'x' FROM 1 FOR 1) = {v}",
    "TRIM(LEADING FROM {c}) = {v}",
    "TRIM(TRAILING 'a' FROM {c}) = {v}",
    "SUBSTR({c} FROM 2) = ''",
    "{c} NOT LIKE {v}",
    "{c} NOT RLIKE '^a'",
    "{c} NOT LIKE ALL ('a%', {v})",
    "{c} LIKE SOME ({v}, 'b%')",
    "{c} LIKE ANY ({v}, 'a%')",
    "{c} LIKE ALL ('%a%', {v})",
    "{c} REGEXP '^[a-m]'",
    "get_json_object(concat('{{\"a\": [\"', {c}, '\"]}}'), '$.a[0]') = {v}",
    "get_json_object({c}, '$.a') IS NULL",
    "({c}, 1) IN (({v}, 1), ({w}, 2))",
)
_SPARK_LISTS = (
    "exists({c}, x -> x = 'a')",
    "NOT exists({c}, x -> x > 'a')",
    "forall({c}, x -> x IS NOT NULL)",
    "size(filter({c}, x -> x > 'a')) > 0",
    "filter({c}, (x, i) -> i > 0) = filter({v}, (x, i) -> i > 0)",
    "transform({c}, x -> upper(x)) = transform({v}, x -> upper(x))",
    "aggregate({c}, '', (sum, x) -> concat(sum, x)) = aggregate({v}, '', (sum, x) -> concat(sum, x))",
    "aggregate({c}, 0, (n, x) -> n + length(x), n -> n > 1)",
    "forall(zip_with({c}, {v}, (x, y) -> x <=> y), x -> x)",
    "array_sort({c}, (x, y) -> CASE WHEN x < y THEN 1 WHEN x > y THEN -1 ELSE 0 END)[0] > 'a'",
    "try_element_at({c}, 1) = try_element_at({v}, 1)",
)
_FUSION_TEXT = ("{c} SIMILAR TO '(a|b)%'", "{c} ~ '^[a-m]'", "{c} !~ 'a'", "{c} ~* '^A'", "{c} !~* '^A'", "{c} ~~ 'a%'")

_SPARK: Mapping[str, Sequence[str]] = {
    "STRING": (*_ANY, *_SPARK_ANY, *_TEXT, *_SPARK_TEXT),
    "INT": (*_ANY, *_SPARK_ANY, *_WHOLE, *_SPARK_WHOLE),
    "BIGINT": (*_ANY, *_SPARK_ANY, *_WHOLE, *_SPARK_WHOLE),
    "DOUBLE": (*_ANY, *_SPARK_ANY, *_NUMBER),
    "DECIMAL(10, 2)": (*_ANY, *_SPARK_ANY, *_NUMBER),
    "DATE": (*_ANY, *_SPARK_ANY, *_DATE, *_SPARK_DATE),
    "TIMESTAMP": (*_ANY, *_SPARK_ANY, *_TIMESTAMP, *_SPARK_TIMESTAMP),
    "ARRAY<STRING>": _SPARK_LISTS,
}
_FUSION: Mapping[str, Sequence[str]] = {
    "STRING": (*_ANY, *_TEXT, *_FUSION_TEXT),
    "INT": (*_ANY, *_WHOLE),
    "BIGINT": (*_ANY, *_WHOLE),
    "DOUBLE": (*_ANY, *_NUMBER),
    "DECIMAL(10, 2)": (*_ANY, *_NUMBER),
    "DATE": (*_ANY, *_DATE),
    # A literal of its type is refused (docs/findings-deltalake.md).
    "TIMESTAMP": ("EXTRACT(YEAR FROM {c}) = EXTRACT(YEAR FROM {v})", "CAST({c} AS DATE) = CAST({v} AS DATE)"),
    "ARRAY<STRING>": ("{c}[1] = {v}[1]", "'a' = ANY({c})", "{c}[1] IS NULL"),
}

#: Of a CHAR or VARCHAR, with values as users write them: without the spaces at their end.
_DECLARED = (
    "{c} = {v}",
    "{c} <> {v}",
    "{c} IN ({v}, {w})",
    "{c} NOT IN ({v}, {w})",
    "{c} BETWEEN {v} AND {w}",
    "{c} >= {v}",
    "{v} = {c}",
    "{c} LIKE {v}",
)

#: Beside a test of the file that a row is in, which Spark has as the hidden column _metadata: it has the same value for all rows.
METADATA = (
    "_metadata.file_size > 0 AND {c} = {v}",
    "_metadata.file_name IS NOT NULL AND {c} = {v}",
    "{c} <> {v} AND _metadata.file_modification_time > TIMESTAMP '1970-01-01'",
    "_metadata.file_path = 'a' OR {c} = {v}",
    "{c} > {v} AND _metadata.file_path LIKE '%.parquet'",
    "_metadata.file_block_start < 0 OR {c} IS NULL",
    "{c} = {w} AND _metadata.file_block_length BETWEEN 1 AND 1000000000",
)

#: By the name of the column's type.
FORMS = {Language.SPARK: _SPARK, Language.DATAFUSION: _FUSION}
_TEXTS = {Language.SPARK: "STRING", Language.DATAFUSION: "VARCHAR"}


@st.composite
def verbatim_forms(draw: DrawFn, table: Table, rows: Sequence[Row], *, language: Language) -> Verbatim:
    """Tests of one column in a form of SQL: each column of a type with such forms equally often, then each of its forms. On
    delta-rs of data columns only: on partition columns most remove all files (docs/findings-deltalake.md).

    On Spark one in eight also tests which file the row is in. If the table has a CHAR or VARCHAR, two in three compare it.
    ``rows`` are full rows of the table, at least one: the values are those of two of them. Shrinks to the first form of the
    first column; IS NULL where no column has one.
    """
    forms = FORMS[language]
    names = () if language is Language.SPARK else table.partition_by
    known = [
        (place, column)
        for place, column in enumerate(table.columns)
        if type_sql(column.type) in forms and column.name not in names
    ]
    if not known:
        column = table.columns[0]
        return Verbatim(f"{quoted(column.name, language)} IS NULL", (column.name,), language)
    has_metadata = language is Language.SPARK and all(column.name != "_metadata" for column in table.columns)
    declared = [one for one in known if one[1].declared is not None]
    as_declared = bool(declared) and not draw(one_in(3))
    place, column = draw(st.sampled_from(declared if as_declared else known))
    of_type = _DECLARED if as_declared else forms[type_sql(column.type)]
    form = draw(st.sampled_from(METADATA if has_metadata and draw(one_in(8)) else of_type))
    values = [draw(st.sampled_from(list(rows)))[place] for _ in range(2)]
    if as_declared:
        values = [value.rstrip(" ") if isinstance(value, str) else value for value in values]
    first, second = (literal_text(value, column.type, language) for value in values)
    text = form.format(c=quoted(column.name, language), v=first, w=second, text=_TEXTS[language])
    return Verbatim(text, (column.name,), language)
