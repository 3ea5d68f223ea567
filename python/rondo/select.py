"""What `auto` runs, and why: the library's own decision.

>>> decided = Decisions([16] * 4)               # 64 ranks on 4 nodes, nothing measured
>>> decided.measured, decided.band("alltoallv", bytes=512).algorithm.partition(":")[0]
(False, 'node_aware')
>>> [band.up_to for band in decided.of("alltoall")][-1] is None
True
"""

from rondo._core import (
    Band,
    Decision,
    Decisions,
    Measured,
    Profile,
    Signature,
    parse_profile,
    signature_here,
)

__all__ = [
    "Band",
    "Decision",
    "Decisions",
    "Measured",
    "Profile",
    "Signature",
    "parse_profile",
    "signature_here",
]
