#!/usr/bin/env python3
"""What users stumbled over, so that they do not again: words typed wrongly, files from elsewhere, logs to look at. Usage: user_test.py GRADUS SOURCE_DIR"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

GRADUS, SOURCE = os.path.abspath(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1)).resolve()


def run(*args, **kwargs):
    return subprocess.run([GRADUS, *map(str, args)], capture_output=True, text=True, timeout=120, **kwargs)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def file(self, name, text):
        (self.path / name).write_text(text)
        return self.path / name


class Words(Scratch):
    def test_a_misspelt_command_or_option_is_told_with_what_was_meant(self):
        for words, hint in ((["rnu", "levels"], "did you mean 'run'?"), (["fly"], "known: run,"),
                            (["run", "levels", "--fro", "3s"], "did you mean --for?"), (["--vesion"], "did you mean --version?"),
                            (["run", "levels", "--record", "level3.x"], "--record requires --log"),
                            (["run", "levels", "--past", "3"], "--past requires --view"), (["run", "levels", "--seed", "-1"], "0 or more")):
            done = run(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(hint, done.stderr, words)
            self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        self.assertEqual(run("--help").returncode, 0)
        self.assertIn("Usage: gradus run", run("run", "--help").stdout)  # not a path of this machine

    def test_what_ships_is_listed_with_what_it_is(self):
        text = run("list").stdout
        for scene in (SOURCE / "scenes").glob("*.toml"):
            self.assertRegex(text, rf"(?m)^  {scene.stem} +\S", scene.stem)
        self.assertIn("kidsize.toml", text)
        self.assertIn("xl330.toml", run("list", "servos").stdout)

    def test_a_folder_of_the_name_of_a_scene_does_not_hide_it(self):
        (self.path / "levels").mkdir()
        self.assertEqual(run("run", "levels", "--for", "0.01s", "--quiet", cwd=self.path).returncode, 0)


unittest.main()
