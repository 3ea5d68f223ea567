"""Rondo: all-to-all exchanges in rounds.

Without MPI: `rondo.schedule` (which blocks go where in which round), `rondo.registry` (the
algorithms), `rondo.model` (predicted costs), `rondo.simulate` (times on other machines) and
`rondo.select` (which algorithm `auto` chooses). `alltoall`, `alltoallv`, `alltoallv_dynamic`,
`alltoallw` and `plan` take mpi4py's communicators and buffers; mpi4py and the MPI library are
loaded when one of them is first used.
"""

from typing import TYPE_CHECKING

from rondo import model, registry, schedule, select, simulate
from rondo._core import version as __version__

if TYPE_CHECKING:
    from rondo.errors import Error
    from rondo.exchange import (
        Plan,
        Received,
        alltoall,
        alltoallv,
        alltoallv_dynamic,
        alltoallw,
        plan,
        prepare,
        set_algorithm,
    )

__all__ = [
    "Error",
    "Plan",
    "Received",
    "__version__",
    "alltoall",
    "alltoallv",
    "alltoallv_dynamic",
    "alltoallw",
    "model",
    "plan",
    "prepare",
    "registry",
    "schedule",
    "select",
    "set_algorithm",
    "simulate",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'rondo' has no attribute {name!r}")
    from rondo import exchange

    return getattr(exchange, name)
