#!/usr/bin/env python3
"""A Nao bends its knees and looks about, over LoLA: the interface that programs for the real robot use.

    gradus run nao --lola                               in one terminal
    python3 examples/lola/squat.py                      in another one

With --run it starts gradus itself, for two simulated seconds.
"""
import argparse
import math
import pathlib
import subprocess
import tempfile

from lola import JOINTS, Lola

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("path", nargs="?", default="/tmp/robocup")
parser.add_argument("--run", action="store_true")
parser.add_argument("--quiet", action="store_true")
arguments = parser.parse_args()

run = None
if arguments.run:
    folder = tempfile.TemporaryDirectory()
    arguments.path = folder.name + "/robocup"
    gradus = str(pathlib.Path(__file__).resolve().parents[2] / "gradus")
    run = subprocess.Popen([gradus, "run", "nao", f"--lola={arguments.path}", "--for", "2s", "--quiet"])

robot = Lola(arguments.path)
start, packets = None, 0
for sensors in robot:
    t = packets * 0.012
    packets += 1
    start = start or sensors["Position"]
    target = list(start)
    bend = 0.15 * (1 - math.cos(math.pi * t))
    for side in "LR":
        target[JOINTS.index(side + "HipPitch")] -= bend
        target[JOINTS.index(side + "KneePitch")] += 2 * bend
        target[JOINTS.index(side + "AnklePitch")] -= bend
    target[JOINTS.index("HeadYaw")] = 0.4 * math.sin(2 * t)
    robot.send({"Position": target, "Stiffness": [1.0] * 25, "Chest": [0.0, 1.0, 0.0]})
if not arguments.quiet:
    print(f"{packets} packets; at the end {sum(sensors['FSR']):.1f} kg stand on the feet, accelerometer {sensors['Accelerometer'][2]:.1f} m/s²")
if run:
    run.wait()
