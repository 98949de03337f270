"""Checks of the manifests beside this file. Run by test.sh."""
import copy
import pathlib
import subprocess
import tempfile
import unittest

import kubernetes_validate
import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# backoffLimitPerIndex and podFailurePolicy are stable from 1.33 on
VERSIONS = ["1.33", "1.34", "1.35", "1.36", "1.37"]


def load(name):
    with open(HERE / name) as f:
        return list(yaml.safe_load_all(f))


def job(name):
    (found,) = [d for d in load(name) if d["kind"] == "Job"]
    return found


def container(manifest):
    (found,) = manifest["spec"]["template"]["spec"]["containers"]
    return found


class Schema(unittest.TestCase):
    def test_published_schema(self):
        for name in ["sweep.yaml", "merge.yaml"]:
            for document in load(name):
                for version in VERSIONS:
                    kubernetes_validate.validate(document, version, strict=True)

    def test_schema_refuses(self):
        """The validator sees what is wrong: an unknown key, a wrong type, a missing key."""
        for change in [
            lambda d: d["spec"].update(paralelism=12),
            lambda d: d["spec"].update(completions="twelve"),
            lambda d: d["spec"]["podFailurePolicy"]["rules"][0].pop("action"),
            lambda d: container(d)["env"][0]["valueFrom"]["fieldRef"].pop("fieldPath"),
        ]:
            document = copy.deepcopy(job("sweep.yaml"))
            change(document)
            with self.assertRaises(kubernetes_validate.ValidationError):
                kubernetes_validate.validate(document, VERSIONS[-1], strict=True)


class Sweep(unittest.TestCase):
    """What the schema does not say."""

    def test_indexed(self):
        spec = job("sweep.yaml")["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        self.assertLessEqual(spec["parallelism"], spec["completions"])
        self.assertIn(f"--shard=$(SHARD)/{spec['completions']}", container(job("sweep.yaml"))["args"])
        # an index is tried again on its own only so
        self.assertEqual(spec["template"]["spec"]["restartPolicy"], "Never")
        self.assertGreater(spec["backoffLimitPerIndex"], 0)
        (shard,) = container(job("sweep.yaml"))["env"]
        self.assertEqual(shard["name"], "SHARD")
        self.assertEqual(shard["valueFrom"]["fieldRef"]["fieldPath"],
                         "metadata.annotations['batch.kubernetes.io/job-completion-index']")

    def test_same_volume(self):
        claims = {d["metadata"]["name"] for d in load("sweep.yaml") if d["kind"] == "PersistentVolumeClaim"}
        images = set()
        for manifest in [job("sweep.yaml"), job("merge.yaml")]:
            (volume,) = manifest["spec"]["template"]["spec"]["volumes"]
            (mount,) = container(manifest)["volumeMounts"]
            self.assertIn(volume["persistentVolumeClaim"]["claimName"], claims)
            self.assertEqual((mount["name"], mount["mountPath"]), (volume["name"], "/results"))
            images.add(container(manifest)["image"])
        self.assertEqual(len(images), 1)

    def test_run(self):
        """The commands of all indices, in another order and one of them twice, then the merge: the bits of
        one local run."""
        spec, merge = job("sweep.yaml")["spec"], container(job("merge.yaml"))
        with tempfile.TemporaryDirectory() as results:
            jsq = f"{results}/jsq"
            subprocess.run(["go", "build", "-buildvcs=false", "-o", jsq, "./cmd/jsq"], cwd=ROOT, check=True)

            def run(words, **options):
                words = [jsq if w == "jsq" else w.replace("/results", results) for w in words]
                return subprocess.run(words, check=True, stdout=subprocess.PIPE, timeout=300, **options).stdout

            c = container(job("sweep.yaml"))
            for index in [3, *reversed(range(spec["completions"]))]:
                run([*c["command"], *(a.replace("$(SHARD)", str(index)) for a in c["args"])])
            table = run([*merge["command"], *(a.replace("jsq merge ", f"{jsq} merge --in ") for a in merge["args"])])

            local = [a.replace("/results", "/results/local") for a in c["args"] if not a.startswith("--shard")]
            run([*c["command"], *local])
            run(["jsq", "merge", "--in", "/results/local/dt-batch", "--out", "/results/local.csv"])
            with open(f"{results}/local.csv", "rb") as f:
                self.assertEqual(table, f.read())
            self.assertGreater(len(table.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
