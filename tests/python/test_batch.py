import gc
import pathlib
import threading
import time
import unittest

import numpy as np

import gradus

ROBOTS = pathlib.Path(__file__).resolve().parents[2] / "robots"
QUADRUPED = str(ROBOTS / "quadruped.urdf")
NAMES = ["quadruped.gravity", "quadruped.joint_q", "quadruped.*_foot.fn"]


def make(worlds=8, **options):
    options.setdefault("observe", NAMES)
    return gradus.Batch(QUADRUPED, worlds, **options)


class Arrays(unittest.TestCase):
    def test_arrays_are_views_that_never_move(self):
        batch = make()
        self.assertEqual(batch.backend, "lanes", batch.why)
        self.assertEqual(batch.actions.shape, (8, 12))
        self.assertEqual(batch.observations.shape, (8, len(batch.columns)))
        self.assertEqual(batch.observations.dtype, np.float32)
        obs, actions = batch.observations, batch.actions
        before = obs.copy()
        actions[3] += 0.2
        self.assertIs(batch.act(steps=20), obs)
        self.assertTrue((obs[3] != before[3]).any())
        self.assertEqual(obs.ctypes.data, batch._core.observations().ctypes.data)
        self.assertEqual(list(batch.ages), [20] * 8)

    def test_arrays_keep_the_batch_alive(self):
        obs = make().observations
        gc.collect()
        np.testing.assert_allclose(obs[:, 2], -1, atol=1e-6)

    def test_columns_have_names(self):
        batch = make()
        self.assertEqual(batch.at["quadruped.gravity"], slice(0, 3))
        self.assertEqual(batch.at["quadruped.joint_q"], slice(3, 15))
        self.assertEqual(batch.columns[2], "quadruped.gravity.z")
        self.assertEqual(len(batch.action_columns), 12)

    def test_actions_of_another_type_or_shape_are_refused(self):
        batch = make()
        good = np.zeros((8, 12), np.float32)
        batch.act(good)
        with self.assertRaisesRegex(TypeError, "float32"):
            batch.act(good.astype(np.float64))
        with self.assertRaisesRegex(TypeError, "float32"):
            batch.act(np.zeros((8, 12), int))
        with self.assertRaisesRegex(ValueError, r"\(8, 12\)"):
            batch.act(good[:, :11].copy())
        with self.assertRaisesRegex(ValueError, r"\(8, 12\)"):
            batch.act(good.ravel())
        with self.assertRaisesRegex(ValueError, "C order"):
            batch.act(np.asfortranarray(good))
        good[5, 2] = np.nan
        before = batch.hash()
        with self.assertRaisesRegex(gradus.Error, "world 5.*not finite"):
            batch.act(good)
        self.assertEqual(batch.hash(), before)
        with self.assertRaises(gradus.Error):
            batch.act(steps=0)

    def test_masks_and_states_are_checked(self):
        batch = make()
        with self.assertRaisesRegex(ValueError, "8 worlds"):
            batch.reset(np.ones(7, bool))
        q, v = batch.states()
        with self.assertRaisesRegex(ValueError, "q and v"):
            batch.reset(None, q)
        with self.assertRaisesRegex(ValueError, "shape"):
            batch.reset(None, q[:, :5], v)
        q[2, 2] = np.inf
        with self.assertRaisesRegex(gradus.Error, "world 2"):
            batch.reset(None, q, v)

    def test_names_that_are_not_there(self):
        with self.assertRaisesRegex(gradus.Error, "quadruped.joint_q"):
            make(observe=["quadruped.joint_g"])
        with self.assertRaisesRegex(TypeError, "list of names"):
            make(observe="quadruped.joint_q")
        with self.assertRaisesRegex(TypeError, "float32 or float64"):
            make(dtype=int)
        with self.assertRaisesRegex(gradus.Error, "no such|cannot|there is no"):
            gradus.Batch("no_such_scene", 4)


class Runs(unittest.TestCase):
    def roll(self, **options):
        batch = make(37, **options)
        rng = np.random.default_rng(3)
        batch.set_start_noise(0.05, 0.1)
        batch.reset()
        for _ in range(10):
            batch.actions[:] = batch.start + rng.normal(0, 0.3, batch.actions.shape)
            batch.act(steps=5)
            batch.reset(batch.observations[:, 2] > -0.9)
        return batch

    def test_the_same_bits_for_any_number_of_threads(self):
        self.assertEqual(self.roll().hash(), self.roll(threads=3).hash())

    def test_worlds_and_lanes_agree(self):
        a, b = make(4, dtype=np.float64), make(4, dtype=np.float64, backend="worlds")
        for batch in (a, b):
            batch.act(steps=10)
        np.testing.assert_allclose(a.observations, b.observations, atol=1e-9)

    def test_a_batch_of_worlds_has_the_bits_of_a_simulation(self):
        sim = gradus.load("levels")
        batch = gradus.Batch("levels", 2, backend="worlds", dtype=np.float64)
        for name in sim.robots:
            self.assertIn(name, "".join(batch.action_columns) + "ball")
        batch.act(steps=50)
        # control programs of the scene run in the simulation alone: compare a robot that has none
        free = gradus.load(QUADRUPED)
        one = make(1, backend="worlds", dtype=np.float64)
        free["quadruped"].targets = one.start
        free.step(50), one.act(steps=50)
        self.assertEqual(free.hash(), one.hash(0))

    def test_delays_parameters_and_shoves(self):
        batch = gradus.Batch("learn_trot", 32, observe=NAMES, parameters=["world.contact.friction", "quadruped.kp_factor"])
        drawn = batch.randomise({"world.contact.friction": (0.3, 1.2), "quadruped.kp_factor": (0.5, 1.5)}, np.random.default_rng(1))
        self.assertEqual(drawn.shape, (32, 2))
        batch.set_delays(2)
        with self.assertRaises(gradus.Error):
            batch.act(steps=2)
        batch.act(steps=3)
        shove = np.zeros((32, batch.velocity_size))
        shove[:, 3] = 1
        batch.add_velocity(np.arange(32) < 4, shove)
        np.testing.assert_allclose(batch.states()[1][:4, 3], 1, atol=0.2)
        with self.assertRaisesRegex(gradus.Error, "held forces"):
            batch.push(None, "quadruped.trunk", np.zeros((32, 3)))
        with self.assertRaises(ValueError):
            batch.set_parameters({"friction": 1})

    def test_the_lock_is_free_while_worlds_step(self):
        batch = make(256)
        count, stop = [0], threading.Event()

        def spin():
            while not stop.is_set():
                count[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=spin)
        thread.start()
        before = count[0]
        batch.act(steps=2000)
        during = count[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, 10)

    def test_save_and_restore(self):
        batch = self.roll()
        saved = batch.save(5)
        batch.act(steps=10)
        after = batch.hash(5)
        batch.restore(5, saved)
        batch.act(steps=10)
        self.assertEqual(batch.hash(5), after)
        with self.assertRaises(gradus.Error):
            batch.restore(5, np.zeros(3))


if __name__ == "__main__":
    unittest.main()
