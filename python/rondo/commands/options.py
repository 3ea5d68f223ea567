"""Options that several commands share, with one name and one form in all of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Optional, TypeVar

import typer

from rondo._core import most_ranks, suggestion

FORMATS = ("table", "json", "csv")
COLLECTIVES = ("alltoall", "alltoallv", "alltoallw")
PREDICTED = (*COLLECTIVES, "alltoallv_dynamic", "sparse_alltoallv", "neighbor_alltoallv")
FEW_PARTNERS = ("sparse_alltoallv", "neighbor_alltoallv")

Value = TypeVar("Value")


def choice(*names: str, words: Sequence[str], help: str) -> Any:
    """An option that takes one of a few words, which shells complete."""
    return typer.Option(*names, metavar="|".join(words), autocompletion=lambda: words, help=help)


Format = Annotated[
    str,
    choice(
        words=FORMATS,
        help="The form of the output: a table, JSON or comma-separated values.",
    ),
]
Ranks = Annotated[
    Optional[int],
    typer.Option(
        "--ranks", "-n", metavar="P", help="The number of ranks; N x Q if both of these are given."
    ),
]
Nodes = Annotated[
    Optional[int], typer.Option(metavar="N", help="The number of nodes, of P / N ranks each.")
]
RanksPerNode = Annotated[
    Optional[int],
    typer.Option(metavar="Q", help="The ranks of each node; P / N if both of these are given."),
]
Bytes = Annotated[
    str,
    typer.Option(metavar="SIZE", help="S, the length of the largest block, as in 64, 4k or 4KiB."),
]
ManyBytes = Annotated[
    str,
    typer.Option(
        "--bytes",
        metavar="SIZES",
        help="S, the length of the largest block: 16,64,256 or 16:4k (doubling); units k, m and g, "
        "also as in KiB.",
    ),
]
Collective = Annotated[str, choice(words=PREDICTED, help="The exchange.")]
UsedProfile = Annotated[
    Optional[Path],
    typer.Option(
        metavar="FILE",
        help="A profile to use instead of the one that `auto` uses here.",
        readable=False,
    ),
]


def _seed(value: int) -> int:
    if value >= 1 << 64:
        raise typer.BadParameter("must be below 2^64")
    return value


Seed = Annotated[
    int,
    typer.Option(min=0, callback=_seed, metavar="SEED", help="The seed of lengths and noise."),
]
Launcher = Annotated[
    Optional[str],
    typer.Option(
        metavar="COMMAND", help="The command that starts ranks, as in 'mpirun --host a,b'."
    ),
]


def named(what: str, name: str, values: Mapping[str, Value]) -> Value:
    """The value of that name. Raises ValueError, which lists the names."""
    if name not in values:
        *first, last = values
        listed = f"{', '.join(first)} or {last}" if first else last
        raise ValueError(f"{what} is {name!r}, must be {listed}")
    return values[name]


def check_collective(name: str, words: Sequence[str] = PREDICTED) -> None:
    """Raise ValueError if there is no such exchange."""
    if name not in words:
        raise ValueError(f"no collective {name!r}{suggestion(name, words)}")


def check_format(name: str, words: Sequence[str] = FORMATS) -> None:
    """Raise ValueError if there is no such format."""
    named("format", name, {word: word for word in words})


class Layout(NamedTuple):
    """The ranks of a communicator, on nodes of the same size."""

    ranks: int
    nodes: int
    ranks_per_node: int


def layout_of(
    ranks: Optional[int],
    nodes: Optional[int],
    per_node: Optional[int],
    usual: Optional[int] = None,
    most: int = most_ranks,
) -> Layout:
    """What two of the three options say.

    If only the number of ranks is given, nodes have the most ranks that divide it and are at most
    `usual`, or without that all of them. ValueError if the options do not fit, ranks are missing or
    there are more than `most`.
    """
    for name, number in (("ranks", ranks), ("nodes", nodes), ("ranks-per-node", per_node)):
        if number is not None and not 1 <= number <= most:
            raise ValueError(f"--{name} is {number}, must be in 1..{most}")
    if ranks is None:
        if nodes is None or per_node is None:
            raise ValueError("how many ranks? Give --ranks, or --nodes and --ranks-per-node")
        ranks = nodes * per_node
        if ranks > most:
            raise ValueError(f"{nodes} nodes of {per_node} ranks are more than {most} ranks")
    if per_node is None and nodes is None:
        per_node = ranks if usual is None else _largest_divisor(ranks, usual)
    if per_node is None:
        if nodes is None or ranks % nodes:
            raise ValueError(f"{ranks} ranks do not fill {nodes} equal nodes")
        per_node = ranks // nodes
    if ranks % per_node or nodes not in (None, ranks // per_node):
        where = "nodes" if nodes is None else f"{nodes} nodes"
        raise ValueError(f"{ranks} ranks do not fill {where} of {per_node} ranks")
    return Layout(ranks, ranks // per_node, per_node)


def _largest_divisor(number: int, most: int) -> int:
    return next(one for one in range(min(most, number), 0, -1) if number % one == 0)
