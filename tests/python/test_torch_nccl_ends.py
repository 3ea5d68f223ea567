"""rondo.torch on GPUs: how what CUDA and NCCL hold for a group ends, or stays, over stand-ins for
both."""

import os
import time
import warnings
from contextlib import contextmanager, nullcontext, suppress
from datetime import timedelta
from unittest import mock

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
import nccl_stand_in  # noqa: E402

if not nccl_stand_in.FILE:
    pytest.skip("the stand-ins for CUDA and NCCL were not built", allow_module_level=True)

import torch.distributed as dist  # noqa: E402
from nccl_stand_in import Cuda, Library, on_ranks  # noqa: E402
from nccl_traffic import (  # noqa: E402
    RECORDED,
    exchange_by_nccl_and_by_a_kernel,
    nothing_is_left,  # noqa: F401
    tensors_for,
)

import rondo.torch  # noqa: E402
from rondo.torch import cuda, groups, nccl  # noqa: E402

SOON = 0.5  # seconds that a rank waits for others


@contextmanager
def told(count, words=""):
    """As many warnings that something may stay."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    said = [
        str(one.message) for one in caught if "stay until this process ends" in str(one.message)
    ]
    assert len(said) == count and all(words in one for one in said), said


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("way", [nullcontext, lambda group: group], ids=["free", "with"])
def test_a_group_that_is_freed(size, way):
    """As often as in a program that runs for long."""

    def body(rank):
        before = rank.held()
        for _ in range(5):
            group = rank.own_group()
            with way(group):
                exchange_by_nccl_and_by_a_kernel(group, size)
                assert rank.held() > before
            group.free()
            assert rank.held() == before

    on_ranks(size, body)


def leave_a_block(group):
    with group:
        raise ZeroDivisionError


def free_in_the_end(group):
    try:
        raise ZeroDivisionError
    finally:
        group.free()


@pytest.mark.parametrize("leave", [leave_a_block, free_in_the_end])
def test_a_group_that_one_rank_leaves_by_an_error(leave):
    """The others wait for the group's timeout only, and say that something stays."""

    def body(rank):
        group = rank.own_group(SOON)
        exchange_by_nccl_and_by_a_kernel(group, 3)
        stays = groups.ranks_of(group).of_gpu
        before, start = rank.held(), time.monotonic()
        if rank.rank == 1:
            with pytest.raises(ZeroDivisionError):
                leave(group)
        else:
            group.free()
        waited = time.monotonic() - start
        assert rank.held() == before
        stays.end()  # for the other tests
        return waited

    with told(2):
        waited = on_ranks(3, body)
    assert max(waited) < nccl_stand_in.SECONDS / 2, waited


@pytest.mark.parametrize("first", [0, 2])
def test_ranks_that_come_too_late(first):
    """They find that the first one was there. In NCCL they would wait for it without limit."""

    def body(rank):
        group = rank.own_group(SOON)
        exchange_by_nccl_and_by_a_kernel(group, 3)
        stays = groups.ranks_of(group).of_gpu
        before = rank.held()
        if rank.rank == first:
            group.free()
        rank.gather(None)
        group.free()
        assert rank.held() == before
        stays.end()

    with told(3, "has waited for other ranks for 0.5 seconds"):
        on_ranks(3, body)


class Counted(Cuda):
    """Notes who opens a communicator of NCCL."""

    def __init__(self):
        super().__init__()
        self.opened = opened = []

        class Noting(Library):
            def open(self, unique_id, rank, size):
                opened.append(rank)
                return super().open(unique_id, rank, size)

        self.load = Noting


def test_a_first_exchange_that_one_rank_has_given_up():
    seam = Counted()

    def body(rank):
        group = rank.own_group(SOON)
        if rank.rank != 0:
            rank.gather(None)
        with pytest.raises(rondo.GroupError, match="has waited for other ranks for 0.5 seconds"):
            rondo.torch.all_to_all_single(torch.empty(3), torch.ones(3), group=group)
        if rank.rank == 0:
            rank.gather(None)
        group.free()

    on_ranks(3, body, seam)
    assert not seam.opened


def test_a_rank_whose_gpu_has_failed():
    """It does not wait for the others, since its error must be seen."""
    failed = set()

    class Seam(Cuda):
        def require_working(self, device):
            if nccl_stand_in.here.number in failed:
                raise RuntimeError("device-side assert triggered")

    def body(rank):
        nccl_stand_in.here.number = rank.rank
        group = rank.own_group(SOON)
        exchange_by_nccl_and_by_a_kernel(group, 3)
        stays = groups.ranks_of(group).of_gpu
        before = rank.held()
        if rank.rank == 1:
            failed.add(1)
        rank.gather(None)
        start = time.monotonic()
        group.free()
        waited = time.monotonic() - start
        assert rank.held() == before
        stays.end()
        return waited

    with told(3):
        waited = on_ranks(3, body, Seam())
    assert waited[1] < min(waited[0], waited[2]), waited


def test_a_plan_that_cannot_be_ended():
    """All else ends."""

    class Failing(Library):
        def end_plan(self, plan):
            super().end_plan(plan)
            raise nccl.NcclError("cudaDeviceSynchronize: unspecified launch failure")

    def body(rank):
        before = rank.held()
        group = rank.own_group()
        exchange_by_nccl_and_by_a_kernel(group, 2)
        group.free()
        assert rank.held() == before

    with told(2, "unspecified launch failure"):
        seam = type("Seam", (Cuda,), {"load": lambda self: Failing()})()
        on_ranks(2, body, seam)


@pytest.mark.parametrize("size", [1, 3])
def test_a_graph_that_outlives_its_group(size):
    """It may be replayed, so all that it uses stays. NCCL would wait for its end, without limit."""

    def body(rank):
        group = rank.own_group()
        exchange_by_nccl_and_by_a_kernel(group, size)
        input, output = torch.full((size,), float(rank.rank)), torch.zeros(size)
        rows, out, splits, arrived = tensors_for(size, ())
        splits.fill_(1)
        graph = rank.graph()
        with graph.captured():
            rondo.torch.all_to_all_single(output, input, group=group)
            rondo.torch.all_to_all_vdev(rows, out, splits, arrived, group)
        stays = groups.ranks_of(group).of_gpu
        before = rank.held()
        group.free()
        assert rank.held() == before
        rows.fill_(rank.rank)
        graph.replay()
        assert output.tolist() == out[:size].tolist() == list(range(size))
        rank.end_graphs()
        rank.gather(None)
        stays.end()

    with told(0):
        on_ranks(size, body)


@pytest.mark.parametrize("in_graph", [False, True])
def test_an_error_of_which_no_later_call_tells(in_graph):
    """As in a program that replays graphs, or in the last exchange."""

    def body(rank):
        group = rank.own_group()
        rows, out, splits, arrived = tensors_for(2, ())
        rondo.torch.all_to_all_vdev(rows, out, splits, arrived, group)
        of_gpu, graph = groups.ranks_of(group).of_gpu, rank.graph()
        with graph.captured() if in_graph else nullcontext():
            rondo.torch.all_to_all_vdev(rows, out[:3], splits.fill_(2), arrived, group)
        if in_graph:
            graph.replay()
        group.free()
        if in_graph:
            rank.end_graphs()
            with suppress(nccl.NcclError):
                of_gpu.end()

    with told(2, "have 4 rows, but the receive buffer has room for 3"):
        on_ranks(2, body)


def test_a_child_that_is_forked():
    """It ends nothing of its parent."""

    def body(rank):
        group = rank.own_group()
        exchange_by_nccl_and_by_a_kernel(group, 1)
        held = Library().own.stand_in_things_held
        before = held()
        child = os.fork()
        if child == 0:
            is_wrong = True
            try:
                group.free()
                is_wrong = held() != before
            finally:
                os._exit(is_wrong)
        _, status = os.waitpid(child, 0)
        assert status == 0
        exchange_by_nccl_and_by_a_kernel(group, 1)
        group.free()

    on_ranks(1, body)


def test_an_error_while_something_is_started():
    """On the host, where the group is in use: the error of the program is what it sees."""
    host = type("Host", (Cuda,), {"has": lambda self, tensor: False})()

    def body(rank):
        group = rank.own_group(SOON)
        if rank.rank == 0:
            ones = torch.ones(2)
            with pytest.raises(ZeroDivisionError), group:
                work = rondo.torch.all_to_all_single(ones.clone(), ones, None, None, group, True)
                with suppress(RuntimeError):
                    work.wait(timedelta(seconds=SOON / 5))
                raise ZeroDivisionError
        rank.gather(None)

    on_ranks(2, body, host)


@pytest.mark.parametrize("way", RECORDED)
def test_a_gradient_after_the_end(way):
    """Nothing that was freed is used."""

    def body(rank):
        group = rank.own_group()
        x = torch.ones(4, requires_grad=True)
        here = mock.Mock(group=group)
        y = way(here, x, [2, 2], [2, 2])
        group.free()
        with pytest.raises(RuntimeError, match="group was freed|group is a null pointer"):
            y.sum().backward()

    on_ranks(2, body)


@pytest.fixture
def process_group(tmp_path):
    """Of one process."""
    nccl_stand_in.Here.size = 1
    numbers = iter(range(9))

    def begin():
        store = dist.FileStore(str(tmp_path / f"store {next(numbers)}"), 1)
        dist.init_process_group("rondo", store=store, rank=0, world_size=1)
        exchange_by_nccl_and_by_a_kernel(None, 1)

    with mock.patch.object(cuda, "CUDA", Cuda()):
        yield begin
        if dist.is_initialized():
            dist.destroy_process_group()


@pytest.fixture(params=["torchrun", "mpirun"])
def by(request, monkeypatch):
    if request.param == "mpirun":
        pytest.importorskip("mpi4py.MPI", exc_type=ImportError)
        monkeypatch.setenv("PMIX_RANK", "0")


def test_process_groups_one_after_the_other(by, process_group):
    held = Library().own.stand_in_things_held
    before = held()
    for _ in range(3):
        process_group()
        part = dist.new_group([0])
        exchange_by_nccl_and_by_a_kernel(part, 1)
        both = held()
        dist.destroy_process_group(part)
        assert before < held() < both
        dist.destroy_process_group()
        assert held() == before


def test_a_process_group_that_is_destroyed_in_a_finally_clause(by, process_group):
    """Other ranks may wait for this one elsewhere."""
    held = Library().own.stand_in_things_held
    process_group()
    before, stays = held(), groups.ranks_of(None).of_gpu
    with pytest.raises(ZeroDivisionError):
        try:
            raise ZeroDivisionError
        finally:
            dist.destroy_process_group()
    assert held() == before and not dist.is_initialized()
    stays.end()


@pytest.mark.parametrize("end", ["Free", "Disconnect"])
def test_a_communicator_of_mpi_that_is_freed(end):
    mpi = pytest.importorskip("mpi4py.MPI", exc_type=ImportError)
    nccl_stand_in.Here.size = 1
    held = Library().own.stand_in_things_held
    before = held()
    with mock.patch.object(cuda, "CUDA", Cuda()):
        for _ in range(3):
            comm = mpi.COMM_SELF.Dup()
            exchange_by_nccl_and_by_a_kernel(comm, 1)
            assert held() > before
            x = torch.ones(1, requires_grad=True)
            y = rondo.torch.AllToAll.apply(x, None, None, comm)
            getattr(mpi.Intracomm(comm), end)()  # another object, which `comm` knows nothing of
            assert held() == before
            with pytest.raises(RuntimeError):
                y.sum().backward()


def test_a_communicator_of_mpi_that_is_freed_in_a_finally_clause():
    mpi = pytest.importorskip("mpi4py.MPI", exc_type=ImportError)
    nccl_stand_in.Here.size = 1
    held = Library().own.stand_in_things_held
    with mock.patch.object(cuda, "CUDA", Cuda()):
        comm = mpi.COMM_SELF.Dup()
        exchange_by_nccl_and_by_a_kernel(comm, 1)
        before, stays = held(), groups.ranks_of(comm).of_gpu
        with pytest.raises(ZeroDivisionError):
            try:
                raise ZeroDivisionError
            finally:
                comm.Free()
        assert held() == before
        stays.end()
