"""The program that test_exchange.py runs on every rank: mpirun -n N python exchanges.py

The job is ended at the first case that is wrong on any rank.
"""

import traceback

import mpi_arguments  # noqa: F401
import mpi_dynamic  # noqa: F401
import mpi_exchanges  # noqa: F401
import mpi_more  # noqa: F401
import mpi_neighbors  # noqa: F401
import mpi_sparse  # noqa: F401
import mpi_started  # noqa: F401
from mpi_support import CASES, COMM, ME, P


def main():
    for one in CASES:
        try:
            one()
        except Exception:
            print(f"rank {ME} of {P}: {one.__name__}\n{traceback.format_exc()}", flush=True)
            COMM.Abort(1)  # the other ranks may wait for this one
    if ME == 0:
        print(f"{len(CASES)} cases right on {P} ranks")


if __name__ == "__main__":
    main()
