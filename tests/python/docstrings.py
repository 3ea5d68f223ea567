"""The program that test_docstrings.py runs on every rank: mpirun -n N python docstrings.py

Every rank runs the examples of all docstrings, or of the modules that follow, in the same order.
The job fails if one is wrong on any rank.
"""

import doctest
import sys

from mpi4py import MPI
from public_names import MODULES, documented

WORLD = MPI.COMM_WORLD


def main():
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for module in sys.argv[1:] or MODULES:
        for one in documented(module):
            test = parser.get_doctest(one.doc, dict(one.names), one.name, None, 0)
            runner.run(test)
    if runner.failures:
        print(f"rank {WORLD.rank}: {runner.failures} examples are wrong", flush=True)
        WORLD.Abort(1)  # the other ranks may wait for this one
    if WORLD.rank == 0:
        print(f"{runner.tries} examples right on {WORLD.size} ranks")


if __name__ == "__main__":
    main()
