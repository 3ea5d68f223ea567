#!/usr/bin/env python3
"""Tests of what the nodes of a cluster share, and of what they do not share."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
from support import cluster, in_node, start, succeed, temporary

KINDS = ("net", "uts", "ipc", "pid", "mnt")
NODES = ("node0", "node1", "node2")
BYTES = 4 << 20
RECEIVE = f"""import socket
listener = socket.create_server(("", 5000))
print("listening", flush=True)
connection = listener.accept()[0]
left = {BYTES}
while left:
    left -= len(connection.recv(1 << 16))
connection.sendall(b"x")"""
SEND = f"""import socket, time
start = time.monotonic()
connection = socket.create_connection(("node1", 5000))
connection.sendall(bytes({BYTES}))
connection.recv(1)
print(time.monotonic() - start)"""


def environment(text):
    return dict(line.split("=", 1) for line in text.splitlines())


class Isolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        context = temporary(len(NODES))
        cls.name = context.__enter__()
        cls.addClassCleanup(context.__exit__, None, None, None)

    def test_host_names(self):
        for node in NODES:
            self.assertEqual(in_node(self.name, node, "hostname").strip(), node)
        self.assertNotIn(os.uname().nodename, NODES)

    def test_namespaces_differ(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                # The mounts of process 1, because every command has its own.
                seen = {
                    in_node(self.name, node, "readlink", f"/proc/1/ns/{kind}").strip()
                    for node in NODES
                }
                seen.add(str(Path(f"/proc/self/ns/{kind}").readlink()))
                self.assertEqual(len(seen), 1 + len(NODES))

    def test_processes_are_of_the_node_alone(self):
        names = in_node(
            self.name, "node1", "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '; echo"
        )
        self.assertIn(f"keep {self.name} node1", names)
        self.assertNotIn("node0", names)

    def test_files(self):
        for folder in ("/dev/shm", "/tmp"):
            with self.subTest(folder=folder):
                name = f"rondo-{self.name}"
                in_node(self.name, "node0", "sh", "-c", f"echo hello > {folder}/{name}")
                self.assertEqual(in_node(self.name, "node0", "cat", f"{folder}/{name}"), "hello\n")
                self.assertNotIn(name, in_node(self.name, "node1", "ls", folder))
                self.assertFalse(Path(folder, name).exists())

    def test_files_of_the_host(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            self.assertNotIn(Path(folder).name, in_node(self.name, "node1", "ls", "/tmp"))

    def test_share(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            file = Path(folder) / "file"
            file.write_text("from the host\n")
            words = ["exec", "--name", self.name, "--share", file, "node1", "--"]
            self.assertEqual(succeed(*words, "cat", file), "from the host\n")
            succeed(*words, "sh", "-c", f"echo from the node > {file}")
            self.assertEqual(file.read_text(), "from the node\n")
            # Only for the command that asked for it.
            self.assertEqual(
                cluster("exec", "--name", self.name, "node1", "--", "cat", file).returncode, 1
            )
            # The working folder is shared without an option.
            self.assertEqual(succeed(*words, "cat", "file", cwd=folder), "from the node\n")

    def test_environment_is_that_of_a_login(self):
        caller = {**os.environ, "RONDO_SECRET": "1", "LD_LIBRARY_PATH": "/nowhere"}
        seen = environment(
            succeed("exec", "--name", self.name, "node1", "--", "/usr/bin/env", env=caller)
        )
        self.assertEqual(set(seen), {"HOME", "LOGNAME", "PATH", "PWD", "SHELL", "USER"})
        self.assertNotEqual(seen["PATH"], "")

    def test_nodes_reach_each_other_and_nothing_else(self):
        links = in_node(self.name, "node2", "ip", "-o", "link").splitlines()
        self.assertEqual([re.split("[ :@]+", line)[1] for line in links], ["lo", "eth0"])
        routes = in_node(self.name, "node2", "ip", "route").splitlines()
        self.assertEqual(len(routes), 1)
        self.assertNotIn("default", routes[0])
        self.assertGreater(self.transfer(self.name), 0)

    def test_exit_codes(self):
        words = ["exec", "--name", self.name, "node1", "--"]
        for script, code in (("true", 0), ("exit 7", 7), ("kill -9 $$", 137)):
            self.assertEqual(cluster(*words, "sh", "-c", script).returncode, code)
        missing = cluster(*words, "no-such-program")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("no-such-program", missing.stderr)
        self.assertEqual(cluster("exec", "--name", self.name, "node7", "--", "true").returncode, 2)

    def test_standard_streams(self):
        words = ["exec", "--name", self.name, "node1", "--", "sh", "-c", "cat; echo said >&2"]
        result = cluster(*words, said="given\n")
        self.assertEqual((result.stdout, result.stderr), ("given\n", "said\n"))

    def test_what_a_command_leaves_is_killed(self):
        mark = f"sleep 10{os.getpid()}"
        in_node(self.name, "node1", "sh", "-c", f"setsid {mark} & (exec setsid {mark}) & {mark} &")
        self.assertEqual(support.processes_with(mark.replace(" ", "\0")), {})

    def test_killed_client(self):
        mark = f"sleep 20{os.getpid()}"
        client = start(
            "exec", "--name", self.name, "node1", "--", "sh", "-c", f"setsid {mark} & {mark}"
        )
        there = mark.replace(" ", "\0")
        self.assertTrue(support.wait_until(lambda: len(support.processes_with(there)) == 2))
        client.kill()
        client.wait()
        self.assertTrue(support.wait_until(lambda: not support.processes_with(there)))

    def transfer(self, name):
        """Seconds for 4 MiB from node0 to node1."""
        words = ["exec", "--name", name, "node1", "--", "python3", "-c", RECEIVE]
        with start(*words, stdout=subprocess.PIPE) as receiver:
            self.assertEqual(receiver.stdout.readline(), "listening\n")
            seconds = float(in_node(name, "node0", "python3", "-c", SEND))
        self.assertEqual(receiver.returncode, 0)
        return seconds

    def test_rate(self):
        with temporary(2, "--rate", "100mbit") as name:
            seconds = self.transfer(name)
        self.assertGreater(seconds, 0.3)  # 0.336 s, less what the bucket lets pass at once
        self.assertLess(seconds, 60)  # at a thousandth of the rate it takes longer


if __name__ == "__main__":
    support.main()
