"""Chromium without a window, controlled by the DevTools protocol over a pipe."""

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# The pages are ours, and containers often have no sandbox.
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
OPTIONS += ["--remote-debugging-pipe", "--no-first-run"]
PATIENCE_S = 60
PHONE = {"width": 360, "height": 740, "is_phone": True}  # the arguments of Browser.open
# What the protocol calls the keys of the page, and what they type.
KEYS = {"ArrowLeft": "", "ArrowRight": "", "Home": "", "End": "", "Escape": "", "Space": " "}


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One tab; a context manager."""

    def __init__(self, program, profile):
        their_in, self._out = _pipe()
        self._in, their_out = _pipe()

        def set_up():  # the numbers that the protocol has
            os.dup2(their_in, 3)
            os.dup2(their_out, 4)

        self._process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={profile}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            close_fds=False,
            preexec_fn=set_up,
        )
        os.close(their_in)
        os.close(their_out)
        self._number = 0
        self._rest = b""
        self._session = None
        self._events = []
        try:
            self._attach()
        except BaseException:
            self.__exit__()
            raise

    def _attach(self):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.send("Page.enable")
        self.send("Runtime.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, RuntimeError):
            self.send("Browser.close")
        try:
            self._process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def send(self, method, **parameters):
        """Call a method of the protocol; its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            got = self._read()
            if got.get("id") != self._number:
                self._events.append(got)
            elif "error" in got:
                raise RuntimeError(f"{method}: {got['error']}")
            else:
                return got["result"]

    def _read(self):
        end = time.monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(end - time.monotonic(), 0))[0]:
                raise RuntimeError("the browser does not answer")
            got = os.read(self._in, 1 << 16)
            if not got:
                raise RuntimeError("the browser has ended")
            self._rest += got
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, url, width=1280, height=800, is_phone=False, **media):
        """`media` are features, as in prefers_color_scheme="dark"."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if is_phone else 1,
            mobile=is_phone,
        )
        features = [{"name": name.replace("_", "-"), "value": one} for name, one in media.items()]
        self.send("Emulation.setEmulatedMedia", features=features)
        self._events.clear()
        self.send("Page.navigate", url="about:blank")
        self._wait_for("Page.loadEventFired")
        self.send("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired")

    def _wait_for(self, method):
        while not any(one.get("method") == method for one in self._events):
            self._events.append(self._read())
        self._events = [one for one in self._events if one.get("method") != method]

    def failures(self):
        """What the page's script threw, since it was opened."""
        thrown = [one for one in self._events if one.get("method") == "Runtime.exceptionThrown"]
        return [one["params"]["exceptionDetails"] for one in thrown]

    def value(self, expression):
        """Of an expression of the page's script."""
        got = self.send("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def press(self, key):
        text = KEYS[key]
        pressed = {"code": key, "key": text or key}
        kind = "keyDown" if text else "rawKeyDown"
        more = {"text": text} if text else {}
        codes = {"windowsVirtualKeyCode": _CODES[key]}
        self.send("Input.dispatchKeyEvent", type=kind, **pressed, **more, **codes)
        self.send("Input.dispatchKeyEvent", type="keyUp", **pressed, **codes)

    def tap(self, selector):
        """Touch the middle of an element."""
        box = self.value(
            f"(() => {{ const b = document.querySelector({selector!r}).getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2] })()"
        )
        point = {"x": box[0], "y": box[1]}
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def names(self):
        """The roles and names of what assistive technology is told of."""
        nodes = self.send("Accessibility.getFullAXTree")["nodes"]
        shown = [one for one in nodes if not one.get("ignored")]
        return [(one["role"]["value"], one.get("name", {}).get("value", "")) for one in shown]

    def screenshot(self, path):
        got = self.send("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(got["data"]))


_CODES = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Escape": 27, "Space": 32}


def _pipe():
    """Its two ends, away from the numbers that the child takes."""
    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return moved
