"""rondo model."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Optional, TypeVar

import typer
from rich.table import Table

from rondo import model
from rondo.commands.profiles import Source, source_of
from rondo.commands.say import console, fail
from rondo.model import Crossover, Prediction

Option = TypeVar("Option")

_PARTS = ("latency", "bandwidth", "copies", "arrivals", "switches", "agreement")
_USUAL = "spread_out"  # what most programs use, so gains are relative to it
_FOLLOWED_BYTES = 1 << 20  # the fastest algorithm is followed at least to this length


def predict_times(
    ranks: Annotated[int, typer.Option("--ranks", "-n", help="P.")],
    bytes: Annotated[int, typer.Option(help="S, the length of the largest block.")],
    ranks_per_node: Annotated[
        Optional[int],
        typer.Option(
            help="Q; with 1 all messages cost the same. The default is the largest divisor of P up "
            "to the number of cores of the machine's nodes."
        ),
    ] = None,
    nodes: Annotated[Optional[int], typer.Option(help="N, instead of Q.")] = None,
    collective: Annotated[
        str, typer.Option(help="alltoall, alltoallv or alltoallw.")
    ] = "alltoallv",
    distribution: Annotated[
        str, typer.Option(help="Block lengths: constant, or uniform from 0 to S.")
    ] = "constant",
    prices: Annotated[
        str, typer.Option(help="The model of messages: hockney or loggp.")
    ] = "hockney",
    machine: Annotated[
        str, typer.Option(help="profile (that of the profile, if there is one) or typical.")
    ] = "profile",
    profile: Annotated[
        Optional[Path],
        typer.Option(
            help="A profile to use instead of the one that `auto` uses here.", readable=False
        ),
    ] = None,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """Predict what every algorithm costs on a machine, and recommend one."""
    question: dict[str, Any] = {
        "ranks": ranks,
        "bytes": bytes,
        "collective": collective,
        "distribution": distribution,
        "prices": prices,
    }
    try:
        find = _named("machine", machine, {"profile": source_of, "typical": _no_profile})
        source = find(profile)
        question["per_node"] = _per_node(ranks, ranks_per_node, nodes, source.machine.host.cores)
        question["machine"] = source.machine_name
        show = _named("format", format, {"table": _show_tables, "json": _show_json})
        price = _named("prices", prices, {"hockney": model.hockney, "loggp": model.loggp})
        priced = price(source.machine)
        contest = model.Contest(ranks, question["per_node"], collective, distribution, priced)
        ranking = contest.ranking(bytes)
        crossovers = contest.crossovers(to_bytes=max(bytes, _FOLLOWED_BYTES))
    except ValueError as error:
        fail(error)
    show(question, ranking, crossovers)


def _per_node(ranks: int, per_node: Optional[int], nodes: Optional[int], cores: int) -> int:
    """Ranks of a node, as given or as launchers fill nodes. Contest checks the numbers."""
    if nodes is not None:
        if per_node is not None:
            raise ValueError("--nodes and --ranks-per-node cannot be combined")
        if nodes < 1 or ranks % nodes:
            raise ValueError(f"{ranks} ranks do not fill {nodes} equal nodes")
        return ranks // nodes
    if per_node is not None:
        return per_node
    return next((most for most in range(min(cores, ranks), 0, -1) if ranks % most == 0), 1)


def _no_profile(profile: Optional[Path]) -> Source:
    if profile is not None:
        raise ValueError("--machine typical and --profile cannot be combined")
    return Source(None, None)


def _named(what: str, name: str, options: Mapping[str, Option]) -> Option:
    if name not in options:
        raise ValueError(f"{what} is {name!r}, must be {' or '.join(options)}")
    return options[name]


def short_name(one: Prediction) -> str:
    """The name with the best radices. The other parameters have their defaults."""
    return ":".join([one.name, *(f"{name}={value}" for name, value in one.radices.items())])


def _answer(question: dict[str, Any], ranking: list[Prediction]) -> str:
    best = ranking[0]
    others = [one for one in ranking if one.name == _USUAL] if best.name != _USUAL else ranking[1:]
    other = others[0]
    return (
        f"For P = {question['ranks']} and S = {question['bytes']} use {short_name(best)}: "
        f"{_microseconds(best.cost.total)} us instead of {_microseconds(other.cost.total)} us with "
        f"{other.name}, {model.why_faster(best, other)}."
    )


def _parts(one: Prediction) -> dict[str, float]:
    return {part: getattr(one.cost, part) for part in _PARTS}


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:.1f}"


def _show_tables(
    question: dict[str, Any], ranking: list[Prediction], crossovers: list[Crossover]
) -> None:
    heading = ", ".join(f"{name} {value}" for name, value in question.items())
    console.print(heading + "\n", markup=False, soft_wrap=True)
    console.print(_ranking_table(ranking))
    if crossovers:
        console.print("\nwhere another algorithm becomes the fastest:\n")
        console.print(_crossover_table(crossovers))
    console.print("\n" + _answer(question, ranking), highlight=False, markup=False)


def _ranking_table(ranking: list[Prediction]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("algorithm at its best radix", no_wrap=True)
    for heading in ("us", "messages", "bytes sent"):
        table.add_column(heading, justify="right")
    table.add_column("mostly")
    for place, one in enumerate(ranking):
        table.add_row(
            short_name(one),
            _microseconds(one.cost.total),
            f"{one.messages:.0f}",
            f"{one.bytes:.0f}",
            _largest_part(one),
            style="bold green" if place == 0 else None,
        )
    return table


def _largest_part(one: Prediction) -> str:
    part, seconds = max(_parts(one).items(), key=lambda item: item[1])
    return f"{part} {seconds / one.cost.total:.0%}"


def _crossover_table(crossovers: list[Crossover]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("from S", justify="right")
    table.add_column("before", no_wrap=True)
    table.add_column("then", no_wrap=True)
    table.add_column("reason")
    for one in crossovers:
        table.add_row(str(one.bytes), one.before.name, short_name(one.after), one.reason)
    return table


def _show_json(
    question: dict[str, Any], ranking: list[Prediction], crossovers: list[Crossover]
) -> None:
    found = {
        **question,
        "algorithms": [_fields(one) for one in ranking],
        "crossovers": [
            {
                "bytes": one.bytes,
                "before": one.before.algorithm,
                "after": one.after.algorithm,
                "reason": one.reason,
            }
            for one in crossovers
        ],
        "answer": _answer(question, ranking),
    }
    typer.echo(json.dumps(found, indent=2))


def _fields(one: Prediction) -> dict[str, Any]:
    return {
        "algorithm": one.algorithm,
        "seconds": one.cost.total,
        "parts": _parts(one),
        "messages": one.messages,
        "waits": one.waits,
        "bytes": one.bytes,
    }
