#!/usr/bin/env python3
"""The program as users meet it: output, exit status, logs, faults. Usage: cli_test.py GRADUS SOURCE_DIR CONTROLLERS_DIR EDIT_LOG"""
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

GRADUS, SOURCE, CONTROLLERS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
EDIT_LOG = sys.argv.pop(1)


def run(*args, **kwargs):
    return subprocess.run([GRADUS, *map(str, args)], capture_output=True, text=True, timeout=120, **kwargs)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def scene(self, text):
        file = self.path / "scene.toml"
        file.write_text(text)
        return file


class Render(Scratch):
    def shot(self, *args):
        return run("render", *args, "-o", self.path / "a.png", "--json")

    def test_a_picture_is_a_png_with_the_same_hash_for_any_lanes_and_threads(self):
        args = ("spl", "--camera", "blue4.camera_top", "--size", "160x120", "--noise", "5000", "1.6", "--readout", "30ms")
        first = json.loads(self.shot(*args).stdout)
        self.assertEqual((first["width"], first["height"], first["cameras"]), (160, 120, 1))
        self.assertEqual((self.path / "a.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(json.loads(self.shot(*args, "--threads", "3").stdout)["hash"], first["hash"])
        one = run("render", *args, "-o", self.path / "a.png", "--json", env={**os.environ, "GRADUS_LANES": "1"})
        self.assertEqual(json.loads(one.stdout)["hash"], first["hash"])

    def test_a_contact_sheet_holds_every_camera(self):
        out = json.loads(self.shot("spl", "--camera", "all", "--size", "32x24").stdout)
        self.assertEqual((out["cameras"], out["width"], out["height"]), (10, 4 * 32, 3 * 24))

    def test_a_film_has_a_picture_for_every_frame(self):
        done = run("render", "fall", "--for", "0.2s", "--size", "32x24", "--fps", "10", "-o", self.path / "a.y4m")
        self.assertEqual(done.returncode, 0, done.stderr)
        film = (self.path / "a.y4m").read_bytes()
        self.assertTrue(film.startswith(b"YUV4MPEG2 W32 H24 F10000:1000"))
        self.assertEqual(len(film), film.index(b"\n") + 1 + 2 * (6 + 3 * 32 * 24))

    def test_mistakes_are_told_with_a_suggestion(self):
        for args, due in ((("--size", "0x480"), "has none"), (("--size", "31623x31623"), "too large"), (("--camera", "blue4.camera_tpo"), "did you mean 'camera_top'?"),
                          (("--camera", "blu4.camera_top"), "did you mean 'blue4'?"), (("--camera", "1 2 3 / 0 0 0"), "has no unit"), (("--lens", "-2"), "the lens folds"),
                          (("--view", "200deg"), "angle of view"), (("--hide", "Torso"), "free camera")):
            done = self.shot("spl", *args)
            self.assertEqual((done.returncode, done.stdout), (1, ""), args)
            self.assertIn(due, done.stderr)
        self.assertIn("PNG", run("render", "spl", "-o", self.path / "a.jpg").stderr)


class Run(Scratch):
    def test_json_is_one_object_with_all_that_is_promised(self):
        done = run("run", "levels", "--for", "1s", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads(done.stdout)
        for key in ("scene", "sim_time", "wall_time", "rtf", "steps", "hash", "events", "robots"):
            self.assertIn(key, out)
        self.assertEqual(out["steps"], 1000)
        self.assertAlmostEqual(out["sim_time"], 1.0)
        self.assertEqual(out["robots"]["level2"]["motion"], "prescribed_joints")
        for key in ("x", "y", "z", "roll", "pitch", "yaw"):
            self.assertIn(key, out["robots"]["level2"]["base"])

    def test_touches_begin_before_they_end_and_fill_no_screen(self):
        done = run("run", "scrum", "--for", "2s", "--json")
        touching, begun = set(), 0
        for e in json.loads(done.stdout)["events"]:
            pair = (e["robot"], e["what"].split()[-1])
            if e["kind"] == "touch":
                self.assertNotIn(pair, touching)
                touching.add(pair)
                begun += 1
            if e["kind"] == "apart":
                self.assertIn(pair, touching)
                touching.remove(pair)
        self.assertGreater(begun, 0)
        table = run("run", "scrum", "--for", "2s").stdout
        self.assertLessEqual(table.count(" touches "), 8 + table.count("touches the ground"), table)
        self.assertNotIn("let go", table)

    def test_contacts_without_room_are_told(self):
        scene = self.path / "heap.toml"
        scene.write_text('[world]\ninclude = ["fields/plane.toml"]\n[robot.ball]\nmodel = "robots/spl_ball.toml"\nmotion = "free_body"\n'
                         'pose = { z = "5 cm" }\ncopies = { count = 60, per_row = 8, dx = "1 mm", dy = "1 mm" }\n')
        self.assertGreater(json.loads(run("run", scene, "--for", "2ms", "--json").stdout)["dropped_contacts"], 100)
        self.assertIn("contacts found no room", run("run", scene, "--for", "2ms").stdout)

    def test_threads_change_no_bit(self):
        hashes = {json.loads(run("run", "fall", "--for", "1s", "--json", "--threads", n).stdout)["hash"] for n in (1, 2, 4)}
        self.assertEqual(len(hashes), 1)

    def test_motion_and_set_are_taken(self):
        out = json.loads(run("run", "levels", "--for", "0.1s", "--json", "--motion", "level3=single_body").stdout)
        self.assertEqual(out["robots"]["level3"]["motion"], "single_body")
        plain = json.loads(run("run", "fall", "--for", "1s", "--json").stdout)["hash"]
        slippery = json.loads(run("run", "fall", "--for", "1s", "--json", "--set", "world.contact.friction=0.1").stdout)["hash"]
        self.assertNotEqual(plain, slippery)

    def test_mistakes_are_told_with_a_suggestion(self):
        done = run("run", "levels", "--set", "level3.left_kne.kp=3 N m/rad")
        self.assertEqual(done.returncode, 1)
        self.assertIn("left_knee", done.stderr)
        done = run("run", "levels", "--motion", "level3=articulatd")
        self.assertEqual(done.returncode, 1)
        self.assertIn("articulated", done.stderr)
        self.assertEqual(run("run", "levels", "--for", "10 m").returncode, 2)
        self.assertEqual(run("run", "levels", "--speed", "fast").returncode, 2)
        done = run("run", "levls")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean 'levels'?", done.stderr)
        self.assertEqual(run("fly").returncode, 2)

    def test_real_time_is_kept(self):
        start = time.monotonic()
        self.assertEqual(run("run", "arm", "--for", "1s", "--speed", "2", "--quiet").returncode, 0)
        self.assertGreater(time.monotonic() - start, 0.45)

    def test_missed_real_time_is_warned_of(self):
        done = run("run", "hundred_standing", "--for", "1s", "--speed", "1000", "--quiet")
        self.assertIn("real time was missed", done.stderr)


class Logs(Scratch):
    def test_replay_finds_the_same_states_without_the_scene_files(self):
        log = self.path / "a.mcap"
        self.assertEqual(run("run", "levels", "--for", "1s", "--log", log, "--quiet").returncode, 0)
        done = run("replay", log, "--json", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads(done.stdout)
        self.assertTrue(out["same"])
        self.assertEqual(out["steps"], 1000)

    def test_replay_names_the_first_step_that_differs(self):
        """The scene in a log is changed by one digit of a mass: the very first step must differ."""
        log = self.path / "a.mcap"
        run("run", "arm", "--for", "0.2s", "--log", log, "--quiet")
        other = self.path / "b.mcap"
        edit = subprocess.run([EDIT_LOG, log, other], capture_output=True, text=True)
        self.assertEqual(edit.returncode, 0, edit.stderr)
        done = run("replay", other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the first state that differs is that of step 1", done.stdout)

    def test_a_match_prints_its_score_and_goes_through_threads_unchanged(self):
        outs = [json.loads(run("run", "mirosot_3v3", "--for", "3s", "--json", "--threads", n).stdout) for n in (1, 2)]
        self.assertEqual(outs[0]["hash"], outs[1]["hash"])
        self.assertEqual(set(outs[0]["match"]["match"]) & {"blue", "yellow", "clock"}, {"blue", "yellow", "clock"})
        self.assertAlmostEqual(outs[0]["match"]["match"]["clock"], 3.0)
        self.assertIn("match: blue ", run("run", "mirosot_3v3", "--for", "0.1s").stdout)

    def test_a_client_plays_by_firasims_protocol_and_the_log_replays_without_it(self):
        free = []
        for _ in range(4):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("127.0.0.1", 0))
            free.append((s, f"127.0.0.1:{s.getsockname()[1]}"))
        vision, commands, referee, placement = (a for _, a in free)
        for s, _ in free:
            s.close()
        client = subprocess.Popen([sys.executable, str(SOURCE / "examples/firasim_client/client.py"), "--team", "yellow", "--vision",
                                   vision, "--commands", commands, "--frames", "121", "--json"], stdout=subprocess.PIPE, text=True)
        time.sleep(0.5)  # it has to listen before the first picture
        log = self.path / "match.mcap"
        done = run("run", "mirosot_3v3", "--for", "2s", "--json", "--log", log, "--firasim",
                   f"yellow,sync,vision={vision},commands={commands},referee={referee},placement={placement}")
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads(done.stdout)
        heard = json.loads(client.communicate(timeout=60)[0])
        self.assertEqual((heard["frames"], heard["missing"]), (121, 0))
        self.assertEqual((out["firasim"]["frames"], out["firasim"]["impatient"]), (121, 0))
        self.assertGreaterEqual(out["firasim"]["packets"], 120)
        self.assertEqual(out["firasim"]["malformed"] + out["firasim"]["refused"], 0)
        again = run("replay", log)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn(out["hash"], again.stdout)
        self.assertEqual(run("run", "mirosot_3v3", "--firasim=sideways").returncode, 1)
        self.assertEqual(run("run", "levels", "--firasim").returncode, 1)

    def test_csv_holds_the_chosen_columns(self):
        table = self.path / "a.csv"
        done = run("run", "levels", "--for", "0.5s", "--log", table, "--record", "level3.x", "--record", "level3.left_knee.tau", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = table.read_text().splitlines()
        self.assertEqual(lines[0], "time [s],level3.x [m],level3.left_knee.tau [N m]")
        self.assertEqual(len(lines), 1 + 51)
        self.assertEqual(run("run", "levels", "--log", self.path / "a.txt").returncode, 1)
        self.assertEqual(run("run", "levels", "--log", table, "--record", "level3.nose").returncode, 1)

    def test_a_full_disk_ends_the_log_and_what_was_written_can_be_read(self):
        log = self.path / "a.mcap"
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
        done = run("run", "levels", "--for", "10s", "--log", log, "--quiet", preexec_fn=limit)
        self.assertEqual(done.returncode, 1)
        self.assertIn("incomplete", done.stderr)
        self.assertIn("state hash", done.stdout)  # the run itself went on to its end
        again = run("replay", log, "--json")
        self.assertTrue(json.loads(again.stdout)["same"], again.stderr)

    def test_ctrl_c_closes_the_log_and_prints_the_summary(self):
        log = self.path / "a.mcap"
        child = subprocess.Popen([GRADUS, "run", "levels", "--for", "1000s", "--speed", "real", "--log", str(log), "--quiet"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
        self.assertIn("interrupted", err)
        self.assertIn("state hash", out)
        self.assertTrue(json.loads(run("replay", log, "--json").stdout)["same"])

    def test_the_terminal_closing_closes_the_log_too(self):
        for number in (signal.SIGHUP, signal.SIGTERM):
            log = self.path / f"{number}.mcap"
            child = subprocess.Popen([GRADUS, "run", "levels", "--for", "1000s", "--speed", "real", "--log", str(log), "--quiet"],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(1.5)
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertIn("interrupted", err)
            self.assertTrue(json.loads(run("replay", log, "--json").stdout)["same"])

    def test_times_that_overflow_are_refused_with_bounds(self):
        self.assertIn("1e8 s", run("run", "levels", "--for", "1e18s").stderr)
        for setting, word in [("world.duration=1e300 s", "1e8 s"), ("world.step=1e-12 s", "1 ns"), ("world.log=1e-15 s", "1 ns")]:
            done = run("run", "levels", "--set", setting)
            self.assertEqual(done.returncode, 1, setting)
            self.assertIn(word, done.stderr)

    def test_what_cannot_be_written_or_read_is_one_line_and_no_abort(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([GRADUS, "run", "levels", "--for", "0.1s", "--json"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be written", done.stderr)
        fifo = self.path / "scene.toml"
        os.mkfifo(fifo)
        for name in [fifo, "/dev/zero", self.path / ("x" * 5000), self.path, self.path / "no" / "such"]:
            done = run("run", name, "--for", "0.1s")
            self.assertIn(done.returncode, (1, 2), name)
            self.assertIn("error", done.stderr)

    def test_numbers_that_are_none_are_text_in_json(self):
        done = run("run", "levels", "--for", "0.05s", "--json", "--at", "0.01 s: level3.left_knee.v=1e308 rad/s")
        self.assertNotIn("null", done.stdout)
        json.loads(done.stdout)

    def test_things_that_are_no_logs_are_refused(self):
        junk = self.path / "junk.mcap"
        junk.write_bytes(os.urandom(5000))
        self.assertEqual(run("replay", junk).returncode, 1)
        self.assertEqual(run("replay", self.path / "nothing.mcap").returncode, 1)


class Controllers(Scratch):
    def with_library(self, name):
        return self.scene(f"""
[world]
include = ["{SOURCE}/fields/plane.toml"]
[robot.kid]
model = "{SOURCE}/robots/kidsize.toml"
controller = {{ library = "{CONTROLLERS / name}", rate = "100 Hz" }}
""")

    def test_a_library_that_crashes_is_named_and_the_log_survives(self):
        log = self.path / "a.mcap"
        done = run("run", self.with_library("libcrash.so"), "--for", "1s", "--log", log, "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("libcrash.so", done.stderr)
        self.assertIn("segmentation fault", done.stderr)
        self.assertTrue(json.loads(run("replay", log, "--json").stdout)["same"])

    def test_a_target_that_is_not_finite_is_refused(self):
        done = run("run", self.with_library("libnan.so"), "--for", "1s", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not finite", done.stderr)

    def test_a_library_that_goes_wrong_in_any_way_is_named_and_the_log_is_closed(self):
        for name, word in [("deep", "segmentation fault"), ("exit", "called exit()"), ("nan", "not finite"),
                           ("own_thread", "in a thread of its own"), ("own_exit", "in a thread of its own")]:
            with self.subTest(name):
                log = self.path / f"{name}.mcap"
                done = run("run", self.with_library(f"lib{name}.so"), "--for", "2s", "--log", log, "--quiet")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(f"lib{name}.so", done.stderr)
                self.assertIn(word, done.stderr)
                self.assertTrue(json.loads(run("replay", log, "--json").stdout)["same"])

    def test_a_library_that_loops_for_ever_is_named_and_can_be_ended(self):
        log = self.path / "loop.mcap"
        child = subprocess.Popen([GRADUS, "run", self.with_library("libloop.so"), "--for", "2s", "--log", str(log), "--quiet"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(4)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 1)
        self.assertIn("libloop.so", err)
        self.assertIn("did not return and was ended", err)
        self.assertTrue(json.loads(run("replay", log, "--json").stdout)["same"])

    def test_a_library_that_flushes_small_numbers_and_rounds_upwards_changes_no_bit(self):
        hashes = []
        for name in ("nothing", "flush"):
            done = run("run", self.with_library(f"lib{name}.so"), "--for", "1s", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            hashes.append(json.loads(done.stdout)["hash"])
        self.assertEqual(*hashes)

    def test_a_library_of_another_version_is_refused(self):
        done = run("run", self.with_library("libfuture.so"), "--for", "1s", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("version", done.stderr)

    def test_a_library_of_an_older_version_still_drives(self):
        done = run("run", self.with_library("libold.so"), "--for", "0.1s", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)

    def with_nao(self, name):
        return self.scene(f"""
[world]
include = ["{SOURCE}/fields/plane.toml"]
[robot.nao]
model = "{SOURCE}/robots/nao_h25_v6.toml"
servo = {{ LKneePitch = {{ gear = {{ play = "1.4 deg", stiffness = "1500 N m/rad", damping = "2 N m s/rad" }} }} }}
controller = {{ library = "{CONTROLLERS / name}", rate = "100 Hz" }}
""")

    def test_both_encoders_current_and_voltage_are_seen_and_a_motor_is_released(self):
        done = run("run", self.with_nao("libmotors.so"), "--for", "1s", "--quiet")
        self.assertIn("ended the run with code 7", done.stderr)

    def test_a_stiffness_above_one_is_refused(self):
        done = run("run", self.with_nao("libstiff.so"), "--for", "1s", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stiffness outside 0 ... 1", done.stderr)

    def test_a_file_that_is_no_library_is_refused(self):
        done = run("run", self.with_library("nothing.so"), "--for", "1s", "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing.so", done.stderr)


class Others(Scratch):
    def test_check_knows_servo_files(self):
        good = run("check", *sorted((SOURCE / "servos").glob("*.toml")))
        self.assertEqual(good.returncode, 0, good.stderr)
        bad = SOURCE / "tests/misuse/files/servo_units_and_numbers.toml"
        done = run("check", bad.name, cwd=bad.parent)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, bad.with_suffix(".expected").read_text())

    def test_check_tells_all_errors_at_once(self):
        bad = self.scene('[world]\nstep = 1\nfriktion = 2\n[robot.a]\nmodel = "none.toml"\n')
        done = run("check", bad)
        self.assertEqual(done.returncode, 1)
        self.assertGreaterEqual(len(done.stderr.strip().splitlines()), 3)
        self.assertIn("scene.toml:2:", done.stderr)
        self.assertEqual(run("check", SOURCE / "scenes/levels.toml", SOURCE / "robots/kidsize.toml", SOURCE / "robots/quadruped.urdf",
                             SOURCE / "motions/kidsize_walk.toml").returncode, 0)

    def test_show_lists_properties_that_the_bound_algorithms_add(self):
        text = run("show", "levels", "--properties").stdout
        self.assertIn("level0.standing_foot", text)
        self.assertNotIn("level1.standing_foot", text)
        self.assertIn("level3.left_knee.tau", text)
        self.assertNotIn("level2.left_knee.tau", text)
        self.assertEqual(json.loads(run("show", "levels", "--json").stdout)["step"], 0.001)

    def test_terrain_writes_maps_that_run_as_the_scene_that_makes_them(self):
        def dog_on(shape):
            robot = '[robot.dog]\nmodel = "robots/quadruped.urdf"\npose = { x = "90 cm", z = "40 cm" }\n'
            out = run("run", self.scene(f"[field.ground]\n{shape}\n{robot}"), "--for", "0.5s", "--json")
            self.assertEqual(out.returncode, 0, out.stderr)
            return json.loads(out.stdout)
        made = dog_on('shape = { terrain = { kind = "rough", difficulty = 0.3, size = ["3 m", "2 m"], seed = 5 } }')
        for kind in ("asc", "png", "stl"):
            out = run("terrain", "rough", "--difficulty", 0.3, "--size", "3m", "2 m", "--seed", 5, "-o", self.path / f"map.{kind}")
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertIn("151 × 101 heights", out.stdout)
            read = dog_on(out.stdout.splitlines()[1])
            if kind == "asc":
                self.assertEqual(read["hash"], made["hash"])
            z = [r["robots"]["dog"]["base"]["z"] for r in (read, made)]
            self.assertAlmostEqual(*z, delta=0.002, msg=kind)

    def test_terrain_with_upright_risers_is_that_of_the_scene_too(self):
        def ball_on(shape):
            robot = '[robot.ball]\nmodel = "robots/ball.toml"\nmotion = "free_body"\npose = { x = "-50 cm", y = "20 cm" }\nvelocity = { x = "1 m/s" }\n'
            out = run("run", self.scene(f"[field.ground]\n{shape}\n{robot}"), "--for", "1s", "--json")
            self.assertEqual(out.returncode, 0, out.stderr)
            return json.loads(out.stdout)["hash"]
        out = run("terrain", "discrete", "-d", 0.4, "--size", "2m", "--start", "10cm", "--seed", 5, "--risers", "vertical", "-o", self.path / "map.asc")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("100 × 100 heights", out.stdout)
        made = 'shape = { terrain = { kind = "discrete", difficulty = 0.4, size = "2 m", start = "10 cm", seed = 5, risers = "vertical" } }'
        self.assertEqual(ball_on(out.stdout.splitlines()[1]), ball_on(made))
        self.assertNotEqual(ball_on(made), ball_on(made.replace("vertical", "slanted")))
        self.assertEqual(run("terrain", "discrete", "--risers", "vertical", "-o", self.path / "map.stl").returncode, 2)

    def test_terrain_tells_what_is_wrong(self):
        for args, part in ((("hills",), "rough"), (("rough", "-d", "2"), "--difficulty: 2 is not from 0 to 1"),
                           (("rough", "--cell", "-2cm"), "--cell: -0.02 m"), (("rough", "--size", "0m"), "--size: 0 m"),
                           (("rough", "--size", "6"), "unit"), (("rough", "--size", "900m", "--cell", "1mm"), "more than 16000000")):
            out = run("terrain", *args, "-o", self.path / "map.asc")
            self.assertEqual(out.returncode, 2, args)
            self.assertIn(part, out.stderr)
        out = run("terrain", "rough", "-o", self.path / "map.tif")
        self.assertEqual(out.returncode, 1)
        self.assertIn(".asc, .png or .stl", out.stderr)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_help_has_examples(self):
        for command in ("run", "check", "show", "replay", "terrain", "bench", "paper"):
            self.assertIn("xample", run(command, "--help").stdout)

    def test_bench_rows_carry_their_configuration(self):
        rows = json.loads(run("bench", "crowd", "--rounds", "1", "--json").stdout)["rows"]
        for row in rows:
            for key in ("scenario", "engine", "variant", "ns_per_robot_step", "robots", "threads", "methods", "hash"):
                self.assertIn(key, row)

    def test_paper_prints_its_table(self):
        with tempfile.TemporaryDirectory() as folder:
            out = json.loads(run("paper", "murosimf-levels", "--json", "--out", folder).stdout)
            picture = xml.etree.ElementTree.parse(folder + "/murosimf_levels.svg")
            table = pathlib.Path(folder + "/murosimf_levels.csv").read_text().splitlines()
        self.assertEqual(out["name"], "murosimf-levels")
        self.assertIn("all levels walk", out["verdict"])
        self.assertEqual(len(picture.findall("{http://www.w3.org/2000/svg}path")), 4)
        self.assertAlmostEqual(float(table[-1].split(",")[1]), out["rows"][0]["gradus"]["kinematic_walk"], places=6)
        self.assertEqual(run("paper", "nothing").returncode, 2)

    def test_paper_counts_collision_tests(self):
        out = json.loads(run("paper", "murosimf-counting", "--quick", "--json").stdout)
        rows = {r["quantity"]: r["gradus"] for r in out["rows"]}
        self.assertEqual(rows["tests of a list of all pairs"], 973)
        for kind, missed in rows["contacts of the list of all pairs that the trees missed, in play"].items():
            self.assertEqual(missed, 0, kind)

    def test_paper_simbenchmark_runs(self):
        out = json.loads(run("paper", "simbenchmark", "--quick", "--json").stdout)
        rows = {r["quantity"]: r["gradus"] for r in out["rows"]}
        for angle in (0, 30, 45):
            self.assertAlmostEqual(rows[f"sliding cube, {angle}°: stopping distance"], -0.39, delta=0.05)
        self.assertLess(rows["bouncing: mean squared energy error"], 1e-6)
        self.assertLess(rows["ANYmal energy: mean squared error in flight"], 1e-6)
        self.assertLess(rows["ANYmal momentum: mean squared error"], 1e-20)  # the ball has hit it by then
        self.assertAlmostEqual(rows["ANYmal standing: height of the lowest of all bases at the end"], 0.519, delta=0.002)

    def test_paper_motoflex_fit_finds_a_robot_that_sways_as_the_recorded_one(self):
        rows = {r["quantity"]: r["gradus"] for r in json.loads(run("paper", "motoflex-fit", "--quick", "--json").stdout)["rows"]}
        fitted = next(v for k, v in rows.items() if k.startswith("error of pitch"))
        self.assertLess(fitted["the truth"], 0.25)  # the noise is 0.2, and lanes are float
        self.assertLess(fitted["found"], 0.6 * fitted["the authors' parameters"])

    def paper_with_data(self, name, *words, data):
        """Result of an experiment on recordings that are not part of gradus; skips where they are not."""
        self.assertEqual(run("paper", name, "--data", "/nowhere").returncode, 1)
        folder = os.path.join(os.environ.get("GRADUS_SHARED", SOURCE.parent / "shared"), "data", data)
        if not os.path.isdir(folder):
            self.skipTest(f"no {data}; set GRADUS_SHARED")
        out = json.loads(run("paper", name, *words, "--json", "--data", folder).stdout)
        return {row["quantity"]: row for row in out["rows"]}, out["verdict"]

    def test_paper_servos_reach_what_is_asked(self):
        rows, verdict = self.paper_with_data("servos", data="actuators")
        self.assertEqual(len(rows), 3)
        for name, row in rows.items():
            self.assertLessEqual(row["gradus"]["all recordings"], row["paper"]["all recordings"], name)
            self.assertFalse(set(row["held_out"]) == set(row["recordings"]), name)
            self.assertLess(row["gradus"]["held out"], 2 * row["paper"]["all recordings"], name)
        self.assertIn("all three", verdict)

    def test_paper_motoflex_50_falls_by_compliance(self):
        rows, _ = self.paper_with_data("motoflex-50", "--quick", data="motoflex")
        for name, time in rows["time of the fall, in the target file"]["gradus"].items():
            if name.startswith("stiff"):
                self.assertEqual(time, "stands", name)
            else:
                self.assertTrue(2.9 <= time <= 3.3, f"{name}: {time}")

    def test_paper_motoflex_200_walks_as_fast_as_asked(self):
        rows, _ = self.paper_with_data("motoflex-200", "--quick", data="motoflex")
        speed, line = rows["speed, friction 0.4"]["gradus"], rows["pitch line at 2 Hz (each step)"]["gradus"]
        for drive in ("nao", "play"):
            self.assertTrue(195 <= speed[f"{drive}, hard floor"] <= 220, speed)
            self.assertTrue(2 <= line[f"{drive}, hard floor"] <= 4, line)
        self.assertLessEqual(line["stiff, hard floor"], 1.1)

    def test_paper_tosses_needs_its_data(self):
        rows, _ = self.paper_with_data("tosses", "--quick", data="tosses")
        self.assertLess(next(iter(rows.values()))["gradus"]["nominal friction, e 0"], 40)


unittest.main()
