"""Hypothesis strategies that draw cases: values, tables, predicates, strays, clocks, programs, whole cases.

They import the model's vocabulary only. They know no engine, no disk and no clock: every instant is an offset in ms.
"""
