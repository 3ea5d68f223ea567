"""The error that exchanges raise."""

from rondo._library import MPI


class Error(MPI.Exception):
    """The error of an exchange: mpi4py's exception with Rondo's own message."""

    def __new__(cls, code: int, text: str) -> "Error":
        return super().__new__(cls, code)

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code)
        self.text = text

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.text}" if self.text else super().__str__()
