"""The program that tests/gpu/check_gpu.py runs on every rank: tensors of a GPU by librondo_nccl."""

import sys

import torch
import torch_gpu  # noqa: F401
import torch_gpu_streams  # noqa: F401
from torch_support import run_cases

if __name__ == "__main__":
    if not torch.cuda.is_available():
        sys.exit("there is no GPU")
    run_cases()
