#!/usr/bin/env python3
"""The functions that a library exports are exactly those that its header declares, each with the
version that the linker's map gives it, and no version is newer than the header's own. Nothing of
the library is gone before MPI_Finalize.

symbols_test.py --library FILE --header FILE --map FILE --compiler CC
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

from calling import SKIPPED, succeed

DECLARED = re.compile(r'visibility\("default"\)\)\)\s[^;{]*?\b(Rondo_\w+)\s*\(')
EXPORTED = re.compile(r"^[0-9a-f]+ ([A-Z]) (\S+)$", re.M)
NODE = re.compile(r"^(RONDO_[\d.]+) \{(.*?)^\}", re.M | re.S)
NUMBER = re.compile(r"^#define RONDO_VERSION_(?:MAJOR|MINOR) (\d+)$", re.M)


def declared(header, compiler):
    """What the header declares for this MPI: some functions are there from MPI 4 on."""
    include = header.parent.parent
    return set(DECLARED.findall(succeed(compiler, "-E", "-P", "-x", "c", f"-I{include}", header)))


def exported(library):
    """Names as nm has them, NAME@@VERSION. The versions themselves are absolute symbols."""
    said = succeed("nm", "-D", "--defined-only", "--with-symbol-versions", library)
    return {name for kind, name in EXPORTED.findall(said) if kind != "A"}


def versions(linker_map):
    """The version of every name. A wildcard would give a new function an old version."""
    found = {}
    for version, text in NODE.findall(linker_map.read_text(encoding="utf-8")):
        for name in re.findall(r"^\s*(\S+);$", text.partition("local:")[0], re.M):
            if "*" in name or name in found:
                sys.exit(f"{linker_map}: {name} must be one name, and have one version")
            found[name] = version
    return found


def is_no_newer(version, header):
    """Whether RONDO_1.0 is at most the version of the header, and of the same series."""
    major, minor = (int(number) for number in version.partition("_")[2].split("."))
    own_major, own_minor = (int(number) for number in NUMBER.findall(header.read_text()))
    return major == own_major and minor <= own_minor


def what_goes_too_soon(library):
    """MPI has addresses of the library until MPI_Finalize, which a program may call at its exit."""
    if "NODELETE" not in succeed("readelf", "-d", "-W", library):
        yield "can be unloaded"
    if re.search(r"\b__cxa_atexit\b", succeed("nm", "-D", "--undefined-only", library)):
        yield "has objects that are destroyed at exit"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("library", "header", "map"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--compiler", required=True)
    options = parser.parse_args()
    if not shutil.which("nm"):
        print("nm is not here (Debian: binutils)")
        sys.exit(SKIPPED)
    names = declared(options.header, options.compiler)
    if not names:
        sys.exit(f"{options.header} declares nothing")
    of = versions(options.map)
    without = sorted(names - of.keys())
    if without:
        sys.exit(f"{options.map} has no version for {', '.join(without)}")
    too_new = sorted(set(filter(lambda one: not is_no_newer(one, options.header), of.values())))
    if too_new:
        sys.exit(f"{options.map} has {', '.join(too_new)}, which {options.header} is not")
    wanted = {f"{name}@@{of[name]}" for name in names}
    found = exported(options.library)
    for what, difference in (("lacks", wanted - found), ("must not have", found - wanted)):
        if difference:
            print(f"{options.library} {what}: {', '.join(sorted(difference))}")
    faults = list(what_goes_too_soon(options.library))
    for fault in faults:
        print(f"{options.library} {fault}")
    print(f"{len(wanted & found)} functions are exported as declared")
    sys.exit(wanted != found or bool(faults))


if __name__ == "__main__":
    main()
