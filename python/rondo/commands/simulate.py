"""rondo simulate."""

import json
import time
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from rondo import registry, simulate
from rondo.commands.options import (
    FEW_PARTNERS,
    Collective,
    Format,
    Nodes,
    Ranks,
    Seed,
    check_format,
    ranks_per_node_of,
    size_of,
    sizes_of,
)
from rondo.commands.profiles import source_of
from rondo.commands.say import console, fail, print_rows
from rondo.simulate import Outcome, SimulatedMachine

_PROFILE = "profile"


def simulate_exchanges(
    ranks: Ranks,
    bytes: Annotated[
        str,
        typer.Option(
            metavar="SIZES",
            help="S, the length of the largest block: 16,64,256 or 16:4096 (doubling); suffixes k, "
            "m and g.",
        ),
    ],
    algorithms: Annotated[
        Optional[list[str]],
        typer.Argument(
            help="NAME[:PARAMETER=VALUE]...; by default all algorithms of the collective."
        ),
    ] = None,
    ranks_per_node: Annotated[
        Optional[int],
        typer.Option(
            metavar="Q",
            help="The ranks of each node; by default the value in the machine's file.",
        ),
    ] = None,
    nodes: Nodes = None,
    machine: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="theta, polaris, fugaku, ethernet-cluster, FILE.toml, or profile (what "
            "`rondo tune` has measured here).",
        ),
    ] = "ethernet-cluster",
    collective: Collective = "alltoallv",
    distribution: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help="Block lengths: uniform from 0 to S, constant, window:R, normal, power:BASE, or "
            "sparse:K for K random partners of each rank. The default is sparse:4 in sparse and "
            "neighbourhood exchanges, and uniform in the others.",
        ),
    ] = None,
    seed: Seed = 1,
    slot_bytes: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            help="RONDO_SLOT_BYTES, which limits the blocks that go through shared memory.",
        ),
    ] = "4m",
    format: Format = "table",
) -> None:
    """Simulate exchanges on a machine, message by message."""
    try:
        check_format(format)
        sizes = sizes_of("--bytes", bytes)
        there = _machine(machine)
        given = ranks_per_node_of(ranks, nodes, ranks_per_node)
        per_node = given or _usual_ranks_per_node(machine, ranks)
        question = {
            "machine": machine,
            "ranks": ranks,
            "ranks_per_node": per_node,
            "collective": collective,
            "distribution": distribution or _usual_distribution(collective),
            "seed": seed,
            "slot_bytes": size_of("--slot-bytes", slot_bytes),
        }
        rows = _rows(algorithms or _all(collective), sizes, there, question)
    except ValueError as error:
        fail(error)
    if format == "json":
        typer.echo(json.dumps({**question, "rows": rows}, indent=2))
    elif format == "csv":
        print_rows([{**question, **row} for row in rows], "csv")
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


def _usual_distribution(collective: str) -> str:
    return "sparse:4" if collective in FEW_PARTNERS else "uniform"


def _all(collective: str) -> list[str]:
    """The algorithms whose messages are known."""
    same = {"alltoallw": "alltoallv", "alltoallv_dynamic": "alltoallv"}
    shared = same.get(collective, collective)
    rows = [*registry.algorithms(), *registry.sparse_algorithms()]
    return [row.name for row in rows if row.collective == shared]


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
