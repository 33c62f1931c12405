"""Whether an engine from outside has what the suite asks of it: said in one sentence, before anything is judged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import extract_tb
from typing import Any

from engines.kind import EngineKind, Provider
from engines.port import Engine, EngineUnavailable
from model.vocabulary.capabilities import mistake_in
from model.vocabulary.rules import Rules


def require_kind(engine: str, found: Any) -> None:
    """Raises EngineUnavailable unless it has what engines/kind.py asks for. It need not be installed."""
    with _told(engine):
        _require_members(engine, found, EngineKind, "engines/kind.py")
        _require(isinstance(found.name, str), engine, f"its name is {found.name!r}, and must be a text")
        _require_capabilities(engine, found.capabilities_of(None))


def start(engine: str, kind: EngineKind, provider: Provider, *, time_limit: float) -> None:
    """Start the provider, and see that a worker can open an adapter. Raises EngineUnavailable."""
    with _told(engine):
        _require_members(engine, provider, Provider, "engines/kind.py")
        provider.start()
        _require_capabilities(engine, kind.capabilities_of(kind.installed_version()))
        adapter = kind.open_adapter(provider.lease, time_limit=time_limit)
        _require_members(engine, adapter, Engine, "engines/port.py")
        try:
            _require_capabilities(engine, adapter.capabilities)
            _require(
                isinstance(adapter.rules, Rules),
                engine,
                f"its rules are {adapter.rules!r}, and no model.vocabulary.rules.Rules",
            )
        finally:
            adapter.close()


@contextmanager
def _told(engine: str) -> Iterator[None]:
    """Whatever an engine raises, as EngineUnavailable in one sentence."""
    try:
        yield
    except EngineUnavailable:
        raise
    except Exception as error:
        own = next((one for one in extract_tb(error.__traceback__) if one.filename != __file__), None)
        where = f" at {own.filename}:{own.lineno}" if own else ""
        text = f"{engine} cannot be judged: it raises {type(error).__name__}{where}: {error} (docs/engines.md)."
        raise EngineUnavailable(text) from error


def _require_members(engine: str, found: Any, protocol: type, source: str) -> None:
    missing = [name for name in vars(protocol) if not name.startswith("_") and not hasattr(found, name)]
    what = type(found).__name__
    _require(not missing, engine, f"{what} has no {', '.join(missing)}, which {source} asks for in {protocol.__name__}")


def _require_capabilities(engine: str, capabilities: object) -> None:
    mistake = mistake_in(capabilities)
    _require(mistake is None, engine, f"of its capabilities, {mistake}")


def _require(right: bool, engine: str, otherwise: str) -> None:
    if not right:
        raise EngineUnavailable(f"{engine} cannot be judged: {otherwise} (docs/engines.md).")
