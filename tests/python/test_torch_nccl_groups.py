"""rondo.torch on GPUs: wrong arguments, communicators, plans, streams, and what is done without the
library, over stand-ins for CUDA and NCCL."""

import re
import warnings
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
import nccl_stand_in  # noqa: E402

if not nccl_stand_in.FILE:
    pytest.skip("the stand-ins for CUDA and NCCL were not built", allow_module_level=True)

import torch.distributed as dist  # noqa: E402
from nccl_stand_in import Cuda, Library, on_ranks  # noqa: E402
from nccl_traffic import (  # noqa: E402
    WAYS,
    Traffic,
    exchange_by_nccl_and_by_a_kernel,
    nothing_is_left,  # noqa: F401
    require_arrived,
    require_same,
    single,
    table_of,
    tensors_for,
    vdev,
)

import rondo.torch  # noqa: E402
from rondo.torch import cuda, nccl  # noqa: E402


def wrong_calls(group, good, odd):
    """What is wrong on this rank alone is said here. No other rank is told."""
    single = rondo.torch.all_to_all_single
    vdev = rondo.torch.all_to_all_vdev
    splits, arrived = torch.ones(2, dtype=torch.int64), torch.empty(2, 2, dtype=torch.int64)
    yield TypeError, "output has torch.float64, but input has torch.float32", single, (
        good.double(), good)  # fmt: skip
    yield TypeError, "output: expecting a tensor, got int", single, (5, good)
    yield TypeError, "input: expecting a tensor, got int", single, (good, 5)
    yield ValueError, "input has 3 rows, which 2 ranks cannot share equally", single, (good, odd)
    yield ValueError, "add up to 3, but input has 2", single, (good, good, [1, 1], [1, 2])
    yield ValueError, "input_split_sizes[1] is -1", single, (good, good, [1, 1], [3, -1])
    yield ValueError, "to itself, but expects", single, (torch.empty(2, 2), good)
    yield ValueError, "expecting 2 tensors, got 1", rondo.torch.all_to_all, ([good], [good])
    yield TypeError, "expecting a list of tensors, got int", rondo.torch.all_to_all, ([good], 5)
    yield ValueError, "input is a scalar", rondo.torch.all_to_all_dynamic, (torch.tensor(1.0),)
    yield ValueError, "rows without elements", rondo.torch.all_to_all_dynamic, (torch.ones(2, 0),)
    yield TypeError, "input: expecting a tensor, got int", vdev, (5, good, splits, arrived)
    yield TypeError, "in_splits has torch.int32", vdev, (good, good, splits.int(), arrived)
    yield TypeError, "out has torch.float64, but", vdev, (good, good.double(), splits, arrived)
    yield ValueError, "out_splits_offsets has the shape (2,)", vdev, (good, good, splits, splits)
    yield ValueError, "first must be the same", vdev, (good, torch.empty(2, 2), splits, arrived)
    yield ValueError, "is not contiguous", vdev, (torch.ones(4)[::2], good, splits, arrived)
    conjugate = torch.ones(2, dtype=torch.complex64).conj()
    recorded = torch.ones(2, requires_grad=True)
    yield ValueError, "has no gradient", vdev, (recorded, good, splits, arrived)
    yield ValueError, "input is a lazy conjugate", vdev, (conjugate, conjugate, splits, arrived)
    yield ValueError, "rows without elements", vdev, (
        torch.ones(2, 0), torch.ones(2, 0), splits, arrived)  # fmt: skip


def test_wrong_arguments():
    def body(rank):
        good, odd = torch.ones(2), torch.ones(3)
        rondo.torch.all_to_all_single(good.clone(), good, group=rank.group)
        if rank.rank == 0:
            for kind, said, call, arguments in wrong_calls(rank.group, good, odd):
                with pytest.raises(kind, match=re.escape(said)):
                    call(*arguments, group=rank.group)
        rank.gather(None)
        output = torch.empty(2)
        input = torch.full((2,), float(rank.rank))
        rondo.torch.all_to_all_single(output, input, group=rank.group)
        assert output.tolist() == [0, 1], "later exchanges are right"

    on_ranks(2, body)


def test_each_group_has_a_communicator_of_its_own():
    opened = []

    class Counted(Library):
        def open(self, *arguments):
            opened.append(super().open(*arguments))
            return opened[-1]

        def close(self, comm):
            opened.remove(comm)
            super().close(comm)

    class Seam(Cuda):
        def load(self):
            return Counted()

    def body(rank):
        other = rank.new_group()
        for group in (rank.group, other, rank.group):
            output = torch.empty(3)
            rondo.torch.all_to_all_single(output, torch.full((3,), float(rank.rank)), group=group)
            assert output.tolist() == [0, 1, 2]
        rank.gather(None)
        count = len(opened)
        rank.gather(None)
        return count

    assert on_ranks(3, body, Seam()) == [6] * 3
    assert not opened


@pytest.mark.parametrize(("timeout", "seconds"), [(7.5, 7.5), (None, 1800)])
def test_the_device_waits_as_long_as_the_group(timeout, seconds):
    """Without a timeout, as long as PyTorch waits for other ranks."""
    patience = []

    class Patient(Library):
        def set_timeout(self, plan, seconds):
            patience.append(seconds)
            super().set_timeout(plan, seconds)

    class Seam(Cuda):
        def load(self):
            return Patient()

    def body(rank):
        exchange_by_nccl_and_by_a_kernel(rank.new_group(timeout), 2)

    on_ranks(2, body, Seam())
    assert patience == [seconds] * 2


def test_plans_are_made_once_for_a_length():
    made = []

    class Counted(Library):
        def plan(self, comm, algorithm, *length):
            made.append((algorithm, *length))
            return super().plan(comm, algorithm, *length)

    class Seam(Cuda):
        def load(self):
            return Counted()

    def body(rank):
        for rows in (10, 1 << 15, 1 << 14, 100, 1 << 15):
            input, out = torch.zeros(rows), torch.zeros(2 * rows)
            splits = torch.full((2,), rows // 4)
            arrived = torch.empty(2, 2, dtype=torch.int64)
            rondo.torch.all_to_all_vdev(input, out, splits, arrived, rank.group)

    on_ranks(2, body, Seam())
    assert sorted(made) == 2 * [("direct", 1 << 16)] + 2 * [("direct", 1 << 17)] + 2 * [
        ("nccl_grouped",)
    ]


def test_streams():
    """An exchange goes to the current stream, and who waits for it lets the current one follow."""
    seam = Cuda()

    def body(rank):
        single(rank, torch.ones(2), [1, 1], [1, 1])
        rank.gather(None)
        if rank.rank == 0:
            seam.streams.clear()
        rank.gather(None)
        output = torch.empty(2)
        with rank.graph().current() as handle:
            work = rondo.torch.all_to_all_single(
                output, torch.ones(2), group=rank.group, async_op=True
            )
        work.wait()
        work.synchronize()
        return handle

    assert sorted(on_ranks(2, body, seam)) == sorted(seam.streams)
    assert len(seam.followed) == 4


def test_exchanges_by_kernels_in_several_streams():
    """They follow one another, but for those that a graph captures."""
    seam = Cuda()

    def body(rank):
        tensors = tensors_for(1, ())
        one, other, captured = rank.graph(), rank.graph(), rank.graph()
        for where in (one.current, one.current, other.current, captured.captured, other.current):
            with where():
                rondo.torch.all_to_all_vdev(*tensors, rank.group)
        with one.current() as first, other.current() as second:
            return [(None, first), (first, second)]

    assert on_ranks(1, body, seam) == [seam.ordered]


def test_a_first_exchange_cannot_be_captured():
    def body(rank):
        tensors = tensors_for(1, ())
        calls = {
            "tensors of GPUs": lambda: single(rank, torch.ones(1), [1], [1]),
            "tensors of this size": lambda: rondo.torch.all_to_all_vdev(*tensors, rank.group),
        }
        for what, call in calls.items():
            said = f"the first exchange of {what}"
            with rank.graph().captured(), pytest.raises(RuntimeError, match=said):
                call()
            call()

    on_ranks(1, body)


def test_another_device():
    def body(rank):
        single(rank, torch.ones(1), [1], [1])
        elsewhere = torch.ones(1, device="meta")
        said = "the group exchanges tensors on cpu, but this one is on meta"
        with pytest.raises(ValueError, match=said):
            rondo.torch.all_to_all_single(elsewhere, elsewhere, group=rank.group)

    on_ranks(1, body)


class WithoutLibrary(Library):
    def open(self, unique_id, rank, size):
        if rank == size - 1:
            raise nccl.NcclError("ncclCommInitRank: no GPU")
        return super().open(unique_id, rank, size)


def failing_to_load(thread_of):
    def load(self):
        if thread_of():
            raise OSError("libnccl.so.2: cannot open shared object file")
        return Library()

    return type("Seam", (Cuda,), {"load": load})()


@pytest.mark.parametrize("fails", ["everywhere", "on one rank", "to open"])
def test_without_the_library(fails):
    """All ranks go through the host then, and rank 0 says so once."""
    is_last = nccl_stand_in.here
    if fails == "to open":
        seam = type("Seam", (Cuda,), {"load": lambda self: WithoutLibrary()})()
        said = "rank 2: ncclCommInitRank: no GPU"
    else:
        seam = failing_to_load(lambda: fails == "everywhere" or getattr(is_last, "fails", False))
        first = 0 if fails == "everywhere" else 2
        said = f"rank {first}: libnccl.so.2: cannot open shared object file"

    def body(rank):
        is_last.fails = rank.rank == 2
        for _ in range(2):
            for kind in ("equal", "random"):
                traffic = Traffic(table_of(kind, 3), (2,))
                sides = traffic.arriving(rank.rank), traffic.sent(rank.rank)
                for way in WAYS:
                    found = way(rank, traffic.input(rank.rank), *sides)
                    require_same(found, traffic.due(rank.rank))
                tensors = tensors_for(3, (2,))
                vdev(rank, traffic, *tensors)()
                require_arrived(rank, traffic, tensors[1], tensors[3])

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        on_ranks(3, body, seam)
    told = [str(one.message) for one in caught if "GPUs" in str(one.message)]
    assert told == [f"tensors of GPUs are exchanged through the host: {said}"]


def test_what_the_linker_finds():
    """Without the library of the package, the loader looks for one; of this name there is none."""
    nobodys = mock.patch.multiple(nccl, _PACKAGED=Path("/none"), _NAME="librondo_of_nobody.so.1")
    with nobodys, pytest.raises(OSError, match=r"librondo_of_nobody\.so\.1"):
        nccl.load()


@pytest.mark.parametrize("by", ["torchrun", "mpirun"])
def test_the_backend(tmp_path, monkeypatch, by):
    """Of one process, which asks torch.distributed and the operator."""
    nccl_stand_in.Here.size = 1
    if by == "mpirun":
        pytest.importorskip("mpi4py.MPI", exc_type=ImportError)
        monkeypatch.setenv("PMIX_RANK", "0")
    with mock.patch.object(cuda, "CUDA", Cuda()):
        store = dist.FileStore(str(tmp_path / "store"), 1)
        limit = timedelta(seconds=77)
        dist.init_process_group("rondo", store=store, rank=0, world_size=1, timeout=limit)
        assert (dist.group.WORLD.communicator is not None) == (by == "mpirun")
        input, output = torch.arange(3.0), torch.zeros(3)
        for async_op in (False, True):
            work = dist.all_to_all_single(output.zero_(), input, async_op=async_op)
            if async_op:
                work.wait()
            assert output.tolist() == [0, 1, 2]
        dist.all_to_all([output], [input + 1])
        assert output.tolist() == [1, 2, 3]
        splits, arrived = torch.tensor([2]), torch.empty(2, 1, dtype=torch.int64)
        for name in ("", dist.group.WORLD.group_name):
            torch.ops.rondo.all_to_all_vdev(input, output.zero_(), splits, arrived, name)
            assert (output.tolist(), arrived.tolist()) == ([0, 1, 0], [[2], [0]])
        ranks = dist.group.WORLD.ranks
        assert ranks.of_gpu.is_on_gpu and ranks.of_gpu.patience == 77
        assert dist.new_group([0], timeout=timedelta(seconds=5)).ranks.patience == 5
        dist.destroy_process_group()


def test_the_operator():
    """Its arguments have the names and the order of PyTorch's own."""
    names = [
        [one.name for one in operator.default._schema.arguments]
        for operator in (torch.ops.rondo.all_to_all_vdev, torch.ops.symm_mem.all_to_all_vdev)
    ]
    assert names[0] == names[1]
