#!/bin/sh
# Build what the notebooks need, all of it inside .venv: the pinned Python packages, GoNB and goimports as go.mod pins them,
# and the kernel. What is there and still fits is kept. Exit status 2, with one line on stderr, when it cannot be done.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd -P)
log=build/setup.log

die() {
	echo "jsqlab: $1" >&2
	exit 2
}

# older A B: version A (major.minor) is below B.
older() {
	[ "${1%%.*}" -lt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -lt "${2#*.}" ]; }
}

# Ends the command that runs, whoever was told to stop: make alone, or the whole group by Ctrl-C.
trap 'kill $child 2>/dev/null; exit 130' INT TERM HUP
child=

# quiet COMMAND...: run it with its output in the log.
quiet() {
	echo "+ $*" >>$log
	"$@" >>$log 2>&1 &
	child=$!
	wait $child
}

# logged WHAT COMMAND...: run it quietly; if it fails, say WHAT failed and why in one line.
logged() {
	what=$1
	shift
	quiet "$@" && return
	why=$(grep -Eio 'temporary failure in name resolution|name or service not known|no such host|network is unreachable|connection refused|(connect|connection|read|i/o)[a-z ]* (timeout|timed out)|tunnel connection failed[^"'\'']*|server misbehaving|no space left on device' $log | tail -n 1)
	why=${why:-$(grep -E '^(ERROR|Error|error|go: )' $log | tail -n 1 | cut -c 1-160)}
	die "cannot $what: ${why:-unknown reason}; the first run needs the network; the whole story is in $log"
}

case $root in
*[,:$]*) die "the path of this folder holds a comma, colon or dollar sign, which the Go kernel cannot take: move it: $root" ;;
esac
# A .venv that is activated must not make itself.
PATH=:$PATH:
while case $PATH in *":$root/.venv/bin:"*) ;; *) false ;; esac; do
	PATH=${PATH%%":$root/.venv/bin:"*}:${PATH#*":$root/.venv/bin:"}
done
PATH=${PATH#:}
PATH=${PATH%:}

want=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' go.mod)
command -v go >/dev/null || die "go not found, want >= $want: install it from go.dev/dl"
go_version=$(cd / && GOTOOLCHAIN=local go version 2>/dev/null) || die "go does not run, want >= $want: install it from go.dev/dl"
have=$(echo "$go_version" | sed -n 's/.*go\([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
[ "$have" ] || die "go gives no version, want >= $want: install it from go.dev/dl"
older "$have" "$want" && die "go $have found, want >= $want: install it from go.dev/dl"

want=3.10
python=${PYTHON:-python3}
install="install it from python.org or your system (Debian, Ubuntu: apt-get install python3 python3-venv)"
command -v "$python" >/dev/null || die "$python not found, want Python >= $want: $install"
have=$("$python" --version 2>&1 | sed -n 's/^Python \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p')
[ "$have" ] || die "$python does not run, want Python >= $want: $install"
older "$have" "$want" && die "Python $have found, want >= $want: $install"

mkdir -p build
: >$log

# The copy of the lock file is written last and so marks a complete environment; whatever else is there is made anew.
if ! cmp -s tools/requirements.lock .venv/requirements.lock || ! .venv/bin/python -c 'import jupyter_core' 2>/dev/null; then
	novenv="Python $have cannot make virtual environments: install its venv and ensurepip modules (Debian, Ubuntu: apt-get install python3-venv)"
	"$python" -c 'import ensurepip, venv' 2>>$log || die "$novenv"
	echo "jsqlab: installing the Python packages into .venv"
	# Emptied, not removed: in the dev container .venv is a mount.
	quiet "$python" -m venv --clear .venv || die "$novenv; the whole story is in $log"
	logged "install the Python packages" env PIP_USER=0 .venv/bin/python -m pip install --disable-pip-version-check --no-input --retries 2 \
		--progress-bar off --require-hashes --only-binary :all: -r tools/requirements.lock
	cp tools/requirements.lock .venv/requirements.part
	mv .venv/requirements.part .venv/requirements.lock
fi

# The kernel holds the path of this folder and of Go: it is made anew when one of them, a version or this script changes.
goroot=$(GOTOOLCHAIN=local go env GOROOT)
key="$root $goroot $go_version $(cksum <tools/setup.sh) $(grep -E '(janpfeifer/gonb|golang.org/x/tools) v' go.mod | tr -d '\t\n')"
if [ "$(cat .venv/kernel.key 2>/dev/null)" != "$key" ]; then
	echo "jsqlab: building the Go kernel into .venv"
	jupyter=$root/.venv/share/jupyter
	rm -rf .venv/kernel.key "$jupyter/kernels/gonb"
	logged "download the Go modules" go mod download
	logged "build GoNB" go build -o .venv/bin/ github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	logged "install the kernel" env JUPYTER_DATA_DIR="$jupyter" .venv/bin/gonb --install --force_deps --force_copy --raw_error --go_work="$root"
	# A user's Go settings must not change how cells are built: they use this module's pinned versions. Without tables for a debugger (-w) they link faster.
	logged "install the kernel" .venv/bin/python -c '
import json, sys
path, bin = sys.argv[1:]
with open(path) as f:
    spec = json.load(f)
spec["env"] = {"PATH": bin + ":${PATH}", "GOFLAGS": "-ldflags=-w", "GOWORK": "", "GO111MODULE": "", "GOTOOLCHAIN": "local"}
with open(path, "w") as f:
    json.dump(spec, f, indent=1)
' "$jupyter/kernels/gonb/kernel.json" "$root/.venv/bin:$goroot/bin"
	echo "$key" >.venv/kernel.key
fi
