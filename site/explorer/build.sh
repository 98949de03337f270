#!/bin/sh
# Build the explorer: build.sh OUTDIR makes OUTDIR hold all that site/explorer.md loads.
set -eu
if [ $# -ne 1 ]; then
	echo "usage: build.sh OUTDIR" >&2
	exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
GOOS=js GOARCH=wasm CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' -o "$out/explorer.wasm" ./wasm
gzip -9nc "$out/explorer.wasm" >"$out/explorer.wasm.gz" # what browsers load, so that any plain server will do
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" explorer.js chart.js worker.js explorer.css "$out"
