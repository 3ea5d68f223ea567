"""rondo bench."""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from rondo import programs
from rondo.commands.options import Format, Launcher, check_format
from rondo.commands.say import console, fail, print_rows, write_or_fail
from rondo.commands.status import Status, of_launch
from rondo.results import AUTO, MPI, Row, digits, group_of, may_win, rows_of


def run_benchmark(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="COLLECTIVE [OPTION]...",
            help="Arguments of rondo-bench, as in alltoallv --bytes 16:1k --check; "
            "see `rondo-bench --help`.",
        ),
    ],
    ranks: Annotated[
        int, typer.Option("--ranks", "-n", min=1, metavar="P", help="The number of ranks.")
    ] = 2,
    format: Format = "table",
    save: Annotated[
        Optional[Path],
        typer.Option(
            metavar="FILE", help="Also write the rows to this file as JSON, one object a line."
        ),
    ] = None,
    launcher: Launcher = None,
) -> None:
    """Measure algorithms against the MPI library's own call, with rondo-bench."""
    try:
        check_format(format)
        start = shlex.split(launcher) if launcher else []
        bench = programs.command("rondo-bench", start)
        start = start or own_launcher(bench)
    except LookupError as error:
        fail(error, Status.CANNOT_START)
    except ValueError as error:
        fail(error)
    measure = [*bench.words, *arguments, "--format", "json"]
    _check([*measure, "--dry-run"])
    lines, returncode = _run([*start, "-n", str(ranks), *measure])
    try:
        rows = rows_of(lines)
    except ValueError as error:
        fail(f"cannot read the output of {start[0]}: {error}", Status.CANNOT_START)
    if save is not None:
        write_or_fail(save, "".join(line for line in lines if line.startswith("{")))
    if rows and format == "table":
        console.print(_table(rows))
        for note in _notes(rows):
            console.print(note, highlight=False, markup=False)
    elif rows:
        print_rows(rows, format)
    raise typer.Exit(of_launch(returncode, any(row["errors"] for row in rows)))


def _check(command: list[str]) -> None:
    """Exit if rondo-bench refuses its options: a launcher would add a page to its sentence."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}", Status.CANNOT_START)
    if done.returncode == Status.WRONG_USE:
        sys.stderr.write(done.stderr)
        raise typer.Exit(Status.WRONG_USE)


def launch_argument(by_default: str) -> Any:
    """The launch command of a command that starts ranks; `by_default` completes the sentence."""
    return typer.Argument(
        metavar="[-- LAUNCHER OPTION...]",
        help="The command that starts programs here, without a program, as in mpirun -n 64. By "
        f"default, {by_default}.",
    )


def own_launcher(command: programs.Command) -> list[str]:
    """A launcher of the MPI library that a program runs with, as far as that is known."""
    family = ["--mpi", command.family] if command.family in ("openmpi", "mpich") else []
    return [str(programs.find("rondo-mpirun")), *family]


def _run(command: list[str]) -> tuple[list[str], int]:
    """The rows that a command prints, and its exit status. Other lines are printed as usual."""
    lines = []
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            for line in running.stdout:
                lines.append(line)
                if not line.startswith("{"):
                    sys.stdout.write(line)
    except OSError as error:
        fail(f"cannot start {command[0]}: {error.strerror}", Status.CANNOT_START)
    return lines, running.returncode


def _table(rows: list[Row]) -> Table:
    """The rows by block size, the fastest first."""
    table = Table(
        title=f"{group_of(rows[0]).title()}, {rows[0]['ranks']} ranks",
        header_style="bold",
    )
    table.add_column("S bytes", justify="right", no_wrap=True)
    table.add_column("algorithm", no_wrap=True)
    is_checked = any(row["errors"] is not None for row in rows)
    for heading in ("median us", "95% interval", "speedup", *["wrong bytes"] * is_checked):
        table.add_column(heading, justify="right")
    for size in sorted({row["bytes"] for row in rows}):
        ranked = sorted(
            (row for row in rows if row["bytes"] == size), key=lambda row: row["median_us"]
        )
        fastest = next((row for row in ranked if may_win(row)), None)
        for place, row in enumerate(ranked):
            median, low, high = (digits(row[name]) for name in ("median_us", "low_us", "high_us"))
            table.add_row(
                str(size) if place == 0 else "",
                row["algorithm"],  # as it was given: other parameters have their defaults
                median,
                f"{low} .. {high}",
                digits(row["speedup"]),
                *["" if row["errors"] is None else str(row["errors"])] * is_checked,
                style="bold green" if row is fastest else None,
                end_section=place == len(ranked) - 1,
            )
    return table


def _notes(rows: list[Row]) -> list[str]:
    """What the table does not show: how `auto` began, and what disturbed."""
    notes = []
    for row in rows:
        size = f"S = {row['bytes']}"
        if row["algorithm"] == AUTO and row.get("first_us") is not None:
            mpi = next(
                one for one in rows if (one["bytes"], one["algorithm"]) == (row["bytes"], MPI)
            )
            still = "" if row.get("learned", True) else ", still learning"
            notes.append(
                f"{size}: auto ran {row['parameters']} after {row['learning_calls']} "
                f"calls{still}; its first {row['first_calls']} took "
                f"{digits(row['first_us'])} us each (mpi {digits(mpi['first_us'])})"
            )
        if row["algorithm"] == MPI and row.get("disturbed"):
            notes.append(f"{size}: disturbed: {row['disturbed']}; measure again on a quiet machine")
    return notes
