"""Many worlds of one scene: gradus.Batch."""
from __future__ import annotations

from typing import Any, Mapping, Sequence

import numpy as np

from ._core import Batch as _Batch
from ._core import dlpack as _dlpack

__all__ = ["Batch"]


class GpuArray:
    """float32 numbers of a batch in the GPU's memory: `torch.as_tensor(x, device="cuda")`, `cupy.asarray(x)` and
    `from_dlpack(x)` of either take them without a copy. Good while the batch lives."""

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...]):
        self._owner, self._address, self.shape = owner, address, shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"version": 3, "shape": self.shape, "typestr": "<f4", "data": (self._address, False), "strides": None}

    def __dlpack__(self, stream: Any = None, **_: Any) -> Any:
        return _dlpack(self._address, list(self.shape), self._owner)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)  # CUDA

    def __repr__(self) -> str:
        return f"<gradus array on the GPU: {self.shape}>"


class GpuArrays:
    """slab: all numbers of all worlds, (tiles, row, 32): world w is [w // 32, :, w % 32]; actions and observations as those of
    the batch."""

    def __init__(self, core: Any, worlds: int, actions: int, observations: int):
        slab, tiles, row, tile, act, seen = core.gpu()
        self.slab = GpuArray(core, slab, (tiles, row, tile))
        self.actions = GpuArray(core, act, (worlds, actions))
        self.observations = GpuArray(core, seen, (worlds, observations))


class Batch:
    """Many worlds of one scene, stepped together.

        batch = gradus.Batch("quadruped", 1024, observe=["r.gravity", "r.joint_q", "r.joint_v"])
        batch.actions[:] = batch.start                   # joint targets, float32 (1024, joints)
        batch.act(steps=20)                              # 20 steps of every world, then observe
        q = batch.observations[:, batch.at["r.joint_q"]]
        batch.reset(q[:, 0] > 1)                         # those worlds begin again

    actions and observations are the batch's own numbers: the same arrays for its life, never copied. What can be named in observe,
    act and parameters: docs/batch.md. The interpreter's lock is free while worlds step. A world's numbers do not depend on how many
    others there are, nor on threads; random starts depend on (seed, world, episode)."""

    def __init__(self, scene: str, worlds: int, *, observe: Sequence[str] = (), act: Sequence[str] = (),
                 parameters: Sequence[str] = (), sets: Sequence[str] = (), backend: str = "auto", dtype: Any = np.float32,
                 threads: int = 1, seed: int = 1, predictions: int = 3):
        kind = np.dtype(dtype)
        if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
            raise TypeError(f"a batch holds float32 or float64, not {kind}")
        for name, value in (("observe", observe), ("act", act), ("parameters", parameters), ("sets", sets)):
            if isinstance(value, str):
                raise TypeError(f"{name} is a list of names, not one text")
        self._core = _Batch.load(str(scene), dict(
            worlds=int(worlds), threads=int(threads), backend=backend, single=kind == np.float32, observe=list(observe),
            act=list(act), parameters=list(parameters), sets=list(sets), seed=int(seed), predictions=int(predictions)))
        self.worlds: int = self._core.worlds
        self.dt: float = self._core.dt
        self.backend: str = self._core.backend
        self.why: str = self._core.why
        self.parameters = list(parameters)
        self.actions: np.ndarray = self._core.actions()
        self.observations: np.ndarray = self._core.observations()
        self.ages: np.ndarray = self._core.ages()
        self.episodes: np.ndarray = self._core.episodes()
        self.finite: np.ndarray = self._core.finite()
        lower, upper, start = self._core.action_limits()
        self.lower, self.upper, self.start = (a.astype(kind) for a in (lower, upper, start))
        columns = self._core.observation_columns()
        self.at: dict[str, slice] = {name: slice(c[0], c[1]) for name, c in columns.items()}
        self.columns: list[str] = [path for c in columns.values() for path in c[2]]
        commands = self._core.action_columns()
        self.action_at: dict[str, slice] = {name: slice(c[0], c[1]) for name, c in commands.items()}
        self.action_columns: list[str] = [path for c in commands.values() for path in c[2]]

    @property
    def dtype(self) -> np.dtype:
        return self.actions.dtype

    @property
    def position_size(self) -> int:
        """Numbers in a row of q: position (3), orientation (4) and joints of each robot."""
        return self._core.sizes[0]

    @property
    def velocity_size(self) -> int:
        return self._core.sizes[1]

    @property
    def predictions(self) -> int:
        """Predictions of robots' steps since the start; more than steps: limits were met."""
        return self._core.predictions

    @property
    def warnings(self) -> list[str]:
        return self._core.warnings

    def act(self, actions: np.ndarray | None = None, steps: int = 1) -> np.ndarray:
        """Hands actions to all worlds (none: batch.actions), steps each, observes. Actions must have the batch's own type and shape;
        a number that is not finite is refused. Returns batch.observations."""
        self._core.act(actions, steps)
        return self.observations

    def observe(self) -> np.ndarray:
        self._core.observe()
        return self.observations

    def reset(self, mask: Any = None, q: Any = None, v: Any = None) -> np.ndarray:
        """Worlds of the mask (none: all) begin again: at the start, with its noise, or at given states (worlds, position_size) and
        (worlds, velocity_size)."""
        self._core.reset(mask, q, v)
        return self.observations

    def set_start_noise(self, positions: Any, velocities: Any) -> None:
        """Uniform in ± these, added at every reset: turn (3) and shift (3) of the base, joints; and their velocities. One number is
        for the joints alone."""
        def row(x: Any) -> np.ndarray:
            a = np.asarray(x, dtype=float)
            if a.ndim == 0:
                a = np.concatenate([np.zeros(6), np.full(self.velocity_size - 6, float(a))])
            return a
        self._core.set_start_noise(row(positions), row(velocities))

    def set_delays(self, steps: Any) -> None:
        """Actions of a world take effect after so many of the steps of an act; one number, or one per world."""
        self._core.set_delays([int(d) for d in np.broadcast_to(np.asarray(steps), (self.worlds,))])

    def states(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and velocities of all worlds. Copies."""
        return self._core.states()

    def add_velocity(self, mask: Any, dv: Any) -> None:
        """A shove: (worlds, velocity_size), angular (3) and linear (3) of the base in world axes, joints."""
        self._core.add_velocity(mask, dv)

    @property
    def gpu(self) -> GpuArrays:
        """Of backend="gpu": its arrays in the GPU's memory."""
        return GpuArrays(self._core, self.worlds, self.actions.shape[1], self.observations.shape[1])

    def launch(self, steps: int, stream: int = 0) -> None:
        """As act, from gpu.actions into gpu.observations, on a CUDA stream (its address; 0: the default one). Does not wait, and a
        CUDA graph may capture it; ages, finite and the time do not see it."""
        self._core.launch(steps, stream)

    def begin_on_gpu(self, mask: Any, stream: int = 0) -> None:
        """Worlds whose byte of `mask` (worlds; an array on the GPU) is not 0 go to the start, likewise."""
        self._core.begin_on_gpu(mask.__cuda_array_interface__["data"][0], stream)

    def push(self, mask: Any, body: str, forces: Any, point: Any = (0, 0, 0)) -> None:
        """Forces [N] (worlds, 3) on "ROBOT.BODY", world axes, held until changed. Not in lanes and on GPUs."""
        self._core.push(mask, body, forces, np.asarray(point, dtype=float))

    def set_parameters(self, values: Mapping[str, Any] | Any, mask: Any = None) -> None:
        """(worlds, parameters), or a number or array per name."""
        if isinstance(values, Mapping):
            missing = set(self.parameters) - set(values)
            unknown = set(values) - set(self.parameters)
            if missing or unknown:
                raise ValueError(f"parameters of this batch are {self.parameters}, not {list(values)}")
            values = np.stack([np.broadcast_to(np.asarray(values[p], dtype=float), (self.worlds,)) for p in self.parameters], axis=1)
        self._core.set_parameters(mask, values)

    def randomise(self, ranges: Mapping[str, tuple[float, float]], rng: np.random.Generator) -> np.ndarray:
        """Draws every parameter of every world uniformly and sets it. Returns the values, (worlds, parameters)."""
        values = np.stack([rng.uniform(*ranges[p], self.worlds) for p in self.parameters], axis=1)
        self.set_parameters(values)
        return values

    def picture(self, world: int = 0, *, eye: Any = (1.2, -1.0, 0.8), target: Any = (0, 0, 0.2), size: tuple[int, int] = (320, 240)
                ) -> np.ndarray:
        """One world from a point to a point, by rays: (height, width, 3) bytes."""
        return self._core.picture(world, size[0], size[1], np.asarray(eye, dtype=float), np.asarray(target, dtype=float))

    def hash(self, world: int | None = None) -> int:
        return self._core.hash() if world is None else self._core.hash(world)

    def save(self, world: int) -> np.ndarray:
        return self._core.save(world)

    def restore(self, world: int, numbers: np.ndarray) -> None:
        self._core.restore(world, numbers)

    def __len__(self) -> int:
        return self.worlds

    def __repr__(self) -> str:
        return f"<gradus batch: {self.worlds} worlds in {self.backend}>"
