"""Gymnasium and PettingZoo environments of gradus's tasks. Needs gymnasium 1.x (pip install gymnasium), for matches pettingzoo.

    import gymnasium, gradus.gym
    env = gymnasium.make("gradus/QuadrupedTrot-v0", render_mode="rgb_array")
    envs = gymnasium.make_vec("gradus/QuadrupedTrot-v0", num_envs=1024)          # one batch, no processes
    match = gradus.gym.parallel_match(3)                                         # PettingZoo: blue_1 ... yellow_3

Vector environments know the three autoreset modes of Gymnasium 1.x: autoreset="next_step" (Gymnasium's own default), "same_step"
(last observations in infos["final_obs"]) and "disabled" (reset(options={"reset_mask": mask})).
"""
from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import tasks
from .tasks import Task

IDS = {"cart_pole": "CartPole", "get_up": "GetUp", "quadruped_trot": "QuadrupedTrot", "humanoid_walk": "HumanoidWalk",
       "kidsize_walk": "KidsizeWalk", "mirosot_1v1": "MiroSot1v1", "mirosot_3v3": "MiroSot3v3", "mirosot_5v5": "MiroSot5v5"}
MODES = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}


def spaces_of(task: Task) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    return (gymnasium.spaces.Box(-np.inf, np.inf, (task.obs_size,), np.float32),
            gymnasium.spaces.Box(-1, 1, (task.act_size,), np.float32))


def picture_of(task: Task, world: int, size: tuple[int, int]) -> np.ndarray:
    """From behind and the side, with the robot in the middle; of a match, the field from above."""
    if task.scene.startswith("mirosot"):
        return task.batch.picture(world, eye=(0, -1.6, 1.6), target=(0, -0.1, 0), size=size)
    q, _ = task.batch.states()
    x, y, z = q[world, :3]
    far = 3.0 if task.scene == "learn_cart_pole" else 1.0
    return task.batch.picture(world, eye=(x + 0.9 * far, y - 1.1 * far, z + 0.5 * far), target=(x, y, z), size=size)


class TaskEnv(gymnasium.Env):
    """One world of a task."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, task: str, render_mode: str | None = None, size: tuple[int, int] = (320, 240), **options: Any):
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.render_mode, self.size = render_mode, size
        self.task = tasks.make(task, worlds=1, autoreset=False, **options)
        self.metadata = {**self.metadata, "render_fps": round(1 / self.task.dt)}
        self.observation_space, self.action_space = spaces_of(self.task)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        super().reset(seed=seed)
        return self.task.reset(seed=seed)[0].copy(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        obs, reward, terminated, truncated, _ = self.task.step(np.asarray(action, np.float32)[None])
        return obs[0].copy(), float(reward[0]), bool(terminated[0]), bool(truncated[0]), {}

    def render(self) -> np.ndarray | None:
        return picture_of(self.task, 0, self.size) if self.render_mode else None


class TaskVectorEnv(gymnasium.vector.VectorEnv):
    """Many worlds of a task in one batch."""

    def __init__(self, task: str, num_envs: int = 1, autoreset: str | AutoresetMode = "next_step", render_mode: str | None = None,
                 size: tuple[int, int] = (160, 120), **options: Any):
        mode = MODES.get(autoreset) if isinstance(autoreset, str) else autoreset
        if mode is None:
            raise ValueError(f"autoreset is one of {', '.join(MODES)}, not {autoreset!r}")
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.mode, self.num_envs, self.render_mode, self.size = mode, num_envs, render_mode, size
        self.task = tasks.make(task, worlds=num_envs, autoreset=mode == AutoresetMode.SAME_STEP, **options)
        self.metadata = {"autoreset_mode": mode, "render_modes": ["rgb_array"], "render_fps": round(1 / self.task.dt)}
        self.single_observation_space, self.single_action_space = spaces_of(self.task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.done = np.zeros(num_envs, bool)  # since the last step

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        mask = (options or {}).get("reset_mask")
        if mask is not None and seed is not None:
            raise ValueError("a seed starts all worlds anew: it does not go with a reset_mask")
        obs = self.task.reset(mask, seed=seed)
        self.done[slice(None) if mask is None else np.asarray(mask, bool)] = False
        return obs.copy(), {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        actions = np.asarray(actions, np.float32)
        again = self.done if self.mode == AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        if self.mode == AutoresetMode.DISABLED and self.done.any():
            raise gymnasium.error.ResetNeeded(f"world {int(np.flatnonzero(self.done)[0])} is over: reset it by reset_mask")
        if again.any():
            actions = np.where(again[:, None], np.float32(0), actions)
        obs, reward, terminated, truncated, info = self.task.step(actions)
        if again.any():  # these worlds begin anew instead of stepping
            obs = self.task.reset(again)
            reward, terminated, truncated = (np.where(again, 0, x).astype(x.dtype) for x in (reward, terminated, truncated))
        self.done = terminated | truncated
        infos: dict[str, Any] = {}
        if "final_obs" in info:
            last = np.full(self.num_envs, None, dtype=object)
            for w in np.flatnonzero(info["_final_obs"]):
                last[w] = info["final_obs"][w]
            infos = {"final_obs": last, "_final_obs": info["_final_obs"], "final_info": {}, "_final_info": info["_final_obs"].copy()}
        return obs.copy(), reward.astype(np.float64), terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        if not self.render_mode:
            return None
        return tuple(picture_of(self.task, w, self.size) for w in range(self.num_envs))


def parallel_match(n: int = 3, render_mode: str | None = None, **options: Any) -> Any:
    """A match as a PettingZoo parallel environment: every robot is an agent."""
    from pettingzoo import ParallelEnv  # type: ignore[import-untyped]

    from .soccer import Soccer

    class Match(ParallelEnv):
        metadata = {"name": f"gradus_mirosot_{n}v{n}_v0", "render_modes": ["rgb_array"], "is_parallelizable": True}

        def __init__(self) -> None:
            self.render_mode = render_mode
            self.task = Soccer(n, 1, team="both", autoreset=False, **options)
            self.possible_agents = [f"{c}_{i + 1}" for c in ("blue", "yellow") for i in range(n)]
            self.agents: list[str] = []
            # what its team sees, and which of its robots it is
            box = gymnasium.spaces.Box(-np.inf, np.inf, (self.task.obs_size + n,), np.float32)
            self._spaces = {a: (box, gymnasium.spaces.Box(-1, 1, (2,), np.float32)) for a in self.possible_agents}

        def observation_space(self, agent: str) -> gymnasium.spaces.Box:
            return self._spaces[agent][0]

        def action_space(self, agent: str) -> gymnasium.spaces.Box:
            return self._spaces[agent][1]

        def _see(self) -> dict[str, np.ndarray]:
            views = [self.task.view(0)[0], self.task.view(1)[0]]
            return {a: np.concatenate([views[i // n], np.eye(n, dtype=np.float32)[i % n]]) for i, a in enumerate(self.possible_agents)}

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
            self.agents = list(self.possible_agents)
            self.task.reset(seed=seed)
            return self._see(), {a: {} for a in self.agents}

        def step(self, actions: dict[str, np.ndarray]) -> tuple[dict[str, Any], ...]:
            a = np.concatenate([np.asarray(actions.get(x, np.zeros(2)), np.float32) for x in self.possible_agents])
            _, reward, terminated, truncated, _ = self.task.step(a[None])
            seen, agents = self._see(), self.agents
            gain = {x: float(reward[0]) * (1 if x.startswith("blue") else -1) for x in agents}
            over, cut = bool(terminated[0]), bool(truncated[0])
            if over or cut:
                self.agents = []
            return ({x: seen[x] for x in agents}, gain, {x: over for x in agents}, {x: cut for x in agents}, {x: {} for x in agents})

        def render(self) -> np.ndarray | None:
            return picture_of(self.task, 0, (320, 240)) if self.render_mode else None

        def close(self) -> None:
            pass

    return Match()


def _make_vec(task: str, num_envs: int = 1, **options: Any) -> TaskVectorEnv:
    return TaskVectorEnv(task, num_envs, **options)


for _task, _id in IDS.items():
    gymnasium.register(f"gradus/{_id}-v0", entry_point="gradus.gym:TaskEnv", vector_entry_point="gradus.gym:_make_vec",
                       kwargs={"task": _task})
