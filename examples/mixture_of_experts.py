"""A small mixture of experts on CPUs, trained over gloo and over Rondo.

    torchrun --nproc-per-node 4 mixture_of_experts.py [STEPS] [TOKENS]

or mpirun -n 4 python3 mixture_of_experts.py.

Each rank has an expert and TOKENS tokens. In a step every token goes to the rank of the expert that
the gate chooses for it, and its result comes back. Over gloo the ranks first tell each other how
many tokens come; over Rondo they need not. The losses are the same to the last bit.
"""

import sys
import time
import warnings

import torch
import torch.distributed as dist
import torch.distributed.nn.functional as differentiable

import rondo.torch

WIDTH, HIDDEN = 64, 128
STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 60
TOKENS = int(sys.argv[2]) if len(sys.argv) > 2 else 256


class Gloo:
    def __init__(self):
        self.group = dist.new_group(backend="gloo")

    def send(self, rows, counts):
        """The rows that come to this rank, and how many come from each."""
        come = torch.empty_like(counts)
        dist.all_to_all_single(come, counts, group=self.group)
        return self.move(rows, counts.tolist(), come.tolist()), come.tolist()

    def move(self, rows, sent, arriving):
        output = rows.new_empty(sum(arriving), rows.size(1))
        return differentiable.all_to_all_single(output, rows, arriving, sent, group=self.group)


class Rondo:
    def send(self, rows, counts):
        return rondo.torch.all_to_all_dynamic(rows, counts.tolist())

    def move(self, rows, sent, arriving):
        return rondo.torch.AllToAll.apply(rows, arriving, sent)


class Experts(torch.nn.Module):
    """A gate, alike on all ranks, and the expert of this one."""

    def __init__(self, exchange):
        super().__init__()
        torch.manual_seed(1)
        self.gate = torch.nn.Linear(WIDTH, dist.get_world_size())
        torch.manual_seed(2 + dist.get_rank())
        self.expert = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, WIDTH)
        )
        self.exchange, self.seconds = exchange, 0.0

    def forward(self, tokens):
        weights, chosen = self.gate(tokens).softmax(1).max(1)
        order = chosen.argsort(stable=True)
        counts = chosen.bincount(minlength=dist.get_world_size())
        start = time.perf_counter()
        come, arriving = self.exchange.send(tokens[order], counts)
        self.seconds += time.perf_counter() - start
        results = self.expert(come)
        start = time.perf_counter()
        back = self.exchange.move(results, arriving, counts.tolist())
        self.seconds += time.perf_counter() - start
        return torch.zeros_like(tokens).index_copy(0, order, back) * weights[:, None]


def train(exchange):
    """The losses, and how long the exchanges forward have taken on the slowest rank."""
    model = Experts(exchange)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    numbers = torch.Generator().manual_seed(100 + dist.get_rank())
    losses = []
    for _ in range(STEPS):
        tokens = torch.randn(TOKENS, WIDTH, generator=numbers)
        loss = (model(tokens) - tokens.roll(1, 1).abs()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        for parameter in model.gate.parameters():
            dist.all_reduce(parameter.grad, dist.ReduceOp.AVG)
        optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total, dist.ReduceOp.AVG)
        losses.append(total.item())
    seconds = torch.tensor([model.seconds])
    dist.all_reduce(seconds, dist.ReduceOp.MAX)
    return losses, seconds.item()


warnings.filterwarnings("ignore", category=FutureWarning)  # newer PyTorch has another name for it
torch.set_num_threads(1)
dist.init_process_group("rondo")
ways = {"gloo": Gloo(), "rondo": Rondo()}
for way in ways.values():
    train(way)  # once to warm up
results = {name: train(way) for name, way in ways.items()}
if dist.get_rank() == 0:
    for name, (losses, seconds) in results.items():
        curve = " ".join(f"{one:.4f}" for one in losses[:: max(1, STEPS // 5)])
        print(f"{name}: loss {curve}; exchanges {1e3 * seconds:.1f} ms")
    (theirs, slow), (ours, fast) = results.values()
    equal = "the same to the last bit" if theirs == ours else "DIFFERENT"
    print(f"the losses are {equal}; Rondo's exchanges take {fast / slow:.2f} of gloo's time")
dist.destroy_process_group()
