"""The program that test_arrow.py runs on every rank.

    mpirun -n N python tables.py SEED TABLES FRAMES

Random tables are drawn from SEED and the TABLES - 1 numbers that follow it, and so are FRAMES
frames of pandas and as many of polars.
"""

import arrow_dictionaries  # noqa: F401
import arrow_errors  # noqa: F401
import arrow_frames  # noqa: F401
import arrow_groups  # noqa: F401
import arrow_relations  # noqa: F401
import arrow_shuffles  # noqa: F401
from mpi_support import run_cases

if __name__ == "__main__":
    run_cases()
