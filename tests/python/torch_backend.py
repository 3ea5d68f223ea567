"""The backend: every collective of torch.distributed, compared with gloo."""

from contextlib import suppress

import torch
import torch.distributed as dist
from mpi_support import COMM, ME, P, case
from torch.nn.parallel import DistributedDataParallel
from torch_support import GLOO, WORLD, require_same

import rondo.torch

LAST = P - 1
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
NUMBERS = [*FLOATS, torch.uint8, torch.int8, torch.int32, torch.int64]
REDUCED = [*NUMBERS, torch.int16, torch.bool]
OPERATIONS = "SUM PRODUCT MIN MAX".split()


def own(dtype, shape=(3, 2), seed=0):
    """Small whole numbers: their reductions are exact in every dtype."""
    generator = torch.Generator().manual_seed(100 * seed + ME)
    return torch.randint(0, 3, shape, generator=generator).to(dtype)


def both(call, *tensors):
    """The tensors after the call with Rondo and with gloo."""
    results = []
    for group in (WORLD, GLOO):
        copies = [[one.clone() for one in part] for part in tensors]
        call(group, *copies)
        results.append([one for part in copies for one in part])
    return zip(*results)


def require_same_as_gloo(call, *tensors):
    for ours, theirs in both(call, *tensors):
        require_same(ours, theirs)


def parts(dtype, count=P):
    return [own(dtype, seed=seed) for seed in range(count)]


MOVES = {
    "broadcast": lambda group, one, many: dist.broadcast(one[0], LAST, group=group),
    "all_gather": lambda group, one, many: dist.all_gather(many, one[0], group=group),
    "gather": lambda group, one, many: dist.gather(
        one[0], many if ME == LAST else None, LAST, group=group
    ),
    "scatter": lambda group, one, many: dist.scatter(
        one[0], many if ME == LAST else None, LAST, group=group
    ),
    "started": lambda group, one, many: dist.broadcast(
        one[0], 0, group=group, async_op=True
    ).wait(),
}


@case
def moves():
    for dtype in NUMBERS:
        for call in MOVES.values():
            require_same_as_gloo(call, [own(dtype)], parts(dtype))


@case
def moves_of_what_gloo_does_not_know():
    for dtype in (torch.bool, torch.int16, torch.complex64, torch.complex128):
        for root in {0, LAST}:
            one = own(dtype, seed=1)
            due = COMM.bcast(one.clone(), root)
            dist.broadcast(one, root)
            require_same(one, due)
            many = [torch.zeros_like(one) for _ in range(P)]
            dist.all_gather(many, own(dtype, seed=2))
            for found, sent in zip(many, COMM.allgather(own(dtype, seed=2))):
                require_same(found, sent)


@case
def tensors_that_are_gathered_into_one():
    one, whole = own(torch.float32, (4,)), torch.zeros(4 * P)
    dist.all_gather_into_tensor(whole, one)
    require_same(whole, torch.cat(COMM.allgather(one)))
    given, found = own(torch.float32, (4 * P,)), torch.zeros(4)
    dist.reduce_scatter_tensor(found, given)
    require_same(found, sum(COMM.allgather(given))[4 * ME : 4 * ME + 4])


@case
def reductions():
    for dtype in NUMBERS:
        for name in OPERATIONS:
            operation = getattr(dist.ReduceOp, name)
            require_same_as_gloo(
                lambda group, one, by=operation: dist.all_reduce(one[0], by, group=group),
                [own(dtype)],
            )
            require_same_as_gloo(
                lambda group, one, by=operation: (
                    dist.reduce(one[0], LAST, by, group=group)
                    if group is WORLD or ME == LAST
                    else dist.reduce(one[0].clone(), LAST, by, group=group)
                ),
                [own(dtype)],
            )


@case
def reductions_of_every_dtype():
    for dtype in REDUCED:
        everybody = torch.stack(COMM.allgather(own(dtype)))
        wide = everybody.to(torch.float64)
        for name, due in {
            "SUM": wide.sum(0),
            "PRODUCT": wide.prod(0),
            "MIN": wide.amin(0),
            "MAX": wide.amax(0),
        }.items():
            found = own(dtype)
            dist.all_reduce(found, getattr(dist.ReduceOp, name))
            require_same(found, due.to(dtype))
        found = torch.zeros(3, 2, dtype=dtype)
        dist.reduce_scatter(found, parts(dtype))
        due = torch.stack(COMM.allgather(own(dtype, seed=0))).to(torch.float64).sum(0)
        if ME == 0:
            require_same(found, due.to(dtype))
    for name, by in {"BAND": "bitwise_and", "BOR": "bitwise_or", "BXOR": "bitwise_xor"}.items():
        found = due = own(torch.int32) + 5
        found = found.clone()
        dist.all_reduce(found, getattr(dist.ReduceOp, name))
        everybody = COMM.allgather(due)
        for other in everybody[1:]:
            everybody[0] = getattr(torch, by)(everybody[0], other)
        require_same(found, everybody[0])


@case
def averages():
    for dtype in FLOATS:
        found = own(dtype)
        dist.all_reduce(found, dist.ReduceOp.AVG)
        due = torch.stack(COMM.allgather(own(dtype))).float().sum(0) / P
        assert torch.allclose(found.float(), due, rtol=1e-2 if dtype.itemsize == 2 else 1e-6)


@case
def points():
    """A ring of messages, with tags in the other order."""
    above, below = (ME + 1) % P, (ME - 1) % P
    received = [torch.zeros(2, dtype=torch.int64) for _ in range(2)]
    works = [dist.irecv(one, below, tag=tag) for tag, one in enumerate(received)]
    sends = [dist.isend(torch.tensor([ME, tag]), above, tag=tag) for tag in (1, 0)]
    for work in (*works, *sends):
        work.wait()
    assert [one.tolist() for one in received] == [[below, 0], [below, 1]]
    operations = [
        dist.P2POp(dist.isend, torch.tensor([ME]), above),
        dist.P2POp(dist.irecv, received[0][:1], below),
    ]
    for work in dist.batch_isend_irecv(operations):
        work.wait()
    assert received[0][0] == below


@case
def messages_from_anybody():
    if P == 1:
        return
    if ME == 0:
        one = torch.zeros(1, dtype=torch.int64)
        for _ in range(P - 1):
            dist.recv(one)
    else:
        dist.send(torch.tensor([ME]), 0)
    dist.barrier()
    dist.barrier(async_op=True).wait()


@case
def objects():
    everybody = [None] * P
    dist.all_gather_object(everybody, {"rank": ME})
    assert everybody == [{"rank": rank} for rank in range(P)]
    shared = ["text", ME]
    dist.broadcast_object_list(shared, LAST)
    assert shared == ["text", LAST]


@case
def groups():
    assert dist.get_backend() == "rondo"
    assert (dist.get_rank(), dist.get_world_size()) == (ME, P)
    even = [rank for rank in range(P) if rank % 2 == 0]
    group = dist.new_group(even)
    if ME in even:
        input = torch.full((len(even),), ME)
        output = torch.zeros_like(input)
        rondo.torch.all_to_all_single(output, input, group=group)
        assert output.tolist() == even
        dist.all_reduce(input, group=group)
        assert input[0] == sum(even)
        dist.destroy_process_group(group)
    ours = dist.new_group(backend="rondo")
    dist.all_reduce(torch.ones(1), group=ours)


@case
def groups_that_end_before_their_works():
    group = dist.new_group(backend="rondo")
    input, outputs = torch.full((P,), ME), [torch.zeros(P, dtype=torch.int64) for _ in range(3)]
    total = torch.ones(4)
    works = [dist.all_to_all_single(one, input, group=group, async_op=True) for one in outputs]
    works.append(dist.all_reduce(total, group=group, async_op=True))
    dist.destroy_process_group(group)
    for work in reversed(works):
        work.wait()
    assert all(one.tolist() == list(range(P)) for one in outputs) and total[0] == P


@case
def functional_collectives():
    """Those that torch.compile and DTensor use, which call the group from C++."""
    from torch.distributed import _functional_collectives as functional

    x = torch.arange(2 * P, dtype=torch.float32) + 100 * ME
    due = torch.zeros_like(x)
    dist.all_to_all_single(due, x, group=GLOO)
    require_same(functional.all_to_all_single(x, None, None, WORLD).clone(), due)
    require_same(functional.all_reduce(x, "sum", WORLD).clone(), sum(COMM.allgather(x)))
    whole = functional.all_gather_tensor(x, 0, WORLD)
    require_same(whole.clone(), torch.cat(COMM.allgather(x)))
    part = functional.reduce_scatter_tensor(x, "sum", 0, WORLD)
    require_same(part.clone(), sum(COMM.allgather(x))[2 * ME : 2 * ME + 2])


def trained(group):
    """The parameters of a small network after a few steps."""
    torch.manual_seed(5)
    inner = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    model = DistributedDataParallel(inner, process_group=group)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(4):
        generator = torch.Generator().manual_seed(10 * step + ME)
        optimizer.zero_grad()
        model(torch.randn(6, 4, generator=generator)).square().mean().backward()
        optimizer.step()
    return list(model.parameters())


@case
def data_parallel():
    for ours, theirs in zip(trained(WORLD), trained(GLOO)):
        assert torch.allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@case
def what_mpi_has_not():
    with suppress(TypeError):
        dist.all_reduce(torch.ones(2, dtype=torch.float8_e4m3fn))
        raise AssertionError("a dtype that MPI cannot reduce was taken")
    with suppress(ValueError):
        dist.broadcast(torch.ones(4, 4).t()[1:], 0)
        raise AssertionError("a tensor that is not contiguous was taken")
