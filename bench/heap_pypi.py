#!/usr/bin/env python3
"""Heaps of humanoid28 with self-contact on MuJoCo of the PyPI package beside gradus, in turns, thread CPU time.

    python3 -m venv venv && venv/bin/pip install mujoco
    venv/bin/python bench/heap_pypi.py build/release [ROBOTS...]        5 10 20 30 50 unless given; first 1.5 s
"""
import json
import re
import subprocess
import sys
import time

import mujoco

build = sys.argv[1]
sizes = [int(n) for n in sys.argv[2:]] or [5, 10, 20, 30, 50]
STEPS = 1500


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


objects = json.loads(output(f"{build}/apps/cli/gradus", "show", "bench_standing", "--json"))["robots"][0]["robot"]["objects"]
posture = [o["initial"] for o in objects if o["kind"] in (3, 4)]  # revolute and prismatic


def theirs(robots):
    """µs a step, contacts at the end"""
    xml = output(f"{build}/bench/heap_bench", "mjcf", str(robots))
    xml = xml.replace("<worldbody>", '<size memory="2G"/><worldbody>', 1)
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    nq = 7 + len(posture)
    for r in range(robots):
        data.qpos[r * nq + 7 : (r + 1) * nq] = posture
        data.ctrl[r * len(posture) : (r + 1) * len(posture)] = posture
    start = time.thread_time()
    mujoco.mj_step(model, data, STEPS)
    return (time.thread_time() - start) / STEPS * 1e6, data.ncon


def ours(robots):
    return float(re.search(r"gradus\s+(\d+) us", output(f"{build}/bench/heap_bench", "alone", str(robots))).group(1))


for n in sizes:
    turns = [(ours(n), *theirs(n)) for _ in range(2)]
    a, b = min(t[0] for t in turns), min(t[1] for t in turns)
    print(f"{n:4d} robots: gradus {a:8.0f} us a step;  MuJoCo {mujoco.__version__} {b:8.0f} us, {turns[0][2]} contacts;  {b / a:.2f} times",
          flush=True)
