#!/usr/bin/env python3
"""Compare the generated tables in Markdown files with what a program prints, or update them.

A generated table is between the lines `<!-- generated: SECTION -->` and `<!-- end -->`.
"""

import argparse
import difflib
import re
import subprocess
import sys
from pathlib import Path

SECTION = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def with_tables(program, text):
    """The text with its generated tables as they should be, and how many it has."""

    def generate(match):
        command = [program, match[2]]
        made = subprocess.run(command, text=True, stdout=subprocess.PIPE)
        if made.returncode != 0:
            sys.exit(f"{program} cannot make the table '{match[2]}'")
        return match[1] + "\n" + made.stdout + "\n" + match[4]

    return SECTION.subn(generate, text)


def check(document, old, new):
    """Fail, and show what differs, unless the document is as it should be."""
    if new == old:
        return
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "written", "generated", "", "", 0
    )
    print("\n".join(lines))
    sys.exit(f"{document}: a generated table is out of date; run `make tables`")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="path of rondo-tables, or of slower.py")
    parser.add_argument("documents", type=Path, nargs="+")
    parser.add_argument("--update", action="store_true", help="rewrite the documents")
    options = parser.parse_args()
    for document in options.documents:
        old = document.read_text()
        new, count = with_tables(options.program, old)
        if count == 0:
            sys.exit(f"{document} has no generated section")
        if options.update:
            document.write_text(new)
        else:
            check(document, old, new)
        print(f"{document.name}: {count} generated tables are up to date")


if __name__ == "__main__":
    main()
