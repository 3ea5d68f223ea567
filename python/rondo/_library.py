"""Loads the MPI library that Rondo and mpi4py share, or raises a clear ImportError."""

from rondo import _core

__all__ = ["MPI", "_mpi", "handle_of"]

_REBUILD = "pip install --force-reinstall --no-cache-dir, with that MPI's mpicxx first on PATH"
_WORDS = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel(R) MPI": "mpich", "MVAPICH": "mpich"}

if not _core.mpi_family:
    raise ImportError(
        "rondo was built without MPI, so it cannot exchange: install an MPI with its compiler "
        f"wrapper mpicxx and rebuild rondo ({_REBUILD})"
    )

try:
    from mpi4py import MPI
except ModuleNotFoundError as error:
    raise ImportError("rondo's exchanges need mpi4py: pip install 'mpi4py>=4'") from error


def _family(version: str) -> str:
    return next((family for word, family in _WORDS.items() if word in version), "unknown")


def _require_same(same: bool) -> None:
    if not same:
        version = " ".join(MPI.Get_library_version().partition("\n")[0].partition(",")[0].split())
        raise ImportError(
            f"rondo was built for {_core.mpi_family}, but mpi4py runs with {version!r}: "
            f"rebuild rondo ({_REBUILD}), or let mpi4py find the other MPI"
        )


# This comes before the module is loaded, which would bring a second MPI library into the process.
_require_same(_family(MPI.Get_library_version()) == _core.mpi_family)

from rondo import _mpi  # noqa: E402

# mpi4py may have been built for the standard ABI, whose handles are different.
_require_same(_mpi.is_world(MPI._addressof(MPI.COMM_WORLD)))


def handle_of(thing: object, kind: type) -> int:
    """The address of an mpi4py object's handle. The type is checked, since handles have none."""
    if not isinstance(thing, kind):
        raise TypeError(f"expecting mpi4py.MPI.{kind.__name__}, got {type(thing).__name__}")
    return MPI._addressof(thing)
