"""What tools/cluster needs from the machine."""

import os
import shutil
import subprocess

from .errors import UNUSABLE, ClusterError

PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "mount": "mount",
    "nsenter": "util-linux",
    "unshare": "util-linux",
}

# Everything that `up` does, in namespaces that vanish with the command.
PROBE = """mount -n -t tmpfs probe /tmp &&
ip link add probe0 type bridge &&
ip link add probe1 type veth peer name probe2 &&
tc qdisc add dev probe1 root tbf rate 1gbit burst 64kb latency 50ms"""
KINDS = ["--net", "--uts", "--ipc", "--mount", "--pid"]
UNSHARE_NODE = ["unshare", *KINDS, "--fork", "--kill-child", "--mount-proc"]


def check_tools():
    """Raise an error that names what is missing if this is not root or a tool is missing."""
    if os.geteuid() != 0:
        raise ClusterError("namespaces and links need root; run it as root or with sudo", UNUSABLE)
    missing = [tool for tool in PACKAGES if not shutil.which(tool)]
    if missing:
        packages = " ".join(sorted({PACKAGES[tool] for tool in missing}))
        message = f"{', '.join(missing)} not found; install with: apt install {packages}"
        raise ClusterError(message, UNUSABLE)


def check_machine():
    """Raise an error that names what is missing unless this machine can run a cluster."""
    check_tools()
    probe = subprocess.run(
        [*UNSHARE_NODE, "sh", "-c", PROBE],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if probe.returncode != 0:
        reason = " ".join(probe.stderr.split()) or f"status {probe.returncode}"
        message = f"namespaces, a bridge, veth or tbf are not available here: {reason}"
        raise ClusterError(message, UNUSABLE)
