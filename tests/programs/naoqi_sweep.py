#!/usr/bin/env python3
"""The figures of docs/links.md for NaoQi: USARSim 2012's experiments as NaoQi scripts, over the floors and levels of `gradus paper usarsim-*`.

    tests/programs/naoqi_sweep.py GRADUS          a few minutes; prints a table
"""
import pathlib
import re
import subprocess
import sys

GRADUS, ROOT = sys.argv[1], pathlib.Path(__file__).resolve().parents[2]
FRICTIONS, STIFFNESSES = (0.35, 0.5, 0.7, 1.0), (2e4, 5e4, 2e5, 5e5)


def once(script, seconds, level, friction, stiffness):
    """The first number that the script prints; None if the robot fell."""
    damping = 150 * (stiffness / 2e4) ** 0.5  # floors as `gradus paper` lays them [apps/papers/nao_trial.cpp]
    floor = {"friction": friction, "stiffness": f"{stiffness:g} N/m", "damping": f"{damping} N s/m", "tangential_stiffness": f"{stiffness / 2:g} N/m",
             "tangential_damping": f"{0.7 * damping} N s/m"}
    command = [GRADUS, "run", "nao", "--naoqi=0,robot=v6,lockstep,patience=5s", "--for", f"{seconds}s", "--json", "--motion", f"v6={level}"]
    for key, value in floor.items():
        command += ["--set", f"world.contact.{key}={value}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        port = next(m[1] for m in (re.search(r"connect to \S+?:(\d+)", line) for line in run.stderr) if m)
        said = subprocess.run([sys.executable, ROOT / f"examples/naoqi/{script}.py", "--port", port], capture_output=True, text=True, check=True)
        out = run.communicate()[0]
    v6 = out[out.index('"v6"'):]
    return None if v6[:v6.index("}", v6.index("}") + 1)].find('"fallen": true') >= 0 else [float(x) for x in re.findall(r"-?\d+\.\d+|-?\d+", said.stdout)]


for script, seconds, which, unit in (("walk", 12, 0, "m"), ("turn", 12, 0, "deg"), ("circle", 50, 2, "m gap"), ("tai_chi", 80, 1, "s on one leg")):
    for level in ("articulated", "prescribed_joints", "single_body"):
        floors = [(f, k) for f in FRICTIONS for k in STIFFNESSES] if level == "articulated" else [(0.7, 2e5)]
        runs = [once(script, seconds, level, f, k) for f, k in floors]
        stood = [r[which] for r in runs if r is not None]
        figures = f"mean {sum(stood) / len(stood):.4g}, {min(stood):.4g} … {max(stood):.4g}" if stood else "none stood"
        print(f"{script:8} {level:18} {figures} {unit}, {len(runs) - len(stood)} of {len(runs)} fell", flush=True)
