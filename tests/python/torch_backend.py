"""The backend: every collective of torch.distributed, compared with gloo."""

import warnings
import weakref
from contextlib import suppress
from datetime import timedelta
from threading import Thread

import torch
import torch.distributed as dist
from mpi_support import COMM, ME, P, case, require_raised
from torch.nn.parallel import DistributedDataParallel
from torch_support import GLOO, WORLD, require_same

import rondo.torch
from rondo.torch.work import Together

LAST = P - 1
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
NUMBERS = [*FLOATS, torch.uint8, torch.int8, torch.int32, torch.int64]
REDUCED = [*NUMBERS, torch.int16, torch.bool]
OPERATIONS = "SUM PRODUCT MIN MAX".split()


def own(dtype, shape=(3, 2), seed=0):
    """Small whole numbers: their reductions are exact in every dtype."""
    generator = torch.Generator().manual_seed(100 * seed + ME)
    return torch.randint(0, 3, shape, generator=generator).to(dtype)


def both(call, *tensors, layout=lambda one: one):
    """The tensors after the call with Rondo, in that layout, and with gloo, in the usual one."""
    results = []
    for group, form in ((WORLD, layout), (GLOO, lambda one: one)):
        copies = [[form(one.clone()) for one in part] for part in tensors]
        call(group, *copies)
        results.append([one for part in copies for one in part])
    return zip(*results)


def require_same_as_gloo(call, *tensors, **form):
    for ours, theirs in both(call, *tensors, **form):
        require_same(ours, theirs)


def parts(dtype, count=P, shape=(3, 2)):
    return [own(dtype, shape, seed) for seed in range(count)]


def reduce(group, one, many, **how):
    """gloo's changes the tensors of other ranks than the root, too."""
    mine = one[0] if group is WORLD or ME == LAST else one[0].clone()
    return dist.reduce(mine, LAST, group=group, **how)


def all_reduce_coalesced(group, one, many, async_op=False):
    """That of torch.distributed returns a future."""
    work = group.allreduce_coalesced(many, dist.AllreduceCoalescedOptions())
    if not async_op:
        work.wait()
    return work


# Each changes what it is given: one tensor, and as many as there are ranks.
MOVES = {
    "broadcast": lambda group, one, many, **how: dist.broadcast(one[0], LAST, group=group, **how),
    "all_gather": lambda group, one, many, **how: dist.all_gather(many, one[0], group=group, **how),
    "gather": lambda group, one, many, **how: dist.gather(
        one[0], many if ME == LAST else None, LAST, group=group, **how
    ),
    "scatter": lambda group, one, many, **how: dist.scatter(
        one[0], many if ME == LAST else None, LAST, group=group, **how
    ),
}
COLLECTIVES = {
    **MOVES,
    "all_reduce": lambda group, one, many, **how: dist.all_reduce(one[0], group=group, **how),
    "all_reduce_coalesced": all_reduce_coalesced,
    "reduce": reduce,
    "reduce_scatter": lambda group, one, many, **how: dist.reduce_scatter(
        one[0], many, group=group, **how
    ),
}
# torch.distributed itself takes only tensors that are contiguous.
EXCHANGES = {
    "all_to_all": lambda group, one, many, **how: dist.all_to_all(
        many, [tensor + 1 for tensor in many], group=group, **how
    ),
    "all_gather_into_tensor": lambda group, one, many, **how: dist.all_gather_into_tensor(
        many[0], many[0][: len(many[0]) // P].clone(), group=group, **how
    ),
    "reduce_scatter_tensor": lambda group, one, many, **how: dist.reduce_scatter_tensor(
        many[0][: len(many[0]) // P], many[0].clone(), group=group, **how
    ),
    "all_to_all_single": lambda group, one, many, **how: dist.all_to_all_single(
        many[0], many[0] + 1, group=group, **how
    ),
}


@case
def moves():
    for dtype in NUMBERS:
        for call in MOVES.values():
            require_same_as_gloo(call, [own(dtype)], parts(dtype))


def waited_for(call):
    return lambda *them: call(*them, async_op=True).wait()


def polled(call):
    """What is complete has its values, whoever waits for it."""

    def run(group, *tensors):
        work = call(group, *tensors, async_op=True)
        while group is WORLD and not work.is_completed():
            pass
        if group is GLOO:
            work.wait()

    return run


@case
def every_collective_is_complete_when_it_says_so():
    long = (2 * P, 2)
    for dtype in (torch.float32, torch.bfloat16):
        for call in (COLLECTIVES | EXCHANGES).values():
            for way in (waited_for, polled):
                require_same_as_gloo(way(call), [own(dtype, long)], parts(dtype, shape=long))


LAYOUTS = {
    "transposed": lambda one: one.transpose(0, -1).contiguous().transpose(0, -1),
    "every second": lambda one: torch.stack([one, one + 1], -1)[..., 0],
    "channels last": lambda one: one.contiguous(memory_format=torch.channels_last),
    "negated lazily": lambda one: torch._neg_view(-one),
}


@case
def collectives_in_any_layout():
    """In any order in memory, with nothing in them, and both at once."""
    for shape in ((2, 3, 2, 2), (2, 0, 2, 2)):
        for layout in LAYOUTS.values():
            for call in COLLECTIVES.values():
                for way in (lambda call: call, polled):
                    tensors = [own(torch.float32, shape)], parts(torch.float32, shape=shape)
                    require_same_as_gloo(way(call), *tensors, layout=layout)
            found, due = own(torch.int64, shape), own(torch.int64, shape)
            found = layout(found.mul_(0)) if ME == LAST else layout(found)
            if P > 1 and ME == 0:
                dist.send(found, LAST)
            elif P > 1 and ME == LAST:
                dist.recv(found, 0)
                require_same(found.contiguous(), COMM.recv(source=0))
            if P > 1 and ME == 0:
                COMM.send(due, LAST)


def answers(work):
    """What a work says when it is complete."""
    return [
        work.wait(),
        work.is_completed(),
        work.is_success(),
        work.exception(),
        [one.shape for one in work.result()],
        [one.shape for one in work.get_future().wait()],
        work.synchronize(),
    ]


@case
def works_answer_as_those_of_gloo():
    long = (2 * P, 2)
    for name, call in (COLLECTIVES | EXCHANGES).items():
        found, due = (
            call(group, [own(torch.float32, long)], parts(torch.float32, shape=long), async_op=True)
            for group in (WORLD, GLOO)
        )
        # gloo's of reduce_scatter have no result, and those of one large tensor have its parts.
        if name.startswith("reduce") or "single" in name or "into" in name:
            due.wait()
            assert answers(found)[:4] == [True, True, True, None], name
        else:
            assert answers(found) == answers(due), name
        for ask in (found, due):
            require_raised(RuntimeError, "", ask.source_rank)


@case
def works_of_messages():
    """They wait no longer than they are told, and say where a message has come from."""
    if P == 1:
        return
    one = torch.zeros(1, dtype=torch.int64)
    if ME == 0:
        work = dist.irecv(one)
        late = timedelta(milliseconds=10)
        for _ in range(2):
            require_raised(RuntimeError, "not complete after 0.01 s", work.wait, late)
        assert not work.is_completed() and work.source_rank() == -1
        require_raised(RuntimeError, "not complete", dist.monitored_barrier, None, late)
    COMM.Barrier()
    if ME != 0:
        dist.monitored_barrier()
    if ME == LAST:
        dist.send(torch.tensor([5]), 0)
    if ME == 0:
        assert work.wait(timedelta(seconds=100)) and one[0] == 5
        assert work.source_rank() == work._source_rank() == LAST


@case
def parts_of_a_work():
    """It is complete when all of them are."""
    if P == 1:
        return
    for first in (0, 1):
        if ME == 0:
            received = [torch.zeros(1), torch.zeros(1)]
            both = Together([dist.irecv(one, LAST, tag=tag) for tag, one in enumerate(received)])
            work = rondo.torch.Work(both, received)
            COMM.Barrier()
            while received[first][0] == 0:
                assert not work.is_completed()
            assert not work.is_completed()  # one part is complete by now
            COMM.Barrier()
            work.wait()
            assert [float(one[0]) for one in received] == [1, 2]
        else:
            for tag in (first, 1 - first):
                COMM.Barrier()
                if ME == LAST:
                    dist.send(torch.tensor([tag + 1.0]), 0, tag=tag)


@case
def works_that_nobody_waits_for():
    """Nothing is kept of them, but they are completed."""
    above, below = (ME + 1) % P, (ME - 1) % P
    gone = []
    for number in range(200):
        received, total = torch.zeros(1), torch.ones(5, dtype=torch.bfloat16)
        gone += [weakref.ref(received), weakref.ref(total)]
        dist.isend(torch.tensor([float(number)]), above)
        work = dist.irecv(received, below)
        dist.all_reduce(total, async_op=True)
        while number % 2 and not work.is_completed():
            pass
    del received, total, work
    for _ in gone:
        dist.barrier()
    assert not any(one() is not None for one in gone)


@case
def works_that_two_threads_wait_for():
    for _ in range(20):
        total = torch.ones(3, dtype=torch.bfloat16)
        work = dist.all_reduce(total, async_op=True)
        threads = [Thread(target=work.wait) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert total.tolist() == [P] * 3


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
        for operation in (dist.ReduceOp.AVG, dist.ReduceOp.SUM):
            found = own(dtype)
            dist.reduce(found, LAST, operation)
            if ME != LAST:
                require_same(found, own(dtype))  # only the root's changes
            elif operation == dist.ReduceOp.AVG:
                assert torch.allclose(
                    found.float(), due, rtol=1e-2 if dtype.itemsize == 2 else 1e-6
                )
    found = torch.tensor([-1 if ME == 0 else 0, 2 * P if ME == 0 else 0])
    dist.all_reduce(found, dist.ReduceOp.AVG)
    assert found.tolist() == [-1 if P == 1 else 0, 2]  # towards zero


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
def groups_that_are_split():
    """Each rank's is the one that names it, in the order in which it does."""
    upper, lower = list(range(P))[P // 2 :], list(range(P))[: P // 2]
    group = dist.split_group(None, [one for one in (upper[::-1], lower) if one])
    mine = upper[::-1] if ME in upper else lower
    assert dist.get_process_group_ranks(group) == mine
    input, output = torch.full((len(mine),), ME), torch.zeros(len(mine), dtype=torch.int64)
    dist.all_to_all_single(output, input, group=group)
    assert output.tolist() == mine and dist.get_backend(group) == "rondo"
    dist.destroy_process_group(group)
    some = dist.split_group(None, [[LAST]])
    assert (some is dist.GroupMember.NON_GROUP_MEMBER) == (ME != LAST)


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
def groups_that_end_before_others_take_part():
    """What has been waited for in vain, and a message that never comes: nobody waits again."""
    if P == 1:
        return
    starts = {
        "barrier": lambda group: dist.barrier(group, async_op=True),
        "all_to_all_single": lambda group: dist.all_to_all_single(
            torch.zeros(P), torch.zeros(P), group=group, async_op=True
        ),
    }
    for start in starts.values():
        group = dist.new_group(backend="rondo")
        if ME == 0:
            dist.irecv(torch.zeros(1), 1, group)
            message, work = dist.irecv(torch.zeros(1), 1, group), start(group)
            late = timedelta(milliseconds=10)
            require_raised(RuntimeError, "not complete after 0.01 s", work.wait, late)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            dist.destroy_process_group(group)
        sentence = "other ranks have not taken part in 1 of its works"
        assert sum(sentence in str(one.message) for one in told) == (ME == 0)
        if ME == 0:
            require_raised(RuntimeError, "before a message came", message.wait)


@case
def first_exchanges_of_groups():
    """Not even those wait for other ranks when they start."""
    for make in (
        lambda: dist.new_group(backend="rondo"),
        lambda: dist.split_group(None, [list(range(P))]),
    ):
        group, output = make(), torch.zeros(P)
        if ME == 0:
            COMM.Barrier()
        work = dist.all_to_all_single(
            output, torch.full((P,), ME + 0.0), group=group, async_op=True
        )
        if ME != 0:
            COMM.Barrier()
        work.wait()
        assert output.tolist() == list(range(P))
        dist.destroy_process_group(group)


@case
def lists_that_change():
    """While what was started with them is under way."""
    for name in ("all_gather", "gather", "all_to_all"):

        def changed(group, one, many, by=(COLLECTIVES | EXCHANGES)[name]):
            given = list(many)
            work = by(group, one, given, async_op=True)
            given.clear()
            work.wait()

        require_same_as_gloo(changed, [own(torch.float32)], parts(torch.float32))


@case
def tensors_of_the_inference_mode():
    """Completed outside of it."""
    with torch.inference_mode():
        many, total = [torch.zeros(2) for _ in range(P)], torch.ones(3, dtype=torch.bfloat16)
        work = dist.all_gather(many, torch.full((2,), ME + 0.0), async_op=True)
    work.wait()
    dist.all_reduce(total)
    assert [float(one[1]) for one in many] == list(range(P)) and total.tolist() == [P] * 3


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
