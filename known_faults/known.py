"""The known faults of a run, checked against the catalogue."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from pathlib import Path

from engines.kind import Version
from engines.object_store import Storage
from engines.provider import ENGINES, kind_of
from engines.spark.masters.names import is_cluster
from harness.judging.excusing.conditions import CONDITIONS, SUBJECTS
from known_faults.entries import CLUSTER, FILES, S3, holding_on, in_force, read_known_faults
from records.known_fault import KnownFault
from records.mistakes import UsageMistake
from records.run import ListedFault
from suites.catalogue import CATALOGUE

#: Where the known faults of the built-in engines are.
_OWN = Path(__file__).parent


def places_of(machine: Mapping[str, str]) -> frozenset[str]:
    """Where an engine runs, of ``known_faults.entries.PLACES``, by what a header says of its ``machine``."""
    storage = FILES if machine.get("storage", Storage.LOCAL.value) == Storage.LOCAL.value else S3
    return frozenset({storage, CLUSTER} if is_cluster(machine.get("master", "local")) else {storage})


def known_faults_in(
    path: Path, *, places: Collection[str] = (FILES,), beside: Collection[str] = ()
) -> tuple[KnownFault, ...]:
    """The entries of the file at ``path`` that hold on these places, or anywhere; none if it does not exist. ``beside``: the
    names of other tables that it may have.

    Raises UsageMistake if it is invalid.
    """
    if not path.is_file():
        return ()
    found = read_known_faults(path, beside=beside)
    for known_fault in found:
        if known_fault.clause not in CATALOGUE:
            raise UsageMistake(
                f"{path} lists {known_fault.clause}, which is not a clause: `--clause list` names them all."
            )
        if known_fault.when is not None and known_fault.when not in CONDITIONS:
            wrong = f"{path} has when = {known_fault.when!r}, which is not a condition"
            raise UsageMistake(f"{wrong}: write one of {', '.join(sorted(CONDITIONS))}.")
        if known_fault.symptom.of is not None and known_fault.symptom.of not in SUBJECTS:
            wrong = f"{path} has symptom.of = {known_fault.symptom.of!r}, which is not a kind of subject"
            raise UsageMistake(f"{wrong}: write one of {', '.join(sorted(SUBJECTS))}.")
    return holding_on(places, found)


def known_faults_of(engine: str) -> Path:
    """The file of an engine's known faults, by what ``--engine`` takes. Of one from outside it is beside its module.

    Raises EngineUnavailable for an engine that is not known.
    """
    kind = kind_of(engine)
    if engine in ENGINES:
        return _OWN / f"{kind.name}.toml"
    return Path(inspect.getfile(type(kind))).with_name("known_faults.toml")


def whom(own: str | None, condition: str | None) -> str:
    """Whom an entry concerns, by its ``concerns`` and ``when``, as the end of "Concerns you only if …"; empty without both."""
    return own or (CONDITIONS[condition].whom if condition else "")


def by_reason(listed: Iterable[KnownFault]) -> tuple[ListedFault, ...]:
    """Known faults as the header lists them: those of each reason, in the order of the file."""
    found: dict[str, list[KnownFault]] = {}
    for one in listed:
        found.setdefault(one.reason, []).append(one)
    return tuple(
        ListedFault(
            reason,
            tuple(dict.fromkeys(one.clause for one in own)),
            own[0].link,
            ", or ".join(dict.fromkeys(filter(None, (whom(one.concerns, one.when) for one in own)))),
        )
        for reason, own in found.items()
    )


def known_of(version: Version) -> list[KnownFault]:
    """What is known of a version on local files."""
    return known(known_faults_in(known_faults_of(version.engine)), version.version)


def known(known_faults: Iterable[KnownFault], version: str, *, today: date | None = None) -> list[KnownFault]:
    """The known faults that apply to this version on a day (None: today), for a judge."""
    return list(in_force(known_faults, version=version, today=today or date.today()))
