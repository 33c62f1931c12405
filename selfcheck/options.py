"""The options that several checks have, and their command lines."""

from __future__ import annotations

from collections.abc import Sequence

from engines.provider import ENGINES
from suites.campaigns import CAMPAIGNS
from tombstone.commands import Command, Word, option
from tombstone.options import Option
from tombstone.reading import Asked, asked_of
from tombstone.values import PART, POSITIVE, one_of

ENGINE = option("--engine", "NAME", f"model (default), {', '.join(ENGINES)}", default="model")
SEED = option("--seed", "N", "the first seed (default: 1)", POSITIVE, default="1")
OF = option(
    "--of",
    "CAMPAIGN",
    "of the random cases only those of this campaign; repeatable",
    one_of(*(campaign.name for campaign in CAMPAIGNS)),
    repeatable=True,
)


def number_of_processes(default: int = 2) -> Option:
    return option("-n", "N", f"processes (default: {default})", POSITIVE, default=str(default))


def shard(help: str) -> Option:
    return option("--shard", "K/N", help, PART, default="1/1")


def asked(
    module: str, description: str | None, arguments: Sequence[str], *options: Option, words: tuple[Word, ...] = ()
) -> Asked:
    """What the command line of a module asks for. Its docstring describes it. Raises UsageMistake."""
    first, _, rest = (description or "").partition("\n")
    command = Command(module, first.rstrip("."), words, "", options, more=rest.strip(), program=f"python -m {module}")
    return asked_of(command, arguments)
