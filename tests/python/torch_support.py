"""What the tests of tensors have in common: the ranks, the dtypes, and gloo as the oracle.

The ranks are those of mpirun, or of torchrun, where no MPI is used.
"""

import itertools
import os
import random
import sys
import warnings
from time import sleep

import cases
import torch
import torch.distributed as dist

import rondo.torch

warnings.filterwarnings("ignore", module="torch")
warnings.filterwarnings("ignore", message=".*(support is experimental|is deprecated).*")
torch.set_num_threads(1)
dist.init_process_group("rondo")
WORLD = dist.group.WORLD
GLOO = dist.new_group(backend="gloo")
ME, P = dist.get_rank(), dist.get_world_size()
IS_BY_MPI = "TORCHELASTIC_RUN_ID" not in os.environ
if IS_BY_MPI:
    from mpi4py.MPI import COMM_WORLD as COMM

    ERROR = rondo.Error
else:
    COMM, ERROR = WORLD.ranks.group, rondo.GroupError
assert ("mpi4py.MPI" in sys.modules) == IS_BY_MPI


def of_all(value):
    """The values of all ranks."""
    values = [None] * P
    dist.all_gather_object(values, value, group=GLOO)
    return values


def poll(work):
    """Ask until it is complete. Other ranks and threads need the core meanwhile."""
    while not work.is_completed():
        sleep(1e-4)


def run_cases():
    cases.run_on(ME, P, (lambda: COMM.Abort(1)) if IS_BY_MPI else (lambda: os._exit(1)))


def case_of_mpi(function):
    """One that needs a communicator."""
    return cases.case(function) if IS_BY_MPI else function


SEED = of_all(random.SystemRandom().getrandbits(32))[0]


def is_plain(dtype):
    """Whether tensors of it exist that are not quantized."""
    try:
        return not torch.zeros(2, dtype=dtype).clone().is_quantized
    except (NotImplementedError, RuntimeError):
        return False


DTYPES = [one for one in vars(torch).values() if isinstance(one, torch.dtype)]
DTYPES = [one for one in dict.fromkeys(DTYPES) if is_plain(one)]
if ME == 0:
    print(f"seed {SEED}, torch {torch.__version__}, {len(DTYPES)} dtypes", flush=True)


def splits(kind, seed):
    """Row s, column d: the rows that rank s sends to rank d; the same on all ranks."""
    numbers = random.Random(f"{SEED} {kind} {seed}")
    table = {
        "equal": [[3] * P] * P,
        "nothing": [[0] * P] * P,
        "to one rank": [[4] + [0] * (P - 1)] * P,
        "from one rank": [[2] * P] + [[0] * P] * (P - 1),
        "random": [[numbers.choice([0, 0, 1, 2, 7]) for _ in range(P)] for _ in range(P)],
    }
    return table[kind]


KINDS = ["equal", "nothing", "to one rank", "from one rank", "random"]
CASES = list(itertools.product(KINDS, [(), (3,), (2, 2)]))


def tensor(rows, tail, dtype, seed=0):
    """Any bits of the dtype, which differ between ranks."""
    generator = torch.Generator().manual_seed(hash((SEED, ME, seed)) % 2**63)
    shape = (rows, *tail)
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(torch.bool)
    bits = torch.randint(0, 256, (*shape, dtype.itemsize), generator=generator, dtype=torch.uint8)
    return bits.view(dtype).reshape(shape) if bits.numel() else torch.empty(shape, dtype=dtype)


def bits(one):
    plain = one.detach().resolve_conj().resolve_neg().contiguous()
    return plain.reshape(-1).view(torch.uint8)


def blank(like):
    """A tensor of zeros; torch.zeros_like does not know every dtype."""
    other = torch.empty_like(like)
    bits(other).zero_()
    return other


def require_same(found, expected):
    """To the last bit."""
    assert found.dtype == expected.dtype and found.shape == expected.shape, (found, expected)
    assert torch.equal(bits(found), bits(expected)), (found, expected)


def by_gloo(output, input, arriving, sent):
    """gloo knows few dtypes, so it exchanges bytes."""
    row = input.element_size()
    for extent in input.shape[1:]:
        row *= extent
    counts = ([size * row for size in arriving], [size * row for size in sent])
    dist.all_to_all_single(bits(output), bits(input), *counts, group=GLOO)
    return output
