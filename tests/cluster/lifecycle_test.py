#!/usr/bin/env python3
"""Tests of tools/cluster up and down: what exists in between, and that nothing is left."""

import contextlib
import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
from calling import run
from support import CLUSTER, FOLDER, cluster, in_node, start, succeed, temporary

# `down --all` would take down clusters in use, so this test hides them.
DOWN_ALL = """mount -n -t tmpfs none /run &&
"$0" up 1 --name a && "$0" up 1 --name b && "$0" down --all &&
test -z "$(ls /run)" && "$0" down --all"""


def output_of(*command):
    return subprocess.check_output(command, text=True)


def traces():
    """All that a cluster could leave on the host, except processes and other clusters."""
    return {
        "namespaces": output_of("ip", "netns", "list"),
        "links": output_of("ip", "-o", "link"),
        "routes": output_of("ip", "route"),
        "mounts": sorted(Path("/proc/self/mounts").read_text().splitlines()),
        "run": {path.name for path in Path("/run").iterdir()} - {FOLDER.name},
    }


def network_namespaces():
    """Of all processes."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            found[int(folder.name)] = str((folder / "ns/net").readlink())
    return found


def of_keepers(name):
    """The network namespaces of a cluster's keepers."""
    pids = [int(file.read_text().split()[0]) for file in (FOLDER / name).glob("*.keeper")]
    everywhere = network_namespaces()
    return {everywhere[pid] for pid in pids}


class Lifecycle(unittest.TestCase):
    def assert_nothing_left(self, name, namespaces=frozenset()):
        self.assertFalse((FOLDER / name).exists())
        self.assertTrue(
            support.wait_until(lambda: not support.processes_with(f"\0keep\0{name}\0"), 2)
        )
        left = [pid for pid, namespace in network_namespaces().items() if namespace in namespaces]
        self.assertEqual(left, [])

    def test_nothing_is_left(self):
        before = traces()
        with temporary(3, "--rate", "1gbit") as name:
            self.assertEqual(traces(), before)
            namespaces = of_keepers(name)
            self.assertEqual(len(namespaces), 4)  # the bridge's as well
            # Processes that still run are ended too.
            script = "setsid sleep 1000 & echo started; sleep 1000"
            words = ["exec", "--name", name, "node1", "--", "sh", "-c", script]
            left = start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(left.stdout.readline(), "started\n")
        self.assertIn("taken down", left.communicate(timeout=60)[1])
        self.assertEqual(left.returncode, 1)
        self.assert_nothing_left(name, namespaces)
        self.assertEqual(traces(), before)

    def test_two_coexist(self):
        with temporary(2) as first:
            with temporary(2) as second:
                self.assertNotEqual(self.network(first), self.network(second))
                for name in (first, second):
                    self.assertEqual(in_node(name, "node0", "hostname").strip(), "node0")
                in_node(first, "node0", "touch", "/dev/shm/mine")
                self.assertEqual(in_node(second, "node0", "ls", "/dev/shm"), "")
            self.assertEqual(in_node(first, "node0", "ls", "/dev/shm").strip(), "mine")

    def network(self, name):
        """The first three bytes of node1's address."""
        line = in_node(name, "node1", "ip", "-o", "-4", "address", "show", "eth0")
        return line.split()[3].rsplit(".", 1)[0]

    def test_up_twice(self):
        with temporary(1) as name:
            again = cluster("up", 2, "--name", name)
            self.assertEqual(again.returncode, 1)
            self.assertIn(f"cluster {name} is already up", again.stderr)
            self.assertEqual(in_node(name, "node0", "hostname").strip(), "node0")

    def test_what_is_not_up(self):
        for words in (["down"], ["run", "--ranks-per-node", "1"], ["exec", "node0"]):
            tail = [] if words == ["down"] else ["--", "true"]
            result = cluster(words[0], "--name", "test-none", *words[1:], *tail)
            self.assertEqual(result.returncode, 1)
            self.assertIn("there is no cluster test-none", result.stderr)

    def test_half_failed_up(self):
        name = next(support.names)
        before = traces()
        with tempfile.TemporaryDirectory() as folder:
            broken = Path(folder) / "nsenter"
            broken.write_text("#!/bin/sh\necho no network today >&2\nexit 1\n")
            broken.chmod(0o755)
            environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
            result = cluster("up", 2, "--name", name, env=environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no network today", result.stderr)
        self.assert_nothing_left(name)
        self.assertEqual(traces(), before)

    def test_up_ended_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            name = next(support.names)
            process = start("up", 40, "--name", name, stdout=subprocess.PIPE)
            self.assertTrue(support.wait_until((FOLDER / name / "node3.keeper").exists))
            process.send_signal(number)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assert_nothing_left(name)

    def test_up_killed(self):
        name = next(support.names)
        process = start("up", 40, "--name", name, stdout=subprocess.PIPE)
        self.assertTrue(support.wait_until((FOLDER / name / "node3.keeper").exists))
        process.kill()
        process.communicate(timeout=60)
        result = cluster("exec", "--name", name, "node0", "--", "true")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is incomplete", result.stderr)
        succeed("down", "--name", name)
        self.assert_nothing_left(name)

    def test_lost_node(self):
        with temporary(2) as name:
            keeper = (FOLDER / name / "node1.keeper").read_text().split()[0]
            os.kill(int(keeper), signal.SIGKILL)
            self.assertTrue(
                support.wait_until(lambda: not support.processes_with(f"\0keep\0{name}\0node1\0"))
            )
            result = cluster("run", "--name", name, "--ranks-per-node", 1, "--", "true")
            self.assertIn("is incomplete", result.stderr)

    def test_down_all(self):
        result = run("unshare", "--mount", "sh", "-c", DOWN_ALL, CLUSTER)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    support.main()
