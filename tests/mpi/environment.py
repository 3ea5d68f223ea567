"""The environment of an mpirun whose MPI library shares memory in a folder of the test's own."""

import os


def private_environment(folder):
    """Only Rondo touches /dev/shm then, and what the MPI library leaves goes with the folder."""
    return dict(
        os.environ,
        TMPDIR=folder,
        OMPI_MCA_btl_vader_backing_directory=folder,
        OMPI_MCA_btl_sm_backing_directory=folder,
        OMPI_MCA_mpi_yield_when_idle="1",
    )
