"""rondo.torch on GPUs: all of the binding, over stand-ins for CUDA and NCCL.

What arrives, gradients, graphs, errors, and how communicators live. tests/gpu/on_gpu.py does the
same on a GPU.
"""

import itertools
import random
import re
import warnings
from pathlib import Path
from unittest import mock

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
import nccl_stand_in  # noqa: E402
import torch.distributed as dist  # noqa: E402
from nccl_stand_in import Cuda, Library, on_ranks  # noqa: E402

import rondo.torch  # noqa: E402
from rondo.torch import cuda, nccl  # noqa: E402

if not nccl_stand_in.FILE:
    pytest.skip("the stand-ins for CUDA and NCCL were not built", allow_module_level=True)

SEED = random.SystemRandom().getrandbits(32)
RANKS = [1, 2, 3, 5, 8]
KINDS = ["equal", "nothing", "to one rank", "from one rank", "random"]


@pytest.fixture(autouse=True)
def seed():
    print(f"seed {SEED}")  # which pytest shows of a failed test


@pytest.fixture(autouse=True)
def nothing_is_left():
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


@pytest.mark.parametrize("size", RANKS)
def test_all_splits(size):
    def body(rank):
        for kind, tail in itertools.product(KINDS, [(), (3,), (2, 2)]):
            traffic = Traffic(table_of(kind, size), tail)
            sides = traffic.arriving(rank.rank), traffic.sent(rank.rank)
            for way in WAYS:
                found = way(rank, traffic.input(rank.rank), *sides)
                require_same(found, traffic.due(rank.rank))

    on_ranks(size, body)


@pytest.mark.parametrize("size", [1, 3])
def test_every_dtype(size):
    assert {torch.bool, torch.bfloat16, torch.complex128} <= set(DTYPES)

    def body(rank):
        for seed, dtype in enumerate(DTYPES):
            traffic = Traffic(table_of("random", size, seed), (3,), dtype, seed)
            sides = traffic.arriving(rank.rank), traffic.sent(rank.rank)
            for way in (single, listed_elsewhere, dynamic):
                found = way(rank, traffic.input(rank.rank), *sides)
                require_same(found, traffic.due(rank.rank))

    on_ranks(size, body)


def test_equal_splits_need_not_be_given():
    def body(rank):
        for none in (None, []):
            output = torch.empty(6, 2, dtype=torch.int64)
            input = torch.full((6, 2), rank.rank)
            rondo.torch.all_to_all_single(output, input, none, none, rank.group)
            assert output[:, 0].tolist() == [0, 0, 1, 1, 2, 2]

    on_ranks(3, body)


def test_layouts():
    """Tensors that are not contiguous are copied."""
    forms = [
        lambda one: one.transpose(0, 1).contiguous().transpose(0, 1),
        lambda one: torch.stack([one, one], 1)[:, 0],
        lambda one: one.conj().resolve_conj().conj(),
    ]

    def body(rank):
        for form in forms:
            traffic = Traffic(table_of("random", 3, 1), (3, 2), torch.complex64)
            sides = traffic.arriving(rank.rank), traffic.sent(rank.rank)
            due = traffic.due(rank.rank)
            output = form(torch.zeros_like(due))
            input = form(traffic.input(rank.rank))
            rondo.torch.all_to_all_single(output, input, *sides, rank.group)
            require_same(output.resolve_conj(), due)
            require_same(function(rank, input, *sides), due)

    on_ranks(3, body)


def numbers(rows, tail, seed):
    generator = torch.Generator().manual_seed(1000 * (SEED % 997) + seed)
    return torch.randn(rows, *tail, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("size", RANKS)
def test_gradients(size):
    """The gradient of what was sent is what its receivers multiply it by, and twice that again."""

    def weights(table, rank):
        return numbers(sum(row[rank] for row in table), (2,), rank)

    def body(rank):
        me = rank.rank
        for kind in KINDS:
            table = table_of(kind, size)
            sent, arriving = table[me], [row[me] for row in table]
            parts = []
            for other in range(size):
                to_other = [row[other] for row in table]
                parts.append(weights(table, other).split(to_other)[me])
            back = torch.cat(parts)
            for way in RECORDED:
                x = numbers(sum(sent), (2,), 50 + me).requires_grad_()
                output = way(rank, x**2, arriving, sent)
                loss = (output * weights(table, me)).sum()
                (first,) = torch.autograd.grad(loss, x, create_graph=True)
                require_same(first.detach(), 2 * x.detach() * back)
                first.sum().backward()
                require_same(x.grad, 2 * back)

    on_ranks(size, body)


def test_gradients_of_what_is_started():
    def body(rank):
        x = torch.ones(2, requires_grad=True)
        with pytest.raises(ValueError, match="has no gradient"):
            single(rank, x, [1, 1], [1, 1], async_op=True)

    on_ranks(2, body)


@pytest.mark.parametrize("size", [1, 3, 8])
def test_graphs(size):
    """What is captured runs at every replay, with what the tensors then hold."""

    def body(rank):
        me = rank.rank
        traffic = [Traffic(table_of("random", size), (3,), seed=seed) for seed in range(4)]
        sides = traffic[0].arriving(me), traffic[0].sent(me)
        input, output = traffic[0].input(me), traffic[0].due(me)
        single(rank, input, *sides)  # once before
        graph = rank.graph()
        output.zero_()
        with graph.captured():
            rondo.torch.all_to_all_single(output, input, *sides, rank.group)
            returned = function(rank, input, *sides)
        assert not output.any()
        for one in traffic:
            input.copy_(one.input(me))
            graph.replay()
            require_same(output, one.due(me))
            require_same(returned, one.due(me))
        single(rank, input, *sides)  # calls and replays may follow each other

    on_ranks(size, body)


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


@pytest.mark.parametrize("size", RANKS)
def test_splits_on_the_device(size):
    def body(rank):
        for dtype, tail in [(torch.float32, (3,)), (torch.bfloat16, ()), (torch.uint8, (700,))]:
            tensors = tensors_for(size, tail, dtype)
            for seed, kind in enumerate(KINDS):
                traffic = Traffic(table_of(kind, size, seed), tail, dtype, seed)
                vdev(rank, traffic, *tensors)()
                require_arrived(rank, traffic, tensors[1], tensors[3])

    on_ranks(size, body)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_graphs_with_splits_on_the_device(size):
    """Each replay has other splits, of which the host learns nothing."""

    def body(rank):
        tensors = tensors_for(size, (3,))
        first = Traffic(table_of("random", size), (3,))
        vdev(rank, first, *tensors)()
        graph = rank.graph()
        with graph.captured():
            vdev(rank, first, *tensors)()
        for seed, kind in enumerate(KINDS):
            traffic = Traffic(table_of(kind, size, seed), (3,), seed=seed)
            vdev(rank, traffic, *tensors)
            graph.replay()
            require_arrived(rank, traffic, tensors[1], tensors[3])

    on_ranks(size, body)


def test_no_room_for_what_arrives():
    """The device finds it; the next call says so."""

    def body(rank):
        input, out, splits, arrived = tensors_for(2, ())
        splits.fill_(3)
        rondo.torch.all_to_all_vdev(input, out[:5], splits, arrived, rank.group)
        said = "have 6 rows, but the receive buffer has room for 5"
        with pytest.raises(RuntimeError, match=said):
            rondo.torch.all_to_all_vdev(input, out, splits, arrived, rank.group)

    on_ranks(2, body)


def test_launches():
    """An exchange is one group of NCCL; with splits on the device, one kernel."""

    def body(rank):
        own = Library()
        input, out, splits, arrived = tensors_for(3, (2,))
        calls = {
            "groups": lambda: rondo.torch.all_to_all_single(out, input, group=rank.group),
            "kernels": lambda: rondo.torch.all_to_all_vdev(
                input, out, splits.fill_(1), arrived, rank.group
            ),
        }
        for what, call in calls.items():
            call()
            own.launches()
            call()
            counted = own.launches()
            assert counted.pop(what) == 1 and not any(counted.values()), (what, counted)

    on_ranks(3, body)


def wrong_calls(group, good, odd):
    """What is wrong on this rank alone is said here. No other rank is told."""
    single = rondo.torch.all_to_all_single
    vdev = rondo.torch.all_to_all_vdev
    splits, arrived = torch.ones(2, dtype=torch.int64), torch.empty(2, 2, dtype=torch.int64)
    yield TypeError, "output has torch.float64, but input has torch.float32", single, (
        good.double(), good)  # fmt: skip
    yield TypeError, "output: expecting a tensor, got int", single, (5, good)
    yield ValueError, "input has 3 rows, which 2 ranks cannot share equally", single, (good, odd)
    yield ValueError, "add up to 3, but input has 2", single, (good, good, [1, 1], [1, 2])
    yield ValueError, "input_split_sizes[1] is -1", single, (good, good, [1, 1], [3, -1])
    yield ValueError, "to itself, but expects", single, (torch.empty(2, 2), good)
    yield ValueError, "expecting 2 tensors, got 1", rondo.torch.all_to_all, ([good], [good])
    yield ValueError, "input is a scalar", rondo.torch.all_to_all_dynamic, (torch.tensor(1.0),)
    yield ValueError, "rows without elements", rondo.torch.all_to_all_dynamic, (torch.ones(2, 0),)
    yield TypeError, "in_splits has torch.int32", vdev, (good, good, splits.int(), arrived)
    yield TypeError, "out has torch.float64, but", vdev, (good, good.double(), splits, arrived)
    yield ValueError, "out_splits_offsets has the shape (2,)", vdev, (good, good, splits, splits)
    yield ValueError, "first must be the same", vdev, (good, torch.empty(2, 2), splits, arrived)
    yield ValueError, "is not contiguous", vdev, (torch.ones(4)[::2], good, splits, arrived)
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


def test_the_backend(tmp_path):
    """Of one process, which asks torch.distributed and the operator."""
    nccl_stand_in.Here.size = 1
    with mock.patch.object(cuda, "CUDA", Cuda()):
        store = dist.FileStore(str(tmp_path / "store"), 1)
        dist.init_process_group("rondo", store=store, rank=0, world_size=1)
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
        assert dist.group.WORLD.ranks.of_gpu.is_on_gpu
        dist.destroy_process_group()


def test_the_operator():
    """Its arguments have the names and the order of PyTorch's own."""
    names = [
        [one.name for one in operator.default._schema.arguments]
        for operator in (torch.ops.rondo.all_to_all_vdev, torch.ops.symm_mem.all_to_all_vdev)
    ]
    assert names[0] == names[1]
