"""rondo.torch on GPUs: what arrives, gradients and graphs, over stand-ins for CUDA and NCCL.

tests/gpu/check_gpu.py does the same on a GPU.
"""

import itertools

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
import nccl_stand_in  # noqa: E402

if not nccl_stand_in.FILE:
    pytest.skip("the stand-ins for CUDA and NCCL were not built", allow_module_level=True)

from nccl_stand_in import Library, on_ranks  # noqa: E402
from nccl_traffic import (  # noqa: E402
    DTYPES,
    KINDS,
    RANKS,
    RECORDED,
    SEED,
    WAYS,
    Traffic,
    dynamic,
    function,
    listed_elsewhere,
    nothing_is_left,  # noqa: F401
    require_arrived,
    require_same,
    single,
    table_of,
    tensors_for,
    vdev,
)

import rondo.torch  # noqa: E402


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
