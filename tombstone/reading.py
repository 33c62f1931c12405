"""Reads the command line of a command by the tables: a mistake is one sentence, before anything is made."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tombstone.commands import GATE, Command, Word
from tombstone.mistakes import Mistake
from tombstone.near import meant
from tombstone.options import PYTEST, RUN, Option


@dataclass(frozen=True)
class Asked:
    """What a command line asks for.

    ``options``: the values of the command's own. ``given``: the texts of those of a run that are given, by key. ``passed``: the
    words of these, and of pytest's. ``own``: the words of the command's own that are given, by key.
    """

    words: tuple[str, ...]
    options: Mapping[str, Any]
    given: Mapping[str, Any]
    passed: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.options[name]
        except KeyError:
            raise AttributeError(name) from None

    def words_of(self, options: Iterable[Option]) -> list[str]:
        """The words of these of the command's own options, for another command that has them too."""
        return [word for one in options for word in self.own.get(one.key, ())]


class _Parser(argparse.ArgumentParser):
    def __init__(self, command: Command) -> None:
        words = "".join(f" {word}" for word in command.words)
        options = " [OPTIONS]" if command.options or command.gate else ""
        sentence = f"{command.sentence[0].upper()}{command.sentence[1:]}."
        super().__init__(
            add_help=False,
            prog=command.begin,
            usage=f"{command.begin}{words}{options}",
            description=f"{sentence} {command.more}",
            allow_abbrev=False,
        )
        self._command = command

    def error(self, message: str) -> NoReturn:
        option = re.fullmatch(r"argument ([^:]+): expected one argument", message)
        if option is None and self._command.missing:
            raise Mistake(self._command.missing)
        said = message if option is None else f"{option[1].rpartition('/')[2]} needs a value"
        raise Mistake(f"{said}: {self.remedy}")

    @property
    def remedy(self) -> str:
        return f"`{self.prog} --help` lists the options."

    def declare(self, group: argparse._ArgumentGroup, option: Option, *, own: bool, shown: bool) -> None:
        names = [name for name in option.names if name not in self._option_string_actions]
        if not names:
            return  # the command has one of this name itself
        help = terminal_text(option.help).replace("%", "%%") if shown and option.help else argparse.SUPPRESS
        arity: dict[str, Any] = {"metavar": option.metavar} if option.metavar else {"nargs": 0}
        group.add_argument(*names, action=_take(option, own=own), default=argparse.SUPPRESS, help=help, **arity)


def _take(option: Option, *, own: bool) -> type[argparse.Action]:
    """Reads the value of an option, and keeps its words."""

    class Take(argparse.Action):
        def __call__(self, _: object, found: argparse.Namespace, text: Any, named: str | None = None) -> None:
            if why := option.refused.get(found.command.name):
                raise Mistake(why)
            value = option.read(text) if option.metavar else True
            words = _words(str(named), option.kind.place(text, found.here)) if option.metavar else (str(named),)
            if own:
                found.own[option.key] = (*found.own.get(option.key, ()), *words)
                found.options[option.key] = (*found.options[option.key], value) if option.repeatable else value
                return
            found.passed.extend(words)
            found.given[option.key] = [*found.given.get(option.key, ()), text] if option.repeatable else text or True

    return Take


def _words(name: str, value: str) -> tuple[str, ...]:
    """An option and its value: as one word, if the value would be taken for another option."""
    return (f"{name}={value}",) if value.startswith("-") and name.startswith("--") else (name, value)


def terminal_text(markdown: str) -> str:
    """A text of the tables for a terminal: links say where they lead."""
    return re.sub(r"\[([^]]*)\]\(([^)#]*)[^)]*\)", r"\1 (docs/\2)", markdown).replace("`", "")


def _parser(command: Command) -> _Parser:
    made = _Parser(command)
    named = made.add_argument_group("words")
    for word in command.words:
        named.add_argument(word.name, nargs=word.nargs, metavar=word.name, help=word.help.replace("%", "%%"))
    options = made.add_argument_group("options")
    options.add_argument("-h", "--help", action="help", help="show this")
    for one in command.options:
        made.declare(options, one, own=True, shown=True)
    if command.gate:
        groups = {about: made.add_argument_group(about) for about in dict.fromkeys(one.about for one in RUN)}
        for one in (*RUN, *PYTEST):
            made.declare(groups.get(one.about, options), one, own=False, shown=command is GATE)
        if command is not GATE:
            made.epilog = "Options of a gate are taken too: `tombstone gate --help`."
    return made


def asked_of(command: Command, words: Sequence[str], here: Path | None = None) -> Asked:
    """``here``: where relative paths begin, if the command runs elsewhere. Raises Mistake, or SystemExit after its help."""
    parser = _parser(command)
    found = argparse.Namespace(
        command=command,
        here=here or Path(),
        options={one.key: one.value(() if one.repeatable else one.default) for one in command.options},
        given={},
        passed=[],
        own={},
    )
    found, unknown = parser.parse_known_intermixed_args(list(words), found)
    _require_known(parser, unknown)
    named = tuple(
        text for word in command.words for text in _named(word, getattr(found, word.name), found.here, parser.remedy)
    )
    return Asked(named, found.options, found.given, tuple(found.passed), found.own)


def _require_known(parser: _Parser, unknown: Sequence[str]) -> None:
    """Raises Mistake."""
    for word in unknown:
        option = word.partition("=")[0]
        if option.startswith("-"):
            known = parser._option_string_actions
            raise Mistake(f"{option} is not known: {meant(option, known, otherwise=parser.remedy, most=1)}")
    if unknown:
        raise Mistake(f"{unknown[0]} is one word too many: {parser.remedy}")


def _named(word: Word, found: Any, here: Path, remedy: str) -> list[str]:
    """The texts of a word. Raises Mistake."""
    texts = [] if found is None else found if isinstance(found, list) else [found]
    if word.most is not None and len(texts) > word.most:
        raise Mistake(f"{texts[word.most]} is one word too many: {remedy}")
    for text in texts:
        try:
            word.kind.read(text)
        except Mistake as wrong:
            raise Mistake(f"{text} {wrong}") from None
    return [word.kind.place(text, here) for text in texts]


def unknown_option(unknown: Sequence[str]) -> str | None:
    """A sentence about the first of the ``unknown`` words of a pytest that is an option, and what may have been meant."""
    option = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
    if option is None:
        return None
    known = [name for one in (*RUN, *PYTEST) for name in one.names]
    remedy = meant(option, known, otherwise="docs/options.md lists the options of a gate.", most=1)
    return f"{option} is not known: {remedy}"
