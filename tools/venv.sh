#!/bin/sh
# venv.sh DIR LOCK: a virtual environment in DIR with the packages that the file LOCK pins by their hashes. What is there and still fits is
# kept. Exit status 2, with one line on stderr, when it cannot be done.
set -eu
cd "$(dirname "$0")/.."
dir=$1
lock=$2
log=$dir.log

die() {
	echo "jsqlab: $1" >&2
	exit 2
}

# The copy of the lock file is written last and so marks a complete environment.
cmp -s "$lock" "$dir/requirements.lock" && exit 0
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || die "$python: want Python >= 3.10: install it from python.org or your system"
echo "jsqlab: installing $lock into $dir"
rm -rf "$dir"
mkdir -p "$(dirname "$dir")"
"$python" -m venv "$dir" >"$log" 2>&1 || die "$python cannot make virtual environments: install its venv module; see $log"
PIP_USER=0 "$dir/bin/python" -m pip install --disable-pip-version-check --no-input --retries 2 --progress-bar off --require-hashes --only-binary :all: \
	-r "$lock" >>"$log" 2>&1 || die "cannot install the Python packages: $(grep '^ERROR' "$log" | tail -n 1 | cut -c 1-160); the whole story is in $log"
cp "$lock" "$dir/requirements.part"
mv "$dir/requirements.part" "$dir/requirements.lock"
