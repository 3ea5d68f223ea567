"""Schedules: which blocks go where in which round.

>>> exchange = bruck(ranks=8, radix=2)
>>> exchange.K, exchange.D
(3, 12)
>>> [(round.hop, round.blocks.tolist()) for round in exchange.rounds]
[(1, [1, 3, 5, 7]), (2, [2, 3, 6, 7]), (4, [4, 5, 6, 7])]
>>> exchange.check().ok
True
"""

from rondo._core import (
    NodeReport,
    NodeSchedule,
    Report,
    Round,
    Schedule,
    bruck,
    linear,
    node_schedule,
    pairwise,
    two_layer,
)

__all__ = [
    "NodeReport",
    "NodeSchedule",
    "Report",
    "Round",
    "Schedule",
    "bruck",
    "linear",
    "node_schedule",
    "pairwise",
    "two_layer",
]
