"""Tensors of a GPU by librondo_nccl: graphs, splits on the device, and what a call costs."""

import ctypes
import statistics
from functools import cache, partial
from time import perf_counter

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as theirs
from cases import case
from torch_gpu import GPU, require_on_gpu
from torch_gradients import numbers
from torch_support import KINDS, ME, WORLD, P, blank, require_same, splits
from torch_values import sides

import rondo.torch

CALLS = 200


def say(text):
    if ME == 0:
        print(f"figure: {text}", flush=True)


def nccl_version():
    """Of the library that is loaded, which need not be the one that PyTorch was built with."""
    code = ctypes.c_int()
    ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(code))
    return f"{code.value // 10000}.{code.value // 100 % 100}.{code.value % 100}"


@case
def the_library_is_used():
    rondo.torch.all_to_all_single(torch.empty(P, device=GPU), torch.ones(P, device=GPU))
    assert WORLD.ranks.of_gpu.is_on_gpu, "exchanged through the host"


def captured(call):
    """A graph of the call, which has been made once before."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        call()
    return graph


@case
def replays():
    input, sent, arriving, due = sides("random", (3,), torch.float32)
    on_gpu, output = input.to(GPU), blank(due).to(GPU)
    graph = captured(lambda: rondo.torch.all_to_all_single(output, on_gpu, arriving, sent))
    for seed in range(5):
        on_gpu.copy_(input + seed)
        output.zero_()
        graph.replay()
        require_on_gpu(output, due + seed)


@case
def splits_on_the_device():
    """Eagerly, by the operator, and in a graph that is replayed with other splits."""
    tensors = [torch.zeros(7 * P, 3, device=GPU) for _ in range(2)]  # with room for more
    counts = torch.zeros(P, dtype=torch.int64, device=GPU)
    arrived = torch.empty(2, P, dtype=torch.int64, device=GPU)
    arguments = *tensors, counts, arrived
    ways = [
        lambda: rondo.torch.all_to_all_vdev(*arguments),
        lambda: torch.ops.rondo.all_to_all_vdev(*arguments, WORLD.group_name),
    ]
    ways.append(captured(ways[0]).replay)
    for way in ways:
        for kind in KINDS:
            input, sent, arriving, due = sides(kind, (3,), torch.float32)
            tensors[0][: len(input)] = input.to(GPU)
            counts.copy_(torch.tensor(sent))
            tensors[1].zero_()
            way()
            begins = [sum(arriving[:rank]) for rank in range(P)]
            assert arrived.tolist() == [arriving, begins]
            require_on_gpu(tensors[1][: len(due)], due)
            assert not tensors[1][len(due) :].any()


@cache
def nccl():
    """PyTorch's own backend for GPUs, if its NCCL lets ranks share one."""
    try:
        group = dist.new_group(backend="nccl")
        dist.all_reduce(torch.ones(1, device=GPU), group=group)
        torch.cuda.synchronize()
        return group
    except (RuntimeError, ValueError) as error:
        say(f"torch.distributed's NCCL cannot be compared: {error}")
        return None


def by_nccl(x, arriving, sent):
    output = x.new_empty(sum(arriving), *x.shape[1:])
    return theirs.all_to_all_single(output, x, arriving, sent, group=nccl())


@case
def gradients_as_those_of_nccl():
    if nccl() is None:
        return
    for kind in KINDS:
        table = splits(kind, 0)
        sent, arriving = table[ME], [row[ME] for row in table]
        weights = numbers(sum(arriving), (2,), torch.float64, 2).to(GPU)
        results = []
        for exchange in (by_nccl, rondo.torch.AllToAll.apply):
            x = numbers(sum(sent), (2,), torch.float64, 1).to(GPU).requires_grad_()
            output = exchange(2 * x, arriving, sent)
            (output**2 * weights).sum().backward()
            results.append((output.detach(), x.grad))
        for ours, due in zip(*results):
            require_same(ours.cpu(), due.cpu())


def kernels_of(call):
    call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    events = profile.events()
    return [one.name for one in events if one.device_type == torch.autograd.DeviceType.CUDA]


def host_microseconds(call):
    """Of a call, while nothing waits for the device."""
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        dist.barrier()
        start = perf_counter()
        for _ in range(CALLS // 5):
            call()
        times.append((perf_counter() - start) / (CALLS // 5) * 1e6)
    torch.cuda.synchronize()
    return statistics.median(times)


def cost_of(name, call):
    """Says it, and returns the kernels."""
    kernels = kernels_of(call)
    say(f"{name}: {len(kernels)} kernels and copies, {host_microseconds(call):.1f} us of host")
    return kernels


def two_sides():
    return torch.empty(P, 64, device=GPU), torch.ones(P, 64, device=GPU)


@case
def what_a_call_costs():
    """Kernels, and the host's time."""
    output, input = two_sides()
    counts = torch.ones(P, dtype=torch.int64, device=GPU)
    arrived = torch.empty(2, P, dtype=torch.int64, device=GPU)
    single = partial(rondo.torch.all_to_all_single, output, input)
    vdev = partial(rondo.torch.all_to_all_vdev, input, output, counts, arrived)
    cost_of("rondo.torch.all_to_all_single", single)
    kernels = cost_of("rondo.torch.all_to_all_vdev", vdev)
    assert len(kernels) == 1, kernels


@case
def what_a_call_of_nccl_costs():
    if (group := nccl()) is not None:
        sides = two_sides()
        cost_of("torch.distributed's NCCL", partial(dist.all_to_all_single, *sides, group=group))
