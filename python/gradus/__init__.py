"""gradus: robots that walk, roll and play soccer, simulated at the level of detail that the question needs.

    import gradus

    sim = gradus.load("levels")              # a scene that comes with gradus, a scene file, or a robot file (.urdf, .toml)
    nao = sim["level3"]
    while sim.time < 5:
        nao.targets[:] = my_controller(nao.q, nao.v)
        sim.step()

SI units and radians; quaternions are (w, x, y, z). Errors of files, paths and names are raised as gradus.Error, whose text lists
all of them with file:line:column.
"""
from __future__ import annotations

import html
import math
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ._core import Error, Property, SelfCollision
from ._core import Simulation as _Simulation
from ._core import Study
from .batch import Batch

__all__ = ["Batch", "Error", "Image", "Page", "Property", "Reading", "Robot", "SelfCollision", "Sensor", "Simulation", "Study", "load"]
__version__ = "0.1.0"


class Reading:
    """What a sensor shows: `values` of the newest sample that has arrived, taken at `time`; `truth` is what it measures, now."""

    __slots__ = ("values", "truth", "time", "sample")

    def __init__(self, values: np.ndarray, truth: np.ndarray, time: float, sample: int):
        self.values, self.truth, self.time, self.sample = values, truth, time, sample

    def __repr__(self) -> str:
        return f"Reading(values={self.values}, time={self.time}, sample={self.sample})"


class Image:
    """One image of a camera. `array`: (height, width, 3) for rgb, (height, width) for grey, depth [m] and segmentation,
    (height, width, 2) for yuyv. Good until the camera's next image is asked for: copy what must stay."""

    __slots__ = ("format", "array", "frame", "time")

    def __init__(self, format: str, array: np.ndarray, frame: int, time: float):
        self.format, self.array, self.frame, self.time = format, array, frame, time


class Sensor:
    """One sensor of a robot."""

    def __init__(self, sim: _Simulation, robot: int, number: int, info: tuple[str, str, list[str], list[str]]):
        self._sim, self._robot, self._number = sim, robot, number
        self.name, self.kind, self.channels, self.units = info

    def read(self) -> Reading:
        return Reading(*self._sim.read(self._robot, self._number))

    @property
    def values(self) -> np.ndarray:
        return self._sim.read(self._robot, self._number)[0]

    @property
    def truth(self) -> np.ndarray:
        return self._sim.read(self._robot, self._number)[1]

    def image(self, format: str | None = None) -> Image | None:
        """The newest image that has arrived, in the camera's first format or the one asked for; None: none has arrived."""
        images = self._sim.image(self._robot, self._number)
        for f, array, frame, time in images:
            if format is None or f == format:
                return Image(f, array, frame, time)
        if images:
            raise Error(f"camera '{self.name}' has no format '{format}'; it has {', '.join(i[0] for i in images)}")
        return None

    def __repr__(self) -> str:
        return f"<{self.kind} '{self.name}'>"


class Robot:
    """One robot of a simulation: sim["blue1"]."""

    def __init__(self, sim: _Simulation, number: int):
        self._sim, self._number = sim, number
        self.name: str = sim.robot_name(number)
        self.joints: list[str] = sim.joints(number)
        self.bodies: list[str] = sim.bodies(number)
        self.sensors: dict[str, Sensor] = {s[0]: Sensor(sim, number, i, s) for i, s in enumerate(sim.sensors(number))}
        self._targets = sim.targets(number)

    @property
    def q(self) -> np.ndarray:
        """Base position (3), orientation (4: w x y z), joints. A copy."""
        return self._sim.q(self._number)

    @property
    def v(self) -> np.ndarray:
        """Base angular (3) and linear velocity (3), world axes, joints. A copy."""
        return self._sim.v(self._number)

    @property
    def joint_q(self) -> np.ndarray:
        return self._sim.q(self._number)[7:]

    @property
    def joint_v(self) -> np.ndarray:
        return self._sim.v(self._number)[6:]

    @property
    def torques(self) -> np.ndarray:
        """Joint forces of the last step. A copy."""
        return self._sim.torques(self._number)

    @property
    def targets(self) -> np.ndarray:
        """What the joints are asked for; held until changed. A view: write to it."""
        return self._targets

    @targets.setter
    def targets(self, values: Any) -> None:
        a = np.asarray(values, dtype=float)
        if a.shape != self._targets.shape:
            raise ValueError(f"targets of '{self.name}' have {self._targets.size} numbers, not shape {a.shape}")
        if not np.all(np.isfinite(a)):
            raise ValueError(f"targets of '{self.name}': a number is not finite")
        self._targets[:] = a

    @property
    def impedance(self) -> dict[str, np.ndarray] | None:
        """Views of speed, torque, kp and kd, of robots that the scene commands so; else None."""
        return self._sim.impedance(self._number)

    def set_state(self, q: Any, v: Any) -> None:
        self._sim.set_state(self._number, np.asarray(q, dtype=float), np.asarray(v, dtype=float))

    def pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation (w x y z) of a body."""
        return self._sim.pose(self._number, body)

    def push(self, body: str, force: Any, point: Any = (0, 0, 0)) -> None:
        """A force [N], world axes, held until the next call, at a point of the body's frame; zero ends it."""
        self._sim.push(self._number, body, np.asarray(force, dtype=float), np.asarray(point, dtype=float))

    def kick(self, body: str, impulse: Any, point: Any = (0, 0, 0)) -> None:
        """An impulse [N s], world axes, once, in the next step."""
        self._sim.kick(self._number, body, np.asarray(impulse, dtype=float), np.asarray(point, dtype=float))

    @property
    def motion(self) -> str:
        """Level of detail: kinematic_walk, single_body, prescribed_joints, articulated, free_body. May be set while running."""
        return self._sim.motion(self.name)

    @motion.setter
    def motion(self, level: str) -> None:
        self._sim.set_motion(self.name, level)

    def __repr__(self) -> str:
        return f"<robot '{self.name}', {len(self.joints)} joints>"


Control = Callable[[Robot], Any]


class Simulation:
    """One world. Made by gradus.load."""

    def __init__(self, core: _Simulation, logs: Sequence[str] = ()):
        self._core = core
        self._logs = list(logs)
        self._robots = {core.robot_name(i): Robot(core, i) for i in range(core.robot_count)}

    def step(self, count: int = 1) -> None:
        """Runs control programs of the scene, logs and events along. Raises if a state is not finite."""
        self._core.step(count)

    def run(self, seconds: float, control: Mapping[str, Control | tuple[Control, float]] | None = None) -> None:
        """Steps on for a time. `control` names functions that are called with their robot, at every step or at a rate [Hz]:

            sim.run(5, {"nao": (lambda robot: squat(robot, sim.time), 100)})

        A function may return targets; an exception in it ends the run and leaves closed logs."""
        if not (math.isfinite(seconds) and seconds >= 0):
            raise ValueError(f"run: {seconds} s is no time to run for")
        dt, core = self._core.dt, self._core
        last = core.k + round(seconds / dt)
        programs = []
        for name, entry in (control or {}).items():
            call, rate = entry if isinstance(entry, tuple) else (entry, 1 / dt)
            if not rate > 0:
                raise ValueError(f"run: the rate of '{name}' must be above 0, not {rate}")
            programs.append((self[name], call, max(1.0, 1 / (rate * dt)), core.k))
        calls = [0] * len(programs)
        if not programs:
            core.step(int(last - core.k))
            return
        try:
            while core.k < last:
                for i, (robot, call, period, start) in enumerate(programs):
                    if core.k - start + 1e-6 >= calls[i] * period:
                        calls[i] += 1
                        answer = call(robot)
                        if answer is not None:
                            robot.targets = answer
                core.step(1)
        except BaseException:
            self.close_logs()
            raise

    @property
    def time(self) -> float:
        return self._core.time

    @property
    def dt(self) -> float:
        return self._core.dt

    @property
    def k(self) -> int:
        return self._core.k

    @property
    def robots(self) -> list[str]:
        return list(self._robots)

    def __getitem__(self, name: str) -> Robot:
        if name not in self._robots:
            self._core.find_robot(name)  # says what is near
        return self._robots[name]

    def __iter__(self) -> Iterator[Robot]:
        return iter(self._robots.values())

    def __len__(self) -> int:
        return len(self._robots)

    def get(self, path: str | Property) -> float:
        return self._core.get(path)

    def set(self, path: str | Property, value: float) -> None:
        self._core.set(path, float(value))

    def properties(self) -> list[dict[str, Any]]:
        return self._core.properties()

    def contacts(self) -> list[dict[str, Any]]:
        return self._core.contacts()

    @property
    def events(self) -> list[dict[str, Any]]:
        return self._core.events

    @property
    def warnings(self) -> list[str]:
        return self._core.warnings

    def hash(self) -> int:
        return self._core.hash()

    def save(self) -> bytes:
        """The complete state; restore continues from there, bit for bit, also in another process with the same scene."""
        return self._core.save()

    def restore(self, snapshot: bytes) -> None:
        self._core.restore(snapshot)

    def close_logs(self) -> None:
        self._core.close_logs()

    def view(self, wait: bool = True) -> subprocess.Popen[bytes] | None:
        """Shows what has run so far in the browser: ends the logs, and starts the program gradus on the first .mcap one. The simulation
        must have been loaded with logs=["NAME.mcap"]. wait: until the program is ended (ctrl-C)."""
        program = subprocess.Popen([find_program(), "view", self._ended_log("view")])
        if not wait:
            return program
        try:
            program.wait()
        except KeyboardInterrupt:
            program.terminate()
            program.wait()
        return None

    def show(self, height: int = 600) -> Page:
        """What has run so far as a live page in a notebook: ends the logs, and exports the first .mcap one. The simulation must have
        been loaded with logs=["NAME.mcap"]. The page needs no server; `.save(path)` keeps it as a file."""
        log = self._ended_log("show")
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            done = subprocess.run([find_program(), "export", log, "-o", page], capture_output=True, text=True)
            if done.returncode != 0:
                raise Error(done.stderr.strip())
            return Page(page.read_text(encoding="utf-8"), height)

    def _ended_log(self, who: str) -> str:
        shown = [log for log in self._logs if log.endswith(".mcap")]
        if not shown:
            raise Error(f'{who}: nothing was logged; load the scene with logs=["run.mcap"]')
        self.close_logs()
        return shown[0]

    # the last one: the name hides Python's own from here on
    def property(self, path: str) -> Property:
        """Found once, then read and written with get and set in a fraction of a microsecond."""
        return self._core.property(path)

    def __repr__(self) -> str:
        return f"<gradus simulation at {self.time:g} s: {', '.join(self._robots)}>"


class Page:
    """A run as one page that moves, turns and plots; notebooks show it in place."""

    def __init__(self, text: str, height: int) -> None:
        self.text, self.height = text, height

    def save(self, path: str | os.PathLike[str]) -> None:
        pathlib.Path(path).write_text(self.text, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.text)}" style="width: 100%; height: {self.height}px; border: 0" '
                'sandbox="allow-scripts"></iframe>')


def load(scene: str, *, threads: int = 1, sets: Sequence[str] = (), logs: Iterable[str] = (),
         record: Iterable[str] = ()) -> Simulation:
    """A scene that comes with gradus ("levels"), a scene file, or a robot file (.urdf, .toml: alone on a plane).

    sets: changes as of `gradus run --set`: ["world.contact.friction=0.3"]; logs: files to write, .mcap or .csv; record: properties
    that the logs hold, paths or patterns like "level3.*.q". The result does not depend on the number of threads."""
    files = [str(log) for log in logs]
    return Simulation(_Simulation.load(str(scene), threads, list(sets), files, list(record)), files)


def find_program() -> str:
    """The program gradus: as GRADUS_PROGRAM says, that of the checkout this package was built in, or the one on the PATH."""
    named = os.environ.get("GRADUS_PROGRAM")
    built = pathlib.Path(__file__).resolve().parents[2] / "apps/cli/gradus"
    found = named or (str(built) if built.exists() else shutil.which("gradus"))
    if not found:
        raise Error("the program gradus was not found: build it (make), or say where it is with GRADUS_PROGRAM")
    return found
