"""The command `rondo`."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from rondo import __version__
from rondo.commands import (
    bench,
    explain,
    listing,
    model,
    plot,
    profile,
    report,
    reproduce,
    run,
    show,
    simulate,
    tune,
)
from rondo.commands.say import fail
from rondo.commands.status import MEANINGS, Status


class _Commands(TyperGroup):
    # The class of its context is typer's own affair: click's, or a copy of it.
    def invoke(self, ctx: Any) -> object:
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
            return done
        except KeyboardInterrupt:
            fail("interrupted", Status.INTERRUPTED)
        except MemoryError:
            fail("out of memory", Status.RUN_FAILED)
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


# After the first argument, everything belongs to another program.
_PASSES_ON = {"allow_interspersed_args": False}

app.command("list")(listing.list_algorithms)
app.command("show")(show.show_algorithm)
app.command("model")(model.predict_times)
app.command("simulate")(simulate.simulate_exchanges)
app.command("reproduce")(reproduce.reproduce_figures)
app.command("explain")(explain.explain_choice)
app.add_typer(profile.app, name="profile")
app.command("tune", context_settings=_PASSES_ON)(tune.tune_machine)
app.command("bench", context_settings={"ignore_unknown_options": True})(bench.run_benchmark)
app.command("plot")(plot.plot_files)
app.command("report", context_settings=_PASSES_ON)(report.write_report)
app.command("run", context_settings=_PASSES_ON)(run.run_program)
