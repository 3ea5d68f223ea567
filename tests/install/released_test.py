#!/usr/bin/env python3
"""Every target of the Makefile that writes to dist is made and checked by `make check-packages`."""

import re
import sys
from pathlib import Path

import check_packages
from calling import Failures


def main():
    makefile = (Path(__file__).resolve().parents[2] / "Makefile").read_text(encoding="utf-8")
    released = set(re.findall(r"^([a-z-]+):.*## dist/", makefile, re.MULTILINE))
    made = set(re.findall(r"^check-packages: (.*) ##", makefile, re.MULTILINE)[0].split())
    failures = Failures()
    failures.expect(released, "no target of the Makefile writes to dist")
    for target in sorted(released):
        failures.expect(target in made, f"make check-packages does not make {target}")
        failures.expect(
            target in check_packages.CHECKS,
            f"tests/install/check_packages.py does not check {target}",
        )
    return failures.status()


if __name__ == "__main__":
    sys.exit(main())
