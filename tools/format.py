#!/usr/bin/env python3
"""Format all sources with clang-format and ruff. With --check only list those that differ.

Both tools must be installed. Debian has clang-format, PyPI has both (pip install clang-format
ruff).
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
ROOMS = (
    "apps",
    "bench",
    "examples",
    "fortran",
    "include",
    "python",
    "src",
    "support",
    "tests",
    "tools",
)
C_SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".cu", ".cuh"}


def files(suffixes):
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit with 1 if a file differs"
    )
    options = parser.parse_args()

    clang_format = ["clang-format", *(["--dry-run", "--Werror"] if options.check else ["-i"])]
    ruff_format = ["ruff", "format", "--quiet", *(["--check"] if options.check else [])]
    ruff_check = ["ruff", "check", "--quiet", *([] if options.check else ["--fix"])]
    python_files = list(files({".py"}))
    failed = False
    for command, sources in (
        (clang_format, list(files(C_SUFFIXES))),
        (ruff_format, python_files),
        (ruff_check, python_files),
    ):
        if not shutil.which(command[0]):
            sys.exit(f"format: {command[0]} is needed but not installed")
        failed |= subprocess.run([*command, *sources], cwd=SOURCE, check=False).returncode != 0
    sys.exit("format: run `make format`" if failed else 0)


if __name__ == "__main__":
    main()
