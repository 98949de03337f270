"""What the programs of this repository do alike: how they read arguments, how they end, and how they write files.

Exit status: 0 done, 1 the work failed, 2 unusable arguments, 130 interrupted. All but the first come with one line on stderr.
"""

import argparse
import asyncio
import contextlib
import functools
import os
import re
import signal
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Failed(Exception):
    """The work failed: one line that says why."""

    status = 1


class Unusable(Failed):
    """The work cannot begin: one line that says what is wrong or missing."""

    status = 2


class Parser(argparse.ArgumentParser):
    """A parser without abbreviations, which says what is wrong in one line."""

    def __init__(self, **options):
        super().__init__(allow_abbrev=False, **options)

    def error(self, message):
        self.exit(2, f"jsqlab: {message}\n")


def number(kind, want, least):
    """A type of argument: a plain decimal number of this kind, least or more. Python itself takes 1_0, nan, inf and other digits, too."""

    def read(text):
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.ASCII | re.IGNORECASE):
            with contextlib.suppress(ValueError):
                if least <= kind(text) < float("inf"):
                    return kind(text)
        raise argparse.ArgumentTypeError(f"got {text}, want {want}")

    return read


seconds = number(float, "a finite number above 0", 5e-324)
count = number(int, "a whole number above 0", 1)
whole = number(int, "a whole number, 0 or more", 0)


def folder(text):
    """A type of argument: a folder to write to, made if it is not there."""
    try:
        Path(text).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=text).close()
    except OSError as err:
        raise argparse.ArgumentTypeError(f"got {text}, want a folder: {err.strerror}") from err
    return Path(text)


def write(path, text):
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def ends(then=""):
    """Make a function main(argv) return its exit status, also where it raises; then is what an interrupted program says more."""

    def decorate(main):
        @functools.wraps(main)
        def ended(argv):
            try:
                return main(argv)
            except (KeyboardInterrupt, asyncio.CancelledError):
                why, status = f"interrupted{then}", 130
            except (Failed, OSError) as err:
                why, status = err, getattr(err, "status", 1)
            print(f"jsqlab: {why}", file=sys.stderr)
            return status

        return ended

    return decorate


def start(main):
    """Run main as the program. It is stopped by a signal as by Ctrl-C, if the signal is not ignored, as nohup ignores one."""
    for signum in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(signum) != signal.SIG_IGN:
            signal.signal(signum, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
