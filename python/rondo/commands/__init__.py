"""The command `rondo`."""

from typing import Annotated

import typer

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

app = typer.Typer(
    help="All-to-all exchanges in rounds: inspect, predict, measure and use algorithms.",
    no_args_is_help=True,
    add_completion=False,
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
app.command("bench", context_settings={**_PASSES_ON, "ignore_unknown_options": True})(
    bench.run_benchmark
)
app.command("plot")(plot.plot_files)
app.command("report", context_settings=_PASSES_ON)(report.write_report)
app.command("run", context_settings=_PASSES_ON)(run.run_program)
