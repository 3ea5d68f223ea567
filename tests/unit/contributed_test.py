#!/usr/bin/env python3
"""The algorithm that CONTRIBUTING.md adds as an example compiles, with its row in the registry."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from document_text import SOURCE, blocks  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("compile", nargs=argparse.REMAINDER, help="a compiler and its options")
    compiler = parser.parse_args().compile
    algorithm, row = blocks(SOURCE / "CONTRIBUTING.md", "cpp")
    with tempfile.TemporaryDirectory(prefix="rondo-contributed-") as name:
        table = Path(name) / "registry/algorithms.def"
        table.parent.mkdir()
        rows = (SOURCE / "src/registry/algorithms.def").read_text(encoding="utf-8")
        table.write_text(f"{rows}\n{row}", encoding="utf-8")
        source = Path(name) / "one_by_one.cpp"
        source.write_text(algorithm, encoding="utf-8")
        for file in (source, SOURCE / "src/registry/algorithm.cpp"):
            command = [*compiler, f"-I{name}", f"-I{SOURCE / 'src'}", "-fsyntax-only", str(file)]
            done = subprocess.run(command, check=False)
            if done.returncode != 0:
                sys.exit(f"{file.name} does not compile")


if __name__ == "__main__":
    main()
