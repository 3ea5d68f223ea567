"""Wrong arguments: on all ranks, and on one, for which no other rank waits."""

import torch
from cases import case, require_raised
from torch_support import COMM, ERROR, GLOO, ME, WORLD, P, poll

import rondo.torch

LAST = P - 1
ONES = [1] * P


def good(dtype=torch.float32):
    return torch.zeros(P, dtype=dtype)


class Interrupted:
    """A number of the program's, during which somebody stops it."""

    def __index__(self):
        raise KeyboardInterrupt


# What is wrong with an argument of all_to_all_single, and what is said of it.
WRONG = [
    (TypeError, "output: expecting a tensor, got int", 5, good(), None, None),
    (TypeError, "input: expecting a tensor, got list", good(), [1.0], None, None),
    (TypeError, "output has torch.float64, but input has torch.float32", good().double(), good()),
    (TypeError, "input must be dense", good(), good().to_sparse()),
    (ValueError, "input is a scalar", good(), torch.tensor(1.0)),
    (ValueError, "is on meta", good().to("meta"), good()),
    (ValueError, f"expecting {P} numbers, got {P + 1}", good(), good(), ONES, [*ONES, 0]),
    (ValueError, f"add up to {P + 1}, but input has {P}", good(), good(), ONES, [2, *ONES[1:]]),
    (ValueError, f"add up to {P - 1}, but output has {P}", good(), good(), [0, *ONES[1:]], ONES),
    (ValueError, f"input_split_sizes[{LAST}] is -1", good(), good(), ONES, [*ONES[1:], -1]),
    (TypeError, "float", good(), good(), ONES, [1.0] * P),
    (TypeError, "str", good(), good(), ["1"] * P, ONES),
    (TypeError, "", good(), good(), 5, None),
    (RuntimeError, "", good(), torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])),
    (KeyboardInterrupt, "", good(), good(), [Interrupted()] * P, ONES),
]  # fmt: skip
if P > 1:
    odd = torch.zeros(P + 1)
    said = f"input has {P + 1} rows, which {P} ranks cannot share equally: give input_split_sizes"
    WRONG.append((ValueError, said, good(), odd))


def ways(*arguments):
    """The two ways of one exchange."""
    for async_op in (False, True):
        yield lambda by=async_op: rondo.torch.all_to_all_single(*arguments, async_op=by)


@case
def wrong_on_all_ranks():
    for kind, sentence, *arguments in WRONG:
        for call in ways(*arguments):
            require_raised(kind, sentence, call)


def finished(call):
    work = call()
    if work is not None:
        work.wait()


@case
def wrong_on_one_rank():
    """It raises what it would raise alone; the others learn which rank it was."""
    for kind, sentence, *arguments in WRONG:
        # Where the others start it, this one calls it, and the other way round.
        calls = [*ways(*arguments)][::-1] if ME == LAST else [*ways(good(), good())]
        for call in calls:
            if ME == LAST:
                require_raised(kind, sentence, call)
            else:
                require_raised(ERROR, f"rank {LAST}", finished, call)
    output = good()
    rondo.torch.all_to_all_single(output, torch.full((P,), float(ME)))
    assert output.tolist() == list(range(P)), "later exchanges are right"


@case
def lists_that_are_wrong():
    fine = [torch.zeros(2) for _ in range(P)]
    whole = [one.int() for one in fine]
    name = f"input_tensor_list[{LAST}]"
    for kind, sentence, outputs, inputs in [
        (TypeError, "output_tensor_list: expecting a list of tensors, got Tensor", good(), fine),
        (ValueError, f"expecting {P} tensors, got {P + 1}", fine, [*fine, fine[0]]),
        (TypeError, f"{name}: expecting a tensor, got int", fine, [*fine[1:], 3]),
        (TypeError, "output has torch.float32, but input has torch.int32", fine, whole),
    ]:
        require_raised(kind, sentence, rondo.torch.all_to_all, outputs, inputs)
        if ME != LAST:
            outputs = inputs = fine
            kind, sentence = ERROR, f"rank {LAST}"
        require_raised(kind, sentence, rondo.torch.all_to_all, outputs, inputs)


def mismatched(length, sent, arriving, dtype=torch.float32):
    """An exchange in which rank 0 sends `sent` rows to the last rank, which expects `arriving`."""
    to, come = list(ONES), list(ONES)
    if ME == 0:
        to[LAST] = sent
    if ME == LAST:
        come[0] = arriving
    return (torch.zeros(sum(come), length), torch.zeros(sum(to), length, dtype=dtype), come, to)


@case
def ranks_that_disagree():
    """The rank that receives says who sends what; the others have what is theirs."""
    for sent, arriving in ((3, 1), (1, 3), (0, 2), (2, 0)):
        for async_op in (False, True):
            arguments = mismatched(2, sent, arriving)
            call = lambda given=arguments, by=async_op: finished(  # noqa: E731
                lambda: rondo.torch.all_to_all_single(*given, async_op=by)
            )
            if ME == LAST:
                said = f"rank 0 sends {sent} rows to rank {LAST}, which expects {arriving} of it"
                require_raised(ValueError, said, call)
            else:
                call()
    work = rondo.torch.all_to_all_single(*mismatched(2, 3, 1), async_op=True)
    poll(work)
    assert work.is_success() == (ME != LAST) and isinstance(work.exception(), ValueError) == (
        ME == LAST
    )
    if ME == LAST:
        for ask in (work.wait, work.wait, work.get_future().wait):
            require_raised(Exception, f"rank 0 sends 3 rows to rank {LAST}", ask)
    inputs = [torch.zeros(4 if (ME, rank) == (0, LAST) else 1) for rank in range(P)]
    outputs = [torch.zeros(1) for _ in range(P)]
    if ME == LAST:
        said = f"rank 0 sends 4 elements to rank {LAST}, which expects 1 of it"
        require_raised(ValueError, said, rondo.torch.all_to_all, outputs, inputs)
    else:
        rondo.torch.all_to_all(outputs, inputs)


@case
def splits_in_a_tensor_that_are_wrong():
    splits, arrived = torch.ones(P, dtype=torch.int64), torch.empty(2, P, dtype=torch.int64)
    for kind, sentence, *arguments in [
        (TypeError, "in_splits has torch.int32, not torch.int64", good(), good(), splits.int()),
        (ValueError, f"but input has {P} rows", good(), good(), 2 * splits),
        (ValueError, "first must be the same", good(), torch.zeros(P, 2), splits),
        (ValueError, "has no gradient", good().requires_grad_(), good(), splits),
        (ValueError, "rows without elements", torch.zeros(P, 0), torch.zeros(P, 0), splits),
    ]:
        call = lambda given=arguments: rondo.torch.all_to_all_vdev(*given, arrived)  # noqa: E731
        require_raised(kind, sentence, call)
        if ME != LAST:
            kind, sentence, arguments = ERROR, f"rank {LAST}", (good(), good(), splits)
        require_raised(kind, sentence, call, arguments)
    if ME == LAST:
        said = f"{P} rows arrive, but out has room for {P - 1}"
        short = good(), good()[1:], splits, arrived
        require_raised(ValueError, said, rondo.torch.all_to_all_vdev, *short)
    else:
        rondo.torch.all_to_all_vdev(good(), good(), splits, arrived)


@case
def dtypes_that_differ_between_ranks():
    if P == 1:
        return
    narrow = torch.float16 if ME == 0 else torch.float32
    input = torch.zeros(P, 3, dtype=narrow)
    for call in (
        lambda: rondo.torch.all_to_all_single(torch.zeros_like(input), input),
        lambda: rondo.torch.all_to_all_dynamic(input),
    ):
        if ME == 0 and call.__code__.co_names[2] == "all_to_all_dynamic":
            call()  # twice as many rows as were sent
        elif ME == 0:
            require_raised(ValueError, "rank 1 sends 2 rows to rank 0, which expects 1", call)
        else:
            require_raised(ValueError, f"rank 0 sends 6 bytes to rank {ME}, which has 12", call)


@case
def wrong_groups():
    for kind, sentence, group in [
        (TypeError, "got 'int'", 5),
        (TypeError, "got 'gloo'", GLOO),
        (TypeError, "got 'list'", [COMM]),
    ]:
        require_raised(
            kind, sentence, rondo.torch.all_to_all_single, good(), good(), None, None, group
        )
    rondo.torch.all_to_all_single(good(), good(), group=WORLD)


@case
def gradients_of_what_is_started():
    input = good().requires_grad_()
    require_raised(
        ValueError, "has no gradient",
        lambda: rondo.torch.all_to_all_single(good(), input, async_op=True),
    )  # fmt: skip
    rondo.torch.all_to_all_single(good(), input.detach(), async_op=True).wait()


@case
def rows_without_elements():
    told = "input has rows without elements"
    empty, call = torch.empty(P, 0), rondo.torch.all_to_all_dynamic
    require_raised(ValueError, told, call, empty, None, COMM)
    if ME == LAST:
        require_raised(ValueError, told, call, empty, None, COMM)
    else:
        require_raised(ERROR, f"rank {LAST}", call, good(), None, COMM)
