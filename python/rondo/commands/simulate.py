"""rondo simulate."""

import json
import math
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, NamedTuple, Optional

import typer

from rondo import registry, simulate
from rondo._core import size_of, sizes_of
from rondo.commands.machines import (
    MachineName,
    Setting,
    machine_of,
    setting_of,
    show_question,
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
    check_format,
)
from rondo.commands.say import console, fail, rows_text
from rondo.commands.status import Status
from rondo.commands.waiting import Rows

_NAME_WIDTH = 36  # of an algorithm with two parameters
_COLUMNS = (
    f"{'algorithm':<{_NAME_WIDTH}}{'S':>12}{'us':>14}{'±':>8}{'messages simulated':>22}{'in s':>9}"
)


class Question(NamedTuple):
    """What is simulated, for all algorithms and sizes."""

    setting: Setting
    seed: int
    slot_bytes: int
    exact: bool

    def keywords(self) -> dict[str, Any]:
        """What simulate.simulate takes by name."""
        names = ("ranks", "ranks_per_node", "collective", "distribution")
        return {
            "machine": self.setting.machine.simulated,
            "slot_bytes": self.slot_bytes,
            "most_visits": math.inf if self.exact else None,
            **{name: getattr(self.setting, name) for name in names},
        }

    def shown(self, names: list[str]) -> dict[str, Any]:
        """What was asked, by the names of the options, and what is assumed of these algorithms."""
        asked = self.setting._asdict()
        asked.update(machine=self.setting.machine.name, seed=self.seed, slot_bytes=self.slot_bytes)
        asked["exact"] = self.exact
        library = [f"mpi is {name}" for name in _library(names, self.setting)]
        asked["assumed"] = library + asked.pop("assumed")
        return asked


class Task(NamedTuple):
    """A row of the answer."""

    algorithm: str
    bytes: int


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
            help="Block lengths: uniform from 0 to S, constant, window:R, normal, power:BASE, "
            "mix:FRACTION=SHARE,... of S, or sparse:K for K random partners of each rank. The "
            "default is constant in alltoall, sparse:4 in sparse and neighbourhood exchanges, and "
            "uniform in the others.",
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
            "blocks of constant length one node represents all, and the result is exact."
        ),
    ] = True,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Simulate every rank and message, which may take hours. Without it a sample "
            "stands for all where that takes far less time. Then the time is an estimate: 19 of "
            "20 exchanges, with lengths and waits of their own, are within the printed interval.",
        ),
    ] = False,
    format: Format = "table",
) -> None:
    """Simulate exchanges on a machine, message by message."""
    try:
        check_format(format)
        sizes = sizes_of("--bytes", bytes)
        chosen = machine_of(machine, profile)
        if not noise:
            chosen.simulated.waiting.noise_seconds = 0.0
        setting = setting_of(chosen, (ranks, nodes, ranks_per_node), collective, distribution)
        question = Question(setting, seed, size_of("--slot-bytes", slot_bytes), exact)
        names = algorithms or _all(collective)
        for name in names:
            _refuse_unknown(name, max(sizes), question)
    except ValueError as error:
        fail(error)
    tasks = [Task(name, size) for size in sizes for name in names]
    finished = _SHOWN[format](question.shown(names), _finished(tasks, question))
    if finished < len(tasks):
        fail(f"interrupted after {finished} of {len(tasks)} rows", Status.INTERRUPTED)


def _all(collective: str) -> list[str]:
    """The algorithms whose messages are known."""
    same = {"alltoallw": "alltoallv", "alltoallv_dynamic": "alltoallv"}
    shared = same.get(collective, collective)
    rows = [*registry.algorithms(), *registry.sparse_algorithms()]
    return [row.name for row in rows if row.collective == shared]


def _library(names: list[str], setting: Setting) -> list[str]:
    """The algorithm that stands for the MPI library's own call, if that is simulated."""
    collective = setting.collective
    if "mpi" not in names or collective == "sparse_alltoallv":
        return []  # it is Rondo that makes the calls of a sparse exchange
    if collective == "neighbor_alltoallv":
        return ["spread_out"]
    machine = setting.machine.simulated
    return [machine.mpi_alltoall if collective == "alltoall" else machine.mpi_alltoallv]


def _refuse_unknown(algorithm: str, size: int, question: Question) -> None:
    """Find out what is wrong with a question before its first row, by an exchange of one rank."""
    one = {**question.keywords(), "ranks": 1, "ranks_per_node": 1}
    simulate.simulate(algorithm, bytes=size, **one)


def _hints(tasks: list[Task], question: Question) -> list[str]:
    """Why a simulation takes long, and how it takes less time."""
    hints = []
    setting = question.setting
    for task in sorted(tasks, key=lambda task: -task.bytes):
        if task.algorithm.startswith("node_aware") and not _fits(task.bytes, question):
            hints.append(
                f"blocks of {task.bytes} bytes go straight to their ranks, since the slots of "
                f"{task.algorithm} have room for --slot-bytes / {setting.ranks} only"
            )
            break
    if question.exact:
        hints.append("every rank is simulated: without --exact a sample stands for all")
    return hints


def _fits(size: int, question: Question) -> bool:
    return question.setting.ranks * size < question.slot_bytes


def _finished(tasks: list[Task], question: Question) -> Iterator[dict[str, Any]]:
    """The rows as they finish. After Ctrl-C there are no more."""
    rows = Rows([task.algorithm for task in tasks], _hints(tasks, question))
    with suppress(KeyboardInterrupt):
        for task in tasks:
            yield _row(task, question, rows)


def _row(task: Task, question: Question, rows: Rows) -> dict[str, Any]:
    begin = time.monotonic()
    with rows.next(f"{task.algorithm}, S = {task.bytes}") as told:
        made = simulate.simulate(
            task.algorithm, bytes=task.bytes, seed=question.seed, told=told, **question.keywords()
        )
    return {
        "algorithm": task.algorithm,
        "bytes": task.bytes,
        "seconds": made.seconds,
        "low_seconds": made.low_seconds,
        "high_seconds": made.high_seconds,
        "messages": made.messages,
        "simulated_ranks": made.ranks,
        "simulation_seconds": time.monotonic() - begin,
    }


def _show_table(asked: dict[str, Any], rows: Iterator[dict[str, Any]]) -> int:
    """A line for each row as it finishes, and the fastest in the end."""
    show_question(asked)
    console.print(_COLUMNS, style="bold", highlight=False, soft_wrap=True)
    finished: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        if finished and row["bytes"] not in finished:
            console.print()
        console.print(_line(row), highlight=False, markup=False, soft_wrap=True)
        finished.setdefault(row["bytes"], []).append(row)
    if len({row["algorithm"] for group in finished.values() for row in group}) > 1:
        console.print()
        for group in finished.values():
            console.print(_fastest(group), style="bold green", highlight=False, markup=False)
    return sum(map(len, finished.values()))


def _fastest(rows: list[dict[str, Any]]) -> str:
    """Of rows with the same size, with those that may be as fast, as their intervals say."""
    best = min(rows, key=lambda row: row["seconds"])
    text = (
        f"S = {best['bytes']}: {best['algorithm']} is the fastest, {best['seconds'] * 1e6:.1f} us"
    )
    near = [
        row["algorithm"]
        for row in rows
        if row is not best
        and best["seconds"] < row["seconds"]
        and row["low_seconds"] < best["high_seconds"]
    ]
    return f"{text}; {', '.join(near)} may be as fast" if near else text


def _line(row: dict[str, Any]) -> str:
    return (
        f"{row['algorithm']:<{_NAME_WIDTH}}{row['bytes']:>12}{row['seconds'] * 1e6:>14.1f}"
        f"{_error(row):>8}{row['messages']:>22}{row['simulation_seconds']:>9.2f}"
    )


def _error(row: dict[str, Any]) -> str:
    """The interval's half width; nothing if every rank was simulated."""
    width = row["high_seconds"] - row["low_seconds"]
    return f"{50 * width / row['seconds']:.2g} %" if width > 0 else ""


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
