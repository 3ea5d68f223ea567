"""What the tests of tensors on GPUs exchange, and how: the rows and what they must become."""

import random

import calling
import pytest
import torch
from nccl_stand_in import Library

import rondo.torch

SEED = calling.seed()
RANKS = [1, 2, 3, 5, 8]
KINDS = ["equal", "nothing", "to one rank", "from one rank", "random"]


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Nor on the device."""
    print(f"RONDO_TEST_SEED={SEED}")  # which pytest shows of a failed test
    own = Library().own
    before = own.stand_in_things_held()
    yield
    assert own.stand_in_things_held() == before


def table_of(kind, size, seed=0):
    """Row s, column d: the rows that rank s sends to rank d."""
    numbers = random.Random(f"{SEED} {kind} {size} {seed}")
    return {
        "equal": [[3] * size] * size,
        "nothing": [[0] * size] * size,
        "to one rank": [[4] + [0] * (size - 1)] * size,
        "from one rank": [[2] * size] + [[0] * size] * (size - 1),
        "random": [[numbers.choice([0, 0, 1, 2, 7]) for _ in range(size)] for _ in range(size)],
    }[kind]


def is_plain(dtype):
    try:
        return not torch.zeros(2, dtype=dtype).clone().is_quantized
    except (NotImplementedError, RuntimeError):
        return False


DTYPES = [one for one in vars(torch).values() if isinstance(one, torch.dtype)]
DTYPES = [one for one in dict.fromkeys(DTYPES) if is_plain(one)]


def bits(one):
    return one.detach().resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)


def require_same(found, due):
    assert found.dtype == due.dtype and found.shape == due.shape, (found, due)
    assert torch.equal(bits(found), bits(due)), (found, due)


class Traffic:
    """What all ranks send, which each of them can compute."""

    def __init__(self, table, tail=(), dtype=torch.float32, seed=0):
        self.table, self.tail, self.dtype, self.seed = table, tail, dtype, seed

    def sent(self, rank):
        return list(self.table[rank])

    def arriving(self, rank):
        return [row[rank] for row in self.table]

    def input(self, rank):
        """Any bits of the dtype."""
        shape = (sum(self.table[rank]), *self.tail)
        generator = torch.Generator().manual_seed(1000 * (SEED % 997) + 10 * self.seed + rank)
        if self.dtype == torch.bool:
            return torch.randint(0, 2, shape, generator=generator).to(torch.bool)
        wide = (*shape, self.dtype.itemsize)
        drawn = torch.randint(0, 256, wide, generator=generator, dtype=torch.uint8)
        if not drawn.numel():
            return torch.empty(shape, dtype=self.dtype)
        return drawn.view(self.dtype).reshape(shape)

    def due(self, rank):
        """What rank receives."""
        parts = [
            self.input(other).split(self.sent(other))[rank] for other in range(len(self.table))
        ]
        return torch.cat([bits(one) for one in parts]).view(self.dtype).reshape(-1, *self.tail)


def single(rank, input, arriving, sent, async_op=False):
    output = torch.empty((sum(arriving), *input.shape[1:]), dtype=input.dtype)
    work = rondo.torch.all_to_all_single(output, input, arriving, sent, rank.group, async_op)
    assert (work is not None) == async_op
    if work:
        assert work.wait() and work.is_completed() and work.is_success()
        assert work.result()[0] is output and work.get_future().wait()[0] is output
    return output


def started(rank, input, arriving, sent):
    return single(rank, input, arriving, sent, async_op=True)


def listed(rank, input, arriving, sent):
    outputs = [torch.empty((n, *input.shape[1:]), dtype=input.dtype) for n in arriving]
    rondo.torch.all_to_all(outputs, list(input.split(sent)), rank.group)
    return torch.cat(outputs)


def listed_elsewhere(rank, input, arriving, sent):
    outputs = [torch.empty((n, *input.shape[1:]), dtype=input.dtype) for n in arriving]
    inputs = [one.clone() for one in input.split(sent)]
    rondo.torch.all_to_all(outputs, inputs, rank.group, async_op=True).wait()
    return torch.cat(outputs)


def function(rank, input, arriving, sent):
    return rondo.torch.AllToAll.apply(input, arriving, sent, rank.group)


def dynamic(rank, input, arriving, sent):
    output, sizes = rondo.torch.all_to_all_dynamic(input, sent, rank.group)
    assert sizes == arriving
    return output


WAYS = [single, started, listed, listed_elsewhere, function, dynamic]
RECORDED = [single, listed, function, dynamic]


def vdev(rank, traffic, input, out, splits, arrived):
    """Fill the tensors and call, with more rows than are used."""
    me = rank.rank
    own = traffic.input(me)
    input[: len(own)] = own
    splits.copy_(torch.tensor(traffic.sent(me)))
    return lambda: rondo.torch.all_to_all_vdev(input, out, splits, arrived, rank.group)


def require_arrived(rank, traffic, out, arrived):
    due, sizes = traffic.due(rank.rank), traffic.arriving(rank.rank)
    assert arrived[0].tolist() == sizes
    assert arrived[1].tolist() == [sum(sizes[:other]) for other in range(len(sizes))]
    require_same(out[: len(due)], due)


def tensors_for(size, tail, dtype=torch.float32):
    rows = 7 * size
    arrived = torch.full((2, size), -1)
    tensors = torch.zeros(rows, *tail, dtype=dtype), torch.zeros(rows, *tail, dtype=dtype)
    return *tensors, torch.zeros(size, dtype=torch.int64), arrived


def exchange_by_nccl_and_by_a_kernel(group, size):
    """So that there are a communicator and a plan of each kind."""
    rondo.torch.all_to_all_single(torch.empty(size), torch.ones(size), group=group)
    input, out, splits, arrived = tensors_for(size, ())
    rondo.torch.all_to_all_vdev(input, out, splits.fill_(1), arrived, group)
