"""The package as a whole: memory, the notebook, the viewer, types."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import gradus

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Package(unittest.TestCase):
    def test_loading_and_dropping_scenes_and_batches_leaks_nothing(self):
        """In a process of its own: 10,000 cycles, as `leak_load_close.py` alone."""
        done = subprocess.run([sys.executable, ROOT / "tests/python/leak_load_close.py", "10000"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_cell_of_the_notebook_runs(self):
        book = json.loads((ROOT / "examples/notebook/first_steps.ipynb").read_text())
        names: dict = {}
        cells = [c for c in book["cells"] if c["cell_type"] == "code"]
        self.assertGreaterEqual(len(cells), 4)
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in cells:
                exec(compile(cell["source"], "first_steps.ipynb", "exec"), names)

    def test_view_ends_the_log_and_shows_it(self):
        with tempfile.TemporaryDirectory() as d:
            said = pathlib.Path(d) / "said"
            program = pathlib.Path(d) / "gradus"
            program.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
            program.chmod(0o755)
            log = f"{d}/run.mcap"
            sim = gradus.load("learn_cart_pole", logs=[log])
            sim.step(20)
            before = os.environ.get("GRADUS_PROGRAM")
            os.environ["GRADUS_PROGRAM"] = str(program)
            try:
                sim.view()
            finally:
                os.environ.pop("GRADUS_PROGRAM") if before is None else os.environ.update(GRADUS_PROGRAM=before)
            self.assertEqual(said.read_text().split(), ["view", log])
            self.assertGreater(pathlib.Path(log).stat().st_size, 100)
        with self.assertRaisesRegex(gradus.Error, "logs="):
            gradus.load("learn_cart_pole").view()

    def test_show_is_a_page_for_notebooks(self):
        with tempfile.TemporaryDirectory() as d:
            sim = gradus.load("learn_cart_pole", logs=[f"{d}/run.mcap"])
            sim.step(20)
            page = sim.show(height=321)
            self.assertTrue(page.text.startswith("<!doctype html>") or page.text.startswith("<!DOCTYPE html>"), page.text[:60])
            cell = page._repr_html_()
            self.assertIn("height: 321px", cell)
            frame = xml.etree.ElementTree.fromstring(cell.replace("sandbox", "data-sandbox", 1))  # nothing of the page leaks out of its attribute
            self.assertEqual(len(frame.attrib["srcdoc"]), len(page.text.replace("\r\n", " ").replace("\n", " ")))
            page.save(f"{d}/run.html")
            self.assertEqual(pathlib.Path(f"{d}/run.html").read_text(encoding="utf-8"), page.text)
        with self.assertRaisesRegex(gradus.Error, "logs="):
            gradus.load("learn_cart_pole").show()

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_types(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "--ignore-missing-imports", ROOT / "python/gradus"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
