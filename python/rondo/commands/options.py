"""Options that several commands share, with one name and one form in all of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Optional, TypeVar

import typer

FORMATS = ("table", "json", "csv")
COLLECTIVES = ("alltoall", "alltoallv", "alltoallw")
PREDICTED = (*COLLECTIVES, "alltoallv_dynamic", "sparse_alltoallv", "neighbor_alltoallv")
FEW_PARTNERS = ("sparse_alltoallv", "neighbor_alltoallv")

_SUFFIXES = {"k": 10, "m": 20, "g": 30}
_SIZE = "digits, with k, m or g behind them if need be"

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
Ranks = Annotated[int, typer.Option("--ranks", "-n", metavar="P", help="The number of ranks.")]
Nodes = Annotated[
    Optional[int], typer.Option(metavar="N", help="The number of nodes, of P / N ranks each.")
]
RanksPerNode = Annotated[
    Optional[int], typer.Option(metavar="Q", help="The ranks of each node, instead of --nodes.")
]
Bytes = Annotated[
    str,
    typer.Option(metavar="SIZE", help="S, the length of the largest block; suffixes k, m and g."),
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
Seed = Annotated[int, typer.Option(min=0, metavar="SEED", help="The seed of lengths and noise.")]
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


def check_format(name: str, words: Sequence[str] = FORMATS) -> None:
    """Raise ValueError if there is no such format."""
    named("format", name, {word: word for word in words})


def size_of(option: str, text: str) -> int:
    """A number of bytes: digits followed by k (1024), m (1024^2), g (1024^3) or nothing."""
    digits, suffix = (text[:-1], text[-1:].lower()) if not text[-1:].isdigit() else (text, "")
    if not (digits.isascii() and digits.isdigit()) or (suffix and suffix not in _SUFFIXES):
        raise ValueError(f"{option}: {text!r} is not a size: {_SIZE}")
    return int(digits) << _SUFFIXES.get(suffix, 0)


def sizes_of(option: str, text: str) -> list[int]:
    """Sizes separated by commas. Each is a size, or a range FROM:TO of sizes that double."""
    sizes = []
    for entry in text.split(","):
        first, colon, last = entry.partition(":")
        size = size_of(option, first)
        if not colon:
            sizes.append(size)
            continue
        most = size_of(option, last)
        if not 0 < size <= most:
            raise ValueError(f"{option}: {entry!r} is not a range from a size to a longer one")
        while size <= most:
            sizes.append(size)
            size *= 2
    return sizes


def ranks_per_node_of(ranks: int, nodes: Optional[int], per_node: Optional[int]) -> Optional[int]:
    """Q as given by --nodes or --ranks-per-node, or None. Raises ValueError for both."""
    if nodes is None:
        return per_node
    if per_node is not None:
        raise ValueError("--nodes and --ranks-per-node cannot be combined")
    if nodes < 1 or ranks % nodes:
        raise ValueError(f"{ranks} ranks do not fill {nodes} equal nodes")
    return ranks // nodes


def nodes_of(ranks: int, nodes: Optional[int], per_node: Optional[int]) -> int:
    """N as given by --nodes or --ranks-per-node, or 1. What --nodes gives is not checked."""
    if per_node is None:
        return 1 if nodes is None else nodes
    if nodes is not None:
        raise ValueError("--nodes and --ranks-per-node cannot be combined")
    if per_node < 1 or ranks % per_node:
        raise ValueError(f"{ranks} ranks do not fill nodes of {per_node} ranks")
    return ranks // per_node
