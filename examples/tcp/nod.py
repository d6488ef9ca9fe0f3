#!/usr/bin/env python3
"""A Nao nods and shakes its head, over TCP.

    gradus run nao --tcp=4000,robot=v6 --for 10s          in one terminal
    python3 examples/tcp/nod.py --port 4000               in another one, or on another machine (--host)

Without --port it starts gradus itself.
"""
import argparse
import math
import pathlib

from gradus_tcp import Robot, launch

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int)
parser.add_argument("--token")
parser.add_argument("--lines", action="store_true", help="JSON lines instead of binary frames")
arguments = parser.parse_args()

run = None
if arguments.port is None:
    gradus = str(pathlib.Path(__file__).resolve().parents[2] / "gradus")
    run, arguments.port = launch(gradus, "nao", "--for", "2s", items="0,robot=v6")

robot = Robot(arguments.host, arguments.port, token=arguments.token, binary=not arguments.lines)
print(f"{robot.name}: {len(robot.joints)} joints, every {robot.period * 1000:g} ms")
head = [robot.joints.index("HeadYaw"), robot.joints.index("HeadPitch")]
for state in robot:
    t = state["time"]
    robot.answer(target={"HeadYaw": 0.5 * math.sin(2 * t), "HeadPitch": 0.2 * math.sin(3 * t)})
    last = t, [state["q"][j] for j in head]
print(f"after {last[0]:.2f} s the head is at {last[1][0]:.3f}, {last[1][1]:.3f} rad")
if run:
    run.communicate()
