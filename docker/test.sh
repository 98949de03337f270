#!/usr/bin/env bash
# docker/test.sh: build the image from the Dockerfile as it stands, then use it without any network: a notebook runs as the user of the
# image, and JupyterLab answers on port 8888 to its token and to nobody else, as the image starts it and as Binder does.
# It takes docker or podman, with the official base images, or else buildah, with stand-ins for them (docker/bases.sh; wants root and debootstrap).
# What buildah stores is in a folder of its own below TMPDIR (4 GB), and gone at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
	echo "docker test: $1" >&2
	exit "${2:-1}"
}

notebook='python tools/nb.py run --out /tmp/out notebooks/01-the-model.ipynb'
# Binder puts an address and a token of its own behind the command.
binder='jupyter-lab --ip=0.0.0.0 --port=8888 --ServerApp.base_url=/user/x/ --IdentityProvider.token=secret'

# Runs in the container, beside JupyterLab: ask.py BASE TOKEN. Stdout: ok.
ask='
import json, sys, time, urllib.error, urllib.request
base, token = sys.argv[1:]
def get(path, token=None):
    request = urllib.request.Request(f"http://127.0.0.1:8888{base}{path}", headers={"Authorization": f"token {token}"} if token else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as err:
        return err.code, b""
for _ in range(120):
    try:
        status, body = get("/api")
        break
    except OSError:
        time.sleep(0.5)
else:
    sys.exit("no answer on port 8888 within a minute")
assert status == 200 and "version" in json.loads(body), (status, body)
for wrong in None, "wrong":
    assert get("/api/contents", wrong)[0] == 403, "contents without the token"
assert get("/api/contents", token)[0] == 200, "no contents with the token"
assert get("/lab", token)[0] == 200, "no JupyterLab with the token"
kernels = json.loads(get("/api/kernelspecs", token)[1])["kernelspecs"]
assert "gonb" in kernels, kernels
print("ok")
'

# lab BASE TOKEN COMMAND...: in the container, start JupyterLab by COMMAND, and ask it. An empty TOKEN is read off its log, as its user would.
lab='
base=$1 token=$2; shift 2
"$@" >/tmp/lab.log 2>&1 &
pid=$!
for _ in $(seq 120); do
	[ -z "$token" ] || break
	sleep 0.5
	token=$(sed -n "s/.*[?]token=\([0-9a-f]*\).*/\1/p" /tmp/lab.log | head -n 1)
done
said=$(python -c "$ASK" "$base" "$token" 2>&1) || true
kill $pid; wait $pid || true
[ "$said" = ok ] || { echo "$said"; tail -n 5 /tmp/lab.log; exit 1; }
'

# checks: what to do in the container; $inside runs a command there, without a network.
checks() {
	user=$($inside id -u)
	[ "$user" = 1000 ] || die "the image runs as user $user, want 1000"
	echo "ok	user $user"
	for tool in make git gcc; do $inside $tool --version >/dev/null || die "no $tool in the image"; done
	$inside $notebook
	start=$(sed -n 's/^CMD //p' docker/Dockerfile | tr -d '[],"')
	$inside env ASK="$ask" bash -c "$lab" lab "" "" $start || die "JupyterLab as the image starts it"
	echo "ok	JupyterLab as the image starts it"
	$inside env ASK="$ask" bash -c "$lab" lab /user/x secret $binder || die "JupyterLab as Binder starts it"
	echo "ok	JupyterLab as Binder starts it"
}

for engine in docker podman; do
	command -v $engine >/dev/null && $engine info >/dev/null 2>&1 || continue
	$engine build -q -t jsqlab-test . >/dev/null || die "the image does not build"
	trap '$engine rmi -f jsqlab-test >/dev/null' EXIT
	inside="$engine run --rm --init --network none --cap-drop ALL jsqlab-test"
	echo "ok	built by $engine"
	checks
	exit
done

for tool in buildah debootstrap unshare ip go; do
	command -v $tool >/dev/null || die "neither docker nor podman, nor $tool found: install one of the first, or (Debian, Ubuntu) apt-get install buildah debootstrap iproute2" 2
done
[ "$(id -u)" = 0 ] || die "without docker or podman it wants root, for debootstrap" 2
if [ "${1:-}" != --offline ]; then
	dir=$(mktemp -d "${TMPDIR:-/tmp}/jsqlab-image-XXXXXX")
	export DIR=$dir CONTAINERS_STORAGE_CONF=$dir/storage.conf CONTAINERS_REGISTRIES_CONF=$dir/registries.conf BUILDAH_ISOLATION=chroot
	printf '[storage]\ndriver = "vfs"\ngraphroot = "%s/graph"\nrunroot = "%s/run"\n' "$dir" "$dir" >"$CONTAINERS_STORAGE_CONF"
	printf 'unqualified-search-registries = ["localhost"]\nshort-name-mode = "disabled"\n' >"$CONTAINERS_REGISTRIES_CONF"
	trap 'buildah rm -a >/dev/null 2>&1 || true; buildah rmi -a -f >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
	bash docker/bases.sh "$dir"
	buildah build --pull=never --format docker -t localhost/jsqlab . >"$dir/build.log" 2>&1 || { tail -n 15 "$dir/build.log" >&2; die "the image does not build"; }
	echo "ok	built by buildah on stand-in bases, $(buildah images --format '{{.Size}}' localhost/jsqlab)"
	buildah from --pull=never --name jsqlab-test localhost/jsqlab >/dev/null
	unshare --net bash docker/test.sh --offline
else # in a network of its own, which has loopback and nothing else
	ip link set lo up
	inside='buildah run jsqlab-test --'
	checks
fi
