"""What the search for the best goes through.

It is what rondo-bench --variants names: every algorithm that tuning considers, with every
combination of the values worth trying of its parameters that makes a difference to such blocks on
such ranks.
"""

from __future__ import annotations

from typing import NamedTuple

MPI = "mpi"
AUTO = "auto"

# Rows beside the algorithms, which rondo-bench adds by itself.
BESIDE = {"by_hand", "two_calls"}


class Shape(NamedTuple):
    """Of a run: P ranks on N nodes."""

    ranks: int
    nodes: int

    def title(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        return f"{self.ranks} ranks, {nodes}"


class Cell(NamedTuple):
    """What is exchanged: blocks of up to S = `bytes` bytes, of this distribution."""

    distribution: str
    bytes: int

    def title(self) -> str:
        return f"{self.distribution}, S = {self.bytes}"


def blocks_of(cell: Cell, ranks: int) -> int:
    """How many blocks all ranks send together, at most."""
    kind, _, number = cell.distribution.partition(":")
    has_few = kind in ("sparse", "few", "stencil", "open_stencil")
    return ranks * (min(ranks, int(number.partition(":")[0])) if has_few else ranks)


def is_tuned(collective: str) -> bool:
    """Whether rondo-bench --variants knows it. Of the others each algorithm is one candidate."""
    return not collective.startswith(("neighbor_", "sparse_"))


def algorithm_of(variant: str) -> str:
    """Without its parameters."""
    return variant.partition(":")[0]


def candidates(variants: list[dict], algorithms: set[str]) -> list[str]:
    """The variants of algorithms that can run, as rondo-bench takes them: "fused_bruck:radix=4"."""
    names = (row["algorithm"] for row in variants)
    return [name for name in names if algorithm_of(name) in algorithms]
