"""Exchanges without MPI, among processes that were started by whatever means."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Callable, Protocol, Union

import numpy as np
import numpy.typing as npt

from rondo import _group
from rondo.received import Received

__all__ = ["Group", "GroupError", "Messages"]

Counts = Union[Sequence[int], npt.NDArray[Any]]
"""A number of elements for each rank."""

Blocks = Union[npt.NDArray[Any], Sequence[Any]]
"""An array that the blocks fill, or [array, counts] or [array, (counts, displs)]. Any other object
with contiguous memory does as well."""


class GroupError(RuntimeError):
    """The error of an exchange, or of making a group.

    Another rank has failed, has died, or has sent something else than this one expects.

    Examples
    --------
    >>> import rondo
    >>> try:
    ...     rondo.Group(3, 2, allgather=lambda own: [own])
    ... except rondo.GroupError as error:
    ...     "must be a rank in 0 .. size-1" in str(error)
    True
    """


class Messages(Protocol):
    """By which the ranks of several nodes reach each other. Methods must not wait.

    They are called on the thread that exchanges, and must not use the group.
    """

    def send(self, data: memoryview, destination: int, tag: int) -> object:
        """Start to send bytes to a rank.

        Parameters
        ----------
        data
            The bytes, which stay as they are until the message is complete.
        destination
            The rank that gets them.
        tag
            A number below 32768.

        Returns
        -------
        object
            What `test` and `cancel` are asked about.
        """

    def receive(self, data: memoryview, source: int, tag: int) -> object:
        """Start to receive the next message from a rank with a tag.

        Parameters
        ----------
        data
            Where its bytes go. The message may be shorter.
        source
            The rank that sends it.
        tag
            Its number.

        Returns
        -------
        object
            What `test` and `cancel` are asked about.
        """

    def test(self, message: Any) -> bool:
        """Say whether a message is complete, and let messages go on.

        Parameters
        ----------
        message
            What `send` or `receive` has returned. It is not used again after a True.

        Returns
        -------
        bool
            Whether its memory may be used again.
        """

    def cancel(self, message: Any) -> None:
        """Give up a message after an error. Its memory must not be touched any more.

        Parameters
        ----------
        message
            What `send` or `receive` has returned.
        """


class Group:
    """Processes that exchange without MPI: the ranks 0 .. size-1.

    Making one is collective: all ranks do it, and so they do every exchange, in the same order. On
    one node the ranks need nothing but a way to gather a few bytes. Blocks then go through memory
    that they share.

    One thread at a time may use a group. A child that a rank forks must not use it.

    Parameters
    ----------
    rank
        This process among those of the group.
    size
        How many they are.
    allgather
        A function that is called with bytes, by all ranks alike, and returns those of all ranks in
        the order of the ranks. It is called a few times until the group is made.
    messages
        How ranks on different nodes reach each other. On one node it is not needed.
    node
        The name of this rank's node: ranks with the same one share memory. By default they find
        out.
    timeout
        How many seconds an exchange may wait for other ranks; by default as long as it takes.

    Raises
    ------
    GroupError
        If the ranks are on several nodes and there are no messages, or if they cannot share memory.

    Examples
    --------
    >>> import numpy as np
    >>> import rondo
    >>> with rondo.Group(0, 1, allgather=lambda own: [own]) as group:
    ...     recv = np.empty(2)
    ...     group.alltoall(np.array([1.0, 2.0]), recv)
    ...     recv.tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        rank: int,
        size: int,
        *,
        allgather: Callable[[bytes], Sequence[bytes]],
        messages: Messages | None = None,
        node: str | None = None,
        timeout: float | None = None,
    ) -> None:
        if timeout is not None and not timeout > 0:
            raise ValueError(f"timeout is {timeout}, must be more than 0 seconds, or None")
        self._group = _group.Group(rank, size, allgather, messages, node, timeout or 0.0)
        self._timeout = timeout
        self._of_tensors: Any = None  # what rondo.torch has set up, which ends before the group

    @property
    def rank(self) -> int:
        """This process among those of the group."""
        return self._group.rank

    @property
    def size(self) -> int:
        """How many they are."""
        return self._group.size

    def alltoall(self, send: npt.NDArray[Any], recv: npt.NDArray[Any]) -> None:
        """Send a block to every rank and receive one from each, all of the same length. Collective.

        Parameters
        ----------
        send
            The array that this rank sends: a block for each rank, in their order.
        recv
            Where the blocks of all ranks are received, in their order. It must not overlap `send`.

        Raises
        ------
        TypeError
            If an array is not contiguous, or `recv` cannot be written.
        ValueError
            If the blocks are not all of one length on this rank.
        GroupError
            If the exchange fails, or the arguments of another rank are wrong.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> group = rondo.Group(0, 1, allgather=lambda own: [own])
        >>> recv = np.empty(3, int)
        >>> group.alltoall(np.array([1, 2, 3]), recv)
        >>> recv.tolist()
        [1, 2, 3]
        """
        self._group.alltoall(send, recv)

    def alltoallv(self, send: Blocks, recv: Blocks) -> None:
        """Exchange blocks of any lengths. Collective.

        Parameters
        ----------
        send
            What this rank sends: an array that equal blocks fill, [array, counts], or [array,
            (counts, displs)] if blocks do not follow each other. Counts and displacements are in
            elements.
        recv
            Where this rank receives, in the same form. It must not overlap `send`.

        Raises
        ------
        TypeError
            If an array is not contiguous, or `recv` cannot be written.
        ValueError
            If a block is outside its array on this rank.
        GroupError
            If the exchange fails, another rank sends another number of bytes than this one
            expects, or the arguments of another rank are wrong.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> group = rondo.Group(0, 1, allgather=lambda own: [own])
        >>> recv = np.zeros(3, int)
        >>> group.alltoallv([np.array([1, 2, 3]), [2]], [recv, ([2], [1])])
        >>> recv.tolist()
        [0, 1, 2]
        """
        self._group.alltoallv(send, recv)

    def alltoallv_dynamic(self, send: Blocks) -> Received:
        """Send blocks of any lengths and learn what arrives. Collective.

        Parameters
        ----------
        send
            What this rank sends, as in `alltoallv`. All ranks send elements of one type.

        Returns
        -------
        Received
            The elements in a new array, and how many of them came from each rank.

        Raises
        ------
        TypeError
            If the array is not contiguous.
        ValueError
            If a block is outside the array on this rank, or other ranks send elements of another
            size.
        GroupError
            If the exchange fails, or the arguments of another rank are wrong.

        Examples
        --------
        >>> import numpy as np
        >>> import rondo
        >>> group = rondo.Group(0, 1, allgather=lambda own: [own])
        >>> data, counts, displs = group.alltoallv_dynamic([np.array([1, 2, 3]), [2]])
        >>> data.tolist(), counts.tolist(), displs.tolist()
        ([1, 2], [2], [0])
        """
        data, counts, displs = self._group.alltoallv_dynamic(send)
        memory: Any = send[0] if isinstance(send, (list, tuple)) else send
        array = memory if isinstance(memory, np.ndarray) else np.asarray(memoryview(memory))
        return Received(data.view(array.dtype), counts, displs)

    def free(self) -> None:
        """Give the shared memory back. Local; an object that is not used any more does it too.

        After exchanges of tensors of GPUs it also ends the communicator of NCCL and frees the
        memory that it has there. Then it is collective, and nothing but this ends them. If another
        rank does not come within the timeout of the group, they stay, and a warning says so. They
        also stay if a graph has captured an exchange, or while an exception is handled.
        """
        try:
            if self._of_tensors is not None:
                self._of_tensors.end()
        finally:
            self._group.free()

    def __enter__(self) -> Group:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.free()
            return
        if self._of_tensors is not None:
            self._of_tensors.leave()  # the other ranks may never come
            self._of_tensors = None
        with suppress(GroupError):  # what was started may still use it
            self._group.free()
