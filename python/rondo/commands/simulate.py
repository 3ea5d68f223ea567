"""rondo simulate."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, NamedTuple, Optional

import typer

from rondo import registry, simulate
from rondo._core import size_of, sizes_of
from rondo.commands.machines import (
    Chosen,
    MachineName,
    assumed_layout,
    machine_of,
    show_question,
    usual_distribution,
    without_assumptions,
)
from rondo.commands.options import (
    Collective,
    Format,
    ManyBytes,
    Nodes,
    Ranks,
    RanksPerNode,
    Seed,
    UsedProfile,
    check_collective,
    check_format,
    layout_of,
)
from rondo.commands.say import console, fail, rows_text
from rondo.commands.status import Status
from rondo.commands.waiting import announce, progress

_NAME_WIDTH = 36  # of an algorithm with two parameters
_COLUMNS = f"{'algorithm':<{_NAME_WIDTH}}{'S':>12}{'us':>14}{'messages simulated':>22}{'in s':>9}"


class Question(NamedTuple):
    """What is simulated, for all algorithms and sizes."""

    machine: Chosen
    ranks: int
    ranks_per_node: int
    collective: str
    distribution: str
    seed: int
    slot_bytes: int

    def keywords(self) -> dict[str, Any]:
        """What simulate.simulate and simulate.effort take by name."""
        names = ("ranks", "ranks_per_node", "collective", "distribution", "slot_bytes")
        return {
            "machine": self.machine.simulated,
            **{name: getattr(self, name) for name in names},
        }


class Task(NamedTuple):
    """A row of the answer."""

    algorithm: str
    bytes: int
    effort: float


def simulate_exchanges(
    bytes: ManyBytes,
    algorithms: Annotated[
        Optional[list[str]],
        typer.Argument(
            help="NAME[:PARAMETER=VALUE]...; by default all algorithms of the collective."
        ),
    ] = None,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    nodes: Nodes = None,
    machine: MachineName = "profile",
    profile: UsedProfile = None,
    collective: Collective = "alltoallv",
    distribution: Annotated[
        Optional[str],
        typer.Option(
            metavar="NAME",
            help="Block lengths: uniform from 0 to S, constant, window:R, normal, power:BASE, or "
            "sparse:K for K random partners of each rank. The default is constant in alltoall, "
            "sparse:4 in sparse and neighbourhood exchanges, and uniform in the others.",
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
    noise: Annotated[
        bool,
        typer.Option(
            help="Whether waits end late at random, as on real machines. Without noise and with "
            "blocks of constant length one node represents all, which takes far less time."
        ),
    ] = True,
    format: Format = "table",
) -> None:
    """Simulate exchanges on a machine, message by message."""
    try:
        check_format(format)
        check_collective(collective)
        sizes = sizes_of("--bytes", bytes)
        there = machine_of(machine, profile)
        if not noise:
            there.simulated.waiting.noise_seconds = 0.0
        layout = layout_of(ranks, nodes, ranks_per_node, there.usual_ranks_per_node)
        names = algorithms or _all(collective)
        lengths = distribution or usual_distribution(collective)
        question = Question(
            *(there, layout.ranks, layout.ranks_per_node, collective, lengths),
            *(seed, size_of("--slot-bytes", slot_bytes)),
        )
        assumed = [f"mpi is {library}" for library in _library(names, question)]
        if nodes is None and ranks_per_node is None:
            assumed.append(assumed_layout(layout, there))
        if distribution is None:
            assumed.append(f"--distribution {lengths}")
        tasks = [
            Task(name, size, _effort(name, size, question)) for size in sizes for name in names
        ]
    except ValueError as error:
        fail(error)
    asked = {**question._asdict(), "machine": there.name, "assumed": assumed}
    announce(sum(task.effort for task in tasks), _hints(tasks, question))
    finished = _SHOWN[format](asked, _finished(tasks, question))
    if finished < len(tasks):
        fail(f"interrupted after {finished} of {len(tasks)} rows", Status.INTERRUPTED)


def _all(collective: str) -> list[str]:
    """The algorithms whose messages are known."""
    same = {"alltoallw": "alltoallv", "alltoallv_dynamic": "alltoallv"}
    shared = same.get(collective, collective)
    rows = [*registry.algorithms(), *registry.sparse_algorithms()]
    return [row.name for row in rows if row.collective == shared]


def _library(names: list[str], question: Question) -> list[str]:
    """The algorithm that stands for the MPI library's own call, if that is simulated."""
    collective = question.collective
    if "mpi" not in names or collective == "sparse_alltoallv":
        return []  # it is Rondo that makes the calls of a sparse exchange
    if collective == "neighbor_alltoallv":
        return ["spread_out"]
    there = question.machine.simulated
    return [there.mpi_alltoall if collective == "alltoall" else there.mpi_alltoallv]


def _effort(algorithm: str, size: int, question: Question) -> float:
    return simulate.effort(algorithm, bytes=size, **question.keywords())


def _hints(tasks: list[Task], question: Question) -> list[str]:
    """Why a simulation takes long, and how it takes less time."""
    hints = []
    room = question.slot_bytes // question.ranks
    through_nodes = any(task.algorithm.startswith("node_aware") for task in tasks)
    longest = max(task.bytes for task in tasks)
    if through_nodes and longest > room:
        hints.append(
            f"blocks above {room} bytes, which is --slot-bytes / P, go straight to their ranks in "
            f"node_aware: --slot-bytes {question.ranks * longest} has room for them"
        )
    if question.distribution != "constant" or question.machine.simulated.waiting.noise_seconds > 0:
        hints.append(
            "lengths or waits differ, so every rank is simulated: with --distribution constant "
            "and --no-noise one node represents all"
        )
    return hints


def _finished(tasks: list[Task], question: Question) -> Iterator[dict[str, Any]]:
    """The rows as they finish. After Ctrl-C there are no more."""
    with suppress(KeyboardInterrupt):
        for task in tasks:
            yield _row(task, question)


def _row(task: Task, question: Question) -> dict[str, Any]:
    begin = time.monotonic()
    with progress(f"{task.algorithm}, S = {task.bytes}") as told:
        made = simulate.simulate(
            task.algorithm, bytes=task.bytes, seed=question.seed, told=told, **question.keywords()
        )
    return {
        "algorithm": task.algorithm,
        "bytes": task.bytes,
        "seconds": made.seconds,
        "messages": made.messages,
        "simulated_ranks": made.ranks,
        "simulation_seconds": time.monotonic() - begin,
    }


def _show_table(asked: dict[str, Any], rows: Iterator[dict[str, Any]]) -> int:
    """A line for each row as it finishes, and the fastest in the end."""
    show_question(asked)
    width = _NAME_WIDTH
    console.print(
        f"{'algorithm':<{width}}{_COLUMNS}", style="bold", highlight=False, soft_wrap=True
    )
    finished = []
    fastest: dict[int, dict[str, Any]] = {}
    for row in rows:
        finished.append(row)
        size, seconds = row["bytes"], row["seconds"]
        if fastest and size not in fastest:
            console.print()
        console.print(_line(row), highlight=False, markup=False, soft_wrap=True)
        if size not in fastest or seconds < fastest[size]["seconds"]:
            fastest[size] = row
    console.print()
    for size, row in fastest.items():
        best = f"S = {size}: {row['algorithm']} is the fastest, {row['seconds'] * 1e6:.1f} us"
        console.print(best, style="bold green", highlight=False, markup=False)
    return len(finished)


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['algorithm']:<{_NAME_WIDTH}}{row['bytes']:>12}{row['seconds'] * 1e6:>14.1f}"
        f"{row['messages']:>22}{row['simulation_seconds']:>9.2f}"
    )


def _show_json(asked: dict[str, Any], rows: Iterator[dict[str, Any]]) -> int:
    finished = list(rows)
    typer.echo(json.dumps({**asked, "rows": finished}, indent=2))
    return len(finished)


def _show_csv(asked: dict[str, Any], rows: Iterator[dict[str, Any]]) -> int:
    """A line for each row as it finishes."""
    finished = 0
    for finished, row in enumerate(rows, 1):
        names, values = rows_text([{**without_assumptions(asked), **row}], "csv").splitlines()
        typer.echo(values if finished > 1 else f"{names}\n{values}")
    return finished


_SHOWN = {"table": _show_table, "json": _show_json, "csv": _show_csv}
