"""The program that test_torch.py runs on every rank, started by mpirun and by torchrun."""

import torch
import torch_backend  # noqa: F401
import torch_errors  # noqa: F401
import torch_gradients  # noqa: F401
import torch_values  # noqa: F401
from torch_support import run_cases

if torch.cuda.is_available():
    import torch_gpu  # noqa: F401

if __name__ == "__main__":
    run_cases()
