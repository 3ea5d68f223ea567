#!/usr/bin/env python3
"""Add up ctest's JUnit files, and list tests that were skipped or failed with what they printed.

Of a skipped test that is the last line, its reason; of a failed one the last lines.

The last line is `N passed, N failed, N skipped`.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# A failed test is looked into from this output alone, perhaps on a machine that is gone.
FAILURE_LINES = 40


def said(case, otherwise):
    """The lines that a test printed."""
    return (case.findtext("system-out") or "").strip().splitlines() or [otherwise]


def outcome(case):
    """`passed`, `failed` or `skipped`, as also those that did not run."""
    if case.get("status") == "fail" or case.find("failure") is not None:
        return "failed"
    if case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
        return "skipped"
    return "passed"


def cases(path):
    return list(ElementTree.parse(path).getroot().iter("testcase"))


def skipped(path):
    """A line for every skipped test, with its reason."""
    for case in cases(path):
        if outcome(case) == "skipped":
            reason = said(case, "no reason given")[-1].removeprefix("skipped: ")
            yield f"skipped: {case.get('name')}: {reason}"


def failures(path):
    """The lines that show what failed tests printed."""
    for case in cases(path):
        if outcome(case) == "failed":
            yield f"failed: {case.get('name')}, the end of its output:"
            yield from said(case, "nothing")[-FAILURE_LINES:]


def count(path):
    """Passed, failed and skipped tests of one file."""
    found = [outcome(case) for case in cases(path)]
    return tuple(found.count(one) for one in ("passed", "failed", "skipped"))


def main():
    totals = (0, 0, 0)
    for name in sys.argv[1:]:
        for line in (*failures(name), *skipped(name)):
            print(line)
        numbers = count(name)
        print("{}: {} passed, {} failed, {} skipped".format(Path(name).stem, *numbers))
        totals = tuple(map(sum, zip(totals, numbers)))
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] > 0 or totals[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
