#!/usr/bin/env python3
"""A small team for FIRASim's protocol, in plain Python: sees pictures, sends wheel speeds.

    gradus run mirosot_5v5 --firasim=yellow          in one window
    examples/firasim_client/client.py --team yellow  in another

The wire format is protobuf, read and written here by hand (docs/firasim.md has the field numbers), so nothing has to be
installed. --json prints what was heard: frames, how many are missing, their rate, simulated against wall time."""
import argparse
import json
import math
import signal
import socket
import struct
import sys
import time


# ---- protobuf: varints, doubles and nested messages are all that the protocol uses ------------------------------------

def fields(data):
    """(number, value) of every field: int for varints, float for doubles, bytes for messages."""
    i = 0

    def varint():
        nonlocal i
        x = shift = 0
        while True:
            byte = data[i]
            i += 1
            x |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return x

    while i < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 1:
            yield key >> 3, struct.unpack_from("<d", data, i)[0]
            i += 8
        elif key & 7 == 2:
            size = varint()
            yield key >> 3, data[i:i + size]
            i += size
        else:
            raise ValueError("unknown wire type")


def message(names, data):
    """A flat message as a dictionary; fields that are zero are not on the wire."""
    out = dict.fromkeys(names.values(), 0.0)
    out.update((names[n], x) for n, x in fields(data) if n in names)
    return out


BALL = {1: "x", 2: "y", 4: "vx", 5: "vy"}
ROBOT = {1: "id", 2: "x", 3: "y", 4: "theta", 5: "vx", 6: "vy", 7: "w"}
FIELD = {1: "width", 2: "length", 3: "goal_width", 4: "goal_depth"}


def read_environment(data):
    seen = {"step": 0, "ball": message(BALL, b""), 2: [], 3: [], "field": message(FIELD, b"")}   # 2 yellow, 3 blue
    for number, value in fields(data):
        if number == 1:
            seen["step"] = value
        elif number == 3:
            seen["field"] = message(FIELD, value)
        elif number == 2:
            for n, x in fields(value):
                if n == 1:
                    seen["ball"] = message(BALL, x)
                else:
                    seen[n].append(message(ROBOT, x))
    return seen


def varint(x):
    out = bytearray()
    while x > 127:
        out.append(x & 127 | 128)
        x >>= 7
    out.append(x)
    return bytes(out)


def nested(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def packet(yellow, wheels):
    """Packet{1 cmd: Commands{1 robot_commands: Command{1 id, 2 yellowteam, 6 wheel_left, 7 wheel_right}}}"""
    commands = b""
    for number, (left, right) in wheels.items():
        one = varint(1 << 3) + varint(int(number)) + (varint(2 << 3) + b"\1" if yellow else b"")
        one += varint(6 << 3 | 1) + struct.pack("<d", left) + varint(7 << 3 | 1) + struct.pack("<d", right)
        commands += nested(1, one)
    return nested(1, commands)


# ---- the team ---------------------------------------------------------------------------------------------------------

def drive(robot, x, y, top=40.0, radius=0.0225, half_axle=0.0335):
    """Wheel speeds towards a place, either end first."""
    dx, dy = x - robot["x"], y - robot["y"]
    way = math.hypot(dx, dy)
    if way < 0.01:
        return 0.0, 0.0
    c, s = math.cos(robot["theta"]), math.sin(robot["theta"])
    ahead, left = (c * dx + s * dy) / way, (c * dy - s * dx) / way
    sense = math.copysign(1, ahead)
    speed = sense * min(top * radius, 3 * way) * max(0.1, abs(ahead))
    turn = 10 * sense * left
    clip = lambda v: max(-top, min(top, v / radius))
    return clip(speed - half_axle * turn), clip(speed + half_axle * turn)


def play(seen, yellow):
    """The nearest player pushes the ball to the far goal, number 0 keeps, the others wait behind the ball."""
    attack = 1 if yellow else -1
    half, ball, own = seen["field"]["length"] / 2, seen["ball"], seen[2 if yellow else 3]
    players = [r for r in own if r["id"] != 0]
    nearest = min(players, key=lambda r: math.hypot(r["x"] - ball["x"], r["y"] - ball["y"]), default=None)
    wheels = {}
    for rank, r in enumerate(own):
        if r["id"] == 0:
            x, y = -attack * (half - 0.045), max(-0.2, min(0.2, ball["y"]))
        elif r is nearest:
            behind = 0.12 if attack * (ball["x"] - r["x"]) < 0.05 else -0.15   # go round it, or through it
            x, y = ball["x"] - attack * behind, ball["y"] + (0.1 if behind > 0 and r["y"] > ball["y"] else -0.1 if behind > 0 else 0)
        else:
            x, y = ball["x"] - attack * 0.45, (rank - 2) * 0.35
        wheels[r["id"]] = drive(r, x, y)
    return wheels


# ---- the wire ---------------------------------------------------------------------------------------------------------

def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def ear(at):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    host, port = at
    if 224 <= int(host.split(".")[0]) < 240:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((host, port))
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(host) + socket.inet_aton("127.0.0.1"))
    else:
        s.bind((host, port))
    return s


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--team", choices=["blue", "yellow"], default="yellow")
    a.add_argument("--vision", type=address, default=("224.0.0.1", 10002), help="A:P, default 224.0.0.1:10002")
    a.add_argument("--commands", type=address, default=("127.0.0.1", 20011), help="A:P, default 127.0.0.1:20011")
    a.add_argument("--frames", type=int, default=0, help="stop after so many pictures")
    a.add_argument("--patience", type=float, default=10, help="stop after so many seconds without a picture")
    a.add_argument("--json", action="store_true", help="print what was heard at the end")
    o = a.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    hear, mouth = ear(o.vision), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    hear.settimeout(o.patience)
    print(f"{o.team} listens on {o.vision[0]}:{o.vision[1]} and speaks to {o.commands[0]}:{o.commands[1]}; Ctrl-C ends", file=sys.stderr)
    steps, arrivals = [], []
    try:
        while not o.frames or len(steps) < o.frames:
            seen = read_environment(hear.recv(65536))
            arrivals.append(time.monotonic())
            steps.append(seen["step"])
            mouth.sendto(packet(o.team == "yellow", play(seen, o.team == "yellow")), o.commands)
    except socket.timeout:
        print(f"no picture for {o.patience:g} s" + ("" if steps else f"; is gradus running?  gradus run mirosot_5v5 --firasim={o.team}"), file=sys.stderr)
    except KeyboardInterrupt:
        pass
    finally:
        if o.json and len(steps) > 1:
            wall, sim = arrivals[-1] - arrivals[0], (steps[-1] - steps[0]) / 1000
            usual = sorted(b - a for a, b in zip(steps, steps[1:]))[len(steps) // 2]
            missing = sum(max(0, round((b - a) / usual) - 1) for a, b in zip(steps, steps[1:]))
            print(json.dumps({"frames": len(steps), "missing": missing, "packets_per_s": (len(steps) - 1) / wall,
                              "sim_per_wall": sim / wall, "wall": wall}))


if __name__ == "__main__":
    main()
