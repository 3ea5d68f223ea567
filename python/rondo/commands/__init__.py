"""The command `rondo`."""

import functools
import importlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from rondo import __version__
from rondo.commands.status import MEANINGS, Status

# After the first argument, everything belongs to another program.
_PASSES_ON = {"allow_interspersed_args": False}

# What carries out each command: a function, or an app with commands of its own. The modules are
# loaded when they are needed, because all of them together take longer than most commands.
_COMMANDS = {
    "run": "run.run_program",
    "tune": "tune.tune_machine",
    "report": "report.write_report",
    "bench": "bench.run_benchmark",
    "plot": "plot.plot_files",
    "list": "listing.list_algorithms",
    "show": "show.show_algorithm",
    "explain": "explain.explain_choice",
    "model": "model.predict_times",
    "simulate": "simulate.simulate_exchanges",
    "whatif": "whatif.predict_elsewhere",
    "reproduce": "reproduce.reproduce_figures",
    "profile": "profile.app",
}
_SETTINGS = {
    "run": _PASSES_ON,
    "tune": _PASSES_ON,
    "report": _PASSES_ON,
    "bench": {"ignore_unknown_options": True},
}


@functools.cache
def _command(name: str) -> Any:
    module, found = _COMMANDS[name].split(".")
    body = getattr(importlib.import_module(f"rondo.commands.{module}"), found)
    if not isinstance(body, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name, context_settings=_SETTINGS.get(name))(body)
        body = alone
    command = typer.main.get_command(body)
    command.name = name
    return command


def _fail(text: str, status: Status) -> NoReturn:
    from rondo.commands.say import fail

    fail(text, status)


class _Loaded(Mapping[str, Any]):
    """The commands by name, each loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        if name not in _COMMANDS:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Commands(TyperGroup):
    # The classes of contexts and commands are typer's own affair: click's, or copies of them.
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Loaded()

    def invoke(self, ctx: Any) -> object:
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
            return done
        except KeyboardInterrupt:
            _fail("interrupted", Status.INTERRUPTED)
        except MemoryError:
            _fail("out of memory", Status.RUN_FAILED)
        except BrokenPipeError:
            # Python would flush standard output once more, and complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(Status.SUCCESS) from None


app = typer.Typer(
    cls=_Commands,
    help="All-to-all exchanges in rounds: inspect, predict, measure and use algorithms.",
    epilog="Exit status: "
    + "; ".join(f"{number:d} {meaning}" for number, meaning in MEANINGS.items())
    + ".",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"rondo {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass
