"""Test of the Kubernetes job of cluster/: what becomes of a shard that ends for want of memory."""

import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import data

SWEEP = Path(__file__).resolve().parent.parent / "cluster" / "kubernetes" / "sweep.yaml"


def action(spec, container, status):
    """What Kubernetes does when a container of the job ends with that exit status: the first rule that matches says it.

    Count, also the action without a rule, tries the index again up to backoffLimitPerIndex times."""
    for rule in spec.get("podFailurePolicy", {}).get("rules", []):
        codes = rule.get("onExitCodes")
        if codes and codes.get("containerName", container) == container and (status in codes["values"]) == (codes["operator"] == "In"):
            return rule["action"]
    return "Count"


class Starved(unittest.TestCase):
    def test_is_retried(self):
        """Go's runtime ends a program that gets no memory with exit status 2, as jsq ends for unusable arguments."""
        spec = next(d for d in yaml.safe_load_all(SWEEP.read_text(encoding="utf-8")) if d["kind"] == "Job")["spec"]
        (container,) = spec["template"]["spec"]["containers"]
        with tempfile.TemporaryDirectory() as results:
            jsq, _ = data.build(Path(results))
            words = [w.replace("/results", results).replace("$(SHARD)", "0") for w in container["args"]]

            def shard(**options):
                return subprocess.run([jsq, "sweep", *words], capture_output=True, text=True, timeout=300, **options)

            starved = shard(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20)))
            self.assertEqual(starved.returncode, 2, starved.stderr)
            self.assertIn("fatal error: ", starved.stderr)
            self.assertEqual(action(spec, container["name"], starved.returncode), "Count")
            self.assertGreater(spec["backoffLimitPerIndex"], 0)
            again = shard()
            self.assertEqual(again.returncode, 0, again.stderr)

    def test_rule_would_end_the_job(self):
        rule = {"action": "FailJob", "onExitCodes": {"containerName": "jsq", "operator": "In", "values": [2]}}
        self.assertEqual(action({"podFailurePolicy": {"rules": [rule]}}, "jsq", 2), "FailJob")


if __name__ == "__main__":
    unittest.main()
