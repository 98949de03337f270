"""What the tests of the tools leave out where JSQLAB_SHORT is set, as go test -short does: make test sets it, make test-long does not."""

import os
import unittest

SHORT = bool(os.environ.get("JSQLAB_SHORT"))
long = unittest.skipIf(SHORT, "long")
