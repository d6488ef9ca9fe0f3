#!/usr/bin/env python3
"""USARSim 2012: HeadYaw swings to 60 degrees and back in four seconds, its way sent in lines of USARSim's protocol at a frame rate.

    gradus run nao --usarsim                          in one terminal
    python3 examples/usarsim/head_yaw.py --fps 25     in another one

With --run it starts gradus itself, on free ports.
"""
import argparse
import math
import pathlib
import re
import socket
import subprocess

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--port", type=int, default=3000)
parser.add_argument("--fps", type=float, default=25)
parser.add_argument("--run", action="store_true")
arguments = parser.parse_args()

run = None
if arguments.run:
    gradus = pathlib.Path(__file__).resolve().parents[2] / "gradus"
    run = subprocess.Popen([gradus, "run", "nao", "--usarsim=0,truth=0,robot=v6", "--for", "5s", "--quiet"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    arguments.port = next(int(m[1]) for line in run.stderr if (m := re.search(r"connect to [\d.]+:(\d+)", line)))


def wish(t):
    """0 to 60 degrees and back, smooth."""
    s = min(max(t / 2, 0), 2)
    u = s if s < 1 else 2 - s
    return math.radians(60) * u * u * (3 - 2 * u)


robot = socket.create_connection(("127.0.0.1", arguments.port))
robot.sendall(b"INIT {ClassName USARBot.Nao} {Name v6}\r\n")
start, frame, errors, farthest = None, -1, [], 0
for line in robot.makefile("r", newline="\r\n"):
    if not line.startswith("STA"):
        continue
    values = dict(re.findall(r"\{(\w+) ([^}]*)\}", line))
    start = float(values["Time"]) if start is None else start
    t = float(values["Time"]) - start
    if int(t * arguments.fps) > frame:
        frame = int(t * arguments.fps)
        robot.sendall(b"SET {Type Joint} {Name HeadYaw} {Opcode Angle} {Params %.4f}\r\n" % wish(t))
    errors.append(float(values["HeadYaw"]) - wish(t))
    farthest = max(farthest, float(values["HeadYaw"]))
    if t > 4.2:
        break
rms = math.sqrt(sum(e * e for e in errors) / len(errors))
print(f"{arguments.fps:g} frames a second: HeadYaw {math.degrees(rms):.1f} degrees (rms) from the smooth way, as far as {math.degrees(farthest):.1f}, over {len(errors)} lines")
robot.close()
if run:
    run.terminate()
