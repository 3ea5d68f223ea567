"""Tensors of a GPU, which the ranks share: what arrives, and gradients, as on the host."""

import torch
import torch.distributed as dist
from cases import case, require_raised
from torch_support import CASES, COMM, KINDS, P, blank, require_same
from torch_values import WAYS, sides

import rondo.torch

GPU = torch.device("cuda", 0)
OURS = {name: way for name, way in WAYS.items() if "backend" not in name}
DTYPES = [torch.float32, torch.bfloat16, torch.int64, torch.bool]


def require_on_gpu(found, due):
    assert found.device == GPU
    require_same(found.cpu(), due)


@case
def tensors_of_a_gpu():
    for dtype in DTYPES:
        for kind, tail in CASES:
            for exchange in OURS.values():
                input, sent, arriving, due = sides(kind, tail, dtype)
                output = blank(due).to(GPU)
                exchange(output, input.to(GPU), arriving, sent)
                require_on_gpu(output, due)


@case
def lists_of_a_gpu():
    for kind in KINDS:
        input, sent, arriving, due = sides(kind, (3,), torch.float32)
        outputs = [torch.empty_like(one, device=GPU) for one in due.split(arriving)]
        rondo.torch.all_to_all(outputs, list(input.to(GPU).split(sent)))
        require_on_gpu(torch.cat(outputs), due)


@case
def unknown_lengths_of_a_gpu():
    for kind in KINDS:
        input, sent, arriving, due = sides(kind, (3,), torch.float32)
        output, sizes = rondo.torch.all_to_all_dynamic(input.to(GPU), sent)
        assert sizes == arriving
        require_on_gpu(output, due)


@case
def what_a_stream_still_computes():
    """An exchange waits for its input, and later work of the stream sees its output."""
    rows = 1 << 20
    for number in range(5):
        factors = torch.full((P * rows,), 1.0 + number, device=GPU)
        for _ in range(50):
            factors = factors + 1.0
        output = torch.empty_like(factors)
        rondo.torch.all_to_all_single(output, factors, group=COMM)
        assert torch.equal(output * 2, torch.full_like(output, 2 * (51.0 + number)))


@case
def gradients_of_a_gpu():
    for kind in KINDS:
        input, sent, arriving, due = sides(kind, (3,), torch.float32)
        input = torch.ones_like(input, device=GPU, requires_grad=True)
        output = rondo.torch.AllToAll.apply(input, arriving, sent, COMM)
        (3 * output).sum().backward()
        require_on_gpu(input.grad, torch.full_like(input, 3.0, device="cpu"))


@case
def through_the_backend():
    input, sent, arriving, due = sides("random", (3,), torch.float32)
    output = blank(due).to(GPU)
    dist.all_to_all_single(output, input.to(GPU), arriving, sent)
    require_on_gpu(output, due)


@case
def one_side_on_the_host():
    input, sent, arriving, due = sides("equal", (), torch.float32)
    mixed = torch.empty_like(due), input.to(GPU), arriving, sent
    told = "output is on cpu, but input is on cuda:0"
    require_raised(ValueError, told, rondo.torch.all_to_all_single, *mixed)
