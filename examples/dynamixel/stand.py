#!/usr/bin/env python3
"""A kid-size robot stands, over its CM-730 board: power on, torque on, knees bent, board read. Plain Python, protocol 1.0.

    gradus run examples/dynamixel/kid.toml                prints the name of the line, e.g. /dev/pts/3
    python3 examples/dynamixel/stand.py /dev/pts/3        or /dev/ttyUSB0 with a real board

Without a name it starts gradus itself.
"""
import os
import pathlib
import re
import select
import subprocess
import sys
import time
import tty

BOARD, ALL = 200, 0xFE
PING, READ, WRITE, SYNC_WRITE, BULK_READ = 1, 2, 3, 0x83, 0x92
POWER, EYES, GYRO_Z, TORQUE, GOAL = 24, 28, 38, 24, 30


class Line:
    """A Dynamixel bus, protocol 1.0."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd)
        self.buffer = b""

    def send(self, id, instruction, parameters=()):
        body = bytes([id, len(parameters) + 2, instruction, *parameters])
        os.write(self.fd, b"\xff\xff" + body + bytes([~sum(body) & 255]))

    def status(self, patience=0.2):
        """id, error, parameters of the next status; None if none comes."""
        end = time.monotonic() + patience
        while True:
            start = self.buffer.find(b"\xff\xff")
            if start >= 0 and len(self.buffer) >= start + 4 and len(self.buffer) >= start + 4 + self.buffer[start + 3]:
                size = 4 + self.buffer[start + 3]
                packet, self.buffer = self.buffer[start:start + size], self.buffer[start + size:]
                assert ~sum(packet[2:-1]) & 255 == packet[-1]
                return packet[2], packet[4], packet[5:-1]
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                return None
            self.buffer += os.read(self.fd, 4096)

    def ask(self, *what):
        self.send(*what)
        return self.status()


run = None
if len(sys.argv) > 1:
    path = sys.argv[1]
else:
    root = pathlib.Path(__file__).resolve().parents[2]
    run = subprocess.Popen([root / "gradus", "run", root / "examples/dynamixel/kid.toml", "--for", "4s", "--quiet"],
                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    path = next(m[1] for m in (re.search(r"connect to (\S+?)[: ]", line) for line in run.stderr) if m)

line = Line(path)
assert line.ask(1, PING) is None, "without power no servo answers"
line.ask(BOARD, WRITE, [POWER, 1])
servos = [id for id in range(1, 22) if line.ask(id, PING)]
line.send(ALL, WRITE, [TORQUE, 1])
line.ask(BOARD, WRITE, [EYES, 0xE0, 0x03])  # green


def word(data, at):
    return data[at] | data[at + 1] << 8


start = {}
for id in servos:
    start[id] = word(line.ask(id, READ, [36, 2])[2], 0)
for step in range(50):  # legs: hip pitch, knee, ankle pitch of both sides
    goals = dict(start)
    bend = int(3 * step)
    for hip in (3, 9):
        goals[hip] -= bend
        goals[hip + 1] += 2 * bend
        goals[hip + 2] -= bend
    line.send(ALL, SYNC_WRITE, [GOAL, 2] + [b for id, g in goals.items() for b in (id, g & 255, g >> 8)])
    line.send(ALL, BULK_READ, [0, 13, BOARD, GYRO_Z, 2, 4, 36])
    board, knee = line.status()[2], line.status()[2]
    time.sleep(0.02)
acceleration = [(word(board, at) - 512) / 128 for at in (6, 8, 10)]
print(f"{len(servos)} servos, knee at {word(knee, 0)}, board feels {acceleration[2]:.2f} g upwards, {board[12] / 10:.1f} V")
if run:
    run.wait()
