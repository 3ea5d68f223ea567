"""What arrives in an exchange whose receivers do not know the lengths."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Received"]


class Received(NamedTuple):
    """What has arrived: the block from rank q is data[displs[q] : displs[q] + counts[q]].

    Examples
    --------
    >>> import numpy as np
    >>> one = Received(np.array([7, 8, 9]), np.array([1, 2]), np.array([0, 1]))
    >>> one.data[one.displs[1] : one.displs[1] + one.counts[1]].tolist()  # from rank 1
    [8, 9]
    """

    data: npt.NDArray[Any]
    counts: npt.NDArray[np.int64]
    displs: npt.NDArray[np.int64]
