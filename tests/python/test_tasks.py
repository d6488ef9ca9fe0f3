import unittest

import numpy as np

from gradus import tasks

try:
    import gymnasium
except ImportError:
    gymnasium = None
try:
    import pettingzoo
except ImportError:
    pettingzoo = None


def roll(name, worlds, steps=40, seed=5, first=0, **options):
    """Observations and rewards of worlds that all get the actions that belong to their number."""
    task = tasks.make(name, worlds=worlds, seed=seed, **options)
    out = [task.reset().copy()]
    for t in range(steps):
        x = tasks.uniform(9, t, np.arange(first, first + worlds), np.zeros(worlds), task.act_size)
        obs, reward, terminated, truncated, _ = task.step((2 * x - 1).astype(np.float32))
        out.append(np.concatenate([obs, reward[:, None], terminated[:, None], truncated[:, None]], axis=1))
    return out


class Tasks(unittest.TestCase):
    def test_every_task_runs_and_is_finite(self):
        for name in tasks.names():
            with self.subTest(name):
                for x in roll(name, 3, 30):
                    self.assertTrue(np.isfinite(x).all())

    def test_a_world_does_not_depend_on_how_many_others_there_are(self):
        for name in ("quadruped_trot", "get_up", "cart_pole", "mirosot_1v1"):
            with self.subTest(name):
                for few, many in zip(roll(name, 3), roll(name, 20)):
                    np.testing.assert_array_equal(few, many[:3])

    def test_the_same_seed_gives_the_same_episodes_and_another_seed_others(self):
        a, b, c = roll("humanoid_walk", 4), roll("humanoid_walk", 4, threads=2), roll("humanoid_walk", 4, seed=6)
        np.testing.assert_array_equal(a[-1], b[-1])
        self.assertTrue((a[0] != c[0]).any())
        task = tasks.make("quadruped_trot", worlds=2, seed=1)
        first = task.reset(seed=3).copy()
        task.step(np.ones((2, 12), np.float32))
        np.testing.assert_array_equal(task.reset(seed=3), first)

    def test_the_reward_of_a_known_state(self):
        """Standing still at command 0, at the walking height: 1 + 0.3 + 0.5 a second, less 10 (z - height)²."""
        task = tasks.make("quadruped_trot", worlds=2, speed=0.0)
        task.reset()
        zero = np.zeros((2, 12), np.float32)
        for _ in range(100):
            _, reward, over, _, _ = task.step(zero)
        lost = 10 * (task.z - task.gait.height) ** 2 + 2 * (task.gravity[:, 0] ** 2 + task.gravity[:, 1] ** 2)
        self.assertFalse(over.any())
        np.testing.assert_allclose(reward / task.dt, 1.8 - lost, atol=0.01)

    def test_the_ball_in_the_goal_is_worth_ten_and_ends_the_episode(self):
        task = tasks.make("mirosot_1v1", worlds=2, autoreset=False)
        task.reset()
        q, v = task.batch.states()
        q[:, 18:20], q[:, 0:2], q[:, 9:11] = (0.6, 0), (-0.6, 0.4), (0.2, -0.5)
        v[:, 16 + 3] = [2, -2]
        q[1, 18] = -0.6
        task.batch.reset(None, q, v)
        task.score[:] = task.goals
        total, over = np.zeros(2), np.zeros(2, bool)
        for _ in range(30):
            _, reward, terminated, _, _ = task.step(np.zeros((2, 2), np.float32))
            total += np.where(over, 0, reward)
            over |= terminated
        self.assertTrue(over.all())
        self.assertGreater(total[0], 9)
        self.assertLess(total[1], -9)

    def test_both_teams_see_the_same_game(self):
        task = tasks.make("mirosot_3v3", worlds=2, team="both")
        task.reset()
        blue, yellow = task.view(0), task.view(1)
        np.testing.assert_allclose(blue[:, :4], -yellow[:, :4])
        np.testing.assert_allclose(blue[:, 4:11], np.concatenate([-1, -1, -1, -1, -1, -1, 1] * yellow[:, 25:32], axis=None).reshape(2, 7))

    def test_autoreset_gives_the_last_observation(self):
        task = tasks.make("cart_pole", worlds=4)
        task.reset()
        for _ in range(200):
            obs, _, terminated, _, info = task.step(np.ones((4, 1), np.float32))
            if terminated.any():
                break
        w = int(np.flatnonzero(info["_final_obs"])[0])
        self.assertGreater(abs(info["final_obs"][w, 1]), np.radians(12) - 1e-6)
        self.assertLess(abs(obs[w, 1]), 0.06)

    def test_wrong_shapes_and_names(self):
        task = tasks.make("cart_pole", worlds=4)
        with self.assertRaisesRegex(ValueError, "shape"):
            task.step(np.zeros((4, 2), np.float32))
        with self.assertRaisesRegex(ValueError, "quadruped_trot"):
            tasks.make("quadruped_trott")
        with self.assertRaisesRegex(TypeError, "no option"):
            tasks.make("cart_pole", colour=3)


@unittest.skipUnless(gymnasium, "gymnasium is not installed")
class Gymnasium(unittest.TestCase):
    def test_check_env(self):
        import gradus.gym
        from gymnasium.utils.env_checker import check_env
        for name in gradus.gym.IDS.values():
            with self.subTest(name):
                check_env(gymnasium.make(f"gradus/{name}-v0", render_mode="rgb_array").unwrapped)

    def test_autoreset_modes(self):
        import gradus.gym
        full = np.ones((3, 1), np.float32)
        env = gymnasium.make_vec("gradus/CartPole-v0", num_envs=3, autoreset="next_step")
        env.reset(seed=1)
        done = np.zeros(3, bool)
        while not done.any():
            obs, _, terminated, truncated, _ = env.step(full)
            done = terminated | truncated
        w = int(np.flatnonzero(done)[0])
        self.assertGreater(abs(obs[w, 1]), 0.2)
        obs, reward, terminated, _, _ = env.step(full)
        self.assertEqual((reward[w], terminated[w]), (0, False))
        self.assertLess(abs(obs[w, 1]), 0.06)
        env = gymnasium.make_vec("gradus/CartPole-v0", num_envs=3, autoreset="same_step")
        env.reset(seed=1)
        done = np.zeros(3, bool)
        while not done.any():
            obs, reward, terminated, truncated, infos = env.step(full)
            done = terminated | truncated
        self.assertEqual(reward[w], 1)
        self.assertGreater(abs(infos["final_obs"][w][1]), 0.2)
        env = gymnasium.make_vec("gradus/CartPole-v0", num_envs=3, autoreset="disabled")
        env.reset(seed=1)
        done = np.zeros(3, bool)
        while not done.any():
            _, _, terminated, truncated, _ = env.step(full)
            done = terminated | truncated
        with self.assertRaises(gymnasium.error.ResetNeeded):
            env.step(full)
        obs, _ = env.reset(options={"reset_mask": done})
        self.assertLess(abs(obs[w, 1]), 0.06)
        env.step(full)

    def test_pictures(self):
        import gradus.gym
        env = gymnasium.make("gradus/QuadrupedTrot-v0", render_mode="rgb_array")
        env.reset(seed=0)
        image = env.render()
        self.assertEqual((image.shape, image.dtype), ((240, 320, 3), np.uint8))
        self.assertGreater(len(np.unique(image.reshape(-1, 3), axis=0)), 50)

    @unittest.skipUnless(pettingzoo, "pettingzoo is not installed")
    def test_parallel_match(self):
        import gradus.gym
        from pettingzoo.test import parallel_api_test
        parallel_api_test(gradus.gym.parallel_match(3), num_cycles=200)


if __name__ == "__main__":
    unittest.main()
