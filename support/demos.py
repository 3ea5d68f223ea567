"""What the demos share: starting programs and printing text that fits a terminal."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

WIDTH = 79
_INDENT = "    "
_CONTINUED = " \\"
_MPIRUN = Path(__file__).resolve().parent.parent / "tools" / "mpirun"


def make_parser(description: str, ranks: list[int]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument(
        "--build", type=Path, default=Path("build"), help="build tree (default: build)"
    )
    parser.add_argument(
        "--mpirun",
        type=shlex.split,
        default=[str(_MPIRUN)],
        help="command that starts ranks, with its options",
    )
    parser.add_argument(
        "--ranks",
        type=lambda text: [int(count) for count in text.split(",")],
        default=ranks,
        help=f"numbers of ranks (default: {','.join(map(str, ranks))})",
    )
    return parser


def run(command: list[str]) -> list[dict]:
    """The lines of JSON that the command prints. If it fails, the demo ends."""
    print_command(command)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"demo: the run ended with exit status {result.returncode}")
    # Launchers may print to the same stream.
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def say(text: str) -> None:
    print(textwrap.fill(text, WIDTH, break_on_hyphens=False))


def say_sharing(ranks: int) -> None:
    """Print a note if that many ranks share cores."""
    cores = os.cpu_count() or 1
    if ranks > cores:
        say(
            f"Runs of more than {cores} ranks share {cores} cores: they measure messages and "
            "switches."
        )


def print_command(words: list[str]) -> None:
    """Print the command as a shell takes it, with relative paths where they are shorter."""
    near = [min(word, os.path.relpath(word), key=len) if os.sep in word else word for word in words]
    room = WIDTH - len(_INDENT) - len(_CONTINUED)
    lines = [""]
    for word in map(shlex.quote, near):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    print("$ " + f"{_CONTINUED}\n{_INDENT}".join(lines), flush=True)
