#!/usr/bin/env python3
"""What users stumbled over, so that they do not again: words typed wrongly, files from elsewhere, logs to look at. Usage: user_test.py GRADUS SOURCE_DIR"""
import csv
import json
import os
import pathlib
import re
import socket
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

    def test_the_manual_and_the_completion_know_every_command(self):
        commands = [l.split()[0] for l in run("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0].splitlines() if l.startswith("  ") and l[2] != " "]
        self.assertIn("plot", commands)
        manual = (SOURCE / "docs/gradus.1").read_text()
        for command in commands:
            self.assertRegex(manual, rf"(?m)^\.B {command}\b")
        ask = 'source "$1"; COMP_WORDS=("$2" run leve); COMP_CWORD=2; _gradus; echo "${COMPREPLY[@]}"; COMP_WORDS=("$2" pl); COMP_CWORD=1; _gradus; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", ask, "ask", SOURCE / "tools/gradus.bash", GRADUS], capture_output=True, text=True, cwd=self.path)
        self.assertEqual(done.stdout.split(), ["levels", "plot"], done.stderr)


class Scenes(Scratch):
    def test_what_is_hardly_meant_is_warned_of(self):
        done = run("check", self.file("a.toml", '[robot.a]\nmodel = "robots/kidsize.toml"\n'))
        self.assertEqual(done.returncode, 0)
        self.assertIn("there is no ground", done.stderr)
        self.assertIn("fields/plane.toml", done.stderr)
        self.assertIn("no robots", run("check", self.file("b.toml", "")).stderr)
        for scene in ("levels", "mirosot_5v5", "terrain", "stack", "arm"):
            self.assertEqual(run("show", scene).stderr, "", scene)

    def test_a_urdf_hangs_loose_until_all_joints_get_servos(self):
        loose = run("run", SOURCE / "robots/quadruped.urdf", "--for", "1s", "--json")
        self.assertIn("hang loose", loose.stderr)
        gains = ("--set", "quadruped.all.kp=60 N m/rad", "--set", "quadruped.all.kd=2 N m s/rad")
        stands = run("run", SOURCE / "robots/quadruped.urdf", "--for", "1s", "--json", *gains)
        self.assertEqual(stands.stderr, "")
        z = [json.loads(r.stdout)["robots"]["quadruped"]["base"]["z"] for r in (loose, stands)]
        self.assertLess(z[0], 0.15)
        self.assertGreater(z[1], 0.25)
        self.assertIn("angular stiffness", run("show", SOURCE / "robots/quadruped.urdf", "--set", "quadruped.all.kp=3").stderr)

    def test_a_bare_rate_is_taken_for_hertz_in_the_advice(self):
        done = run("check", self.file("a.toml", '[robot.a]\nmodel = "robots/kidsize.toml"\ncontroller = { keyframes = "motions/kidsize_walk.toml", rate = 100 }\n'))
        self.assertIn('write "100 Hz"', done.stderr)

    def test_motion_names_the_option_and_takes_all_robots(self):
        done = run("run", "levels", "--motion", "articulatd")
        self.assertEqual(done.stderr.count("--motion articulatd: error"), 1, done.stderr)
        out = json.loads(run("run", "levels", "--for", "0.01s", "--json", "--motion", "articulated").stdout)
        self.assertEqual({r["motion"] for r in out["robots"].values()}, {"articulated"})

    def test_a_second_match_on_the_same_port_is_told_what_to_do(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind(("127.0.0.1", 0))
            done = run("run", "mirosot_3v3", "--for", "0.1s", f"--firasim=yellow,commands=127.0.0.1:{s.getsockname()[1]}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("choose another port", done.stderr)


class Logs(Scratch):
    def setUp(self):
        super().setUp()
        self.log = self.path / "a.mcap"
        self.made = run("run", "levels", "--for", "1s", "--log", self.log, "--record", "level3.x", "--json")
        self.assertEqual(self.made.returncode, 0, self.made.stderr)

    def test_a_table_holds_what_was_not_recorded_at_the_rate_asked_for(self):
        table = self.path / "a.csv"
        done = run("export", self.log, "-o", table, "--record", "level3.*_knee.tau", "--record", "level3.x", "--rate", "1000")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.reader(table.read_text().splitlines()))
        self.assertEqual(rows[0], ["time [s]", "level3.left_knee.tau [N m]", "level3.right_knee.tau [N m]", "level3.x [m]"])
        self.assertEqual(len(rows), 1 + 1001)
        self.assertEqual(float(rows[-1][3]), json.loads(self.made.stdout)["robots"]["level3"]["base"]["x"])
        self.assertEqual(run("export", self.log, "-o", self.path / "a.txt").returncode, 1)

    def test_plots_have_a_panel_for_each_unit_and_a_curve_for_each_property(self):
        picture, table = self.path / "a.svg", self.path / "a.csv"
        self.assertEqual(run("plot", self.log, "level?.x", "level3.left_knee.tau", "-o", picture).returncode, 0)
        tag = "{http://www.w3.org/2000/svg}"
        panels = xml.etree.ElementTree.parse(picture).getroot().findall(tag + "g")
        self.assertEqual([len(p.findall(tag + "path")) for p in panels], [4, 1])
        self.assertIn("1 curve of 21 points", run("plot", self.log, "level3.x", "--from", "0.2s", "--to", "400 ms", "-o", picture).stdout)
        self.assertEqual(run("plot", self.log, "level3.x", "--from", "0.2", "-o", picture).returncode, 2)
        self.assertEqual(run("plot", self.log, "level3.x", "--from", "2s", "-o", picture).returncode, 1)
        run("export", self.log, "-o", table, "--record", "level?.x")
        self.assertEqual(run("plot", table, "level3.x", "-o", picture).returncode, 0)
        self.assertEqual(len(xml.etree.ElementTree.parse(picture).getroot().findall(tag + "path")), 1)
        for log, words, hint in ((self.log, "level3.nose", "did you mean"), (self.log, "nose*", "no property is like"), (table, "level3.y", "did you mean")):
            done = run("plot", log, words, "-o", picture)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(hint, done.stderr)

    def test_a_log_can_be_checked_shown_and_its_scene_run_anew(self):
        self.assertEqual(run("check", self.log).returncode, 0)
        self.assertIn("level3.left_knee.tau", run("show", self.log, "--properties").stdout)
        again = run("run", self.log, "--for", "1s", "--json")
        self.assertEqual(json.loads(again.stdout)["hash"], json.loads(self.made.stdout)["hash"])
        self.log.write_bytes(self.log.read_bytes()[:-2000])
        self.assertEqual(run("check", self.log).returncode, 1)


class Programs(Scratch):
    """Control programs of their own process."""

    def with_program(self, body, robot="kidsize", **more):
        self.file("control.py", "import json, sys\nrobot = json.loads(sys.stdin.readline())\n" + body)
        extra = "".join(f", {k} = {v}" for k, v in more.items())
        return self.file("scene.toml", f"""
[world]
include = ["fields/plane.toml"]
[robot.me]
model = "robots/{robot}.toml"
controller = {{ process = "control.py", rate = "100 Hz"{extra} }}
""")

    ANSWER = "for line in sys.stdin:\n    seen = json.loads(line)\n    print(json.dumps({}), flush=True)\n"

    def test_the_python_example_squats_and_its_log_replays_without_it(self):
        log, twin = self.path / "a.mcap", self.path / "b.csv"
        scene = SOURCE / "examples/python/squat.toml"
        done = run("run", scene, "--log", log, "--log", twin, "--record", "athlete.left_knee.target", "--record", "athlete.left_knee.q", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[float(x) for x in r] for r in list(csv.reader(twin.read_text().splitlines()))[1:]]
        deepest = max(rows, key=lambda r: r[1])
        self.assertAlmostEqual(deepest[1] - rows[0][1], 2 * 0.4, places=6)  # twice the bend, at 1 s, 3 s, 5 s
        self.assertAlmostEqual(deepest[0] % 2, 1, delta=0.02)
        self.assertLess(abs(deepest[2] - deepest[1]), 0.1)  # and the knee follows
        again = run("replay", log)  # without the program
        self.assertIn(json.loads(done.stdout)["hash"], again.stdout)

    def test_targets_by_list_and_by_name_and_what_the_robot_is(self):
        body = self.ANSWER.format('{"target": [x + 0.01 for x in seen["q"]]} if seen["k"] else {"target": {robot["joints"][3]: 0.2}}')
        body = "assert robot['kind'] == 'kidsize' and len(robot['lower']) == len(robot['joints']) == 21 and robot['period'] == 0.01\n" + body
        done = run("run", self.with_program(body), "--for", "0.1s", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_program_does_wrong_is_told_and_ends_the_run(self):
        for body, hint in (
            ("print('hello', flush=True)\n" + self.ANSWER.format("{}"), "print to standard error"),
            (self.ANSWER.format("{'target': [1, 2]}"), "2 numbers, the robot 21 joints"),
            (self.ANSWER.format("{'target': {'left_kne': 1}}"), "did you mean 'left_knee'?"),
            (self.ANSWER.format("{'target': {'left_knee': float('nan')}}"), "JSON"),
            (self.ANSWER.format("{'targets': {}}"), "known: target"),
            (self.ANSWER.format("{'end': 'scored'}"), "ended the run: scored"),
            (self.ANSWER.format("{'stiffness': {'left_knee': 1}}"), "no joint of this robot has an actuator chain"),
            ("for line in sys.stdin:\n    print('{}\\n{}', flush=True)\n", "more than one line"),  # at once: a second line that comes late is the next answer
            ("sys.exit(3)\n", "exit status 3"),
            ("print('x' * 2000000, flush=True)\nsys.stdin.read()", "more than a megabyte"),
            ("raise RuntimeError('oh')\n", "oh"),
        ):
            done = run("run", self.with_program(body), "--for", "1s", "--quiet")
            self.assertEqual(done.returncode, 1, body)
            self.assertIn(hint, done.stderr, body)
            self.assertIn("control.py", done.stderr)
        self.file("control.py", "")
        (self.path / "scene.toml").write_text((self.path / "scene.toml").read_text().replace("control.py", "control"))
        self.file("control", "no program\n")
        done = run("run", self.path / "scene.toml", "--for", "1s", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("chmod +x", done.stderr)

    def test_a_nao_is_released_by_its_program(self):
        body = self.ANSWER.format('{"stiffness": {j: 0 for j in robot["joints"]}}')
        done = run("run", self.with_program(body, "nao_h25_v6"), "--for", "1s", "--json")
        self.assertLess(json.loads(done.stdout)["robots"]["me"]["base"]["z"], 0.29)  # it sinks; standing is 0.31
        done = run("run", self.with_program(self.ANSWER.format('{"stiffness": {robot["joints"][0]: 2}}'), "nao_h25_v6"), "--for", "1s")
        self.assertIn("stiffness outside 0 ... 1", done.stderr)

    def test_no_program_outlives_its_run(self):
        """Neither one that ignores the end of its input."""
        pid = self.path / "pid"
        body = f"import os, signal, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + self.ANSWER.format("{}") + "time.sleep(100)\n"
        done = run("run", self.with_program(body), "--for", "0.1s", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRaises(ProcessLookupError, os.kill, int(pid.read_text()), 0)

    def test_what_a_library_prints_stays_out_of_the_json(self):
        source = self.file("chatty.c", """#include <gradus/controller.h>
#include <stdio.h>
uint32_t gradus_controller_version(void) { return GRADUS_CONTROLLER_VERSION; }
void* gradus_controller_create(const gradus_robot_info* info, const char* options) { printf("hello\\n"); return (void*)options; }
int32_t gradus_controller_step(void* self, const gradus_output* output, gradus_command* command) { printf("step\\n"); return 0; }
void gradus_controller_destroy(void* self) {}
""")
        subprocess.run(["cc", "-shared", "-fPIC", "-I", SOURCE / "include", source, "-o", self.path / "libchatty.so"], check=True)
        scene = self.with_program("")
        scene.write_text(scene.read_text().replace('process = "control.py"', 'library = "libchatty.so"'))
        done = run("run", scene, "--for", "0.1s", "--json")
        self.assertEqual(json.loads(done.stdout)["steps"], 100)
        self.assertEqual(done.stderr.count("step"), 10)
        self.assertIn("hello", run("run", scene, "--for", "0.1s").stdout)  # without --json as it was printed

    def test_a_new_folder_works(self):
        done = run("new", "mine", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("run", "mine/squat.toml", "--for", "0.1s", "--quiet", cwd=self.path).returncode, 0)
        self.assertEqual(run("new", "mine", cwd=self.path).returncode, 1)  # nothing is overwritten
        for language in ("c", "walk", "cpp", "firasim"):
            done = run("new", "in_" + language, language, cwd=self.path)
            self.assertEqual(done.returncode, 0, done.stderr)
            build = [line for line in done.stdout.splitlines() if "cmake" in line]
            if build:  # what it says is next must work as it is
                subprocess.run(["bash", "-c", build[0]], cwd=self.path, check=True, capture_output=True)
        self.assertEqual(run("new", "x", "cobol", cwd=self.path).returncode, 2)


class Fit(Scratch):
    def test_a_servo_whose_numbers_are_known_is_found_again(self):
        """A pendulum of 0.5 kg and 10 cm, moved by the XL330 that ships, is recorded; the fit begins with wrong gain and friction."""
        self.file("bench.toml", """
[robot]
name = "bench"
root = "fixed"
[[object]]
name = "post"
kind = "base"
[[object]]
name = "joint"
kind = "revolute"
axis = "y"
mass = "0.5 kg"
com = ["0 m", "0 m", "-10 cm"]
inertia = ["1e-9 kg m^2", "1e-9 kg m^2", "1e-9 kg m^2"]
servo = "servos/xl330.toml"
""")
        self.file("swing.toml", """
[motion]
name = "swing"
robot = "bench"
columns = ["time", "joint"]
units = ["s", "rad"]
rows = [[0.0, 0.0], [0.4, 1.2], [0.8, 1.2], [1.2, -0.8], [1.6, 0.9], [2.0, 0.0]]
""")
        scene = self.file("scene.toml", '[robot.b]\nmodel = "bench.toml"\ncontroller = { keyframes = "swing.toml", rate = "1 kHz", loop = false }\n')
        table = self.path / "run.csv"
        done = run("run", scene, "--for", "2s", "--log", table, "--record", "b.joint.target", "--record", "b.joint.q", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.reader(table.read_text().splitlines()))[1:]
        recording = self.file("swing.csv", "t_s,goal_rad,pos_rad\n" + "".join(",".join(r) + "\n" for r in rows))
        right = (SOURCE / "servos/xl330.toml").read_text()
        right = right[: right.index("[passport]")]
        wrong, changed = re.subn(r'(?m)^(kp = "|viscous = ")[\d.]+', lambda m: m[1] + ("1.5" if m[1].startswith("kp") else "0.03"), right)
        self.assertEqual(changed, 2)
        wrong = self.file("wrong.toml", wrong)
        bench = ("--mass", "0.5 kg", "--length", "10 cm")
        made = self.path / "made.toml"
        done = run("fit", recording, "--from", wrong, *bench, "-o", made, "--evaluations", "600")
        self.assertEqual(done.returncode, 0, done.stderr)
        after, before = (float(x) for x in re.findall(r"error ([\d.]+) rad, before ([\d.]+) rad", done.stdout)[0])
        self.assertGreater(before, 0.1)
        self.assertLess(after, before / 10)
        self.assertEqual(run("check", made).returncode, 0)
        same = run("fit", recording, "--from", made, *bench, "-o", self.path / "again.toml", "--evaluations", "1").stdout  # what was written is what was found
        self.assertAlmostEqual(float(re.findall(r"before ([\d.]+) rad", same)[0]), after, delta=1e-5)
        for words, hint in ((("--mass", "0.5"), "has no unit"), ((), "what does the servo move?"), ((*bench, "--inertia", "1 kg m^2"), "what does the servo move?")):
            done = run("fit", recording, "--from", wrong, *words, "-o", made)
            self.assertEqual(done.returncode, 1)
            self.assertIn(hint, done.stderr)
        self.assertIn("has no column t_s", run("fit", table, "--from", wrong, *bench, "-o", made).stderr)


unittest.main()
