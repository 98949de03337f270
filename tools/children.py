"""How the tests start the programs that they send signals to."""

import signal
import subprocess


def default_signals():
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.SIG_DFL)


def start(command, **options):
    """Start a child that takes signals as in a terminal. A child inherits what its parent ignores, as in nohup make test &."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals, **options)
