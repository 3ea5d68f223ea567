"""Rondo: all-to-all exchanges in rounds.

Without MPI: `rondo.Group` (exchanges among processes), `rondo.schedule` (which blocks go where in
which round), `rondo.registry` (the algorithms), `rondo.model` (predicted costs), `rondo.simulate`
(times on other machines), `rondo.select` (which algorithm `auto` chooses) and `rondo.Results` (what
rondo-bench has measured).
`alltoall`, `alltoallv`, `alltoallv_dynamic`, `sparse_alltoallv`, `alltoallw`, `plan` and
`sparse_plan` take mpi4py's communicators and buffers. So do `neighbor_alltoall`,
`neighbor_alltoallv` and `neighbor_alltoallw` on a communicator with a topology. With an i before
its name, as in `ialltoallv`, an exchange is nonblocking; `waitall` completes several of them.
mpi4py and the MPI library are loaded when one of these is first used.
`rondo.typing` has the types of their arguments.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rondo._core import version as __version__

if TYPE_CHECKING:
    from rondo import model, registry, schedule, select, simulate
    from rondo.errors import Error
    from rondo.exchange import (
        SparseReceived,
        alltoall,
        alltoallv,
        alltoallv_dynamic,
        alltoallw,
        prepare,
        set_algorithm,
        sparse_alltoallv,
    )
    from rondo.group import Group, GroupError, Messages
    from rondo.measurements import Results
    from rondo.neighbors import neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw
    from rondo.plans import Plan, SparsePlan, plan, sparse_plan
    from rondo.received import Received
    from rondo.requests import (
        DynamicRequest,
        Request,
        ialltoall,
        ialltoallv,
        ialltoallv_dynamic,
        ialltoallw,
        ineighbor_alltoall,
        ineighbor_alltoallv,
        ineighbor_alltoallw,
        waitall,
    )
else:
    _MODULES = {
        "Group": "group",
        "GroupError": "group",
        "Messages": "group",
        "Received": "received",
        "Results": "measurements",
    }

    # The programs of the package start on every rank, and need neither numpy nor mpi4py.
    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'rondo' has no attribute {name!r}")
        if name in ("model", "registry", "schedule", "select", "simulate"):
            return import_module(f"rondo.{name}")
        module = "plans" if name.lower().endswith("plan") else "exchange"
        if name in _MODULES:
            module = _MODULES[name]
        if name.startswith("neighbor_"):
            module = "neighbors"
        if name.endswith("Request") or name.startswith(("ialltoall", "ineighbor_", "wait")):
            module = "requests"
        found = getattr(import_module(f"rondo.{module}"), name)
        globals()[name] = found  # so that it is found at once from now on
        return found

    def __dir__() -> list[str]:
        """What is public, whether it has been loaded or not."""
        return sorted(__all__)


__all__ = [
    "DynamicRequest",
    "Error",
    "Group",
    "GroupError",
    "Messages",
    "Plan",
    "Received",
    "Request",
    "Results",
    "SparsePlan",
    "SparseReceived",
    "__version__",
    "alltoall",
    "alltoallv",
    "alltoallv_dynamic",
    "alltoallw",
    "ialltoall",
    "ialltoallv",
    "ialltoallv_dynamic",
    "ialltoallw",
    "ineighbor_alltoall",
    "ineighbor_alltoallv",
    "ineighbor_alltoallw",
    "model",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "plan",
    "prepare",
    "registry",
    "schedule",
    "select",
    "set_algorithm",
    "simulate",
    "sparse_alltoallv",
    "sparse_plan",
    "waitall",
]
