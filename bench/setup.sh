#!/bin/sh
# Install the peers of make bench, pinned, into build/bench/venv. Exit status 2, with one line on stderr, when it cannot be done.
set -eu
cd "$(dirname "$0")/.."

die() {
	echo "jsqlab: $1" >&2
	exit 2
}

cc=$(GOTOOLCHAIN=local go env CC 2>/dev/null) || die "go not found: install it from go.dev/dl"
command -v "${CC:-${cc%% *}}" >/dev/null || die "no C compiler found (${CC:-$cc}), make bench needs one: install gcc"
exec sh tools/venv.sh build/bench/venv bench/requirements.lock
