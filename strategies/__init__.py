"""Hypothesis strategies: ``tables``, ``conditions`` for them, ``steps`` with these, and whole ``cases``.

They import ``model`` only, and use no engine, disk or clock: every instant is an offset in ms.
"""
