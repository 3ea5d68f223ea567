"""rondo explain."""

import json
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from rondo._core import size_of
from rondo.commands.model import short_names
from rondo.commands.options import (
    COLLECTIVES,
    FEW_PARTNERS,
    Bytes,
    Format,
    Nodes,
    Ranks,
    RanksPerNode,
    UsedProfile,
    check_collective,
    check_format,
    choice,
    layout_of,
)
from rondo.commands.profiles import Source, band_rows, bands_table, number, source_of
from rondo.commands.say import console, fail, print_rows
from rondo.select import Band, Decisions

_PARTNERS = 4  # unless they are given
_DECIDED = ("alltoall", "alltoallv")  # alltoallw runs as alltoallv
_EXPLAINED = (*COLLECTIVES, *FEW_PARTNERS)
_MOST_RANKS = 1 << 16


def explain_choice(
    bytes: Bytes,
    ranks: Ranks = None,
    nodes: Nodes = None,
    ranks_per_node: RanksPerNode = None,
    node_sizes: Annotated[
        Optional[str],
        typer.Option(metavar="Q,Q,...", help="The ranks of each node if they differ."),
    ] = None,
    collective: Annotated[
        Optional[str],
        choice(words=_EXPLAINED, help="The exchange; alltoall and alltoallv by default."),
    ] = None,
    partners: Annotated[
        Optional[int],
        typer.Option(
            metavar="K",
            help="How many other ranks each rank sends to in a neighbourhood exchange, drawn at "
            f"random. The default is {_PARTNERS}.",
        ),
    ] = None,
    shared_memory: Annotated[
        bool, typer.Option(help="Whether the ranks of a node can share memory.")
    ] = True,
    profile: UsedProfile = None,
    format: Format = "table",
) -> None:
    """Explain what `auto` runs on a communicator, and why."""
    source = source_of(profile)
    try:
        check_format(format)
        length = size_of("--bytes", bytes)
        sizes = _sizes(ranks, nodes, ranks_per_node, node_sizes)
        decided = Decisions(sizes, source.profile, shared_memory)
        if collective is not None:
            check_collective(collective, _EXPLAINED)
        names = _DECIDED if collective is None else (collective,)
        if partners is not None and collective != "neighbor_alltoallv":
            raise ValueError("--partners needs --collective neighbor_alltoallv")
        if collective == "neighbor_alltoallv" and partners is None:
            partners = _PARTNERS
        answers = {name: _answer(decided, name, length, partners) for name in names}
    except ValueError as error:
        fail(error)
    question = {"ranks": sum(sizes), "nodes": len(sizes), "bytes": length}
    if partners is not None:
        question["partners"] = partners
    if format == "json":
        typer.echo(json.dumps({**question, **_origin(source), **answers}, indent=2))
        return
    if format == "csv":
        rows = [
            {**question, "collective": name, **row}
            for name in names
            for row in _rows(decided, name, length, answers[name])
        ]
        print_rows(rows, "csv")
        return
    for name in names:
        _show(decided, name, question, answers[name], source)


def _sizes(
    ranks: Optional[int], nodes: Optional[int], per_node: Optional[int], node_sizes: Optional[str]
) -> list[int]:
    """The ranks of each node; all are on one node if nothing is said."""
    if node_sizes is None:
        if ranks is not None and nodes is not None and nodes > 0 and ranks % nodes:
            raise ValueError(f"{ranks} ranks do not fill {nodes} equal nodes: give --node-sizes")
        layout = layout_of(ranks, nodes, per_node, most=_MOST_RANKS)
        return [layout.ranks_per_node] * layout.nodes
    if per_node is not None:
        raise ValueError("--node-sizes and --ranks-per-node cannot be combined")
    sizes = _read_sizes(node_sizes)
    if ranks not in (None, sum(sizes)):
        raise ValueError(f"--node-sizes is {node_sizes!r}, which does not add up to {ranks} ranks")
    if nodes not in (None, len(sizes)):
        raise ValueError(f"--node-sizes names {number(len(sizes), 'node')}, but --nodes is {nodes}")
    if sum(sizes) > _MOST_RANKS:
        raise ValueError(f"--node-sizes has {sum(sizes)} ranks, must be in 1..{_MOST_RANKS}")
    return sizes


def _read_sizes(node_sizes: str) -> list[int]:
    words = node_sizes.split(",")
    if not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
        raise ValueError(f"--node-sizes is {node_sizes!r}, must be as in 16,16,8")
    return [int(word) for word in words]


def _origin(source: Source) -> dict[str, Any]:
    path = None if source.path is None else str(source.path)
    return {"profile": path, "machine": source.machine_name}


def _answer(
    decided: Decisions, collective: str, bytes: int, partners: Optional[int]
) -> dict[str, Any]:
    if collective in FEW_PARTNERS:
        decision = decided.decision(collective, bytes, partners)
        return {"algorithm": decision.algorithm, "reason": decision.reason}
    band = decided.band(collective, bytes)
    answer: dict[str, Any] = {
        "algorithm": band.algorithm,
        "reason": band.reason,
        "from": "measured" if decided.measured else "predicted",
        "bands": [_fields(one) for one in decided.of(collective)],
    }
    if not decided.measured:
        answer["compared_at"] = decided.compared_at(bytes)
        answer["compared"] = [
            {"algorithm": one.algorithm, "seconds": one.cost.total}
            for one in decided.ranking(collective, bytes)
        ]
    return answer


def _fields(band: Band) -> dict[str, Any]:
    return {"up_to": band.up_to, "algorithm": band.algorithm, "reason": band.reason}


def _rows(
    decided: Decisions, collective: str, bytes: int, answer: dict[str, Any]
) -> list[dict[str, Any]]:
    if collective in FEW_PARTNERS:
        return [answer]
    return band_rows(decided.of(collective), decided.band(collective, bytes))


def _show(
    decided: Decisions,
    name: str,
    question: dict[str, int],
    answer: dict[str, Any],
    source: Source,
) -> None:
    bytes = question["bytes"]
    where = f"{number(question['ranks'], 'rank')}, {number(question['nodes'], 'node')}, S = {bytes}"
    if "partners" in question:
        where += f", {number(question['partners'], 'partner')}"
    console.print(
        f"[bold]{name}[/] on {where}: [bold green]{answer['algorithm']}[/]", highlight=False
    )
    console.print(_sentence(answer, source) + "\n", highlight=False, markup=False)
    if name in FEW_PARTNERS:
        return
    console.print(bands_table(decided.of(name), decided.band(name, bytes)))
    if not decided.measured:
        console.print(_compared_table(decided, name, bytes))
    console.print()


def _sentence(answer: dict[str, Any], source: Source) -> str:
    reason = answer["reason"]
    if answer.get("from") == "measured":
        why = reason.removeprefix("measured: ") or "it gives no reason"
        return f"Measured, in {source.path}: {why}."
    if reason.startswith("predicted: "):
        return f"For {source.machine_name} {reason}."
    return f"{reason[:1].upper()}{reason[1:]}."


def _compared_table(decided: Decisions, name: str, bytes: int) -> Table:
    ranking = decided.ranking(name, bytes)
    best = ranking[0].cost.total
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.title = f"\npredicted at S = {decided.compared_at(bytes)}"
    table.title_justify = "left"
    table.add_column("candidates of auto", overflow="fold")
    for heading in ("us", "times the fastest"):
        table.add_column(heading, justify="right")
    for one, shown in zip(ranking, short_names(ranking)):
        seconds = one.cost.total
        times = f"{seconds / best:.2f}" if best > 0 else ""
        table.add_row(shown, f"{seconds * 1e6:.1f}", times)
    return table
