"""Gradients, compared with those of torch.distributed.nn.functional over gloo."""

import torch
import torch.distributed.nn.functional as theirs
from cases import case
from torch_support import CASES, COMM, GLOO, KINDS, ME, WORLD, require_same, splits, tensor

import rondo.torch

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
DTYPES += [torch.complex64, torch.complex128]


def numbers(rows, tail, dtype, seed):
    """Small ones, so that no product overflows."""
    generator = torch.Generator().manual_seed(1000 * seed + ME)
    return torch.randn(rows, *tail, generator=generator, dtype=torch.float64).to(dtype)


def by_theirs(output, input, arriving, sent):
    return theirs.all_to_all_single(output, input, arriving, sent, group=GLOO)


def by_function(output, input, arriving, sent):
    return rondo.torch.AllToAll.apply(input, arriving, sent, COMM)


def in_place(output, input, arriving, sent):
    rondo.torch.all_to_all_single(output, input, arriving, sent)
    return output


def by_list(output, input, arriving, sent):
    outputs = [torch.empty_like(one) for one in output.split(arriving)]
    rondo.torch.all_to_all(outputs, list(input.split(sent)))
    return torch.cat(outputs)


def unknown(output, input, arriving, sent):
    return rondo.torch.all_to_all_dynamic(input, sent).output


OURS = [by_function, in_place, by_list, unknown]


def gradient(exchange, kind, tail, dtype):
    """What arrives, and the gradient of what was sent of a function of it."""
    table = splits(kind, 0)
    sent, arriving = table[ME], [row[ME] for row in table]
    input = numbers(sum(sent), tail, dtype, 1).requires_grad_()
    weights = numbers(sum(arriving), tail, dtype, 2)
    output = exchange(torch.empty_like(weights), 2 * input, arriving, sent)
    (output * weights * output).abs().double().sum().backward()
    return output, input.grad


@case
def gradients_of_every_way():
    for dtype in DTYPES:
        for kind, tail in CASES:
            due, due_gradient = gradient(by_theirs, kind, tail, dtype)
            for exchange in OURS:
                output, found = gradient(exchange, kind, tail, dtype)
                require_same(output, due)
                require_same(found, due_gradient)


def second(exchange, kind):
    """The gradient of a gradient."""
    table = splits(kind, 0)
    sent, arriving = table[ME], [row[ME] for row in table]
    input = numbers(sum(sent), (2,), torch.float64, 3).requires_grad_()
    weights = numbers(sum(arriving), (2,), torch.float64, 4)
    output = exchange(torch.empty_like(weights), input**3, arriving, sent)
    (first,) = torch.autograd.grad((output**2 * weights).sum(), input, create_graph=True)
    (first**2).sum().backward()
    return input.grad


@case
def second_derivatives():
    for kind in KINDS:
        due = second(by_theirs, kind)
        for exchange in OURS:
            require_same(second(exchange, kind), due)


@case
def gradients_that_are_views():
    """Those of expand() and of conj() are not plain memory."""
    x = torch.ones(COMM.size, 3, dtype=torch.complex64, requires_grad=True)
    y = rondo.torch.AllToAll.apply(x)
    y.sum().real.backward()
    require_same(x.grad, torch.ones_like(x))
    x.grad = None
    y = rondo.torch.AllToAll.apply(x)
    (y.conj() * (1 + 2j)).sum().real.backward()
    require_same(x.grad, torch.full_like(x, 1 + 2j).resolve_conj())


@case
def no_gradient_where_none_is_asked_for():
    x = torch.ones(COMM.size, requires_grad=True)
    with torch.no_grad():
        y = torch.zeros(COMM.size)
        rondo.torch.all_to_all_single(y, x)
        assert not y.requires_grad
        assert not rondo.torch.all_to_all_dynamic(x).output.requires_grad
    assert not rondo.torch.all_to_all_dynamic(
        tensor(COMM.size, (), torch.int32)
    ).output.requires_grad
    assert rondo.torch.all_to_all_dynamic(x).output.requires_grad


RANKS = 2  # what follows imports much of PyTorch, which takes long


def squared(x):
    return (rondo.torch.AllToAll.apply(x) ** 2).sum()


@case
def transforms_of_functions():
    """torch.func's: what is linear is its own derivative, and one exchange takes a whole batch."""
    if COMM.size != RANKS:
        return
    x, direction = (numbers(2 * COMM.size, (3,), torch.float64, seed) for seed in (5, 6))
    exchanged = rondo.torch.AllToAll.apply
    require_same(torch.func.grad(squared)(x), 2 * x)
    value, tangent = torch.func.jvp(exchanged, (x,), (direction,))
    require_same(value, exchanged(x))
    require_same(tangent, exchanged(direction))
    batch = torch.stack([x, direction])
    require_same(torch.func.vmap(exchanged)(batch), torch.stack([exchanged(x), tangent]))
    require_same(torch.func.vmap(torch.func.grad(squared))(batch), 2 * batch)
    last = torch.func.vmap(exchanged, in_dims=1, out_dims=1)(x)
    require_same(last, exchanged(x))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, direction)
        require_same(torch.autograd.forward_ad.unpack_dual(exchanged(dual)).tangent, tangent)


def used_by_the_first(x):
    """Other ranks take part, and do not use what arrives."""
    arrived = rondo.torch.AllToAll.apply(x)
    return 2 * arrived if ME == 0 else 2 * x


@case
def graphs():
    """torch.compile takes the whole function, with its gradient, for each way to name a group."""
    if COMM.size != RANKS:
        return
    table = splits("random", 3)
    sent, arriving = table[ME], [row[ME] for row in table]
    for backend in ("eager", "aot_eager"):
        for group in (None, WORLD):
            torch.compiler.reset()
            for given in ((arriving, sent), (None, None)):
                call = lambda x, of=group, by=given: (  # noqa: E731
                    rondo.torch.AllToAll.apply(2 * x, *by, of) ** 2
                )
                x = numbers(sum(sent) if given[0] else COMM.size, (2,), torch.float64, 7)
                ours, theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
                compiled = torch.compile(call, backend=backend, fullgraph=True)
                require_same(compiled(ours), call(theirs))
                compiled(ours).sum().backward()
                call(theirs).sum().backward()
                require_same(ours.grad, theirs.grad)
        compiled = torch.compile(used_by_the_first, backend=backend, fullgraph=True)
        x = numbers(COMM.size, (), torch.float64, 8)
        require_same(compiled(x), used_by_the_first(x))
