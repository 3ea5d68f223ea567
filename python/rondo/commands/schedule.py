"""rondo schedule."""

from typing import Annotated

import typer
from rich.table import Table

from rondo import registry
from rondo.commands.say import console, fail
from rondo.schedule import NodeSchedule, Round, Schedule


def show_schedule(
    algorithm: Annotated[str, typer.Argument(help="As in two_layer_bruck:intra=2.")],
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="P.")],
    nodes: Annotated[int, typer.Option(help="N, of P / N ranks each.")] = 1,
) -> None:
    """Show the rounds of an algorithm: how far which blocks travel, K, D, and a picture."""
    try:
        collective = _collective_of(algorithm)
        name = registry.resolved(algorithm, ranks, nodes, collective)
        schedule = registry.schedule_of(algorithm, ranks, nodes, collective)
    except ValueError as error:
        fail(error)
    console.print(f"[bold cyan]{name}[/], {ranks} ranks on {nodes} nodes", highlight=False)
    if isinstance(schedule, NodeSchedule):
        _show_between_nodes(schedule)
    else:
        _show_flat(schedule, "rank")


def _collective_of(algorithm: str) -> str:
    """Algorithms of one name have one schedule, whichever collective they serve."""
    name = algorithm.partition(":")[0]
    names = {row.name: row.collective for row in registry.algorithms()}
    if name not in names:
        raise ValueError(f"no algorithm {name!r}; there are: {', '.join(names)}")
    return names[name]


def _show_flat(schedule: Schedule, place: str) -> None:
    console.print(
        f"K = {schedule.K} messages that a {place} sends, D = {schedule.D} blocks in them; "
        f"phases: {len(schedule.phases)}"
    )
    if not schedule.rounds:
        return
    width = console.width - 40
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("phase", "round", "hop", "blocks"):
        table.add_column(heading, justify="right")
    pictured = schedule.ranks <= width
    table.add_column("which blocks travel, 0 .. P-1" if pictured else "", no_wrap=True)
    number = 0
    for phase, rounds in enumerate(schedule.phases):
        for one in rounds:
            picture = _picture(one, schedule.ranks) if pictured else None
            table.add_row(str(phase), str(number), str(one.hop), str(len(one.blocks)), picture)
            number += 1
    console.print(table)


def _picture(one: Round, ranks: int) -> str:
    travels = ["."] * ranks
    for name in one.blocks:
        travels[name] = "#"
    return "".join(travels)


def _show_between_nodes(schedule: NodeSchedule) -> None:
    console.print(
        f"shared memory inside a node; {schedule.check().messages} messages between nodes in all, "
        f"lanes: {schedule.lanes}"
    )
    _show_flat(schedule.between, "node")
    if not schedule.between.rounds:
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("round", justify="right")
    table.add_column("lane", justify="right")
    table.add_column("rank that sends and receives, node by node")
    for number in range(len(schedule.between.rounds)):
        for lane in range(schedule.lanes):
            leaders = (schedule.leader(node, number, lane) for node in range(schedule.nodes))
            table.add_row(str(number), str(lane), " ".join(map(str, leaders)))
    console.print(table)
