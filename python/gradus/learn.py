"""Learns a task from nothing: python3 -m gradus.learn quadruped_trot

Writes into --out: checkpoint.npz (go on with --resume), policy.json (run it with `gradus run`: docs/learning.md), progress.csv and
curve.svg. The same seed gives the same policy, bit for bit, at any number of threads.

Two ways: ppo, proximal policy optimisation [Schulman et al. 2017], whose inner loops are C++ (src/learn); es, an evolution strategy on a
linear policy [Mania, Guy, Recht 2018], for tasks with few numbers."""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from . import tasks
from ._core import Ppo as _Ppo

f32 = np.float32


@dataclass
class Setting:
    """What a task is learned with."""

    worlds: int = 256
    horizon: int = 24
    hidden: tuple[int, ...] = (64, 64)
    epochs: int = 2
    minibatches: int = 4
    deviation: float = 0.6
    gamma: float = 0.985
    test_seconds: float = 5.0
    test_every: int = 10
    most_iterations: int = 1600
    predictions: int = 1  # of a step while it learns [docs/batch.md]; tests have the full number


SETTINGS: dict[str, Setting] = {
    "quadruped_trot": Setting(),
    "humanoid_walk": Setting(deviation=0.4, test_seconds=6),
    "kidsize_walk": Setting(deviation=0.4, test_seconds=6),
    "get_up": Setting(gamma=0.99, test_every=20),
    "cart_pole": Setting(worlds=64, horizon=64, hidden=(32, 32), deviation=0.5, gamma=0.99, test_seconds=10),
    "mirosot_1v1": Setting(worlds=128, horizon=64, gamma=0.995, test_seconds=30, test_every=20),
}


def first_weights(sizes: list[int], rng: np.random.Generator, last: float) -> np.ndarray:
    """Layers of normal numbers of variance 1/inputs, the last one small; offsets 0."""
    out = []
    for i, (n, m) in enumerate(zip(sizes[:-1], sizes[1:])):
        out += [(rng.standard_normal((n, m)) * ((last if i == len(sizes) - 2 else 1.0) / np.sqrt(n))).ravel(), np.zeros(m)]
    return np.concatenate(out).astype(f32)


class Ppo:
    """Proximal policy optimisation over a task."""

    def __init__(self, name: str, seed: int = 0, threads: int = 1, setting: Setting | None = None, **options: Any):
        self.name, self.seed, self.setting = name, seed, setting or SETTINGS.get(name, Setting())
        s = self.setting
        if name in tasks.GAITS:
            options.setdefault("predictions", s.predictions)
        self.task = tasks.make(name, worlds=s.worlds, seed=seed, threads=threads, **options)
        self.tests = tasks.make(name, worlds=48, seed=1_000_003, threads=threads)
        n, a = self.task.obs_size, self.task.act_size
        self.sizes = [n, *s.hidden, a]
        self.core = _Ppo(dict(worlds=s.worlds, observations=n, actions=a, horizon=s.horizon, hidden=list(s.hidden), epochs=s.epochs,
                              minibatches=s.minibatches, threads=threads, gamma=s.gamma, **{"lambda": 0.95}, entropy=0.002,
                              rate=1e-3, most_rate=3e-3, low_kl=0.005, high_kl=0.02))
        rng = np.random.default_rng([seed, 17])
        state = self.core.state()
        state["policy"] = first_weights(self.sizes, rng, 0.01)
        state["critic"] = first_weights([n, *s.hidden, 1], rng, 1.0)
        state["log_deviation"] = np.full(a, np.log(s.deviation), f32)
        self.core.set_state(state)
        self.iteration, self.samples = 0, 0
        self.seconds = dict(simulation=0.0, policy=0.0, learner=0.0, tests=0.0)
        self.began = False

    def begin(self) -> None:
        """Ages are spread, so that the worlds do not all end together."""
        if not self.began:
            self.task.reset()
            self.task.age[:] = (tasks.uniform(self.seed, 99, np.arange(self.task.worlds), np.full(self.task.worlds, self.iteration), 1)[:, 0]
                                * self.task.horizon).astype(np.int64)
            self.began = True

    def iterate(self) -> dict[str, float]:
        self.begin()
        s, task, core = self.setting, self.task, self.core
        rng = np.random.default_rng([self.seed, 23, self.iteration])
        clock = time.process_time
        if self.iteration == 0:  # learn what observations look like before the first one counts
            core.act(0, task.obs, np.zeros((s.worlds, task.act_size), f32))
            for t in range(1, s.horizon):
                core.act(t, task.obs, np.zeros((s.worlds, task.act_size), f32))
            core.add_seen()
        for t in range(s.horizon):
            c0 = clock()
            action = core.act(t, task.obs, rng.standard_normal((s.worlds, task.act_size), dtype=f32))
            c1 = clock()
            obs, reward, terminated, truncated, info = task.step(action)
            c2 = clock()
            core.reward(t, reward, terminated, truncated, info.get("final_obs", obs))
            self.seconds["policy"] += c1 - c0 + clock() - c2
            self.seconds["simulation"] += c2 - c1
        c0 = clock()
        n = s.worlds * s.horizon
        order = np.concatenate([rng.permutation(n) for _ in range(s.epochs)]).astype(np.int32)
        kl, deviation = core.learn(task.obs, order)
        if self.iteration < 60 or self.iteration % 5 == 0:
            core.add_seen()
        self.seconds["learner"] += clock() - c0
        self.iteration += 1
        self.samples += n
        ended, task.ended = task.ended, []
        returns = [e[0] for e in ended] or [float("nan")]
        return dict(kl=kl, deviation=deviation, ret=float(np.mean(returns)), episodes=len(ended))

    def policy(self, obs: np.ndarray) -> np.ndarray:
        return self.core.mean_action(obs)

    def test(self) -> dict[str, Any]:
        c = time.process_time()
        result = self.tests.test(self.policy, self.setting.test_seconds)  # type: ignore[attr-defined]
        self.seconds["tests"] += time.process_time() - c
        return result

    # ---- files
    def save(self, path: pathlib.Path) -> None:
        numbers = {f"core_{k}": np.asarray(v) for k, v in self.core.state().items()}
        batch = np.stack([self.task.batch.save(w) for w in range(self.task.worlds)])
        own = {k: v for k, v in vars(self.task).items() if isinstance(v, np.ndarray) and v.base is None and k != "obs"}
        np.savez(path, iteration=self.iteration, samples=self.samples, seed=self.seed, name=self.name, batch=batch,
                 obs=self.task.obs, **numbers, **{f"task_{k}": v for k, v in own.items()})

    def load(self, path: pathlib.Path) -> None:
        """Goes on as if it had never stopped: the worlds, too, are as they were."""
        with np.load(path, allow_pickle=False) as f:
            if str(f["name"]) != self.name or int(f["seed"]) != self.seed:
                raise ValueError(f"{path} is of task {f['name']} with seed {f['seed']}")
            self.core.set_state({k[5:]: f[k][()] if f[k].ndim == 0 else f[k] for k in f.files if k.startswith("core_")})
            self.iteration, self.samples = int(f["iteration"]), int(f["samples"])
            for w in range(self.task.worlds):
                self.task.batch.restore(w, f["batch"][w])
            self.task.batch.observe()
            for k in f.files:
                if not k.startswith("task_"):
                    continue
                elif isinstance(getattr(self.task, k[5:], None), np.ndarray):
                    getattr(self.task, k[5:])[...] = f[k]  # others hold views of it
                else:
                    setattr(self.task, k[5:], f[k])
            self.task.obs[:] = f["obs"]
        self.began = True

    def export(self, path: pathlib.Path) -> None:
        """Weights and what a controller must do with them [docs/learning.md]."""
        state = self.core.state()
        recipe = self.task.recipe() if hasattr(self.task, "recipe") else {}
        path.write_text(json.dumps(dict(gradus_policy=1, task=self.name, **recipe, sizes=self.sizes,
                                        mean=[float(x) for x in state["mean"]],
                                        scale=[float(x) for x in 1 / np.sqrt(state["variance"] + 1e-4)],
                                        weights=[float(f"{x:.9g}") for x in state["policy"]])) + "\n")


class EvolutionStrategy:
    """Augmented random search [Mania, Guy, Recht 2018] of a linear policy: every pair of worlds tries a step and its opposite."""

    def __init__(self, name: str, seed: int = 0, threads: int = 1, directions: int = 16, step: float = 0.3, rate: float = 0.3,
                 **options: Any):
        self.name, self.seed, self.step, self.rate = name, seed, step, rate
        self.task = tasks.make(name, worlds=2 * directions, seed=seed, threads=threads, autoreset=False, **options)
        self.tests = tasks.make(name, worlds=48, seed=1_000_003, threads=threads)
        self.weights = np.zeros((self.task.obs_size, self.task.act_size), f32)
        self.iteration, self.samples = 0, 0
        self.seconds = dict(simulation=0.0, policy=0.0, learner=0.0, tests=0.0)

    def iterate(self) -> dict[str, float]:
        n, task = self.task.worlds // 2, self.task
        rng = np.random.default_rng([self.seed, 29, self.iteration])
        tries = rng.standard_normal((n, *self.weights.shape), dtype=f32)
        both = np.concatenate([self.weights + self.step * tries, self.weights - self.step * tries])
        task.reset(seed=self.seed + self.iteration)
        alive, total = np.ones(2 * n, bool), np.zeros(2 * n)
        for _ in range(task.horizon):
            c = time.process_time()
            _, reward, terminated, _, _ = task.step(np.einsum("wi,wij->wj", task.obs, both))
            self.seconds["simulation"] += time.process_time() - c
            total += np.where(alive, reward, 0)
            self.samples += int(alive.sum())
            alive &= ~terminated
            if not alive.any():
                break
        plus, minus = total[:n], total[n:]
        best = np.argsort(-np.maximum(plus, minus), kind="stable")[: max(1, n // 2)]
        spread = np.concatenate([plus[best], minus[best]]).std() + 1e-8
        change = np.zeros(self.weights.shape)
        for i in best:  # in order: the same sum everywhere
            change += (plus[i] - minus[i]) * tries[i]
        self.weights += (self.rate / (len(best) * spread) * change).astype(f32)
        self.iteration += 1
        task.ended = []
        return dict(ret=float(total.mean()), deviation=self.step, kl=0.0, episodes=2 * n)

    def policy(self, obs: np.ndarray) -> np.ndarray:
        return obs @ self.weights

    def test(self) -> dict[str, Any]:
        return self.tests.test(self.policy)  # type: ignore[attr-defined]

    def save(self, path: pathlib.Path) -> None:
        np.savez_compressed(path, iteration=self.iteration, samples=self.samples, seed=self.seed, name=self.name, weights=self.weights)

    def load(self, path: pathlib.Path) -> None:
        with np.load(path, allow_pickle=False) as f:
            self.weights[:] = f["weights"]
            self.iteration, self.samples = int(f["iteration"]), int(f["samples"])

    def export(self, path: pathlib.Path) -> None:
        recipe = self.task.recipe() if hasattr(self.task, "recipe") else {}
        n, a = self.weights.shape
        weights = np.concatenate([self.weights.ravel(), np.zeros(a, f32)])
        path.write_text(json.dumps(dict(gradus_policy=1, task=self.name, **recipe, sizes=[n, a], mean=[0.0] * n, scale=[1.0] * n,
                                        weights=[float(f"{x:.9g}") for x in weights])) + "\n")


def curve_svg(rows: list[dict[str, Any]], title: str) -> str:
    """Return of an episode against processor seconds."""
    points = [(r["cpu"], r["ret"]) for r in rows if np.isfinite(r["ret"])]
    if len(points) < 2:
        points = [(0.0, 0.0), (1.0, 0.0)]
    x1, y1 = max(p[0] for p in points) or 1.0, max(max(p[1] for p in points), 1e-9)
    y0 = min(0.0, min(p[1] for p in points))
    line = " ".join(f"{60 + 520 * x / x1:.1f},{270 - 230 * (y - y0) / (y1 - y0):.1f}" for x, y in points)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="620" height="310" font-family="sans-serif" font-size="12">'
            f'<rect width="620" height="310" fill="white"/><text x="60" y="22" font-size="14">{title}</text>'
            f'<path d="M60 40V270H580" fill="none" stroke="#888"/><polyline points="{line}" fill="none" stroke="#1f5fb4" stroke-width="2"/>'
            f'<text x="8" y="46">{y1:.3g}</text><text x="8" y="272">{y0:.3g}</text><text x="60" y="288">0 s</text>'
            f'<text x="540" y="288">{x1:.3g} s</text><text x="250" y="304">processor seconds; return of an episode</text></svg>\n')


def train(learner: Ppo | EvolutionStrategy, out: pathlib.Path | None, *, iterations: int, test_every: int, stop: bool = True,
          say: Callable[[str], None] = print, rows: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Iterates until a test is good or the iterations are used up. Returns the last row of the progress."""
    rows = [] if rows is None else rows
    spent = rows[-1]["cpu"] if rows else 0.0
    start, wall = time.process_time(), time.perf_counter()
    last: dict[str, Any] = {}
    while learner.iteration < iterations:
        figures = learner.iterate()
        if learner.iteration % test_every and learner.iteration < iterations:
            continue
        result = learner.test()
        cpu = spent + time.process_time() - start
        last = dict(iteration=learner.iteration, samples=learner.samples, cpu=round(cpu, 2), wall=round(time.perf_counter() - wall, 2),
                    ret=figures["ret"], deviation=figures["deviation"], **result)
        rows.append(last)
        shown = ", ".join(f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in result.items() if k not in ("good", "speeds"))
        say(f"{learner.name}: iteration {learner.iteration}, {learner.samples / 1e6:.2f} million samples, {cpu:.1f} s of processor time, "
            f"return {figures['ret']:.2f}, {shown}{'  -- learned' if result['good'] else ''}")
        if out:
            learner.save(out / "checkpoint.npz")
            learner.export(out / "policy.json")
            (out / "progress.csv").write_text("iteration,samples,cpu,wall,ret\n" + "".join(
                f"{r['iteration']},{r['samples']},{r['cpu']},{r['wall']},{r['ret']:.4f}\n" for r in rows))
            (out / "curve.svg").write_text(curve_svg(rows, f"{learner.name}, seed {learner.seed}"))
        if result["good"] and stop:
            break
    return last


def read_rows(path: pathlib.Path) -> list[dict[str, Any]]:
    lines = path.read_text().splitlines()
    keys = lines[0].split(",")
    return [{k: float(v) if k in ("cpu", "wall", "ret") else int(v) for k, v in zip(keys, line.split(","))} for line in lines[1:]]


def main(arguments: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(prog="python3 -m gradus.learn", description="Learns a task from nothing and exports the policy.")
    p.add_argument("task", choices=tasks.names())
    p.add_argument("--algorithm", choices=["ppo", "es"], default="ppo")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--worlds", type=int, help="that run at once")
    p.add_argument("--threads", type=int, default=1, help="the result does not depend on it")
    p.add_argument("--iterations", type=int, help="at most so many")
    p.add_argument("--on", action="store_true", help="go on to --iterations when the task is learned")
    p.add_argument("--out", default="", help="folder for checkpoint, policy and curve; default learned/TASK")
    p.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    a = p.parse_args(arguments)
    setting = SETTINGS.get(a.task, Setting())
    if a.worlds:
        setting = Setting(**{**vars(setting), "worlds": a.worlds})
    out = pathlib.Path(a.out or f"learned/{a.task}")
    out.mkdir(parents=True, exist_ok=True)
    learner: Ppo | EvolutionStrategy
    learner = Ppo(a.task, a.seed, a.threads, setting) if a.algorithm == "ppo" else EvolutionStrategy(a.task, a.seed, a.threads)
    rows: list[dict[str, Any]] = []
    if a.resume:
        if not (out / "checkpoint.npz").exists():
            print(f"there is no {out / 'checkpoint.npz'} to go on from", file=sys.stderr)
            return 1
        learner.load(out / "checkpoint.npz")
        rows = read_rows(out / "progress.csv")
    last = train(learner, out, iterations=a.iterations or setting.most_iterations, test_every=setting.test_every, stop=not a.on, rows=rows,
                 say=lambda s: print(s, flush=True))
    total = sum(learner.seconds.values()) or 1.0
    print(", ".join(f"{k} {100 * v / total:.0f} %" for k, v in learner.seconds.items()) + f"; in {out}: policy.json, checkpoint.npz, curve.svg")
    return 0 if last.get("good") else 2


if __name__ == "__main__":
    sys.exit(main())
