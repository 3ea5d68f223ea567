"""What arrives, compared with gloo: every dtype, any splits, each way to exchange."""

from unittest import mock

import numpy as np
import torch
import torch.distributed as dist
from cases import case
from torch_support import (
    CASES,
    COMM,
    DTYPES,
    GLOO,
    ME,
    WORLD,
    P,
    bits,
    blank,
    by_gloo,
    case_of_mpi,
    poll,
    require_same,
    splits,
    tensor,
)

import rondo.torch
from rondo.torch import blocks

WAYS = {
    "communicator": lambda *them: rondo.torch.all_to_all_single(*them, group=COMM),
    "process group": lambda *them: rondo.torch.all_to_all_single(*them, group=WORLD),
    "started": lambda *them: rondo.torch.all_to_all_single(*them, async_op=True).wait(),
    "the backend": lambda *them: dist.all_to_all_single(*them),
    "the backend, started": lambda *them: dist.all_to_all_single(*them, async_op=True).wait(),
}


def sides(kind, tail, dtype, seed=0):
    """What this rank sends, how, what it receives from each, and what that must be."""
    table = splits(kind, seed)
    sent, arriving = table[ME], [row[ME] for row in table]
    input = tensor(sum(sent), tail, dtype, seed)
    due = by_gloo(torch.empty(sum(arriving), *tail, dtype=dtype), input, arriving, sent)
    return input, sent, arriving, due


def takes(way, dtype):
    """torch.distributed itself takes no complex numbers of half precision."""
    return "backend" not in way or dtype != torch.complex32


@case
def every_dtype():
    assert {torch.bool, torch.bfloat16, torch.float16, torch.complex128} <= set(DTYPES)
    for seed, dtype in enumerate(DTYPES):
        for way, exchange in WAYS.items():
            if takes(way, dtype):
                input, sent, arriving, due = sides("random", (3,), dtype, seed)
                output = blank(due)
                exchange(output, input, arriving, sent)
                require_same(output, due)


@case
def all_splits():
    for kind, tail in CASES:
        for exchange in WAYS.values():
            input, sent, arriving, due = sides(kind, tail, torch.float32)
            output = blank(due)
            exchange(output, input, arriving, sent)
            require_same(output, due)


@case
def ranks_that_wait_at_once_and_ranks_that_do_not():
    """What some ranks call, others may start."""
    ways = [way for name, way in WAYS.items() if name != "communicator"]
    for shift in range(len(ways)):
        input, sent, arriving, due = sides("random", (3,), torch.float32)
        output = blank(due)
        ways[(ME + shift) % len(ways)](output, input, arriving, sent)
        require_same(output, due)


@case
def equal_splits_need_not_be_given():
    for none in (None, []):
        input, _, _, due = sides("equal", (2,), torch.int64)
        for exchange in WAYS.values():
            output = blank(due)
            exchange(output, input, none, none)
            require_same(output, due)


@case
def gloo_itself():
    """As it is called in programs, with the dtypes that it knows."""
    for dtype in (torch.float32, torch.float64, torch.int64, torch.uint8, torch.float16):
        input, sent, arriving, due = sides("random", (5,), dtype)
        output = blank(due)
        dist.all_to_all_single(output, input, arriving, sent, group=GLOO)
        require_same(output, due)


def listed(input, sent, output, arriving, way):
    """The blocks as lists: one after the other in memory, apart in it, in other places, or both."""
    inputs, outputs = list(input.split(sent)), list(output.split(arriving))
    if way != "in place":
        outputs = [blank(one) for one in outputs]
    if way == "elsewhere":
        inputs = [one.clone() for one in reversed(inputs)][::-1]
    if way == "apart":
        gaps = torch.zeros((len(input) + P, *input.shape[1:]), dtype=input.dtype)
        inputs = [
            gap[:-1].copy_(one) for gap, one in zip(gaps.split([n + 1 for n in sent]), inputs)
        ]
    return outputs, inputs


@case
def lists():
    for kind, tail in CASES:
        for dtype in (torch.float32, torch.bool, torch.complex64):
            for way in ("in place", "apart", "elsewhere", "mixed"):
                for call in (rondo.torch.all_to_all, dist.all_to_all):
                    for async_op in (False, True):
                        input, sent, arriving, due = sides(kind, tail, dtype)
                        outputs, inputs = listed(input, sent, blank(due), arriving, way)
                        work = call(outputs, inputs, async_op=async_op)
                        assert (work is not None) == async_op
                        if work:
                            work.wait()
                        require_same(torch.cat(outputs), due)


@case
def unknown_lengths():
    for dtype in DTYPES:
        for kind, tail in CASES:
            input, sent, arriving, due = sides(kind, tail, dtype)
            arrived = rondo.torch.all_to_all_dynamic(input, sent)
            assert arrived.output_split_sizes == arriving
            require_same(arrived.output, due)
            bits(arrived.output).zero_()  # a tensor of the caller's own


def by_operator(*tensors):
    torch.ops.rondo.all_to_all_vdev(*tensors, WORLD.group_name)


@case
def splits_in_a_tensor():
    """Of tensors that have room for more."""
    for exchange in (rondo.torch.all_to_all_vdev, by_operator):
        for kind, tail in CASES:
            input, sent, arriving, due = sides(kind, tail, torch.float32)
            input, out = (torch.cat([one, one.new_zeros(5, *tail)]) for one in (input, due))
            bits(out).zero_()
            arrived = torch.empty(2, P, dtype=torch.int64)
            exchange(input, out, torch.tensor(sent), arrived)
            assert arrived.tolist() == [arriving, [sum(arriving[:rank]) for rank in range(P)]]
            require_same(out[: len(due)], due)
            assert not bits(out[len(due) :]).any()


@case
def several_at_a_time():
    """Completed in another order than they were started in."""
    given = [sides("random", (4,), torch.float64, seed) for seed in range(6)]
    outputs = [blank(due) for *_, due in given]
    works = [
        rondo.torch.all_to_all_single(output, input, arriving, sent, async_op=True)
        for output, (input, sent, arriving, _) in zip(outputs, given)
    ]
    for work in reversed(works):
        poll(work)
        assert work.wait() and work.wait()
    for work, output, (*_, due) in zip(works, outputs, given):
        require_same(output, due)
        assert work.result()[0] is output
        assert work.get_future().wait()[0] is output


@case
def long_blocks():
    for rows in (1 << 10, 1 << 16):
        input = torch.arange(rows * P, dtype=torch.float32) + ME
        due = by_gloo(torch.empty_like(input), input, [rows] * P, [rows] * P)
        for exchange in WAYS.values():
            output = blank(input)
            exchange(output, input, None, None)
            require_same(output, due)


@case_of_mpi
def communicators():
    """Some ranks, in another order than in the world."""
    from mpi4py import MPI

    some = COMM.Split(ME % 2, -ME)
    input = torch.full((some.size,), ME)
    output = blank(input)
    for _ in range(3):
        rondo.torch.all_to_all_single(output, input, group=some)
    assert output.tolist() == some.allgather(ME)
    some.Free()
    alone = MPI.COMM_SELF.Dup()
    rondo.torch.all_to_all_single(output, input, group=alone)
    require_same(output, input)
    alone.Free()


@case_of_mpi
def any_algorithm():
    comm = COMM.Dup()
    input, sent, arriving, due = sides("random", (7,), torch.int32)
    for algorithm in ("mpi", "node_aware", "fused_bruck", "spread_out", "two_phase_bruck"):
        rondo.set_algorithm(comm, "alltoallv", algorithm)
        output = blank(due)
        rondo.torch.all_to_all_single(output, input, arriving, sent, comm)
        require_same(output, due)
    comm.Free()


@case
def tensors_that_are_copied_to_the_host():
    """As those of a GPU are without librondo_nccl: copies stand in for those on the host."""
    at, blocks._at = blocks._at, lambda device, tensor: tensor.detach().clone()
    try:
        for kind in ("equal", "random"):
            input, sent, arriving, due = sides(kind, (3,), torch.float32)
            output = torch.empty_like(due)
            rondo.torch.all_to_all_single(output, input, arriving, sent, group=COMM)
            require_same(output, due)
            require_same(rondo.torch.AllToAll.apply(input, arriving, sent, COMM), due)
    finally:
        blocks._at = at


@case
def layouts():
    """Tensors in any order in memory, of every dtype and in both directions."""
    forms = [
        lambda one: one.transpose(0, 1).contiguous().transpose(0, 1),
        lambda one: torch.stack([one, one], 1)[:, 0],
        lambda one: one.conj().resolve_conj().conj() if one.is_complex() else one,
    ]
    for dtype in (torch.float32, torch.bool, torch.bfloat16, torch.complex128):
        for form in forms:
            input, sent, arriving, due = sides("random", (3, 2), dtype)
            for async_op in (False, True):
                output = form(torch.zeros_like(due))
                work = rondo.torch.all_to_all_single(
                    output, form(input), arriving, sent, COMM, async_op
                )
                if work:
                    poll(work)
                require_same(output.resolve_conj(), due)
                outputs = [form(torch.zeros_like(one)) for one in due.split(arriving)]
                work = rondo.torch.all_to_all(
                    outputs, [form(one) for one in input.split(sent)], COMM, async_op
                )
                if work:
                    poll(work)
                require_same(torch.cat(outputs).resolve_conj(), due)
            require_same(rondo.torch.AllToAll.apply(form(input), arriving, sent, COMM), due)
            require_same(rondo.torch.all_to_all_dynamic(form(input), sent, COMM).output, due)


@case
def conjugates_on_one_side():
    """What travels are the values, from which the memory of conjugates and negatives differs."""
    for kind in ("equal", "random"):
        input, sent, arriving, due = sides(kind, (3, 2), torch.complex128)
        for form in (torch.conj, torch._neg_view):
            output = torch.zeros_like(due)
            rondo.torch.all_to_all_single(output, form(input), arriving, sent, COMM)
            require_same(output, form(due))


@case_of_mpi
def more_than_an_int_counts():
    """Some ranks count elements then, of up to 8 bytes, and others still bytes."""
    from rondo.torch import over_mpi

    most, over_mpi._MOST = over_mpi._MOST, 100
    try:
        every_dtype()
        unknown_lengths()
    finally:
        over_mpi._MOST = most


@case_of_mpi
def bytes_are_counted_only_where_an_int_can():
    """A side may be long on a rank whose other side is short."""
    from rondo.torch import over_mpi

    units, side = [], over_mpi._side

    def noted(name, blocks, unit):
        units.append((unit, blocks.nbytes))
        return side(name, blocks, unit)

    sent, arriving = [20] + [0] * (P - 1), [20 * (ME == 0)] * P
    input, output = torch.ones(20), torch.zeros(sum(arriving))
    with mock.patch.object(over_mpi, "_MOST", 100), mock.patch.object(over_mpi, "_side", noted):
        rondo.torch.all_to_all_single(output, input, arriving, sent, COMM, async_op=True).wait()
    assert output.tolist() == [1.0] * len(output)
    assert all(unit > 1 or nbytes <= 100 for unit, nbytes in units), units


@case
def splits_of_numpy():
    input, sent, arriving, due = sides("random", (2,), torch.int64)
    both = np.array(arriving), np.array(sent)
    require_same(rondo.torch.AllToAll.apply(input, *both, COMM), due)
