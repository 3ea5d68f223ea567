"""rondo simulate."""

import json
import time
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from rondo import registry, simulate
from rondo.commands.profiles import source_of
from rondo.commands.say import console, fail
from rondo.simulate import Outcome, SimulatedMachine

_PROFILE = "profile"
_SLOT_BYTES = 4 << 20


def simulate_exchanges(
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="P.")],
    bytes: Annotated[
        list[int], typer.Option(help="S, the length of the largest block; may be repeated.")
    ],
    algorithms: Annotated[
        Optional[list[str]],
        typer.Argument(
            help="NAME[:PARAMETER=VALUE]...; by default all algorithms of the collective."
        ),
    ] = None,
    ranks_per_node: Annotated[
        Optional[int], typer.Option(help="Q; by default the value in the machine's file.")
    ] = None,
    machine: Annotated[
        str,
        typer.Option(
            help="theta, polaris, fugaku, ethernet-cluster, FILE.toml, or profile (what "
            "`rondo tune` has measured here)."
        ),
    ] = "ethernet-cluster",
    collective: Annotated[
        str, typer.Option(help="alltoall, alltoallv or alltoallw.")
    ] = "alltoallv",
    distribution: Annotated[
        str,
        typer.Option(
            help="Block lengths: uniform from 0 to S, constant, window:R, normal, power:BASE."
        ),
    ] = "uniform",
    seed: Annotated[int, typer.Option(help="The seed of lengths and noise.", min=0)] = 1,
    slot_bytes: Annotated[
        int,
        typer.Option(
            help="RONDO_SLOT_BYTES, which limits the blocks that go through a node's shared memory."
        ),
    ] = _SLOT_BYTES,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """Simulate exchanges on a machine, message by message."""
    if format not in ("table", "json"):
        fail(f"format is {format!r}, must be table or json")
    try:
        there = _machine(machine)
        per_node = ranks_per_node or _usual_ranks_per_node(machine, ranks)
        question = {
            "machine": machine,
            "ranks": ranks,
            "ranks_per_node": per_node,
            "collective": collective,
            "distribution": distribution,
            "seed": seed,
            "slot_bytes": slot_bytes,
        }
        rows = _rows(algorithms or _all(collective), bytes, there, question)
    except ValueError as error:
        fail(error)
    if format == "json":
        typer.echo(json.dumps({**question, "rows": rows}, indent=2))
    else:
        _show(question, rows)


def _machine(name: str) -> SimulatedMachine:
    if name == _PROFILE:
        return simulate.simulated_machine(source_of(None).machine)
    return simulate.machine(name)


def _usual_ranks_per_node(machine: str, ranks: int) -> int:
    usual = None if machine == _PROFILE else simulate.ranks_per_node(machine)
    if not isinstance(usual, int) or usual < 1:
        raise ValueError(
            f"the file of the machine {machine} has no ranks_per_node: give --ranks-per-node"
        )
    return min(usual, ranks)


def _all(collective: str) -> list[str]:
    """The algorithms whose messages are known."""
    shared = "alltoallv" if collective == "alltoallw" else collective
    return [row.name for row in registry.algorithms() if row.collective == shared]


def _rows(
    algorithms: list[str], sizes: list[int], machine: SimulatedMachine, question: dict[str, Any]
) -> list[dict[str, Any]]:
    return [_row(algorithm, size, machine, question) for size in sizes for algorithm in algorithms]


def _row(
    algorithm: str, size: int, machine: SimulatedMachine, question: dict[str, Any]
) -> dict[str, Any]:
    begin = time.monotonic()
    made: Outcome = simulate.simulate(
        algorithm,
        question["ranks"],
        question["ranks_per_node"],
        size,
        machine,
        collective=question["collective"],
        distribution=question["distribution"],
        seed=question["seed"],
        slot_bytes=question["slot_bytes"],
    )
    return {
        "algorithm": algorithm,
        "bytes": size,
        "seconds": made.seconds,
        "messages": made.messages,
        "simulated_ranks": made.ranks,
        "simulation_seconds": time.monotonic() - begin,
    }


def _show(question: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    heading = ", ".join(f"{name} {value}" for name, value in question.items())
    console.print(heading + "\n", markup=False, soft_wrap=True)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("algorithm", no_wrap=True)
    for heading in ("S", "us", "messages simulated", "in s"):
        table.add_column(heading, justify="right")
    for size in dict.fromkeys(row["bytes"] for row in rows):
        of_size = [row for row in rows if row["bytes"] == size]
        ranking = sorted(of_size, key=lambda row: row["seconds"])
        for row in ranking:
            table.add_row(
                row["algorithm"],
                str(size),
                f"{row['seconds'] * 1e6:.1f}",
                str(row["messages"]),
                f"{row['simulation_seconds']:.2f}",
                style="bold green" if row is ranking[0] else None,
            )
    console.print(table)
