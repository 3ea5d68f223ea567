"""Shared parts of the tests of tools/cluster."""

import contextlib
import itertools
import os
import subprocess
import sys
import unittest
from pathlib import Path

import calling
from calling import processes_with, wait_until  # noqa: F401

CLUSTER = Path(__file__).resolve().parents[2] / "tools" / "cluster"
FOLDER = Path("/run/rondo-cluster")
SECONDS = 120

# A name of its own, so that tests may run beside each other and beside clusters in use.
names = (f"test-{os.getpid()}-{i}" for i in itertools.count())


def main():
    """Run the tests of the calling file, or skip them if there can be no cluster."""
    check = cluster("check")
    if check.returncode == 2:
        print(f"skipped: {check.stderr.strip()}")
        sys.exit(calling.SKIPPED)
    unittest.main(verbosity=2)


def cluster(*words, **settings):
    """The finished process of tools/cluster with these words."""
    return calling.run(CLUSTER, *words, **{"timeout": SECONDS, **settings})


def start(*words, **settings):
    """The process of tools/cluster with these words."""
    settings = {"stdin": subprocess.DEVNULL, "text": True, **settings}
    return subprocess.Popen([str(word) for word in (CLUSTER, *words)], **settings)


def succeed(*words, **settings):
    """The output of tools/cluster, which must exit with 0."""
    result = cluster(*words, **settings)
    if result.returncode != 0:
        said = f"{result.stdout}{result.stderr}"
        raise AssertionError(f"cluster {words} exited with {result.returncode}:\n{said}")
    return result.stdout


@contextlib.contextmanager
def temporary(count, *options):
    """Yields the name of a cluster that exists meanwhile."""
    name = next(names)
    succeed("up", count, "--name", name, *options)
    try:
        yield name
    finally:
        succeed("down", "--name", name)


def in_node(name, node, *command):
    return succeed("exec", "--name", name, node, "--", *command)
