#!/usr/bin/env python3
"""Make the manual page and the shell completions of a program from what its --help prints.

    tools/pages/build.py PROGRAM --output FOLDER

The files are put below FOLDER/share, where cmake --install finds them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import completion
import help_text
import manual

# Where each file is, relative to the prefix of an installation.
PLACES = {
    "share/man/man1/{}.1": manual.page,
    "share/bash-completion/completions/{}": completion.bash,
    "share/zsh/site-functions/_{}": completion.zsh,
    "share/fish/vendor_completions.d/{}.fish": completion.fish,
}


def said(program: Path, option: str) -> str:
    return subprocess.run(
        [str(program), option], check=True, stdout=subprocess.PIPE, text=True, timeout=60
    ).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path, help="the program, which is called with --help")
    parser.add_argument("--output", type=Path, required=True, help="the folder to write to")
    options = parser.parse_args()
    try:
        version = said(options.program, "--version").split()[-1]
        program = help_text.read(said(options.program, "--help"), version)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        sys.exit(f"pages: {options.program}: {error}")
    for place, make in PLACES.items():
        path = options.output / place.format(program.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(program), encoding="utf-8")


if __name__ == "__main__":
    main()
