"""Times of exchanges on a simulated machine."""

from __future__ import annotations

import math
from functools import cache

from rondo import simulate
from rondo.reproduce.figures import Figure
from rondo.reproduce.points import Point
from rondo.reproduce.values import Seconds


def seconds_by(figure: Figure, seed: int) -> Seconds:
    """Figures share points, so what was simulated once is kept."""

    def seconds(point: Point, algorithm: str, size: int) -> float:
        where = (point.machine, point.ranks, point.ranks_per_node)
        return _seconds(algorithm, size, where, (figure.collective, point.distribution), seed)

    return seconds


def per_node(machine: str, ranks: int) -> int:
    """Q: nodes are as full as that machine's are."""
    usual = simulate.ranks_per_node(machine)
    return min(usual or ranks, ranks)


def call_of(machine: str, collective: str) -> str:
    """What the MPI library's own call is simulated as."""
    there = simulate.machine(machine)
    return there.mpi_alltoall if collective == "alltoall" else there.mpi_alltoallv


@cache
def _seconds(
    algorithm: str, size: int, where: tuple[str, int, int], what: tuple[str, str], seed: int
) -> float:
    machine, ranks, of_node = where
    collective, distribution = what
    return simulate.simulate(
        algorithm,
        ranks,
        of_node,
        size,
        simulate.machine(machine),
        collective=collective,
        distribution=distribution,
        seed=seed,
        most_visits=math.inf,
    ).seconds
