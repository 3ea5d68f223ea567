"""Process groups of processes that no launcher has started, which meet in a file."""

import os
import signal
import time
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from unittest import mock

import pytest


def begun(rank, file, timeout):
    """Each rank may be on a node of its own."""
    import torch.distributed as dist

    import rondo.torch

    store = dist.FileStore(file, rank.size)
    late = timedelta(seconds=timeout)
    elsewhere = partial(rondo.Group, node=str(rank.rank))
    with mock.patch.object(rondo, "Group", elsewhere) if rank.per_node else nullcontext():
        dist.init_process_group(
            "rondo", store=store, rank=rank.rank, world_size=rank.size, timeout=late
        )
    return dist


def exchange(dist, **how):
    import torch

    size = dist.get_world_size()
    output = torch.empty(size, dtype=torch.int64)
    work = dist.all_to_all_single(output, torch.full((size,), dist.get_rank()), **how)
    if work is not None:
        work.wait()
    assert output.tolist() == list(range(size))


def wait_for_the_dead(rank, file, is_asynchronous):
    """How long the others wait."""
    dist = begun(rank, file, 3)
    exchange(dist)
    exchange(dist, async_op=True)
    if rank.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    before = time.monotonic()
    with pytest.raises(RuntimeError, match="has waited for other ranks for 3 seconds"):
        exchange(dist, async_op=is_asynchronous)
    waited = time.monotonic() - before
    with pytest.raises(RuntimeError, match="make a new group"):
        exchange(dist)
    dist.destroy_process_group()
    return waited


def end_in_any_order(rank, file):
    """Some ranks are gone before others have left the last exchange, or have asked for a result."""
    import torch

    dist = begun(rank, file, 20)
    groups = [dist.new_group(list(range(rank.size))) for _ in range(3)]
    input = torch.ones(rank.size, 1 << 16)
    works = []
    for group in groups:
        output = torch.zeros_like(input)
        works.append((dist.all_to_all_single(output, input, group=group, async_op=True), output))
    for group in groups if rank.rank % 2 else groups[::-1]:
        if rank.rank == 0:
            time.sleep(0.2)
        dist.destroy_process_group(group)
    for work, output in works:
        work.wait()
        assert output.sum() == output.numel()
    if rank.rank == 1:
        dist.destroy_process_group()
    elif rank.rank == 2:
        exchange_fails_alone(dist)
    # Rank 0 leaves without a word.


def exchange_fails_alone(dist):
    """In time, not with a crash."""
    dist.distributed_c10d._get_default_group().ranks.group.free()
    with pytest.raises(RuntimeError, match="group is a null pointer"):
        exchange(dist)


def end_amid_an_exchange(rank, file):
    """A rank that ends does not wait for another, which must not have ended."""
    dist = begun(rank, file, 600)
    store = dist.group.WORLD._store
    if rank.rank == 0:
        store.set("process", str(os.getpid()))
        start_alone(dist)
    else:
        program = Path("/proc", store.get("process").decode(), "exe")
        while program.exists():  # until it has ended
            time.sleep(0.01)


def start_alone(dist):
    import torch

    ones = torch.ones(1000 * dist.get_world_size())
    work = dist.all_to_all_single(torch.zeros_like(ones), ones, async_op=True)
    with pytest.raises(RuntimeError, match="not complete after 0.5 s"):
        work.wait(timedelta(seconds=0.5))


def fork_amid_exchanges(rank, file):
    """As the workers of a DataLoader: what they inherit they leave alone, also at their end."""
    dist = begun(rank, file, 20)
    for end in (lambda: os._exit(0), lambda: exit_as_python_does()):
        exchange(dist)
        child = os.fork()
        if child == 0:
            end()
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        exchange(dist)
        exchange(dist, async_op=True)
    dist.destroy_process_group()


def exit_as_python_does():
    import gc

    import torch.distributed as dist

    dist.distributed_c10d._world.pg_map.clear()
    gc.collect()
    os._exit(0)
