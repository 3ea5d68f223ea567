"""What the MPI tests have in common: who this rank is, blocks whose content is known, the cases.

Element k of the block from rank s to rank d is s * 10000 + d * 100 + k, so what must arrive is
known without any exchange.
"""

import cases
import numpy as np
from cases import case, require_raised  # noqa: F401
from mpi4py import MPI

import rondo

COMM = MPI.COMM_WORLD
P, ME = COMM.Get_size(), COMM.Get_rank()
RANKS = np.arange(P)


def run_cases():
    """Run all cases. The job is ended at the first one that is wrong on any rank."""
    cases.run_on(ME, P, lambda: COMM.Abort(1))  # the other ranks may wait for this one


def block(source, destination, length, dtype):
    return (source * 10000 + destination * 100 + np.arange(length)).astype(dtype)


def blocks_sent(lengths, dtype):
    return [block(ME, rank, length, dtype) for rank, length in zip(RANKS, lengths)]


def blocks_due(lengths, dtype):
    return [block(rank, ME, length, dtype) for rank, length in zip(RANKS, lengths)]


def joined(blocks, gap=0):
    """The blocks in one array, `gap` zeros before each, and where they begin."""
    space = np.zeros(gap, blocks[0].dtype)
    starts = np.cumsum([0] + [len(one) + gap for one in blocks])[:-1] + gap
    return np.concatenate([part for one in blocks for part in (space, one)]), starts.tolist()


def buffers(lengths, dtype, gap=0):
    """To send, to receive in, what must arrive there, and where the blocks begin, alike in both."""
    send, starts = joined(blocks_sent(lengths, dtype), gap)
    due, _ = joined(blocks_due(lengths, dtype), gap)
    return send, np.zeros_like(send), due, starts


class OnlyDlpack:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def require_equal(found, expected):
    np.testing.assert_array_equal(found, expected)


def require_error(error_class, sentence, call, *arguments):
    try:
        call(*arguments)
    except MPI.Exception as error:
        assert isinstance(error, rondo.Error), repr(error)
        assert error.Get_error_class() == error_class, error
        assert sentence in str(error), error
        assert str(error).count(MPI.Get_error_string(error_class)) <= 1, error
    else:
        raise AssertionError(f"no error: {sentence}")


def lengths_sent():
    return ((ME + RANKS) % 3).tolist()
