"""The error that exchanges raise."""

from __future__ import annotations

from rondo._library import MPI


class Error(MPI.Exception):
    """The error of an exchange: mpi4py's exception with Rondo's own message.

    Parameters
    ----------
    code
        MPI's error code.
    text
        What was wrong, and what to do.

    Examples
    --------
    >>> import rondo
    >>> from mpi4py import MPI
    >>> try:
    ...     rondo.set_algorithm(MPI.COMM_WORLD, "alltoall", "no_such_one")
    ... except rondo.Error as error:
    ...     error.Get_error_class() == MPI.ERR_ARG, "no_such_one" in str(error)
    (True, True)
    """

    def __new__(cls, code: int, text: str) -> Error:
        return super().__new__(cls, code)

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code)
        self.text = text

    def __str__(self) -> str:
        of_mpi = super().__str__()
        return f"{of_mpi}: {self.text}" if self.text not in ("", of_mpi) else of_mpi
