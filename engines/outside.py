"""Checks that an engine from outside has every required member: in one sentence, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import extract_tb

from engines.kind import EngineKind, Provider
from engines.port import Engine, EngineUnavailable
from model.vocabulary.capabilities import mistake_in
from model.vocabulary.rules import Rules


def checked(engine: str, found: object) -> EngineKind:
    """The engine that was found; it need not be installed. Raises EngineUnavailable if it cannot be judged."""
    if not isinstance(found, EngineKind):
        raise _refusal(engine, f"{type(found).__name__} is not derived from EngineKind of engines/kind.py")
    with _told(engine):
        if not isinstance(found.name, str):
            raise _refusal(engine, f"its name is {found.name!r}, and must be a text")
        _require_capabilities(engine, found.capabilities_of(None))
    return found


def start(engine: str, kind: EngineKind, provider: Provider, *, time_limit: float) -> None:
    """Start the provider, and see that a worker can open an adapter. Raises EngineUnavailable."""
    if not isinstance(provider, Provider):
        raise _refusal(engine, f"{type(provider).__name__} is not derived from Provider of engines/kind.py")
    with _told(engine):
        provider.start()
        _require_capabilities(engine, kind.capabilities_of(kind.installed_version()))
        adapter = kind.open_adapter(provider.lease, time_limit=time_limit)
        missing = [name for name in vars(Engine) if not name.startswith("_") and not hasattr(adapter, name)]
        if missing:
            lacks = f"{type(adapter).__name__} has no {', '.join(missing)}"
            raise _refusal(engine, f"{lacks}, which engines/port.py asks for in Engine")
        try:
            _require_capabilities(engine, adapter.capabilities)
            if not isinstance(adapter.rules, Rules):
                raise _refusal(engine, f"its rules are {adapter.rules!r}, and no model.vocabulary.rules.Rules")
        finally:
            adapter.close()


@contextmanager
def _told(engine: str) -> Iterator[None]:
    """An exception of an engine, as EngineUnavailable in one sentence."""
    try:
        yield
    except EngineUnavailable:
        raise
    except Exception as error:
        own = next((one for one in extract_tb(error.__traceback__) if one.filename != __file__), None)
        where = f" at {own.filename}:{own.lineno}" if own else ""
        text = f"{engine} cannot be judged: it raises {type(error).__name__}{where}: {error} (docs/engines.md)."
        raise EngineUnavailable(text) from error


def _require_capabilities(engine: str, capabilities: object) -> None:
    if mistake := mistake_in(capabilities):
        raise _refusal(engine, f"of its capabilities, {mistake}")


def _refusal(engine: str, reason: str) -> EngineUnavailable:
    return EngineUnavailable(f"{engine} cannot be judged: {reason} (docs/engines.md).")
