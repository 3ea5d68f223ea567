#!/usr/bin/env python3
"""Let the compiler read every C++ file of a build tree by itself, and write nothing.

check_syntax.py BUILD

The build tree needs to be configured, not built. Where it is built, a unity build may hide that a file does
not include what it uses.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
from pathlib import Path


def check(entry):
    """What the compiler says of a file that it refuses, or nothing."""
    done = subprocess.run(
        entry["command"] + " -fsyntax-only",
        shell=True,
        cwd=entry["directory"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout if done.returncode != 0 else None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    database = Path(sys.argv[1]) / "compile_commands.json"
    entries = json.loads(database.read_text(encoding="utf-8"))
    files = [entry for entry in entries if entry["file"].endswith((".cpp", ".cxx"))]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = list(filter(None, pool.map(check, files)))
    print(*faults, f"{len(files)} files, {len(faults)} refused", sep="\n")
    sys.exit(1 if faults or not files else 0)


if __name__ == "__main__":
    main()
