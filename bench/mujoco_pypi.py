#!/usr/bin/env python3
"""MuJoCo of the PyPI package beside gradus: the standing humanoid28, in turns, thread CPU time.

    python3 -m venv venv && venv/bin/pip install 'mujoco<4'
    venv/bin/python bench/mujoco_pypi.py build/release
"""
import json
import statistics
import subprocess
import sys
import time

import mujoco

build = sys.argv[1]
gradus = f"{build}/apps/cli/gradus"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


objects = json.loads(output(gradus, "show", "bench_standing", "--json"))["robots"][0]["robot"]["objects"]
posture = [o["initial"] for o in objects if o["kind"] in (3, 4)]  # revolute and prismatic
model = mujoco.MjModel.from_xml_string(output(f"{build}/bench/mjcf_dump", "scenes/bench_standing.toml"))
data = mujoco.MjData(model)
data.qpos[2] = 0.3206
data.qpos[7:] = posture
data.ctrl[:] = posture
mujoco.mj_step(model, data, 3000)
print(f"MuJoCo {mujoco.__version__}, base at {data.qpos[2]:.4f} m, {data.ncon} contacts")


def block(steps=250):
    start = time.thread_time()
    mujoco.mj_step(model, data, steps)
    return (time.thread_time() - start) / steps * 1e9


ratios = []
for _ in range(7):
    before = [block() for _ in range(9)]
    rows = json.loads(output(gradus, "bench", "stand", "--rounds", "3", "--json"))["rows"]
    ours = next(r for r in rows if r["engine"] == "gradus" and r["variant"] == "one robot")["ns_per_robot_step"]
    theirs = statistics.median(before + [block() for _ in range(9)])
    ratios.append(theirs / ours)
    print(f"MuJoCo {theirs:8.0f} ns, gradus {ours:8.0f} ns, {theirs / ours:5.2f} times")
print(f"median {statistics.median(ratios):.2f} times")
