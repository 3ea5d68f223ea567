"""Cases that several ranks run together."""

import traceback

CASES = []


def case(function):
    CASES.append(function)
    return function


def run_on(rank, size, end_all):
    """Run all cases. The first one that is wrong on any rank ends all ranks."""
    for one in CASES:
        try:
            one()
        except Exception:
            print(f"rank {rank} of {size}: {one.__name__}\n{traceback.format_exc()}", flush=True)
            end_all()
    if rank == 0:
        print(f"{len(CASES)} cases right on {size} ranks")


def require_raised(kind, sentence, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        assert sentence in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}: {sentence}")
