#!/usr/bin/env python3
"""Balls falling into a bin and stacks of crates: gradus beside MuJoCo of the PyPI package, in turns, processor time, one thread.

    python3 -m venv venv && venv/bin/pip install mujoco
    venv/bin/python bench/piles_pypi.py build/release [balls N | stack N]...     balls 100 300 1000, stacks 10 30 unless given
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

import mujoco

ROOT = pathlib.Path(__file__).resolve().parent.parent

build = sys.argv[1]
asked = sys.argv[2:] or ["balls", "100", "balls", "300", "balls", "1000", "stack", "10", "stack", "30"]
PLANE = '<geom type="plane" size="5 5 0.1" friction="{f}" condim="{c}"/>'
OPTION = '<option timestep="0.001" gravity="0 0 -9.81" solver="Newton"/><size memory="2G"/>'
# robots/ball.toml and robots/crate.toml
BALL = '<geom type="sphere" size="0.0325" mass="0.058" friction="0.55 0.001 0.001" condim="6"/>'
CRATE = '<geom type="box" size="0.1 0.1 0.1" mass="1" friction="0.5 0.005 0.0001"/>'


def seconds_of(n):
    """Until the highest layer has fallen and all have collapsed; ten layers fall for 0.4 s."""
    return 1.5 if n <= 100 else 1.0


def moved(i):
    """How far a ball's or crate's start is moved, by its number: the same for both. Balls that fell straight onto each other would stand in
    columns in an engine without rounding across."""
    return tuple(random.Random(1000 * i + axis).uniform(-0.002, 0.002) for axis in range(2))


def robots(model, places):
    return "".join(f"""[robot.r{i}]
model = "{ROOT}/robots/{model}.toml"
motion = "free_body"
pose = {{ x = "{x:.6f} m", y = "{y:.6f} m", z = "{z:.6f} m" }}
""" for i, (x, y, z) in enumerate(places))


def bin_of(row):
    """Walls of a bin without a lid for layers of row × row balls, 8 cm apart: name, centre, full size."""
    inner, wall, high = 0.08 * row + 0.01, 0.05, 0.4
    far, long = inner / 2 + wall / 2, inner + 4 * wall
    return [("west", (-far, 0, high / 2), (wall, long, high)), ("east", (far, 0, high / 2), (wall, long, high)),
            ("south", (0, -far, high / 2), (long, wall, high)), ("north", (0, far, high / 2), (long, wall, high))]


def balls(n):
    row = {100: 4, 300: 6, 1000: 10}.get(n, max(2, round(n ** (1 / 3))))
    first = -0.04 * (row - 1)
    toml = f"""[world]
step = "1 ms"
duration = "{seconds_of(n)} s"
include = ["{ROOT}/fields/plane.toml"]
contact = {{ friction = 0.5, sleep_speed = "0 m/s" }}
"""
    places = []
    for i in range(n):
        layer, k = divmod(i, row * row)
        dx, dy = moved(i)
        places.append((first + 0.08 * (k % row) + dx, first + 0.08 * (k // row) + dy, 0.05 + 0.08 * layer))
    toml += robots("ball", places)
    world = [PLANE.format(f="0.55 0.001 0.001", c=6)]
    for name, p, size in bin_of(row):
        toml += f"""[field.{name}]
shape = {{ box = ["{size[0]:.4f} m", "{size[1]:.4f} m", "{size[2]:.4f} m"] }}
pose = {{ x = "{p[0]:.4f} m", y = "{p[1]:.4f} m", z = "{p[2]:.4f} m" }}
"""
        half = " ".join(f"{s / 2:.4f}" for s in size)
        world.append(f'<geom type="box" pos="{p[0]:.4f} {p[1]:.4f} {p[2]:.4f}" size="{half}" friction="0.55 0.001 0.001" condim="6"/>')
    for x, y, z in places:
        world.append(f'<body pos="{x:.6f} {y:.6f} {z:.6f}"><freejoint/>{BALL}</body>')
    return toml, world


def stack(n):
    toml = f"""[world]
step = "1 ms"
duration = "{seconds_of(n)} s"
include = ["{ROOT}/fields/plane.toml"]
contact = {{ friction = 0.5, sleep_speed = "0 m/s" }}
"""
    places = [(*moved(i), 0.1 + 0.2 * i) for i in range(n)]
    world = [PLANE.format(f="0.5 0.005 0.0001", c=3)]
    world += [f'<body pos="{x:.6f} {y:.6f} {z:.6f}"><freejoint/>{CRATE}</body>' for x, y, z in places]
    return toml + robots("crate", places), world


def ours(toml):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "pile.toml")
        file.write_text(toml)
        out = subprocess.run([f"{build}/tests/contact_figures", "scene", str(file)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"([\d.]+) us a step .*deepest ([\d.]+) mm; contacts (\d+)", out)
    if not found:
        raise SystemExit(out)
    return float(found[1]), int(found[3]), float(found[2])


def theirs(world, seconds):
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{OPTION}<worldbody>{''.join(world)}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    start, steps = time.thread_time(), round(seconds / 0.001)
    mujoco.mj_step(model, data, steps)
    deepest = max([-c.dist for c in data.contact] or [0.0]) * 1e3
    return (time.thread_time() - start) / steps * 1e6, data.ncon, deepest


for what, number in zip(asked[::2], asked[1::2]):
    toml, world = {"balls": balls, "stack": stack}[what](int(number))
    turns = [(ours(toml), theirs(world, seconds_of(int(number)))) for _ in range(2 if int(number) <= 100 else 1)]
    a, b = min(t[0][0] for t in turns), min(t[1][0] for t in turns)
    (_, contacts, deep), (_, their_contacts, their_deep) = turns[0]
    print(f"{what} {number:>5s}: gradus {a:8.0f} us a step, {contacts} contacts, {deep:.2f} mm deep;  MuJoCo {mujoco.__version__} {b:8.0f} us, "
          f"{their_contacts} contacts, {their_deep:.2f} mm;  {b / a:.2f} times", flush=True)
