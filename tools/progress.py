"""One line that moves, as in `tests: 34 of 143, mpi_sparse_n3 runs, about 3 min left`.

Where there is no terminal, plain lines. It is never silent for longer than QUIET seconds.
"""

import sys
import threading
import time

QUIET = 8
# Until a step has run for a while, what was expected counts for more than what has been seen.
BELIEVED_SECONDS = 15


def about(seconds):
    if seconds < 55:
        return f"{max(5, round(seconds / 5) * 5)} s"
    return f"{round(seconds / 60)} min"


class Progress:
    """Steps, with the seconds that each is expected to take; what has passed corrects them."""

    def __init__(self, steps):
        self.names = steps
        self.expected = dict.fromkeys(steps, 0)
        self.step = None
        self.text = ""
        self.done = 0.0  # of the step's expected seconds
        self.terminal = sys.stdout.isatty()
        self.lock = threading.RLock()
        self.shown_at = time.monotonic()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.keep_showing, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.clear()

    def begin(self, step, seconds=None):
        """A step begins; what it is expected to take may be known better by now."""
        with self.lock:
            self.step, self.text, self.done = step, "", 0.0
            self.began = time.monotonic()
            if seconds is not None:
                self.expected[step] = seconds

    def at(self, text, done):
        """So many of the step's expected seconds are done."""
        with self.lock:
            self.text, self.done = text, done
            if self.terminal:
                self.show()

    def seconds_left(self):
        passed = time.monotonic() - self.began
        slower = (passed + BELIEVED_SECONDS) / (self.done + BELIEVED_SECONDS)
        later = self.names[self.names.index(self.step) + 1 :]
        left = max(0.0, self.expected[self.step] - self.done)
        return slower * left + sum(self.expected[name] for name in later)

    def say(self, text):
        """A line of its own, above the one that moves."""
        with self.lock:
            self.clear()
            print(text, flush=True)
            self.shown_at = time.monotonic()

    def clear(self):
        if self.terminal:
            print("\r\033[K", end="", flush=True)

    def show(self):
        with self.lock:
            if self.step is None:
                return
            line = f"{self.step}: {self.text or 'begins'}"
            if self.expected[self.step]:
                line += f", about {about(self.seconds_left())} left"
            print(
                f"\r\033[K{line[:79]}" if self.terminal else line,
                end="" if self.terminal else "\n",
                flush=True,
            )
            self.shown_at = time.monotonic()

    def keep_showing(self):
        while not self.ended.wait(1):
            if self.terminal or time.monotonic() - self.shown_at >= QUIET:
                self.show()
