#!/bin/sh
# Checks the manifests: against the published Kubernetes schemas, and by running the command of every
# completion index here. The first run makes build/kubernetes from requirements.lock and needs the network.
set -eu
cd "$(dirname "$0")/../.."
venv=build/kubernetes
if ! cmp -s cluster/kubernetes/requirements.lock $venv/done; then
	rm -rf $venv
	"${PYTHON:-python3}" -m venv $venv
	if ! $venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r cluster/kubernetes/requirements.lock; then
		echo "FAIL	cluster/kubernetes: cannot install requirements.lock; the first run needs the network" >&2
		exit 1
	fi
	cp cluster/kubernetes/requirements.lock $venv/done
fi
exec $venv/bin/python cluster/kubernetes/test_manifests.py
