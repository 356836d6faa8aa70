"""The command line: arguments in, exit status out."""

import argparse
import asyncio
import logging
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from bot.commands import ask, audit, demo, doctor, evaluate, prune, runs
from bot.settings import Settings, load_settings
from bot.terminal import drop_output, make_safe_streams, one_line
from engine.errors import ConfigError, UnknownRun, VerdictError

__all__ = ["EXIT_CONFIG", "EXIT_FAILED", "EXIT_FALLBACK", "EXIT_INTERRUPTED", "EXIT_OK", "run"]

EXIT_OK, EXIT_FAILED, EXIT_CONFIG, EXIT_FALLBACK, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting, so that the status is given in one place."""
        raise ConfigError(f"{message}; see {self.prog} --help")


def run(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command.

    Args:
        arguments: the words after the program's name.
        environ: the environment, for settings and secrets.

    Returns:
        The exit status (interfaces.md): 0 a verdict, 3 Fallback, 2 wrong usage, 1 anything else.
    """
    make_safe_streams()
    debug = bool(environ.get("VERDICT_DEBUG"))
    # because a terminal shows one line an error; what the engine logs is for who asks for it
    logging.basicConfig(handlers=None if debug else [logging.NullHandler()])
    try:
        given = _parser().parse_args(arguments)
        settings = load_settings(given.config, environ)
        return asyncio.run(_dispatch(given, settings))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else EXIT_OK
    except (ConfigError, UnknownRun) as error:
        return _say(error, EXIT_CONFIG)
    except VerdictError as error:
        return _say(error, EXIT_FAILED)
    except KeyboardInterrupt:
        return _say(VerdictError("interrupted"), EXIT_INTERRUPTED)
    except BrokenPipeError:
        # because whoever read us has had enough, which is no failure
        return EXIT_OK
    except Exception as error:
        if debug:
            raise
        # because at 3 a.m. one line that can be searched for beats a traceback; VERDICT_DEBUG=1 shows it
        return _say(error, EXIT_FAILED, kind=type(error).__name__)
    finally:
        drop_output()


def _say(error: Exception, status: int, kind: str = "") -> int:
    try:
        sys.stderr.write(f"verdict: {f'{kind}: ' if kind else ''}{one_line(str(error))}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        # because the status still tells, where the line cannot be shown
        pass
    return status


async def _dispatch(given: argparse.Namespace, settings: Settings) -> int:
    if given.command == "serve":
        raise ConfigError("serve: the Slack bot comes with a later release; use verdict ask")
    commands = {
        "ask": ask,
        "demo": demo,
        "audit": audit,
        "runs": runs,
        "eval": evaluate,
        "prune": prune,
        "doctor": doctor,
    }
    status = await commands[given.command](given, settings)
    # because what cannot be written must be known before the status is given
    sys.stdout.flush()
    return status


def _parser() -> _Parser:
    parser = _Parser(prog="verdict", description="Diagnoses incidents; confirms only what its evidence carries.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    asking = commands.add_parser("ask", help="one diagnosis")
    asking.add_argument("question", help="the question, or - to read it from the standard input")
    _asking(asking)
    showing = commands.add_parser("demo", help="ask over a shipped incident")
    showing.add_argument("question", nargs="?", help="default: the sample's own question")
    _asking(showing)
    auditing = commands.add_parser("audit", help="the audit of a run")
    auditing.add_argument("run_id")
    listing = commands.add_parser("runs", help="recent runs")
    listing.add_argument("--limit", type=int, default=20)
    scoring = commands.add_parser("eval", help="run labelled incidents and score them")
    scoring.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    scoring.add_argument("--question", default="1", help="which of the incident's questions, or all")
    pruning = commands.add_parser("prune", help="delete old runs")
    pruning.add_argument("--older-than", required=True, metavar="90d")
    commands.add_parser("doctor", help="check configuration, database, model and sources")
    commands.add_parser("serve", help="the Slack bot")
    for command in commands.choices.values():
        command.add_argument("--config", type=Path, help="default: VERDICT_CONFIG, else verdict.toml")
    for command in (auditing, listing, scoring):
        command.add_argument("--json", action="store_true")
    return parser


def _asking(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--incident", type=Path, metavar="DIR", help="an incident folder as the only source")
    parser.add_argument("--since", metavar="1h", help="the window's start, as a time or a length before now")
    parser.add_argument("--from", dest="start", metavar="T")
    parser.add_argument("--to", dest="end", metavar="T")
    parser.add_argument("--session", metavar="ID", help="the conversation this follows up on")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--no-progress", action="store_true")
