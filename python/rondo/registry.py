"""The algorithms with their names, parameters, ideas, sources and schedules.

>>> resolved("two_phase_bruck:radix=4", ranks=64)
'two_phase_bruck:radix=4:ports=3:threshold=off'
>>> schedule_of("two_phase_bruck:radix=4", ranks=64).K
9
"""

from rondo._core import (
    Algorithm,
    Parameter,
    algorithms,
    find,
    gpu_algorithms,
    resolved,
    schedule_of,
    sparse_algorithms,
)

__all__ = [
    "Algorithm",
    "Parameter",
    "algorithms",
    "find",
    "gpu_algorithms",
    "resolved",
    "schedule_of",
    "sparse_algorithms",
]
