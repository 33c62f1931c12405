"""Rounding to FLOAT, and the texts that Java gives for FLOAT and DOUBLE."""

from __future__ import annotations

import math
import struct


def nearest_float(number: float) -> float:
    """The FLOAT (32 bits) nearest to a DOUBLE: an infinity if it is too great. NaN stays NaN."""
    try:
        nearest: float = struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    return nearest


def java_text(value: float, *, single: bool = False) -> str:
    """The text of Java's Double.toString, or of Float.toString if ``single``.

    It has the fewest digits, at least two, that identify the value, the closest ones of several: ``1.0``, ``0.1``,
    ``1.0E7``, ``4.9E-324``, ``NaN``, ``-Infinity`` (Java before 19 has more digits for a few values). Raises ValueError for
    a ``single`` that 32 bits do not hold exactly.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if single and nearest_float(value) != value:
        raise ValueError(f"32 bits do not hold {value!r} exactly, so it is not a FLOAT")
    sign = "-" if math.copysign(1, value) < 0 else ""
    digits, exponent = _shortest(abs(value), single)
    if not -3 <= exponent < 7:
        return f"{sign}{digits[0]}.{digits[1:]}E{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits.rstrip('0')}"
    digits = digits.ljust(exponent + 2, "0")
    return f"{sign}{digits[: exponent + 1]}.{digits[exponent + 1 :].rstrip('0') or '0'}"


def _shortest(value: float, single: bool) -> tuple[str, int]:
    """The digits, and the power of ten of the first digit."""
    text = ""
    for count in range(1, 17):  # digits after the point; 17 digits identify every double
        text = f"{value:.{count}e}"
        if (nearest_float(float(text)) if single else float(text)) == value:
            break
    digits, _, power = text.partition("e")
    return digits.replace(".", ""), int(power)
