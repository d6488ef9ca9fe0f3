"""MiroSot matches as tasks: wheeled robots, n against n. Both teams may learn; who does not is played by a simple chaser."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .batch import Batch
from .tasks import Task, f32

FIELD = {1: (1.5, 1.3), 3: (1.5, 1.3), 5: (2.2, 1.8)}  # length, width [m]
WHEEL = 50.0  # [rad/s] at an action of 1: 1.1 m/s
PER_ROBOT = 7  # numbers of one robot in an observation


class Soccer(Task):
    """The blue team plays yellow's goal (at +x). Observation of a team (seen from its own side, so that both see the same game): the
    ball (4) and every robot, its own first (7 each): place, cosine and sine of its heading, velocity, turning. Action: the two wheels
    of every robot of the team, -1 ... 1. Reward: 10 a goal, and the way of the ball to the other's goal in metres. Over: a goal.

    team "blue": one player for all blue robots, yellow chases the ball. team "both": step wants the actions of both teams, blue's
    robots first; reward, observations and terminations are then those of blue, and view(1) are yellow's."""

    steps, horizon = 2, 900

    def __init__(self, n: int, worlds: int, **options: Any):
        self.n = n
        self.scene = f"mirosot_{n}v{n}"
        self.length, self.width = FIELD[n]
        super().__init__(worlds, **options)

    def make_batch(self, threads: int, options: dict[str, Any]) -> Batch:
        team = options.pop("team", "blue")
        if team not in ("blue", "both"):
            raise ValueError(f"team is blue or both, not {team}")
        self.both = team == "both"
        n = self.n
        self.robots = [f"blue{i + 1}" for i in range(n)] + [f"yellow{i + 1}" for i in range(n)]
        of_robot = ("x", "y", "yaw", "vx", "vy", "wz")
        names = [f"ball.{x}" for x in ("x", "y", "vx", "vy")] + [f"{r}.{x}" for r in self.robots for x in of_robot]
        batch = Batch(self.scene, self.worlds, observe=names + ["match.goals_blue", "match.goals_yellow"], threads=threads,
                      act=[f"{r}.{w}_wheel.target" for r in self.robots for w in ("left", "right")])
        raw = batch.observations
        self.ball = raw[:, 0:4]
        self.state = raw[:, 4:4 + 12 * n].reshape(self.worlds, 2 * n, 6)
        if not np.shares_memory(self.state, raw):
            raise AssertionError("the robots' numbers must be a view")
        self.goals = raw[:, -2:]
        self.act_size = 4 * n if self.both else 2 * n
        self.obs_size = 4 + 2 * n * PER_ROBOT
        self.score = np.zeros((self.worlds, 2), f32)
        self.before = np.zeros(self.worlds, f32)
        return batch

    def begin(self, mask: np.ndarray) -> None:
        """The ball and all robots anywhere in their own half of the field."""
        n = self.n
        x = self.random(4, mask, 4 + 6 * n)
        self.batch.reset(mask)
        q, v = self.batch.states()
        at = 0
        for i in range(2 * n):  # robots have 2 joints: 9 numbers
            side = -1 if i < n else 1
            # each in a strip of its own: nobody stands in another
            strip = self.width / n
            q[mask, at] = side * self.length * (0.08 + 0.3 * x[:, 4 + 3 * i])
            q[mask, at + 1] = -self.width / 2 + strip * (i % n + 0.5 + 0.3 * (2 * x[:, 5 + 3 * i] - 1)) * 0.9
            yaw = 2 * np.pi * x[:, 6 + 3 * i]
            q[mask, at + 3], q[mask, at + 6] = np.cos(yaw / 2), np.sin(yaw / 2)
            q[mask, at + 4] = q[mask, at + 5] = 0
            at += 9
        q[mask, at] = 0.04 * (2 * x[:, 0] - 1)
        q[mask, at + 1] = 0.6 * self.width * (x[:, 1] - 0.5)
        self.batch.reset(mask, q, v)
        self.score[mask] = self.goals[mask]
        self.before[mask] = self.danger()[mask]

    def danger(self) -> np.ndarray:
        """How far the ball is on its way to yellow's goal [m]."""
        to_yellow = np.hypot(self.length / 2 - self.ball[:, 0], self.ball[:, 1])
        to_blue = np.hypot(self.length / 2 + self.ball[:, 0], self.ball[:, 1])
        return 0.5 * (to_blue - to_yellow)

    def chase(self, first: int) -> np.ndarray:
        """Wheels of n robots that run to the ball: turn to it, then go."""
        s = self.state[:, first:first + self.n]
        away = np.arctan2(self.ball[:, None, 1] - s[:, :, 1], self.ball[:, None, 0] - s[:, :, 0]) - s[:, :, 2]
        turn, go = np.sin(away), np.cos(away)
        forward = np.where(go > 0, 0.7 * go, 0)
        return np.stack([forward - 0.4 * turn, forward + 0.4 * turn], axis=2).reshape(self.worlds, 2 * self.n).astype(f32)

    def command(self, action: np.ndarray) -> None:
        a = np.clip(action, -1, 1)
        if not self.both:
            a = np.concatenate([a, self.chase(self.n)], axis=1)
        np.multiply(a, f32(WHEEL), out=self.batch.actions)

    def judge(self, action: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scored = self.goals - self.score
        self.score[:] = self.goals
        danger = self.danger()
        over = (scored != 0).any(1)
        # a goal puts the ball back: its way is no merit
        reward = 10 * (scored[:, 0] - scored[:, 1]) + np.where(over, 0, danger - self.before)
        self.before[:] = danger
        return reward.astype(f32), over

    def view(self, team: int) -> np.ndarray:
        """(worlds, obs_size) as team 0 (blue) or 1 (yellow) sees it: its own goal is at -x."""
        side = f32(1 - 2 * team)
        out = np.empty((self.worlds, self.obs_size), f32)
        out[:, :4] = side * self.ball
        s = self.state if team == 0 else np.roll(self.state, self.n, axis=1)
        r = out[:, 4:].reshape(self.worlds, 2 * self.n, PER_ROBOT)
        r[:, :, 0:2] = side * s[:, :, 0:2]
        r[:, :, 2], r[:, :, 3] = side * np.cos(s[:, :, 2]), side * np.sin(s[:, :, 2])
        r[:, :, 4:6] = side * s[:, :, 3:5]
        r[:, :, 6] = 0.1 * s[:, :, 5]
        return out

    def look(self) -> None:
        self.obs[:] = self.view(0)

    def test(self, policy: Callable[[np.ndarray], np.ndarray], seconds: float = 30.0) -> dict[str, Any]:
        self.reset(seed=10_007)
        goals = np.zeros(2)
        for _ in range(int(round(seconds / self.dt))):
            _, reward, _, _, _ = self.step(policy(self.obs))
            goals += [(reward > 5).sum(), (reward < -5).sum()]
        return dict(goals=int(goals[0]), against=int(goals[1]), good=bool(goals[0] > 2 * goals[1] and goals[0] >= self.worlds / 4))
