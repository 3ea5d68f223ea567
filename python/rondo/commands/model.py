"""rondo model."""

import json
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from rich.table import Table

from rondo import model
from rondo.commands.options import (
    Bytes,
    Collective,
    Format,
    Nodes,
    Ranks,
    UsedProfile,
    choice,
    named,
    ranks_per_node_of,
    size_of,
)
from rondo.commands.profiles import Source, source_of
from rondo.commands.say import console, fail, print_rows
from rondo.model import Crossover, Prediction

_PARTS = ("latency", "bandwidth", "copies", "arrivals", "switches", "agreement")
# What most programs use, so gains are relative to it.
_USUAL = {"sparse_alltoallv": "mpi"}
_USUAL_OF_OTHERS = "spread_out"
_FOLLOWED_BYTES = 1 << 20  # the fastest algorithm is followed at least to this length


def predict_times(
    ranks: Ranks,
    bytes: Bytes,
    ranks_per_node: Annotated[
        Optional[int],
        typer.Option(
            metavar="Q",
            help="The ranks of each node; with 1 all messages cost the same. The default is the "
            "largest divisor of P up to the number of cores of the machine's nodes.",
        ),
    ] = None,
    nodes: Nodes = None,
    collective: Collective = "alltoallv",
    distribution: Annotated[
        str,
        choice(words=("constant", "uniform"), help="Block lengths: all S, or uniform from 0 to S."),
    ] = "constant",
    partners: Annotated[
        Optional[int],
        typer.Option(
            metavar="K",
            help="The other ranks to which a rank sends, drawn at random. The default is 4 in "
            "sparse and neighbourhood exchanges, and all in the others.",
        ),
    ] = None,
    prices: Annotated[
        str, choice(words=("hockney", "loggp"), help="The model of messages.")
    ] = "hockney",
    machine: Annotated[
        str,
        choice(
            words=("profile", "typical"),
            help="The machine of the profile, if there is one, or a typical cluster.",
        ),
    ] = "profile",
    profile: UsedProfile = None,
    format: Format = "table",
) -> None:
    """Predict what every algorithm costs on a machine, and recommend one."""
    try:
        length = size_of("--bytes", bytes)
        question: dict[str, Any] = {
            "ranks": ranks,
            "bytes": length,
            "collective": collective,
            "distribution": distribution,
            "prices": prices,
        }
        if partners is not None:
            question["partners"] = partners
        find = named("machine", machine, {"profile": source_of, "typical": _no_profile})
        source = find(profile)
        question["per_node"] = _per_node(ranks, ranks_per_node, nodes, source.machine.host.cores)
        question["machine"] = source.machine_name
        show = named(
            "format", format, {"table": _show_tables, "json": _show_json, "csv": _show_csv}
        )
        price = named("prices", prices, {"hockney": model.hockney, "loggp": model.loggp})
        priced = price(source.machine)
        contest = model.Contest(
            ranks, question["per_node"], collective, distribution, priced, partners
        )
        ranking = contest.ranking(length)
        crossovers = contest.crossovers(to_bytes=max(length, _FOLLOWED_BYTES))
    except ValueError as error:
        fail(error)
    show(question, ranking, crossovers)


def _per_node(ranks: int, per_node: Optional[int], nodes: Optional[int], cores: int) -> int:
    """Ranks of a node, as given or as launchers fill nodes. Contest checks the numbers."""
    given = ranks_per_node_of(ranks, nodes, per_node)
    if given is not None:
        return given
    return next((most for most in range(min(cores, ranks), 0, -1) if ranks % most == 0), 1)


def _no_profile(profile: Optional[Path]) -> Source:
    if profile is not None:
        raise ValueError("--machine typical and --profile cannot be combined")
    return Source(None, None)


def short_name(one: Prediction) -> str:
    """The name with the best radices. The other parameters have their defaults."""
    return ":".join([one.name, *(f"{name}={value}" for name, value in one.radices.items())])


def _answer(question: dict[str, Any], ranking: list[Prediction]) -> str:
    best = ranking[0]
    usual = _USUAL.get(question["collective"], _USUAL_OF_OTHERS)
    others = [one for one in ranking if one.name == usual] if best.name != usual else ranking[1:]
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


def _show_csv(
    question: dict[str, Any], ranking: list[Prediction], crossovers: list[Crossover]
) -> None:
    """The ranking alone, a row for each algorithm."""
    rows = []
    for one in ranking:
        fields = _fields(one)
        parts = {f"{part}_seconds": seconds for part, seconds in fields.pop("parts").items()}
        sent = fields.pop("bytes")
        rows.append({**question, **fields, "bytes_sent": sent, **parts})
    print_rows(rows, "csv")


def _fields(one: Prediction) -> dict[str, Any]:
    return {
        "algorithm": one.algorithm,
        "seconds": one.cost.total,
        "parts": _parts(one),
        "messages": one.messages,
        "waits": one.waits,
        "bytes": one.bytes,
    }
