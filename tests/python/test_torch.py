"""rondo.torch, compared with gloo on several ranks; its docstrings, its types and its example.

These tests need PyTorch, which is large: they are skipped where it cannot be imported.
"""

import itertools
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import group_support
import pytest
import torch_processes
from calling import run
from document_text import SOURCE

from rondo import mpi_library, programs

pytest.importorskip("mpi4py")
torch = pytest.importorskip("torch", reason="PyTorch is not installed", exc_type=ImportError)
if not mpi_library.families():
    pytest.skip("the package was built without MPI", allow_module_level=True)
HERE = Path(__file__).parent
LONG = 400  # seconds; to import PyTorch on many ranks takes long


def launcher():
    return [str(programs.find("rondo-mpirun")), "--mpi", mpi_library.family_here()]


def on_ranks(ranks, *words):
    done = run(*launcher(), "-n", ranks, sys.executable, *words, timeout=LONG)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def by_torchrun(ranks, *words):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", ranks, *words]
    done = run(*command, timeout=LONG)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def launches():
    """Each launcher with all numbers of ranks or, if RONDO_TEST_SEED is set, with one of them."""
    launchers, ranks = ["mpirun", "torchrun"], [1, 2, 3, 5, 8]
    seed = os.environ.get("RONDO_TEST_SEED")
    if seed is None:
        return list(itertools.product(launchers, ranks))
    chance = random.Random(seed)
    return [(by, chance.choice(ranks)) for by in launchers]


@pytest.mark.parametrize("by, ranks", launches())
def test_exchanges(by, ranks):
    # mpi4py ends all ranks where one of them fails before the first case.
    told = (
        on_ranks(ranks, "-m", "mpi4py", HERE / "tensors.py")
        if by == "mpirun"
        else by_torchrun(ranks, HERE / "tensors.py")
    )
    assert f"cases right on {ranks} ranks" in told


@pytest.mark.parametrize("is_asynchronous", [False, True])
def test_a_rank_that_dies(tmp_path, is_asynchronous):
    before = group_support.in_shared_memory()
    waited = group_support.on_ranks(
        torch_processes.wait_for_the_dead,
        3,
        str(tmp_path / "store"),
        is_asynchronous,
        killed=1,
    )
    assert all(2.5 < waited[rank] < 20 for rank in (0, 2)), waited
    assert group_support.in_shared_memory() <= before


@pytest.mark.parametrize(
    "body, ranks, start",
    [
        (torch_processes.end_in_any_order, 3, "fork"),
        (torch_processes.end_amid_an_exchange, 2, "spawn"),  # which ends as Python does
        (torch_processes.fork_amid_exchanges, 2, "fork"),
    ],
)
@pytest.mark.parametrize("per_node", [0, 1])
def test_processes(tmp_path, body, ranks, start, per_node):
    file = str(tmp_path / "store")
    group_support.on_ranks(body, ranks, file, per_node=per_node, start=start)


@pytest.mark.parametrize("ranks", [1, 2])
def test_docstrings(ranks):
    modules = [f"torch.{name}" for name in ("exchanges", "vdev", "work", "backend")]
    told = on_ranks(ranks, HERE / "docstrings.py", *modules)
    assert re.search(rf"^\d\d examples right on {ranks} ranks$", told, re.M), told


@pytest.mark.parametrize("launch", [on_ranks, by_torchrun])
@pytest.mark.parametrize("backends", ["cpu:rondo,cuda:gloo", "cuda:gloo,cpu:rondo"])
def test_a_backend_for_each_device(launch, backends):
    if torch.torch_version.TorchVersion(torch.__version__) < (2, 15):
        pytest.skip("this PyTorch has no backends in Python")
    assert launch(3, HERE / "torch_devices.py", backends).count("is right") == 3


@pytest.mark.parametrize("launch", [on_ranks, by_torchrun])
def test_the_mixture_of_experts_trains_alike(launch):
    told = launch(4, SOURCE / "examples/mixture_of_experts.py", 6, 64)
    assert "the losses are the same to the last bit" in told, told


def test_the_benchmark():
    told = on_ranks(2, SOURCE / "bench/tensors.py", "--bytes", "1k,64k", "--seconds", "0.01")
    assert len(re.findall(r"^\| 2 \| \d+ \| .* \|$", told, re.M)) == 2 * 7, told


def test_types():
    """mypy --strict finds nothing in the module, with PyTorch's own types."""
    pytest.importorskip("mypy")
    done = run(sys.executable, "-m", "mypy", "--strict", "-p", "rondo.torch", timeout=LONG)
    assert done.returncode == 0, done.stdout + done.stderr


def test_world_size_is_that_of_mpi():
    """A program that no launcher has started is one rank."""
    start = "import rondo.torch, torch.distributed as dist; dist.init_process_group('rondo'{})"
    wrong = start.format(", store=dist.HashStore(), rank=1, world_size=3")
    done = run(*launcher(), "-n", 2, sys.executable, "-c", wrong, timeout=LONG)
    assert "ValueError: torch.distributed has rank 1 of 3, but MPI has rank 0 of 2" in done.stderr
    done = run(sys.executable, "-c", start.format("") + "; print(dist.get_world_size())")
    assert done.stdout.strip() == "1", done.stderr


def test_nothing_is_imported_unless_asked_for():
    told = subprocess.check_output(
        [sys.executable, "-c", "import rondo, sys; print('torch' in sys.modules)"], text=True
    )
    assert told.strip() == "False"


def test_without_torch():
    hide = "import sys; sys.modules['torch'] = None; import rondo.torch"
    done = run(sys.executable, "-c", hide)
    assert "ImportError: rondo.torch needs PyTorch: pip install 'rondo[torch]'" in done.stderr
