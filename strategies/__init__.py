"""Hypothesis strategies for cases: values, tables, predicates, stray files, clocks, programs, whole cases.

They import ``model`` only, and use no engine, disk or clock: every instant is an offset in ms.
"""
