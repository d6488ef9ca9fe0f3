#!/usr/bin/env python3
"""A control program in plain Python: squats. Nothing to install, nothing to build.

    gradus run examples/python/squat.toml --view

gradus starts this program for each robot that names it, sends one JSON object a line and waits for the answer
(docs/controllers.md lists all keys). Standard output belongs to gradus: print to standard error.
"""
import json
import math
import sys

robot = json.loads(sys.stdin.readline())  # once: name, joints, limits, period
print(f"{robot['robot']} has {len(robot['joints'])} joints", file=sys.stderr)
depth = float(sys.argv[1]) if len(sys.argv) > 1 else 0.4  # [rad], from options in the scene

start = None
for line in sys.stdin:  # one line for each call, until the run ends
    seen = json.loads(line)
    at = dict(zip(robot["joints"], seen["q"]))
    start = start or at
    bend = 0.5 * depth * (1 - math.cos(math.pi * seen["time"]))
    target = {}
    for side in ("left", "right"):  # the trunk stays upright, the feet flat
        target[side + "_hip_pitch"] = start[side + "_hip_pitch"] - bend
        target[side + "_knee"] = start[side + "_knee"] + 2 * bend
        target[side + "_ankle_pitch"] = start[side + "_ankle_pitch"] - bend
    print(json.dumps({"target": target}), flush=True)
