"""How fast this machine compiles at the moment, from a few seconds of compiling."""

import os
import subprocess
import time

HEADERS = "algorithm functional iostream map regex string vector".split()
# What COMPILERS of them took on the machine of docs/results.md, with nothing else running.
SECONDS = 1.0
COMPILERS = 2


def slowness(jobs):
    """How many times as long as there a process takes here, if `jobs` run at a time."""
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-c", "-o", os.devnull]
    included = [word for name in HEADERS for word in ("-include", name)]
    command = [*compiler, *included, "-x", "c++", os.devnull]
    began = time.monotonic()
    try:
        running = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(jobs)]
    except OSError:
        return 1
    if any([one.wait() != 0 for one in running]):  # all have ended
        return 1
    return (time.monotonic() - began) / SECONDS
