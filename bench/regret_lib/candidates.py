"""Which algorithms and parameters the search for the best goes through.

All algorithms that apply, each with every combination of

  radix         2, 3, 4, 8, 16, the square root of the number of ranks, that number
  intra, inter  (two layers) 2, the square root, all, of the ranks of a node and of the nodes
  inter, radix  (between nodes) straight, or in rounds of each radix up to the number of nodes
  threshold     its default, none, half of S: where it has one by default and they differ

Windows, ports and parts stay at their defaults.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

MPI = "mpi"
AUTO = "auto"

RADICES = (2, 3, 4, 8, 16)
BETWEEN_NODES = ("direct", "bruck")
OFF = "off"
SPLIT_FROM = 1024  # bytes; a part of shorter blocks does not repay messages of its own


class Shape(NamedTuple):
    """Of a run: P ranks on N nodes."""

    ranks: int
    nodes: int

    def per_node(self) -> int:
        return self.ranks // self.nodes

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.ranks} ranks, {nodes}"


class Cell(NamedTuple):
    """What is exchanged: blocks of up to `bytes`, S, of this distribution."""

    distribution: str
    bytes: int

    def title(self) -> str:
        return f"{self.distribution}, S = {self.bytes}"


Values = dict[str, str]  # of parameters; those that are not named are at their defaults


class Algorithm(NamedTuple):
    """One that applies, with the values that all its parameters have by default."""

    name: str
    defaults: Values

    @classmethod
    def of_row(cls, row: dict) -> Algorithm:
        pairs = (word.split("=") for word in row["parameters"].split(":") if word)
        return cls(row["algorithm"], dict(pairs))


def root(count: int) -> int:
    """The radix nearest above the square root, as Rondo takes it by default."""
    return max(math.isqrt(count - 1) + 1, 2)


def within(radices, length: int) -> list[str]:
    """Those that differ in what they do: a radix above the length acts as the length."""
    return [str(radix) for radix in sorted(set(radices)) if 2 <= radix <= max(length, 2)]


def radices(length: int) -> list[str]:
    return within([*RADICES, root(length), length], length)


def few_radices(length: int) -> list[str]:
    return within([2, root(length), length], length)


def rounds(algorithm: Algorithm, shape: Shape) -> list[Values]:
    """The ways in which its blocks can travel."""
    defaults = algorithm.defaults
    if defaults.get("inter") in BETWEEN_NODES:
        if shape.nodes == 1:
            return [{}]
        in_rounds = [{"inter": "bruck", "radix": radix} for radix in radices(shape.nodes)]
        return [{"inter": "direct"}, *in_rounds]
    if "intra" in defaults:
        both = itertools.product(few_radices(shape.per_node()), few_radices(shape.nodes))
        return [{"intra": intra, "inter": inter} for intra, inter in both]
    if "radix" in defaults:
        return [{"radix": radix} for radix in radices(shape.ranks)]
    return [{}]


def thresholds(algorithm: Algorithm, cell: Cell) -> list[Values]:
    default = algorithm.defaults.get("threshold", OFF)
    if default == OFF:  # as published: all blocks travel alike
        return [{}]
    ways: list[Values] = [{}]
    if int(default) < cell.bytes:
        ways.append({"threshold": OFF})
    half = str(cell.bytes // 2)
    if cell.distribution != "constant" and cell.bytes >= SPLIT_FROM and half != default:
        ways.append({"threshold": half})
    return ways


def candidates(algorithms: list[Algorithm], shape: Shape, cell: Cell) -> list[str]:
    """As rondo-bench takes them: "fused_bruck:radix=4". `mpi` is one of the algorithms."""
    return [
        ":".join([one.name, *(f"{name}={value}" for name, value in (way | limit).items())])
        for one in algorithms
        for way in rounds(one, shape)
        for limit in thresholds(one, cell)
    ]
