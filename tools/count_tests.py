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


def count(path):
    """Passed, failed and skipped tests of one file; tests that did not run count as skipped."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") == "fail" or case.find("failure") is not None:
            failed += 1
            print(f"failed: {case.get('name')}, the end of its output:")
            print(*said(case, "nothing")[-FAILURE_LINES:], sep="\n")
        elif case.get("status") in ("notrun", "disabled") or case.find("skipped") is not None:
            skipped += 1
            reason = said(case, "no reason given")[-1].removeprefix("skipped: ")
            print(f"skipped: {case.get('name')}: {reason}")
        else:
            passed += 1
    return passed, failed, skipped


def main():
    totals = (0, 0, 0)
    for name in sys.argv[1:]:
        numbers = count(name)
        print("{}: {} passed, {} failed, {} skipped".format(Path(name).stem, *numbers))
        totals = tuple(map(sum, zip(totals, numbers)))
    print("{} passed, {} failed, {} skipped".format(*totals))
    return 1 if totals[1] > 0 or totals[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
