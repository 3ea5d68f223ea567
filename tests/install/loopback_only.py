"""Start the loopback device and become a command.

loopback_only.py COMMAND [ARGUMENT]...

For `unshare -n`: a new network has nothing else, and its loopback device does not run.
"""

import fcntl
import os
import socket
import struct
import sys

GET_FLAGS, SET_FLAGS = 0x8913, 0x8914  # SIOCGIFFLAGS and SIOCSIFFLAGS of Linux
IS_UP = 1

with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    device = fcntl.ioctl(any_socket, GET_FLAGS, struct.pack("16sh14x", b"lo", 0))
    (flags,) = struct.unpack_from("h", device, 16)
    fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | IS_UP))
os.execvp(sys.argv[1], sys.argv[1:])
