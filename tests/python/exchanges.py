"""The program that test_exchange.py runs on every rank: mpirun -n N python exchanges.py"""

import mpi_arguments  # noqa: F401
import mpi_dynamic  # noqa: F401
import mpi_exchanges  # noqa: F401
import mpi_more  # noqa: F401
import mpi_neighbors  # noqa: F401
import mpi_sparse  # noqa: F401
import mpi_specs  # noqa: F401
import mpi_started  # noqa: F401
from mpi_support import run_cases

if __name__ == "__main__":
    run_cases()
