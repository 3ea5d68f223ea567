"""Programs on a terminal of their own."""

import os
import pty
import select
import signal
import time


def at_a_terminal(command, variables, typed="", until=None):
    """What a command shows on its own terminal, until it ends, has shown a text or hangs."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(str(command[0]), list(map(str, command)), {**os.environ, **variables})
    os.write(terminal, typed.encode())
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (
        until is None or until not in shown.decode(errors="replace")
    ):
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 65536)
            except OSError:  # the command has ended
                break
    else:
        os.kill(child, signal.SIGTERM)
    os.close(terminal)
    os.waitpid(child, 0)
    return shown.decode(errors="replace")
