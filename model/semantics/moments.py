"""Calendar and time zones in whole numbers, as in SQL engines: days and microseconds since 1970-01-01.

Python's dates are limited to the years 1 to 9999, results of SQL functions are not. This is the proleptic Gregorian
calendar (PROTOCOL.md, "Primitive Types"; Spark's since 3.0) for all years.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

SECOND_MICROS = 1_000_000
DAY_MICROS = 86_400 * SECOND_MICROS

#: The calendar and the rules of time zones repeat every 400 years.
_CYCLE_YEARS = 400
_CYCLE_DAYS = 146_097
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_EPOCH = datetime(1970, 1, 1)


def days_of(value: date) -> int:
    """The days from 1970-01-01 to a date."""
    return value.toordinal() - _EPOCH_ORDINAL


def micros_of(value: datetime) -> int:
    """The microseconds from 1970-01-01 00:00 to a timestamp: in UTC if it has a zone, else of its wall clock."""
    wall_clock = value if value.tzinfo is None else value.astimezone(timezone.utc).replace(tzinfo=None)
    return (wall_clock - _EPOCH) // timedelta(microseconds=1)


def moment(micros: int) -> datetime:
    """The timestamp so many microseconds after 1970-01-01 00:00, in UTC. Raises OverflowError outside the years 1 to 9999."""
    return _EPOCH.replace(tzinfo=timezone.utc) + timedelta(microseconds=micros)


def year_month_day(days: int) -> tuple[int, int, int]:
    """The date ``days`` after 1970-01-01. The year before 1 is 0."""
    cycles, rest = divmod(days + _EPOCH_ORDINAL - 1, _CYCLE_DAYS)
    within = date.fromordinal(rest + 1)
    return within.year + cycles * _CYCLE_YEARS, within.month, within.day


def days_of_date(year: int, month: int, day: int) -> int:
    """The days from 1970-01-01 to a date of any year. Raises ValueError if there is no such date."""
    cycles, rest = divmod(year - 1, _CYCLE_YEARS)
    return days_of(date(rest + 1, month, day)) + cycles * _CYCLE_DAYS


def local_micros(instant: int, zone: str) -> int:
    """What a wall clock in ``zone``, an IANA name, shows at an instant; both in microseconds."""
    return instant + _offset_at(instant, zone)


def instant_of(local: int, zone: str) -> int:
    """The instant at which a wall clock in ``zone`` shows ``local``; both in microseconds.

    The earlier one of two. For a local time in a gap, the offset before the gap counts (java.time's rules, which Spark
    follows).
    """
    if zone == "UTC":
        return local
    near = _reachable(local)
    offset = near.replace(tzinfo=ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return local - offset // timedelta(microseconds=1)


def start_of_day(days: int, zone: str) -> int:
    """The first instant of a day in ``zone``, in microseconds. If clocks skip midnight, the day begins later."""
    midnight = days * DAY_MICROS
    instant = instant_of(midnight, zone)
    skipped = local_micros(instant, zone) - midnight
    if not skipped:
        return instant
    # The gap begins at a whole second within the ``skipped`` microseconds before this instant.
    before, after = instant - skipped, instant
    offset = _offset_at(after, zone)
    while after - before > SECOND_MICROS:
        middle = before + (after - before) // (2 * SECOND_MICROS) * SECOND_MICROS
        before, after = (before, middle) if _offset_at(middle, zone) == offset else (middle, after)
    return after


def is_unambiguous(local: int, zone: str) -> bool:
    """Whether a wall clock in ``zone`` shows ``local`` (microseconds) exactly once."""
    if zone == "UTC":
        return True
    near = _reachable(local)
    first, second = (near.replace(tzinfo=ZoneInfo(zone), fold=fold).utcoffset() for fold in (0, 1))
    return first == second


def date_text(days: int) -> str:
    """A date as SQL writes it: ``2020-02-29``, with a sign if the year is not in 0 to 9999."""
    year, month, day = year_month_day(days)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def timestamp_text(local: int) -> str:
    """A local time as SQL writes it: ``2020-02-29 12:00:00.5``, without trailing zeros in the fraction."""
    days, rest = divmod(local, DAY_MICROS)
    seconds, micros = divmod(rest, SECOND_MICROS)
    fraction = f".{micros:06d}".rstrip("0") if micros else ""
    return f"{date_text(days)} {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def _offset_at(instant: int, zone: str) -> int:
    """The offset of ``zone`` from UTC at an instant, in microseconds."""
    if zone == "UTC":
        return 0
    near = _reachable(instant)
    offset = near.replace(tzinfo=timezone.utc).astimezone(ZoneInfo(zone)).utcoffset()
    assert offset is not None
    return offset // timedelta(microseconds=1)


def _reachable(micros: int) -> datetime:
    """The moment as a datetime, shifted by cycles of 400 years if it is within a day of datetime's limits.

    Beyond the first and last transitions of a zone, all cycles are alike.
    """
    year = year_month_day(micros // DAY_MICROS)[0]
    cycles = 0
    if year < 2:
        cycles = (2 - year + _CYCLE_YEARS - 1) // _CYCLE_YEARS
    elif year > 9998:
        cycles = -((year - 9998 + _CYCLE_YEARS - 1) // _CYCLE_YEARS)
    return _EPOCH + timedelta(microseconds=micros + cycles * _CYCLE_DAYS * DAY_MICROS)
