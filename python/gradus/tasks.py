"""Tasks for learning: what is observed, what is good and when an episode ends, over many worlds at once. NumPy alone.

    task = gradus.tasks.make("quadruped_trot", worlds=512, seed=0)
    obs = task.reset()
    obs, reward, terminated, truncated, info = task.step(action)        # action in about -1 ... 1

A task steps all its worlds together. One that ends begins again in the same step (info["final_obs"] holds its last observation),
unless the task was made with autoreset=False: then reset(mask) is the caller's. Everything random depends on (seed, world, episode)
alone, so a world sees the same commands and starts however many others there are. gradus.gym makes Gymnasium environments of these.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from .batch import Batch

f32 = np.float32


def uniform(seed: int, purpose: int, world: np.ndarray, episode: np.ndarray, count: int) -> np.ndarray:
    """(worlds, count) numbers in 0 ... 1 addressed by what they are for: SplitMix64's finaliser over the key, as src/base/rng.h."""
    def mix(x: np.ndarray) -> np.ndarray:
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
    with np.errstate(over="ignore"):
        gold = np.uint64(0x9E3779B97F4A7C15)
        key = mix(np.uint64(seed % 2**64) + gold * (1 + world.astype(np.uint64)))
        key = mix(key + np.uint64(0xD1B54A32D192ED03) * np.uint64(1 + purpose) + episode.astype(np.uint64))
        bits = mix(key[:, None] + gold * (1 + np.arange(count, dtype=np.uint64)))
    return (bits >> np.uint64(11)).astype(float) * 2.0**-53


class Task:
    """Common to all tasks: episodes, commands, returns. A kind of task says what is observed and rewarded."""

    scene = ""
    steps = 5  # of the world in a step of the task
    horizon = 500  # steps of an episode

    def __init__(self, worlds: int, seed: int = 0, threads: int = 1, autoreset: bool = True, **options: Any):
        self.worlds, self.seed, self.autoreset = worlds, seed, autoreset
        self.batch: Batch = self.make_batch(threads, options)
        if options:
            raise TypeError(f"{type(self).__name__} has no option {', '.join(options)}")
        self.dt = self.steps * self.batch.dt
        self.age = np.zeros(worlds, np.int64)
        self.episode = np.zeros(worlds, np.int64)
        self.returns = np.zeros(worlds, f32)
        self.ended: list[tuple[float, int]] = []  # return and length of episodes since someone emptied it
        self.obs: np.ndarray = np.zeros((worlds, self.obs_size), f32)

    # ---- what a kind of task says
    obs_size: int
    act_size: int

    def make_batch(self, threads: int, options: dict[str, Any]) -> Batch:
        raise NotImplementedError

    def begin(self, mask: np.ndarray) -> None:
        """Worlds of the mask start an episode."""
        raise NotImplementedError

    def command(self, action: np.ndarray) -> None:
        """Fills batch.actions."""
        raise NotImplementedError

    def judge(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Reward and whether the episode is over, after the worlds have moved."""
        raise NotImplementedError

    def look(self) -> None:
        """Fills self.obs."""
        raise NotImplementedError

    # ---- what users call
    def random(self, purpose: int, mask: np.ndarray, count: int) -> np.ndarray:
        where = np.flatnonzero(mask)
        return uniform(self.seed, purpose, where, self.episode[where], count)

    def reset(self, mask: np.ndarray | None = None, seed: int | None = None) -> np.ndarray:
        """All worlds, or those of the mask, start an episode. A seed starts the counting of episodes anew."""
        if seed is not None:
            self.seed = seed
            self.episode[:] = 0
        chosen = np.ones(self.worlds, bool) if mask is None else np.asarray(mask, bool)
        if chosen.shape != (self.worlds,):
            raise ValueError(f"a mask has one truth for each of the {self.worlds} worlds, not the shape {chosen.shape}")
        self._restart(chosen)
        return self.obs

    def _restart(self, mask: np.ndarray) -> None:
        self.episode[mask] += 1
        self.age[mask] = 0
        self.returns[mask] = 0
        self.begin(mask)
        self.look()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        action = np.asarray(action, f32)
        if action.shape != (self.worlds, self.act_size):
            raise ValueError(f"an action has the shape {(self.worlds, self.act_size)}, not {action.shape}")
        self.command(action)
        self.batch.act(steps=self.steps)
        self.age += 1
        reward, over = self.judge(action)
        lost = ~self.batch.finite | ~np.isfinite(reward)
        reward = np.where(lost, 0, reward).astype(f32)
        terminated = over | lost
        truncated = (self.age >= self.horizon) & ~terminated
        self.returns += reward
        self.look()
        info: dict[str, Any] = {}
        done = terminated | truncated
        if done.any():
            self.ended.extend(zip(self.returns[done].tolist(), self.age[done].tolist()))
            if self.autoreset:
                info = {"final_obs": self.obs.copy(), "_final_obs": done}
                self._restart(done)
        return self.obs, reward, terminated, truncated, info


@dataclass(frozen=True)
class Gait:
    """Numbers of a walking task."""

    scene: str
    robot: str
    feet: tuple[str, ...]
    phase: tuple[float, ...]  # of each foot in the clock; it stands while sin(clock + phase) <= 0
    height: float  # of the base, walking                       [m]
    lowest: float  # below it has fallen                        [m]
    fastest: float  # commanded speed                           [m/s]
    width: float  # of the reward for speed                     [m²/s²]
    clock: float  # strides a second                            [Hz]
    scale: float  # of an action                                [rad]
    test_speeds: tuple[float, ...]
    speed_error: float  # that counts as walking at the commanded speed
    match: float  # share of steps with the right feet down that counts as walking
    others: tuple[str, ...] = field(default=())  # bodies that must not touch the ground


GAITS = {
    "quadruped_trot": Gait("learn_trot", "quadruped", ("front_left_foot", "front_right_foot", "rear_left_foot", "rear_right_foot"),
                           (0, np.pi, np.pi, 0), 0.29, 0.14, 1.0, 0.1, 2.5, 0.4, (0.3, 0.6, 0.9), 0.07, 0.8,
                           ("trunk", "front_left_thigh", "front_right_thigh", "rear_left_thigh", "rear_right_thigh")),
    "humanoid_walk": Gait("learn_humanoid_walk", "humanoid", ("lfoot", "rfoot"), (0, np.pi), 0.315, 0.22, 0.35, 0.02, 1.6, 0.3,
                          (0.1, 0.2, 0.3), 0.04, 0.75, ("torso", "lforearm", "rforearm", "lshin", "rshin")),
    "kidsize_walk": Gait("learn_kidsize_walk", "kidsize", ("left_foot", "right_foot"), (0, np.pi), 0.285, 0.2, 0.35, 0.02, 1.6, 0.3,
                         (0.1, 0.2, 0.3), 0.04, 0.75, ("trunk", "left_elbow", "right_elbow", "left_knee", "right_knee")),
}


class Walk(Task):
    """Walking forward at a commanded speed, in step with a clock.

    Observation: gravity, velocity and spin in the base's axes, joints less their start, joint speeds / 10, last action, command, sine
    and cosine of the clock. Action: joint target = start + scale × action. Reward a second: 1 for the speed, 0.3 for not turning,
    0.5 for the feet in step, less for bouncing, tilting, and hasty actions. Over: fallen, or something but the feet touches."""

    def __init__(self, gait: Gait, worlds: int, **options: Any):
        self.gait = gait
        self.scene = gait.scene
        super().__init__(worlds, **options)
        n = self.act_size
        self.last = np.zeros((worlds, n), f32)
        self.goal = np.zeros(worlds, f32)
        self.clock = np.zeros(worlds, f32)
        self.turn = f32(2 * np.pi * gait.clock * self.dt)
        self.phases = np.array(gait.phase, f32)

    def make_batch(self, threads: int, options: dict[str, Any]) -> Batch:
        g = self.gait
        r = g.robot
        self.pushes: float = options.pop("pushes", 0.0)  # [m/s], one every 4 s
        self.fixed: float | None = options.pop("speed", None)
        self.ranges: dict[str, tuple[float, float]] = options.pop("randomise", {})
        names = [f"{r}.{x}" for x in ("gravity", "velocity", "spin", "joint_q", "joint_v", "z")]
        feet, others = [f"{r}.{b}.fn" for b in g.feet], [f"{r}.{b}.fn" for b in g.others]
        batch = Batch(g.scene, self.worlds, observe=names + feet + others, threads=threads, parameters=list(self.ranges),
                      seed=self.seed, predictions=options.pop("predictions", 3), backend=options.pop("backend", "auto"),
                      sets=options.pop("sets", ()))
        at = batch.at
        self.act_size = n = batch.actions.shape[1]
        self.obs_size = 9 + 3 * n + 3
        raw = batch.observations  # views of the same memory for good
        self.gravity, self.velocity, self.spin, self.q, self.v = (raw[:, at[x]] for x in names[:5])
        self.z = raw[:, at[names[5]].start]
        self.feet = raw[:, at[feet[0]].start:at[feet[-1]].stop]
        self.others = raw[:, at[others[0]].start:at[others[-1]].stop]
        if self.ranges:
            batch.randomise(self.ranges, np.random.default_rng(self.seed))
        return batch

    def begin(self, mask: np.ndarray) -> None:
        b = self.batch
        b.reset(mask)
        k, m = int(mask.sum()), b.velocity_size
        x = self.random(0, mask, 2 + m)
        kick = np.zeros((self.worlds, m))
        kick[mask] = 0.17 * (2 * x[:, 2:] - 1)
        b.add_velocity(mask, kick)
        b.observe()
        self.goal[mask] = self.gait.fastest * x[:, 0] if self.fixed is None else np.full(k, self.fixed)
        self.clock[mask] = 2 * np.pi * x[:, 1]
        self.last[mask] = 0

    def command(self, action: np.ndarray) -> None:
        a = self.batch.actions
        np.clip(action, -3, 3, out=a)
        self.acted = a.copy()
        a *= f32(self.gait.scale)
        a += self.batch.start
        np.clip(a, self.batch.lower, self.batch.upper, out=a)

    def stepping(self) -> np.ndarray:
        """Share of the feet that stand or swing as the clock says."""
        return ((self.feet > 1) == (np.sin(self.clock[:, None] + self.phases) <= 0)).mean(1)

    def judge(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, v, w, a = self.gait, self.velocity, self.spin, self.acted
        self.clock += self.turn
        change = a - self.last
        in_step = np.where(self.goal > 0.1 * g.fastest, self.stepping(), (self.feet > 1).mean(1))
        reward = (np.exp(-((v[:, 0] - self.goal) ** 2 + v[:, 1] ** 2) / g.width) + 0.3 * np.exp(-w[:, 2] ** 2 / 0.25)
                  + 0.5 * in_step - 0.5 * v[:, 2] ** 2 - 0.02 * (w[:, 0] ** 2 + w[:, 1] ** 2)
                  - 0.02 * np.einsum("ij,ij->i", change, change) - 0.005 * np.einsum("ij,ij->i", a, a)
                  - 2 * (self.gravity[:, 0] ** 2 + self.gravity[:, 1] ** 2) - 10 * (self.z - g.height) ** 2)
        over = (self.gravity[:, 2] > -0.5) | (self.z < g.lowest) | (self.others > 1).any(1)
        self.last[:] = a
        if self.pushes:
            self.shove()
        return np.maximum(reward, 0) * self.dt, over

    def shove(self) -> None:
        where = np.arange(self.worlds)
        x = uniform(self.seed, 1 << 20, where, self.episode * self.horizon + self.age, 3)
        hit = x[:, 0] < self.dt / 4
        if hit.any():
            dv = np.zeros((self.worlds, self.batch.velocity_size))
            dv[:, 3:5] = self.pushes * (2 * x[:, 1:] - 1)
            self.batch.add_velocity(hit, dv)

    def look(self) -> None:
        o, n = self.obs, self.act_size
        o[:, 0:3], o[:, 3:6], o[:, 6:9] = self.gravity, self.velocity, self.spin
        np.subtract(self.q, self.batch.start, out=o[:, 9:9 + n])
        np.multiply(self.v, f32(0.1), out=o[:, 9 + n:9 + 2 * n])
        o[:, 9 + 2 * n:9 + 3 * n] = self.last
        o[:, -3] = self.goal
        np.sin(self.clock, out=o[:, -2])
        np.cos(self.clock, out=o[:, -1])

    def test(self, policy: Callable[[np.ndarray], np.ndarray], seconds: float = 5.0) -> dict[str, Any]:
        """How well a policy walks: a third of the worlds at each test speed; speeds reached after the first second, falls, feet."""
        g = self.gait
        self.fixed = None
        self.reset(seed=10_007)
        goal = np.repeat(np.array(g.test_speeds, f32), -(-self.worlds // len(g.test_speeds)))[: self.worlds]
        self.goal[:] = goal
        self.look()
        fell = np.zeros(self.worlds, bool)
        speed, steps, count = np.zeros(self.worlds), np.zeros(self.worlds), 0
        for t in range(int(round(seconds / self.dt))):
            _, _, terminated, _, _ = self.step(policy(self.obs))
            fell |= terminated
            self.goal[:] = goal
            self.look()
            if t * self.dt > 1:
                speed += self.velocity[:, 0]
                steps += self.stepping()
                count += 1
        reached = [float((speed / count)[goal == f32(s)].mean()) for s in g.test_speeds]
        error = max(abs(a - b) for a, b in zip(reached, g.test_speeds))
        match = float((steps / count).mean())
        return dict(speeds=reached, error=error, falls=int(fell.sum()), match=match,
                    good=bool(not fell.any() and error < g.speed_error and match > g.match))

    def recipe(self) -> dict[str, Any]:
        """What a controller must do to run a policy of this task without Python [docs/learning.md]."""
        g = self.gait
        return dict(kind="walk", robot=g.robot, rate=1 / self.dt, clock=g.clock, action_scale=g.scale, start=self.batch.start.tolist())


class GetUp(Task):
    """A kid-size humanoid that lies somehow gets up and stays up. Reward a second: how high and how upright it is."""

    scene, horizon = "learn_kidsize_walk", 300

    def make_batch(self, threads: int, options: dict[str, Any]) -> Batch:
        names = ["kidsize.gravity", "kidsize.velocity", "kidsize.spin", "kidsize.joint_q", "kidsize.joint_v", "kidsize.z"]
        batch = Batch(self.scene, self.worlds, observe=names, threads=threads, seed=self.seed)
        self.act_size = n = batch.actions.shape[1]
        self.obs_size = 9 + 3 * n + 1
        self.raw, self.gravity, self.z = batch.observations, batch.observations[:, 0:3], batch.observations[:, -1]
        self.last = np.zeros((self.worlds, n), f32)
        self.q0, self.v0 = batch.states()
        return batch

    def begin(self, mask: np.ndarray) -> None:
        n = self.act_size
        x = self.random(2, mask, 2 + n)
        q, v = self.q0.copy(), self.v0 * 0
        # lies on its belly or back: half a turn about y, then any heading about z
        tip = np.where(x[:, 0] < 0.5, 1, -1) * np.pi / 4
        turn = np.pi * x[:, 1]
        q[mask, 2] = 0.12
        q[mask, 3:7] = np.stack([np.cos(turn) * np.cos(tip), -np.sin(turn) * np.sin(tip), np.cos(turn) * np.sin(tip),
                                 np.sin(turn) * np.cos(tip)], axis=1)
        q[mask, 7:] += 0.3 * (2 * x[:, 2:] - 1)
        np.clip(q[:, 7:], self.batch.lower, self.batch.upper, out=q[:, 7:])
        self.batch.reset(mask, q, v)
        self.last[mask] = 0

    def command(self, action: np.ndarray) -> None:
        self.acted = np.clip(action, -3, 3)
        np.clip(self.batch.start + f32(0.8) * self.acted, self.batch.lower, self.batch.upper, out=self.batch.actions)

    def judge(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        change = self.acted - self.last
        upright = 0.5 - 0.5 * self.gravity[:, 2]
        reward = upright * np.clip(self.z / 0.285, 0, 1) - 0.005 * np.einsum("ij,ij->i", change, change)
        self.last[:] = self.acted
        return reward * self.dt, np.zeros(self.worlds, bool)

    def look(self) -> None:
        n = self.act_size
        self.obs[:, :9] = self.raw[:, :9]
        self.obs[:, 9:9 + n] = self.raw[:, 9:9 + n] - self.batch.start
        self.obs[:, 9 + n:9 + 2 * n] = 0.1 * self.raw[:, 9 + n:9 + 2 * n]
        self.obs[:, 9 + 2 * n:9 + 3 * n] = self.last
        self.obs[:, -1] = self.z

    def test(self, policy: Callable[[np.ndarray], np.ndarray], seconds: float = 5.0) -> dict[str, Any]:
        self.reset(seed=10_007)
        for _ in range(int(round(seconds / self.dt))):
            self.step(policy(self.obs))
        up = (self.gravity[:, 2] < -0.9) & (self.z > 0.24)
        return dict(up=float(up.mean()), good=bool(up.mean() > 0.95))


class CartPole(Task):
    """A cart is pushed by a force so that its pole stays up. Reward 1 a step; over: pole beyond 12 degrees, cart beyond 2.4 m."""

    scene, steps, horizon, act_size, obs_size = "learn_cart_pole", 10, 500, 1, 4

    def make_batch(self, threads: int, options: dict[str, Any]) -> Batch:
        return Batch(self.scene, self.worlds, observe=["cart.joint_q", "cart.joint_v"], act=["cart.cart.torque"], threads=threads)

    def begin(self, mask: np.ndarray) -> None:
        q, v = self.batch.states()
        x = 0.1 * self.random(3, mask, 4) - 0.05
        q[mask, 7:], v[mask, 6:] = x[:, :2], x[:, 2:]
        self.batch.reset(mask, q, v)

    def command(self, action: np.ndarray) -> None:
        np.multiply(np.clip(action, -1, 1), f32(10), out=self.batch.actions)

    def judge(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x, pole = self.batch.observations[:, 0], self.batch.observations[:, 1]
        over = (np.abs(x) > 2.3) | (np.abs(pole) > np.radians(12))
        return np.ones(self.worlds, f32), over

    def look(self) -> None:
        self.obs[:] = self.batch.observations

    def test(self, policy: Callable[[np.ndarray], np.ndarray], seconds: float = 10.0) -> dict[str, Any]:
        self.reset(seed=10_007)
        fell = np.zeros(self.worlds, bool)
        for _ in range(int(round(seconds / self.dt))):
            fell |= self.step(policy(self.obs))[2]
        return dict(falls=int(fell.sum()), good=not fell.any())


def names() -> list[str]:
    return ["cart_pole", "get_up", *GAITS, *(f"mirosot_{n}v{n}" for n in (1, 3, 5))]


def make(name: str, worlds: int = 1, **options: Any) -> Task:
    if name in GAITS:
        return Walk(GAITS[name], worlds, **options)
    if name == "get_up":
        return GetUp(worlds, **options)
    if name == "cart_pole":
        return CartPole(worlds, **options)
    if name in names():
        from .soccer import Soccer
        return Soccer(int(name[8]), worlds, **options)
    raise ValueError(f"there is no task '{name}'; there are {', '.join(names())}")
