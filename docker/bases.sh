#!/usr/bin/env bash
# docker/bases.sh DIR: stand-ins for the official images that the Dockerfile starts from, in buildah's storage, for machines that
# reach Debian's packages but no image registry. Debian and its Python by debootstrap, Go from this machine. They are for docker/test.sh
# alone: certificates of this machine go into them, and so never into the Dockerfile. Wants root, buildah and debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
dir=$1

golang=$(sed -n 's/^FROM \(golang:[^ ]*\).*/\1/p' docker/Dockerfile)
python=$(sed -n 's/^FROM \(python:[^ ]*\).*/\1/p' docker/Dockerfile)
suite=${python##*-}

debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv "$suite" "$dir/root" >"$dir/debootstrap.log" 2>&1 ||
	{ tail -n 3 "$dir/debootstrap.log" >&2; exit 2; }
rm -rf "$dir/root/var/cache/apt" "$dir/root/var/lib/apt/lists"
ln -s /usr/bin/python3 "$dir/root/usr/local/bin/python3"
ln -s /usr/bin/python3 "$dir/root/usr/local/bin/python"
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then
	cp /etc/ssl/certs/ca-certificates.crt "$dir/root/etc/ssl/certs/"
	printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n' >"$dir/root/etc/pip.conf"
fi

# image NAME FOLDER TARGET: an image that holds FOLDER at TARGET and nothing else.
image() {
	local container
	container=$(buildah from scratch)
	buildah add --quiet "$container" "$2" "$3" >/dev/null
	buildah commit --quiet --rm "$container" "$1" >/dev/null
}
image "localhost/$python" "$dir/root" /
image "localhost/$golang" "$(go env GOROOT)" /usr/local/go
rm -rf "$dir/root"
