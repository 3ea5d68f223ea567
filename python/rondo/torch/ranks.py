"""What exchanges of tensors need of the ranks that take part, by MPI or without it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rondo.torch.blocks import Blocks, Splits


class Rows(NamedTuple):
    """The arguments of an exchange of rows that must not be copied."""

    sizes: Splits
    rows: int
    row_bytes: int
    address: int
    arriving: Splits
    rows_to: int
    row_bytes_to: int
    address_to: int


class Started(Protocol):
    """An exchange until it is over. Other errors than a wrong length end it."""

    def test(self) -> bool:
        """Say whether it is over, after some progress."""

    def wait(self) -> object:
        """Wait until it is over."""

    def came(self) -> list[int] | None:
        """The bytes that came from each rank, when it is over; nothing if they were expected."""


class Ranks(Protocol):
    """The ranks of an exchange, of which this process is one."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...

    def exchange_rows(self, rows: Rows) -> list[int] | None:
        """Exchange: nothing if Python must read the sizes, else `came`, empty if as expected."""

    def start(self, sent: Blocks, received: Blocks) -> Started:
        """Start to exchange. The memory must live until it is over."""

    def arrive(self, sent: Blocks) -> tuple[npt.NDArray[np.uint8], list[int]]:
        """Exchange. Returns the bytes that arrive, and how many come from each rank."""

    def take_part(self) -> None:
        """Take part with wrong arguments, so that all ranks get an error that names this one."""

    def free(self) -> int:
        """End them when what was started is over. Returns how much is not: then they stay."""
