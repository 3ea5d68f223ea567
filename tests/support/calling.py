"""How the tests of programs are called: test_NAME.py --PROGRAM FILE... --mpirun COMMAND..."""

import argparse
import sys
import unittest


def main(description, holder, *programs):
    """Run the tests of the caller's module; `holder` gets what was given as its attributes."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    for program in programs:
        parser.add_argument(f"--{program}", required=True)
    parser.add_argument(
        "--mpirun",
        required=True,
        nargs=argparse.REMAINDER,
        help="the command that starts ranks, with its options; comes last",
    )
    for name, value in vars(parser.parse_args()).items():
        setattr(holder, name, value)
    unittest.main(argv=sys.argv[:1], verbosity=2)
