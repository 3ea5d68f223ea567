"""Predicted costs of every algorithm on a machine, and the reasons for them.

>>> contest = Contest(ranks=300, distribution="uniform")
>>> contest.best("two_phase_bruck", bytes=64).messages < contest.predict("spread_out", 64).messages
True
>>> costs = [one.cost.total for one in contest.ranking(bytes=400)]
>>> costs == sorted(costs)
True

The typical machine can be modified:

>>> machine = typical_cluster()
>>> machine.between.hockney.alpha_seconds = 20e-6
>>> slow = Contest(ranks=300, prices=hockney(machine))
>>> slow.predict("spread_out", 1).cost.latency / 20e-6
299.0
"""

from rondo._core import (
    Contest,
    Cost,
    Crossover,
    Hockney,
    Host,
    Link,
    LogGP,
    Machine,
    Prediction,
    Prices,
    hockney,
    loggp,
    typical_cluster,
    why_faster,
)

__all__ = [
    "Contest",
    "Cost",
    "Crossover",
    "Hockney",
    "Host",
    "Link",
    "LogGP",
    "Machine",
    "Prediction",
    "Prices",
    "hockney",
    "loggp",
    "typical_cluster",
    "why_faster",
]
