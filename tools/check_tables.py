#!/usr/bin/env python3
"""Compare the generated tables in a Markdown file with what rondo-tables prints, or update them.

A generated table is between the lines `<!-- generated: SECTION -->` and `<!-- end -->`.
"""

import argparse
import difflib
import re
import subprocess
import sys
from pathlib import Path

SECTION = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="path of rondo-tables")
    parser.add_argument("document", type=Path)
    parser.add_argument("--update", action="store_true", help="rewrite the document")
    options = parser.parse_args()

    def generate(match):
        table = subprocess.run(
            [options.program, match[2]], check=True, text=True, stdout=subprocess.PIPE
        ).stdout
        return match[1] + "\n" + table + "\n" + match[4]

    old = options.document.read_text()
    new, count = SECTION.subn(generate, old)
    if count == 0:
        sys.exit(f"{options.document} has no generated section")
    if options.update:
        options.document.write_text(new)
        return
    if new != old:
        lines = difflib.unified_diff(
            old.splitlines(), new.splitlines(), "written", "generated", "", "", 0
        )
        print("\n".join(lines))
        sys.exit(f"{options.document}: a generated table is out of date; run `make tables`")
    print(f"{options.document.name}: {count} generated tables are up to date")


if __name__ == "__main__":
    main()
