"""The program that tests/gpu/check_gpu.py runs on every rank: tensors of a GPU by librondo_nccl.

    tensors_of_gpus.py [--seconds SECONDS] [--after CASE]

It names each case before it runs it. After SECONDS it prints where it is, and ends.
"""

import argparse
import faulthandler
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=600)
parser.add_argument("--after", help="leave out the cases up to this one")
options = parser.parse_args()
faulthandler.dump_traceback_later(options.seconds, exit=True)

import torch  # noqa: E402

if not torch.cuda.is_available():
    sys.exit("there is no GPU")

import cases  # noqa: E402
import torch_gpu  # noqa: E402
import torch_gpu_streams as streams  # noqa: E402
from torch_support import run_cases  # noqa: E402


def announced(one):
    def run():
        if streams.ME == 0:
            print(f"case: {one.__name__}", flush=True)
        one()

    run.__name__ = one.__name__
    return run


def of_gpus():
    """Not those of the modules that these use."""
    names = [torch_gpu.__name__, streams.__name__]
    found = [one for one in cases.CASES if one.__module__ in names]
    after = [one.__name__ for one in found].index(options.after) + 1 if options.after else 0
    return found[after:]


if __name__ == "__main__":
    streams.say(f"torch {torch.__version__}, NCCL {streams.nccl_version()}")
    cases.CASES[:] = map(announced, of_gpus())
    run_cases()
