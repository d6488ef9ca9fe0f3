"""The Python package as a user would use it."""
import contextlib
import gc
import importlib.util
import io
import os
import pathlib
import tempfile
import unittest

import gradus
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class Package(unittest.TestCase):
    def test_a_scene_by_name_runs(self):
        sim = gradus.load("levels")
        self.assertIn("level3", sim.robots)
        sim.step()
        sim.step(99)
        self.assertEqual(sim.k, 100)
        self.assertAlmostEqual(sim.time, 100 * sim.dt)

    def test_same_bits_for_any_way_of_stepping_and_threads(self):
        a, b = gradus.load("levels"), gradus.load("levels", threads=2)
        a.step(50)
        for _ in range(50):
            b.step()
        self.assertEqual(a.hash(), b.hash())
        self.assertTrue(np.array_equal(a["level3"].q, b["level3"].q))

    def test_arrays(self):
        sim = gradus.load("arm")
        arm = sim["arm"]
        self.assertEqual(arm.joints, ["shoulder"])
        self.assertEqual(arm.q.shape, (8,))
        self.assertEqual(arm.v.shape, (7,))
        before = arm.q
        sim.step(700)
        self.assertFalse(np.array_equal(before, arm.q), "a copy stays as it was")
        arm.set_state([0, 0, 0, 1, 0, 0, 0, 0.5], np.zeros(7))
        self.assertEqual(arm.joint_q[0], 0.5)
        self.assertAlmostEqual(sim.get("arm.shoulder.q"), 0.5)

    def test_targets_command(self):
        sim = gradus.load(str(ROOT / "robots/one_dof_arm.toml"))
        arm = sim["one_dof_arm"] if "one_dof_arm" in sim.robots else next(iter(sim))
        arm.targets[0] = 0.7
        sim.step(3000)
        self.assertAlmostEqual(arm.joint_q[0], 0.7, delta=0.1)
        arm.targets = [-0.3]
        sim.step(3000)
        self.assertAlmostEqual(arm.joint_q[0], -0.3, delta=0.1)

    def test_control_functions_are_called_at_their_rate(self):
        sim = gradus.load(str(ROOT / "robots/one_dof_arm.toml"))
        name = sim.robots[0]
        times = []

        def control(robot):
            times.append(sim.time)
            return [0.2]

        sim.run(1.0, {name: (control, 60)})
        self.assertEqual(len(times), 60)
        self.assertAlmostEqual(times[1], 0.017)
        self.assertAlmostEqual(sim.time, 1.0)

    def test_an_exception_in_a_control_function_ends_the_run_and_closes_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "a.mcap")
            sim = gradus.load("arm", logs=[log])

            def control(robot):
                if sim.time > 0.1:
                    raise ZeroDivisionError("my fault")

            with self.assertRaisesRegex(ZeroDivisionError, "my fault"):
                sim.run(1, {"arm": control})
            with open(log, "rb") as f:
                self.assertEqual(f.read()[-8:], b"\x89MCAP0\r\n", "a log that is whole")

    def test_properties_and_handles(self):
        sim = gradus.load("levels")
        knee = sim.property("level3.left_knee.kp")
        sim.set(knee, 20)
        self.assertEqual(sim.get("level3.left_knee.kp"), 20)
        self.assertEqual(sim.get(knee), 20)
        paths = [p["path"] for p in sim.properties()]
        self.assertIn("level3.left_knee.q", paths)

    def test_errors_tell_where_and_what(self):
        with self.assertRaisesRegex(gradus.Error, "did you mean 'level3'"):
            gradus.load("levels")["level33"]
        with self.assertRaisesRegex(gradus.Error, "did you mean"):
            gradus.load("levels").get("level3.left_kne.q")
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as f:
            f.write('[world]\nstepp = "1 ms"\n')
            f.flush()
            with self.assertRaisesRegex(gradus.Error, r":2:1: error: unknown key 'stepp'"):
                gradus.load(f.name)

    def test_bad_numbers_are_refused(self):
        sim = gradus.load("arm")
        arm = sim["arm"]
        with self.assertRaisesRegex(ValueError, "not finite"):
            arm.targets = [np.nan]
        with self.assertRaisesRegex(ValueError, "1 numbers"):
            arm.targets = [1, 2]
        with self.assertRaisesRegex(gradus.Error, "coordinates"):
            arm.set_state([0], [0])
        with self.assertRaises((TypeError, ValueError)):
            arm.targets = "up"
        with self.assertRaises(ValueError):
            arm.push("shoulder", [1, 2])
        with self.assertRaises(ValueError):
            sim.step(-1)
        with self.assertRaises(ValueError):
            sim.run(float("nan"))

    def test_snapshots(self):
        sim = gradus.load("levels")
        sim.step(50)
        kept = sim.save()
        sim.step(50)
        after = sim.hash()
        sim.restore(kept)
        sim.step(50)
        self.assertEqual(sim.hash(), after)

    def test_sensors(self):
        sim = gradus.load("imu_shaker")
        gyro = sim["shaker"].sensors["gyro"]
        self.assertEqual(gyro.kind, "gyroscope")
        self.assertEqual(gyro.channels, ["x", "y", "z"])
        sim.step(100)
        r = gyro.read()
        self.assertEqual(r.sample, 100)
        self.assertAlmostEqual(r.time, 0.1)
        self.assertTrue(np.all(np.abs(r.values - r.truth) < 0.2))
        self.assertFalse(np.array_equal(r.values, r.truth))

    def test_images_are_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "s.toml"
            scene.write_text('''
[world]
include = ["fields/plane.toml"]
[robot.nao]
model   = "robots/nao_h25_v6.toml"
sensors = "nao_cameras"
sensor.camera_top = { size = [64, 48], format = ["rgb", "yuyv", "grey", "depth", "segmentation"] }
[robot.ball]
model  = "robots/orange_ball.toml"
motion = "free_body"
pose   = { x = "1.6 m", z = "42.5 mm" }
''')
            sim = gradus.load(str(scene))
            camera = sim["nao"].sensors["camera_top"]
            self.assertIsNone(camera.image(), "nothing has arrived yet")
            sim.step(100)
            rgb = camera.image()
            self.assertEqual((rgb.format, rgb.array.shape, rgb.array.dtype), ("rgb", (48, 64, 3), np.uint8))
            self.assertEqual(rgb.frame, 1)
            red, blue = rgb.array[:, :, 0].astype(int), rgb.array[:, :, 2].astype(int)
            self.assertGreater(np.count_nonzero(red > blue + 60), 4, "the ball is orange")
            self.assertEqual(camera.image("yuyv").array.shape, (48, 64, 2))
            depth = camera.image("depth").array
            self.assertEqual(depth.dtype, np.float32)
            self.assertAlmostEqual(float(depth[red > blue + 60].min()), 1.52, delta=0.1)
            self.assertEqual(camera.image("segmentation").array.dtype, np.uint16)
            with self.assertRaises(gradus.Error):
                camera.image("jpeg")

    def test_the_vision_example_follows_the_ball(self):
        spec = importlib.util.spec_from_file_location("follow_ball", ROOT / "examples/vision/follow_ball.py")
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            worst = example.main()
        self.assertLess(worst, np.radians(3), said.getvalue())

    def test_views_outlive_the_name_of_the_simulation(self):
        sim = gradus.load("arm")
        targets = sim["arm"].targets
        del sim
        gc.collect()
        targets[0] = 1.0
        self.assertEqual(targets[0], 1.0)

    def test_many_loads_and_closes_keep_memory_flat(self):
        def resident():
            with open("/proc/self/statm") as f:
                return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        for _ in range(20):
            gradus.load("arm").step(10)
        gc.collect()
        before = resident()
        for _ in range(200):
            gradus.load("arm").step(10)
        gc.collect()
        self.assertLess(resident() - before, 4 << 20)


if __name__ == "__main__":
    unittest.main()
