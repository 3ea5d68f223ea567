#!/usr/bin/env python3
"""The functions that a library exports are exactly those that its header declares, with a version.

symbols_test.py --library FILE --header FILE --version NAME --compiler CC
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from calling import SKIPPED, succeed

DECLARED = re.compile(r'visibility\("default"\)\)\)\s[^;{]*?\b(Rondo_\w+)\s*\(')
EXPORTED = re.compile(r"^[0-9a-f]+ ([A-Z]) (\S+)$", re.M)


def declared(header, compiler):
    """What the header declares for this MPI: some functions are there from MPI 4 on."""
    include = header.parent.parent
    return set(DECLARED.findall(succeed(compiler, "-E", "-P", "-x", "c", f"-I{include}", header)))


def exported(library):
    """Names as nm has them, NAME@@VERSION. The versions themselves are absolute symbols."""
    said = succeed("nm", "-D", "--defined-only", "--with-symbol-versions", library)
    return {name for kind, name in EXPORTED.findall(said) if kind != "A"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("library", "header"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("version", "compiler"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    if not shutil.which("nm"):
        print("nm is not here (Debian: binutils)")
        sys.exit(SKIPPED)
    names = declared(options.header, options.compiler)
    if not names:
        sys.exit(f"{options.header} declares nothing")
    wanted = {f"{name}@@{options.version}" for name in names}
    found = exported(options.library)
    for what, difference in (("lacks", wanted - found), ("must not have", found - wanted)):
        if difference:
            print(f"{options.library} {what}: {', '.join(sorted(difference))}")
    print(f"{len(wanted & found)} functions are exported as declared")
    sys.exit(wanted != found)


if __name__ == "__main__":
    main()
