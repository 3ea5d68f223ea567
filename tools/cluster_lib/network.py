"""Nodes, their links and the bridge between them.

The bridge is in a network namespace of its own: the host never sees the cluster's links, and no
traffic can leave. Namespaces are held by processes. Named ones (`ip netns`) would leave a mount
behind; held by processes, they vanish with them.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

from . import remote
from .errors import UNUSABLE, ClusterError
from .requirements import UNSHARE_NODE

PROGRAM = Path(__file__).resolve().parent.parent / "cluster"
LARGEST = 200
SECONDS_TO_START = 30
UNITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}


def check_rate(rate):
    """The rate in bits per second."""
    match = re.fullmatch(r"([0-9]+)([kmg]?bit)", rate.lower())
    if not match or int(match[1]) == 0:
        raise ClusterError(
            f"the rate {rate!r} must be written as in 500kbit, 100mbit or 1gbit", UNUSABLE
        )
    return int(match[1]) * UNITS[match[2]]


def build(cluster, count, rate):
    """Create the nodes and connect them."""
    names = [f"node{i}" for i in range(count)]
    hosts = [
        "127.0.0.1 localhost\n",
        *(f"{cluster.address(i)} {name}\n" for i, name in enumerate(names)),
    ]
    (cluster.path / "hosts").write_text("".join(hosts))
    bridge = start_keeper(cluster, "bridge", ["unshare", "--net", "sleep", "infinity"])
    nodes = [
        start_keeper(
            cluster,
            name,
            [*UNSHARE_NODE, sys.executable, "-B", PROGRAM, "keep", cluster.name, name],
        )
        for name in names
    ]
    for name, node in zip(names, nodes):
        wait_for_keeper(cluster, name, node)
    wait_for_namespace(bridge)
    wire(cluster, bridge.pid, [node.pid for node in nodes])
    if rate:
        limit(bridge.pid, [node.pid for node in nodes], check_rate(rate))
    cluster.finish(count)


def start_keeper(cluster, node, command):
    """Start a process that stays, and record its process id.

    The process waits for a line before it does anything. If `up` is killed before the process id is
    recorded, the line never comes and the process ends.
    """
    with cluster.log(node).open("w", encoding="utf-8") as log:
        process = subprocess.Popen(
            ["sh", "-c", 'read -r _ && exec "$@" </dev/null', "sh", *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            cwd="/",
            env=remote.login_environment(),
            start_new_session=True,
        )
    cluster.record(node, process.pid)
    with process.stdin as word:
        word.write(b"go\n")
    return process


def wait_until(condition, process, failure):
    deadline = time.monotonic() + SECONDS_TO_START
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            raise ClusterError(f"{failure}: {reason_of(process)}")
        time.sleep(0.01)


def reason_of(process):
    return "it ended" if process.poll() is not None else f"no answer in {SECONDS_TO_START} s"


def wait_for_keeper(cluster, name, process):
    """Wait until the node accepts commands."""

    def answers():
        try:
            remote.connect(cluster, name).close()
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    try:
        wait_until(answers, process, f"{name} did not start")
    except ClusterError as error:
        raise ClusterError(f"{error} {cluster.log(name).read_text()}".strip()) from None


def wait_for_namespace(process):
    own = Path("/proc/self/ns/net").readlink()

    def has_its_own():
        try:
            return Path(f"/proc/{process.pid}/ns/net").readlink() != own
        except OSError:
            return False

    wait_until(has_its_own, process, "the bridge did not start")


def configure(pid, tool, lines):
    """Run these lines by ip or tc in the network namespace of a process."""
    command = ["nsenter", "--target", str(pid), "--net", tool, "-batch", "-"]
    result = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise ClusterError(f"{tool} failed: {' '.join(result.stderr.split())}")


def wire(cluster, bridge, nodes):
    lines = ["link add bridge type bridge", "link set bridge up"]
    for i, node in enumerate(nodes):
        lines += [
            f"link add link{i} type veth peer name eth0 netns {node}",
            f"link set link{i} master bridge up",
        ]
    configure(bridge, "ip", lines)
    for i, node in enumerate(nodes):
        configure(
            node,
            "ip",
            ["link set lo up", f"address add {cluster.address(i)}/24 dev eth0", "link set eth0 up"],
        )


def limit(bridge, nodes, rate):
    """Limit the rate at which each node sends and receives."""
    # The bucket holds one millisecond, but at least the largest packets handed to a link, 64 KiB.
    burst = max(64 * 1024, rate // 8 // 1000)
    bucket = f"root tbf rate {rate}bit burst {burst} latency 50ms"
    configure(bridge, "tc", [f"qdisc add dev link{i} {bucket}" for i in range(len(nodes))])
    for node in nodes:
        configure(node, "tc", [f"qdisc add dev eth0 {bucket}"])
