"""The backend: its exchanges compared with those of gloo, to which it leaves everything else."""

import warnings
import weakref
from datetime import timedelta
from threading import Thread
from time import monotonic, sleep

import torch
import torch.distributed as dist
from cases import case, require_raised
from torch.nn.parallel import DistributedDataParallel
from torch_support import GLOO, ME, WORLD, P, of_all, poll, require_same

import rondo.torch
from rondo.torch import exchanges

LAST = P - 1


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


def parts(dtype, count=P, shape=(3, 2)):
    return [own(dtype, shape, seed) for seed in range(count)]


def all_reduce_coalesced(group, one, many, async_op=False):
    """That of torch.distributed returns a future."""
    work = group.allreduce_coalesced(many, dist.AllreduceCoalescedOptions())
    if not async_op:
        work.wait()
    return work


# Each changes what it is given: one tensor, and as many as there are ranks.
EXCHANGES = {
    "all_to_all": lambda group, one, many, **how: dist.all_to_all(
        many, [tensor + 1 for tensor in many], group=group, **how
    ),
    "all_to_all_single": lambda group, one, many, **how: dist.all_to_all_single(
        many[0], many[0] + 1, group=group, **how
    ),
}
OTHERS = {
    "broadcast": lambda group, one, many, **how: dist.broadcast(one[0], LAST, group=group, **how),
    "all_gather": lambda group, one, many, **how: dist.all_gather(many, one[0], group=group, **how),
    "all_gather_into_tensor": lambda group, one, many, **how: dist.all_gather_into_tensor(
        many[0], many[0][: len(many[0]) // P].clone(), group=group, **how
    ),
    "gather": lambda group, one, many, **how: dist.gather(
        one[0], many if ME == LAST else None, LAST, group=group, **how
    ),
    "scatter": lambda group, one, many, **how: dist.scatter(
        one[0], many if ME == LAST else None, LAST, group=group, **how
    ),
    "all_reduce": lambda group, one, many, **how: dist.all_reduce(one[0], group=group, **how),
    "all_reduce_coalesced": all_reduce_coalesced,
    "reduce": lambda group, one, many, **how: dist.reduce(one[0], LAST, group=group, **how),
    "reduce_scatter": lambda group, one, many, **how: dist.reduce_scatter(
        one[0], many, group=group, **how
    ),
    "reduce_scatter_tensor": lambda group, one, many, **how: dist.reduce_scatter_tensor(
        many[0][: len(many[0]) // P], many[0].clone(), group=group, **how
    ),
}
LONG = (2 * P, 2)


def waited_for(call):
    return lambda *them: call(*them, async_op=True).wait()


def polled(call):
    """What is complete has its values, whoever waits for it."""

    def run(group, *tensors):
        work = call(group, *tensors, async_op=True)
        poll(work) if group is WORLD else work.wait()

    return run


@case
def exchanges_are_complete_when_they_say_so():
    for dtype in (torch.float32, torch.bfloat16):
        for call in EXCHANGES.values():
            for way in (lambda call: call, waited_for, polled):
                require_same_as_gloo(way(call), [own(dtype)], parts(dtype, shape=LONG))


@case
def other_collectives():
    """Also while an exchange is under way."""
    input, output = torch.full((P,), ME), torch.zeros(P, dtype=torch.int64)
    for name, call in OTHERS.items():
        for way in (lambda call: call, waited_for):
            work = dist.all_to_all_single(output.zero_(), input, async_op=True)
            tensors = [own(torch.float32, LONG)], parts(torch.float32, shape=LONG)
            require_same_as_gloo(way(call), *tensors)
            work.wait()
            assert output.tolist() == list(range(P)), name
    dist.barrier()
    dist.monitored_barrier()


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
    for name, call in EXCHANGES.items():
        found, due = (
            call(group, [own(torch.float32)], parts(torch.float32, shape=LONG), async_op=True)
            for group in (WORLD, GLOO)
        )
        # gloo's of one large tensor have its parts as their result.
        if "single" in name:
            due.wait()
            assert answers(found)[:4] == [True, True, True, None], name
        else:
            assert answers(found) == answers(due), name


@case
def works_that_nobody_waits_for():
    """Nothing is kept of them, but they are completed."""
    gone = []
    for number in range(200):
        received = torch.zeros(P)
        gone.append(weakref.ref(received))
        sent = torch.full((P,), float(number))
        work = dist.all_to_all_single(received, sent, async_op=True)
        if number % 2:
            poll(work)
    del received, work
    late = monotonic() + 60
    while any(one() is not None for one in gone):
        assert monotonic() < late
        sleep(0.001)


@case
def works_go_on_while_ranks_wait_for_gloo():
    """Rank 0 waits for the others by gloo, and they wait for its exchange."""
    if P == 1:
        return
    one = torch.zeros(1)
    waits = {
        "barrier": (dist.barrier, dist.barrier),
        "recv": (
            lambda: [dist.recv(one, rank) for rank in range(1, P)],
            lambda: dist.send(one, 0),
        ),
    }
    for bytes in (1 << 10, 1 << 22):
        input = torch.full((P, bytes), ME, dtype=torch.uint8)
        for first, others in waits.values():
            output = torch.empty_like(input)
            work = dist.all_to_all_single(output, input, async_op=True)
            if ME == 0:
                first()
                work.wait()
            else:
                work.wait()
                others()
            assert output[:, 0].tolist() == list(range(P))


@case
def exchanges_of_rows_are_not_read_by_python():
    """Unless something must be copied."""

    def refuse(*arguments):
        raise AssertionError("the general way")

    general, exchanges.Transfer = exchanges.Transfer, refuse
    try:
        for splits in (None, [1] * P, (1,) * P, []):
            output = torch.zeros(P, 3)
            dist.all_to_all_single(output, torch.full((P, 3), ME + 0.0), splits, splits)
            assert output[:, 2].tolist() == list(range(P))
    finally:
        exchanges.Transfer = general


@case
def some_ranks_must_copy():
    """They meet those that need not."""
    input, output = torch.full((P, 2), ME), torch.zeros(2, P, dtype=torch.int64)
    output = output.t() if ME == 0 else output.t().contiguous()
    rondo.torch.all_to_all_single(output, input)
    assert output[:, 1].tolist() == list(range(P))


@case
def works_that_two_threads_wait_for():
    for _ in range(20):
        received = torch.zeros(P, dtype=torch.bfloat16)
        work = dist.all_to_all_single(received, torch.ones_like(received), async_op=True)
        threads = [Thread(target=work.wait) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert received.tolist() == [1] * P


@case
def points():
    """A ring of messages, with tags in the other order."""
    if P == 1:
        return
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
    one = torch.zeros(1, dtype=torch.int64)
    if ME == 0:
        assert {dist.recv(one) for _ in range(P - 1)} == set(range(1, P))
    else:
        dist.send(torch.tensor([ME]), 0)
    dist.barrier()


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
    whole = [list(range(P))]
    for _ in range(2):  # of the same ranks, and with the same name
        for group in (dist.split_group(None, whole), WORLD.split_group(whole[0], group_name="one")):
            dist.all_reduce(one := torch.ones(1), group=group)
            assert one[0] == P
    some = dist.split_group(None, [[LAST]])
    assert (some is dist.GroupMember.NON_GROUP_MEMBER) == (ME != LAST)


@case
def groups_that_end_before_their_works():
    group = dist.new_group(backend="rondo")
    input, outputs = torch.full((P,), ME), [torch.zeros(P, dtype=torch.int64) for _ in range(3)]
    works = [dist.all_to_all_single(one, input, group=group, async_op=True) for one in outputs]
    dist.destroy_process_group(group)
    for work in reversed(works):
        work.wait()
    assert all(one.tolist() == list(range(P)) for one in outputs)


@case
def groups_that_end_before_others_take_part():
    """Nobody waits again for what has been waited for in vain."""
    if P == 1:
        return
    group = dist.new_group(backend="rondo")
    if ME == 0:
        work = dist.all_to_all_single(torch.zeros(P), torch.zeros(P), group=group, async_op=True)
        late = timedelta(milliseconds=10)
        require_raised(RuntimeError, "not complete after 0.01 s", work.wait, late)
    dist.barrier(GLOO)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        dist.destroy_process_group(group)
    sentence = "other ranks have not taken part in 1 of its exchanges"
    assert sum(sentence in str(one.message) for one in told) == (ME == 0)


@case
def first_exchanges_of_groups():
    """Not even those wait for other ranks when they start."""
    for make in (
        lambda: dist.new_group(backend="rondo"),
        lambda: dist.split_group(None, [list(range(P))]),
    ):
        group, output = make(), torch.zeros(P)
        if ME == 0:
            dist.barrier(GLOO)
        work = dist.all_to_all_single(
            output, torch.full((P,), ME + 0.0), group=group, async_op=True
        )
        if ME != 0:
            dist.barrier(GLOO)
        work.wait()
        assert output.tolist() == list(range(P))
        dist.destroy_process_group(group)


@case
def lists_that_change():
    """While what was started with them is under way."""

    def changed(group, many):
        given = list(many)
        work = dist.all_to_all(given, [one + 1 for one in many], group=group, async_op=True)
        given.clear()
        work.wait()

    require_same_as_gloo(changed, parts(torch.float32))


@case
def tensors_of_the_inference_mode():
    """Completed outside of it."""
    with torch.inference_mode():
        many = [torch.zeros(2) for _ in range(P)]
        work = dist.all_to_all(many, [torch.full((2,), ME + 0.0)] * P, async_op=True)
    work.wait()
    assert [float(one[1]) for one in many] == list(range(P))


@case
def functional_collectives():
    """Those that torch.compile and DTensor use, which call the group from C++."""
    from torch.distributed import _functional_collectives as functional

    x = torch.arange(2 * P, dtype=torch.float32) + 100 * ME
    due = torch.zeros_like(x)
    dist.all_to_all_single(due, x, group=GLOO)
    require_same(functional.all_to_all_single(x, None, None, WORLD).clone(), due)
    require_same(functional.all_reduce(x, "sum", WORLD).clone(), sum(of_all(x)))
    whole = functional.all_gather_tensor(x, 0, WORLD)
    require_same(whole.clone(), torch.cat(of_all(x)))
    part = functional.reduce_scatter_tensor(x, "sum", 0, WORLD)
    require_same(part.clone(), sum(of_all(x))[2 * ME : 2 * ME + 2])
    for found in functional.all_gather_into_tensor_coalesced([x, x], WORLD):
        require_same(found.clone(), whole.clone())
    for found in functional.reduce_scatter_tensor_coalesced([x, x], "sum", [0, 0], WORLD):
        require_same(found.clone(), part.clone())


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
