"""What came of each row: passed, failed or skipped, and what the whole script says of them."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
STATUS_FAILED = 1
STATUS_SKIPPED = 77  # as for ctest: nothing could be run


class Skip(Exception):
    """Cannot be run here; the text says why."""


class Failure(Exception):
    """Did not run as it should; the text says what was wrong and ends with its output."""


@dataclass(frozen=True)
class Row:
    """One program under one MPI. `check` runs it and returns a line on what Rondo carried out."""

    name: str
    check: Callable[[], str]


@dataclass
class Results:
    counts: Counter = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)

    def run(self, row: Row) -> str:
        """Run a row, and say at once what came of it."""
        began = time.monotonic()
        outcome, text = _outcome(row)
        self.counts[outcome] += 1
        if outcome == FAILED:
            self.failed.append(row.name)
        print(f"{outcome}  {row.name}: {text} [{time.monotonic() - began:.1f} s]", flush=True)
        return outcome

    def summary(self) -> str:
        lines = [f"failed: {name}" for name in self.failed]
        totals = ", ".join(f"{self.counts[one]} {one}" for one in (PASSED, FAILED, SKIPPED))
        return "\n".join([*lines, totals])

    def status(self) -> int:
        if self.counts[FAILED]:
            return STATUS_FAILED
        return 0 if self.counts[PASSED] else STATUS_SKIPPED


def _outcome(row: Row) -> tuple[str, str]:
    try:
        return PASSED, row.check()
    except Skip as reason:
        return SKIPPED, str(reason)
    except (Failure, OSError) as error:
        return FAILED, str(error)
