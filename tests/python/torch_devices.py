"""Run on every rank: a process group that has a backend for each kind of device."""

import sys

import torch
import torch.distributed as dist

import rondo.torch

dist.init_process_group(sys.argv[1])
ME, P = dist.get_rank(), dist.get_world_size()
backend = dist.group.WORLD._get_backend(torch.device("cpu"))
assert backend.name() == "rondo" and not isinstance(dist.group.WORLD, rondo.torch.ProcessGroup)
input, output = torch.arange(P) + 10 * ME, torch.empty(P, dtype=torch.int64)
due = [10 * rank + ME for rank in range(P)]
for _ in range(3):
    dist.all_to_all_single(output.zero_(), input)
    assert output.tolist() == due
    work = dist.all_to_all_single(output.zero_(), input, async_op=True)
    work.wait()
    assert output.tolist() == due
parts = list(output.zero_().split(1))
dist.all_to_all(parts, list(input.split(1)))
assert output.tolist() == due
arriving = [rank + 1 for rank in range(P)]
rows = torch.empty(sum(arriving))
dist.all_to_all_single(rows, torch.full(((ME + 1) * P,), float(ME)), arriving, [ME + 1] * P)
assert rows.tolist() == [rank for rank in range(P) for _ in range(rank + 1)]
assert rondo.torch.all_to_all_dynamic(rows[:P], [1] * P).output_split_sizes == [1] * P
x = torch.ones(P, requires_grad=True)
rondo.torch.AllToAll.apply(x).sum().backward()
assert x.grad.tolist() == [1] * P
try:
    dist.all_to_all_single(output, input, [P + 1] + [0] * (P - 1), [1] * P)
except (ValueError, RuntimeError) as error:
    assert "add up to" in str(error), error
dist.all_reduce(input)
assert input[0] == sum(10 * rank for rank in range(P))
everybody = [None] * P
dist.all_gather_object(everybody, ME)
assert everybody == list(range(P))
some = dist.new_group([0, P - 1])
if ME in (0, P - 1):
    ends = torch.zeros(2)
    dist.all_to_all_single(ends, torch.full((2,), float(ME)), group=some)
    assert ends.tolist() == [0, P - 1]
dist.barrier()
dist.destroy_process_group()
print("rank", ME, "is right")
