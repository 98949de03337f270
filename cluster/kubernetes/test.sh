#!/bin/sh
# Checks the manifests: against the published Kubernetes schemas, and by running the command of every
# completion index here. The first run makes build/kubernetes and needs the network.
set -eu
cd "$(dirname "$0")/../.."
sh tools/venv.sh build/kubernetes cluster/kubernetes/requirements.lock
exec build/kubernetes/bin/python cluster/kubernetes/test_manifests.py
