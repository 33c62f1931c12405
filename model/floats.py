"""FLOAT and DOUBLE as Java has them: 32 bits, and their texts."""

from __future__ import annotations

import math
import struct


def nearest_float(number: float) -> float:
    """The FLOAT (32 bits) nearest to a DOUBLE: an infinity where that is too great. NaN stays NaN."""
    try:
        nearest: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return nearest


def java_text(value: float, *, single: bool = False) -> str:
    """What Java's Double.toString gives for ``value``, or Float.toString where it is ``single``.

    These are the shortest digits that tell the value from its neighbours, two at least, the closest ones if there are
    several: ``1.0``, ``0.1``, ``1.0E7``, ``4.9E-324``, ``NaN``, ``-Infinity`` (Java before 19 gives more digits for a few
    values). Raises ValueError for a ``single`` that 32 bits do not hold exactly.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if single and nearest_float(value) != value:
        raise ValueError(f"32 bits do not hold {value!r} exactly, so it is no FLOAT")
    sign = "-" if math.copysign(1, value) < 0 else ""
    digits, exponent = _shortest(abs(value), single)
    if not -3 <= exponent < 7:
        return f"{sign}{digits[0]}.{digits[1:]}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits.rstrip('0')}"
    digits = digits.ljust(exponent + 2, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :].rstrip('0') or '0'}"


def _shortest(value: float, single: bool) -> tuple[str, int]:
    """The digits, and the power of ten of the first one."""
    spelled = ""
    for count in range(1, 17):  # behind the point; 17 digits tell all doubles apart
        spelled = f"{value:.{count}e}"
        if (nearest_float(float(spelled)) if single else float(spelled)) == value:
            break
    digits, _, power = spelled.partition("e")
    return digits.replace(".", ""), int(power)
