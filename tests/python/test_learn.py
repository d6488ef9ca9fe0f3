import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import numpy as np

import gradus
from gradus import learn, tasks

SMALL = learn.Setting(worlds=32, horizon=8, hidden=(16, 16), minibatches=2, test_every=2)
MOTIONS = pathlib.Path(__file__).resolve().parents[2] / "motions"


def weights(learner):
    return learner.core.state()


def same(a, b):
    return all(np.array_equal(a[k], b[k]) for k in a)


def tanh_net(p, x):
    """A policy file's network, plainly."""
    x = np.clip((x - np.array(p["mean"])) * np.array(p["scale"]), -6, 6)
    w, at = np.array(p["weights"]), 0
    for i, (n, m) in enumerate(zip(p["sizes"][:-1], p["sizes"][1:])):
        x = x @ w[at:at + n * m].reshape(n, m) + w[at + n * m:at + (n + 1) * m]
        at += (n + 1) * m
        if i < len(p["sizes"]) - 2:
            x = np.tanh(x)
    return x


class Learner(unittest.TestCase):
    def test_trainings_repeat_bit_for_bit_at_any_number_of_threads(self):
        one, again, three = (learn.Ppo("quadruped_trot", 4, n, SMALL) for n in (1, 1, 3))
        for _ in range(3):
            for l in (one, again, three):
                l.iterate()
        self.assertTrue(same(weights(one), weights(again)))
        self.assertTrue(same(weights(one), weights(three)))
        other = learn.Ppo("quadruped_trot", 5, 1, SMALL)
        for _ in range(3):
            other.iterate()
        self.assertFalse(same(weights(one), weights(other)))

    def test_a_resumed_training_goes_on_as_if_it_had_never_stopped(self):
        whole, part = learn.Ppo("quadruped_trot", 1, 1, SMALL), learn.Ppo("quadruped_trot", 1, 1, SMALL)
        for _ in range(4):
            whole.iterate()
        for _ in range(2):
            part.iterate()
        with tempfile.TemporaryDirectory() as d:
            part.save(pathlib.Path(d) / "c.npz")
            rest = learn.Ppo("quadruped_trot", 1, 1, SMALL)
            rest.load(pathlib.Path(d) / "c.npz")
            other = learn.Ppo("quadruped_trot", 2, 1, SMALL)
            with self.assertRaisesRegex(ValueError, "seed 1"):
                other.load(pathlib.Path(d) / "c.npz")
        for _ in range(2):
            rest.iterate()
        self.assertEqual((rest.iteration, rest.samples), (whole.iteration, whole.samples))
        self.assertTrue(same(weights(rest), weights(whole)))

    def test_gradients_are_those_of_differences(self):
        """One update with a tiny rate moves the weights by Adam's first step: rate × sign of the gradient, where it is not tiny."""
        setting = dict(worlds=4, observations=3, actions=2, horizon=2, hidden=[5], epochs=1, minibatches=1, threads=1, gamma=0.9, entropy=0.0,
                       rate=1e-5, most_rate=1e-5, low_kl=0.0, high_kl=1e9, **{"lambda": 0.9})
        core = gradus._core.Ppo(setting)
        rng = np.random.default_rng(0)
        state = core.state()
        state["policy"] = learn.first_weights([3, 5, 2], rng, 1.0)
        state["critic"] = learn.first_weights([3, 5, 1], rng, 1.0)
        core.set_state(state)
        obs = rng.standard_normal((3, 4, 3)).astype(np.float32)
        noise = rng.standard_normal((2, 4, 2)).astype(np.float32)
        reward = rng.standard_normal((2, 4)).astype(np.float32)
        actions = []
        for t in range(2):
            actions.append(core.act(t, obs[t], noise[t]))
            core.reward(t, reward[t], np.zeros(4, bool), np.zeros(4, bool), obs[t + 1])

        def net(w, sizes, x):
            return tanh_net(dict(mean=[0.0] * 3, scale=[1.0] * 3, weights=w, sizes=sizes), x)

        value = [net(state["critic"], [3, 5, 1], obs[t].astype(float))[:, 0] for t in range(3)]
        adv, total = np.zeros((2, 4)), np.zeros(4)
        for t in (1, 0):
            total = reward[t] + 0.9 * value[t + 1] - value[t] + 0.81 * total
            adv[t] = total
        returns = adv + np.array(value[:2])
        norm = (adv - adv.mean()) / (adv.std() + 1e-8)
        old = [net(state["policy"], [3, 5, 2], obs[t].astype(float)) for t in range(2)]

        def loss(policy, critic):
            out = 0.0
            for t in range(2):
                mu = net(policy, [3, 5, 2], obs[t].astype(float))
                p = (-0.5 * (actions[t] - mu) ** 2 + 0.5 * (actions[t] - old[t]) ** 2).sum(1)
                out += -(np.exp(p) * norm[t]).mean() / 2 + 0.5 * ((net(critic, [3, 5, 1], obs[t].astype(float))[:, 0] - returns[t]) ** 2).mean() / 2
            return out

        core.learn(obs[2], np.arange(8, dtype=np.int32))
        after = core.state()
        checked = 0
        for name in ("policy", "critic"):
            both = {k: state[k].astype(float) for k in ("policy", "critic")}
            for i in range(len(both[name])):
                h = 1e-5
                up, down = dict(both), dict(both)
                up[name], down[name] = both[name].copy(), both[name].copy()
                up[name][i] += h
                down[name][i] -= h
                slope = (loss(**up) - loss(**down)) / (2 * h)
                if abs(slope) > 1e-4:
                    moved = float(after[name][i]) - float(state[name][i])
                    self.assertAlmostEqual(moved, -1e-5 * np.sign(slope), delta=3e-7, msg=f"{name} {i}: slope {slope}")
                    checked += 1
        self.assertGreater(checked, 30)

    def test_a_cart_learns_to_hold_its_pole_by_both_ways(self):
        for make in (lambda: learn.Ppo("cart_pole", 0), lambda: learn.EvolutionStrategy("cart_pole", 0)):
            learner = make()
            last = learn.train(learner, None, iterations=120, test_every=5, say=lambda s: None)
            self.assertTrue(last["good"], last)

    def test_the_command_writes_its_files(self):
        with tempfile.TemporaryDirectory() as d:
            out = pathlib.Path(d) / "run"
            with contextlib.redirect_stdout(io.StringIO()) as said:
                learn.main(["quadruped_trot", "--worlds", "32", "--iterations", "10", "--out", str(out)])
                learn.main(["quadruped_trot", "--worlds", "32", "--iterations", "20", "--out", str(out), "--resume"])
            self.assertIn("iteration 20", said.getvalue())
            self.assertEqual(len((out / "progress.csv").read_text().splitlines()), 3)
            self.assertIn("<polyline", (out / "curve.svg").read_text())
            p = json.loads((out / "policy.json").read_text())
            self.assertEqual(p["sizes"], [48, 64, 64, 12])
            task = tasks.make("quadruped_trot", worlds=2)
            obs = task.reset()
            l = learn.Ppo("quadruped_trot", 0, 1, learn.Setting(**{**vars(learn.SETTINGS["quadruped_trot"]), "worlds": 32}))
            l.load(out / "checkpoint.npz")
            np.testing.assert_allclose(l.policy(obs), tanh_net(p, obs), atol=2e-5)


class Exported(unittest.TestCase):
    def test_a_policy_walks_in_a_scene_without_python(self):
        sim = gradus.load("trot")
        dog = sim["quadruped"]
        for speed in (0.3, 0.6, 0.9):
            sim.run(1)  # to get there
            a, t = dog.q[:2], sim.time
            sim.run(3)
            self.assertAlmostEqual(np.hypot(*(dog.q[:2] - a)) / (sim.time - t), speed, delta=0.07)
        self.assertEqual(sim.get("quadruped.fallen"), 0)

    def test_the_first_targets_are_those_of_the_network(self):
        p = json.loads((MOTIONS / "quadruped_trot.json").read_text())
        sim = gradus.load("trot")
        obs = np.concatenate([[0, 0, -1], np.zeros(6), np.zeros(36), [0.3, 0, 1]])
        sim.step()
        np.testing.assert_allclose(sim["quadruped"].targets, np.clip(0.4 * np.clip(tanh_net(p, obs), -3, 3), [-0.8, -1.5, -1.1] * 4, [0.8, 1.5, 1.1] * 4),
                                   atol=1e-5)

    def test_files_that_are_no_policies_are_refused(self):
        good = json.loads((MOTIONS / "quadruped_trot.json").read_text())
        scene = '[world]\ninclude = ["fields/plane.toml"]\n[robot.r]\nmodel = "robots/{}"\ncontroller = {{ policy = "p.json"{} }}\n'
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d)

            def refused(text, robot="quadruped.urdf", more=""):
                (path / "p.json").write_text(text if isinstance(text, str) else json.dumps(text))
                (path / "s.toml").write_text(scene.format(robot, more))
                with self.assertRaises(gradus.Error) as e:
                    gradus.load(str(path / "s.toml"))
                return str(e.exception)

            self.assertIn("JSON", refused("hello"))
            self.assertIn("weights", refused({k: v for k, v in good.items() if k != "weights"}))
            self.assertIn("numbers are due", refused({**good, "weights": good["weights"][1:]}))
            self.assertIn("list of numbers", refused({**good, "mean": ["a"]}))
            self.assertIn("layer", refused({**good, "sizes": [48, -1, 12]}))
            self.assertIn("version", refused({**good, "gradus_policy": 2}))
            self.assertIn("joints", refused(good, "kidsize.toml"))
            self.assertIn("rate", refused(good, more=', rate = "50 Hz"'))


if __name__ == "__main__":
    unittest.main()
