import contextlib
import importlib.util
import io
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import gradus
from gradus import optimise

STUDY = """
[study]
minimise    = "rms(arm.shoulder.q - arm.shoulder.target) + 0.01*rms(arm.shoulder.tau)"
evaluations = 48
population  = 8
[[parameter]]
path  = "arm.shoulder.kp"
low   = "1 N m/rad"
high  = "300 N m/rad"
scale = "log"
[[parameter]]
path  = "arm.shoulder.kd"
low   = "0.01 N m s/rad"
high  = "10 N m s/rad"
scale = "log"
[[scene]]
file = "arm"
for  = "2 s"
"""


class Engines(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.file = self.path / "study.toml"
        self.file.write_text(STUDY)

    def tearDown(self):
        self.folder.cleanup()

    def log(self, engine, *words):
        out = self.path / engine.split(":")[0]
        self.assertEqual(optimise.main([str(self.file), "-o", str(out), "--engine", engine, "--quiet", *words]), 0)
        return (out / "log.jsonl").read_bytes()

    def test_every_engine_gives_the_same_bits(self):
        threads = self.log("threads")
        self.assertEqual(threads.count(b"\n"), 48)
        self.assertEqual(threads, self.log("processes"))
        if importlib.util.find_spec("distributed"):
            import distributed
            with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
                self.assertEqual(threads, self.log("dask://" + cluster.scheduler_address[len("tcp://"):]))
        else:
            print("distributed is not installed: engine dask not tried", file=sys.stderr)

    def test_mpi_gives_the_same_bits(self):
        if not importlib.util.find_spec("mpi4py") or not shutil.which("mpirun"):
            self.skipTest("mpi4py and mpirun are not installed")
        out = self.path / "mpi"
        words = ["mpirun", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", "-m", "gradus.optimise",
                 str(self.file), "-o", str(out), "--engine", "mpi", "--quiet"]
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((out / "log.jsonl").read_bytes(), self.log("threads"))

    def test_a_worker_with_another_study_refuses(self):
        with self.assertRaisesRegex(RuntimeError, "another version"):
            optimise.evaluate(str(self.file), "0" * 16, [0.5, 0.5])

    def test_an_engine_that_is_lost_is_told_in_one_line(self):
        class Lost:
            def map(self, function, arguments):
                raise ConnectionError("gone")

            def close(self):
                pass

        engine_of, optimise.engine_of = optimise.engine_of, lambda name: Lost()
        try:
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(optimise.main([str(self.file), "-o", str(self.path / "lost"), "--engine", "dask://127.0.0.1:1"]), 1)
        finally:
            optimise.engine_of = engine_of
        self.assertIn("was lost", said.getvalue())
        self.assertIn("--resume", said.getvalue())
        self.assertEqual(said.getvalue().count("\n"), 1)

    def test_killed_at_any_moment_it_goes_on_to_the_same_end(self):
        whole = self.log("threads")
        out = self.path / "killed"
        rng = random.Random(5)
        words = [sys.executable, "-m", "gradus.optimise", str(self.file), "-o", str(out), "--quiet"]
        for attempt in range(6):
            with subprocess.Popen(words + (["--resume"] if (out / "checkpoint.json").exists() else []),
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as p:
                time.sleep(rng.uniform(0.15, 0.45))
                p.send_signal(signal.SIGKILL)
        resume = ["--resume"] if (out / "checkpoint.json").exists() else []
        self.assertEqual(subprocess.run(words + resume, capture_output=True, timeout=120).returncode, 0)
        self.assertEqual((out / "log.jsonl").read_bytes(), whole)

    def test_ask_and_tell(self):
        study = gradus.Study(str(self.file))
        self.assertEqual(list(study.parameters), ["arm.shoulder.kp", "arm.shoulder.kd"])
        self.assertIsNone(study.best)
        points = study.ask()
        self.assertEqual(len(points), 8)
        study.tell([study.evaluate(x) for x in points])
        self.assertEqual(study.evaluations, 8)
        self.assertTrue(1 <= study.best["arm.shoulder.kp"] <= 300)
        with self.assertRaises(gradus.Error):
            study.tell([])
        with self.assertRaises(gradus.Error):
            study.evaluate([0.5])
        with self.assertRaisesRegex(gradus.Error, "study.toml:3"):
            self.file.write_text(STUDY.replace("rms(arm", "rsm(arm", 1))
            gradus.Study(str(self.file))


if __name__ == "__main__":
    unittest.main()
