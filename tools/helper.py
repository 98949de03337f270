"""What the tests of the tools do alike."""

import contextlib
import io
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SHORT = bool(os.environ.get("JSQLAB_SHORT"))  # as go test -short: make test sets it, make test-long does not
long = unittest.skipIf(SHORT, "long")


def said(main, *args):
    """What a program's main(argv) returns, or its exit status if it leaves early, and its texts on stdout and stderr."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            status = main(list(map(str, args)))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), err.getvalue()


def folder(test):
    """A folder that is there until the test, or the class of tests, has ended."""
    made = tempfile.TemporaryDirectory()
    (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(made.cleanup)
    return Path(made.name)


def wait(what, condition):
    """Wait for a condition that comes without our doing."""
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"still waiting for {what}")
        time.sleep(0.05)


def default_signals():
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)


def start(command, **options):
    """Start a child that takes signals as in a terminal. A child inherits what its parent ignores, as in nohup make test &."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals, **options)
