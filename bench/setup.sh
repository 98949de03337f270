#!/bin/sh
# Install the peers of make bench, pinned, into build/bench/venv. What is there and still fits is kept. Exit status 2, with one line
# on stderr, when it cannot be done.
set -eu
cd "$(dirname "$0")/.."
venv=build/bench/venv
log=build/bench/setup.log

die() {
	echo "jsqlab: $1" >&2
	exit 2
}

cc=$(GOTOOLCHAIN=local go env CC 2>/dev/null) || die "go not found: install it from go.dev/dl"
command -v "${CC:-${cc%% *}}" >/dev/null || die "no C compiler found (${CC:-$cc}), make bench needs one: install gcc"
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || die "$python: want Python >= 3.10: install it from python.org or your system"

# The copy of the lock file is written last and so marks a complete environment.
cmp -s bench/requirements.lock $venv/requirements.lock && exit 0
mkdir -p build/bench
rm -rf $venv
echo "jsqlab: installing what jsqlab is measured against into $venv"
"$python" -m venv $venv >$log 2>&1 || die "$python cannot make virtual environments: install its venv module; see $log"
PIP_USER=0 $venv/bin/python -m pip install --disable-pip-version-check --no-input --retries 2 --progress-bar off --require-hashes --only-binary :all: \
	-r bench/requirements.lock >>$log 2>&1 || die "cannot install the Python packages: $(grep '^ERROR' $log | tail -n 1 | cut -c 1-160); the whole story is in $log"
cp bench/requirements.lock $venv/requirements.part
mv $venv/requirements.part $venv/requirements.lock
