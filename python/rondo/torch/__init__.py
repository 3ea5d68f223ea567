"""All-to-all exchanges of PyTorch's tensors, and the backend `rondo` of torch.distributed.

`all_to_all_single` and `all_to_all` have the arguments and the meaning of torch.distributed's.
`all_to_all_dynamic` returns what arrives, however much it is. Gradients flow back through all of
them, and through `AllToAll`, which returns the output. `all_to_all_vdev` takes its split sizes in a
tensor, and has no gradient. `group` is a communicator of mpi4py or a process group of the backend
`rondo`.

Importing this module registers that backend: `torch.distributed.init_process_group("rondo")` in a
program that mpirun has started. Rank and world size are those of MPI. Collectives other than
all-to-all are gloo's.

Tensors may have any dense dtype. Those that are not contiguous are copied. Those of GPUs are
exchanged by librondo_nccl on the current stream. The host waits only in `all_to_all_dynamic`.
Without that library they are copied to the host, exchanged there, and copied back.

A rank that is given wrong arguments raises a TypeError or a ValueError. No other rank waits for it,
but raises a `rondo.Error` that names it. On GPUs the others do wait, as with NCCL.
"""

try:
    import torch.distributed  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError("rondo.torch needs PyTorch: pip install 'rondo[torch]'") from error

from rondo.torch.backend import ProcessGroup, register
from rondo.torch.exchanges import (
    AllToAll,
    Arrived,
    all_to_all,
    all_to_all_dynamic,
    all_to_all_single,
)
from rondo.torch.groups import Group
from rondo.torch.vdev import all_to_all_vdev
from rondo.torch.work import Work

__all__ = [
    "AllToAll",
    "Arrived",
    "Group",
    "ProcessGroup",
    "Work",
    "all_to_all",
    "all_to_all_dynamic",
    "all_to_all_single",
    "all_to_all_vdev",
]

register()
