#!/usr/bin/env python3
"""Four XM430 servos follow a sine, over a serial line as on the desk. Plain Python; ROBOTIS' own SDK works as well.

    gradus run examples/dynamixel/arm.toml            prints the name of the line, e.g. /dev/pts/3
    python3 examples/dynamixel/sine.py /dev/pts/3     or /dev/ttyUSB0 with real servos

Without a name it starts gradus itself.
"""
import math
import os
import pathlib
import re
import select
import struct
import subprocess
import sys
import time
import tty

TORQUE_ENABLE, GOAL_POSITION, PRESENT_POSITION, REALTIME_TICK = 64, 116, 132, 120
PING, READ, WRITE, SYNC_READ, SYNC_WRITE = 1, 2, 3, 0x82, 0x83
ALL = 0xfe


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x8005 if crc & 0x8000 else crc << 1) & 0xffff
    return crc


class Line:
    """A Dynamixel bus, protocol 2.0."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.fd)
        self.buffer = b""

    def send(self, id, instruction, parameters=b""):
        body = (bytes([instruction]) + parameters).replace(b"\xff\xff\xfd", b"\xff\xff\xfd\xfd")
        packet = b"\xff\xff\xfd\x00" + struct.pack("<BH", id, len(body) + 2) + body
        os.write(self.fd, packet + struct.pack("<H", crc16(packet)))

    def status(self, patience=0.2):
        """id, error, parameters of the next status; None if none comes."""
        end = time.monotonic() + patience
        while True:
            start = self.buffer.find(b"\xff\xff\xfd\x00")
            if start >= 0 and len(self.buffer) >= start + 7:
                length = struct.unpack_from("<H", self.buffer, start + 5)[0]
                if len(self.buffer) >= start + 7 + length:
                    packet, self.buffer = self.buffer[start:start + 7 + length], self.buffer[start + 7 + length:]
                    assert crc16(packet[:-2]) == struct.unpack("<H", packet[-2:])[0]
                    body = packet[7:-2].replace(b"\xff\xff\xfd\xfd", b"\xff\xff\xfd")
                    return packet[4], body[1], body[2:]
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                return None
            self.buffer += os.read(self.fd, 4096)

    def ping_all(self):
        self.send(ALL, PING)
        found = []
        while status := self.status():
            found.append((status[0], struct.unpack("<HB", status[2])[0]))
        return found

    def write(self, id, address, data):
        self.send(id, WRITE, struct.pack("<H", address) + data)
        return self.status()

    def read(self, id, address, size):
        self.send(id, READ, struct.pack("<HH", address, size))
        return self.status()[2]


def main():
    run = None
    if len(sys.argv) > 1:
        path = sys.argv[1]
    else:
        here = pathlib.Path(__file__).resolve()
        run = subprocess.Popen([here.parents[2] / "gradus", "run", here.parent / "arm.toml", "--for", "4s", "--quiet"], stderr=subprocess.PIPE, text=True)
        path = next(m[1] for line in run.stderr if (m := re.search(r"connect to (\S+?)[: ]", line)))
    line = Line(path)
    servos = line.ping_all()
    print("servos:", ", ".join(f"id {id} model {model}" for id, model in servos))
    for id, _ in servos:
        line.write(id, TORQUE_ENABLE, b"\1")
    start = last = struct.unpack("<H", line.read(servos[0][0], REALTIME_TICK, 2))[0]  # the servo's own clock, ms
    worst = cycles = 0
    while last - start < 2000:
        last = struct.unpack("<H", line.read(servos[0][0], REALTIME_TICK, 2))[0]
        goal = 2048 + round(400 * math.sin(math.pi * (last - start) / 1000))
        line.send(ALL, SYNC_WRITE, struct.pack("<HH", GOAL_POSITION, 4) + b"".join(struct.pack("<Bi", id, goal) for id, _ in servos))
        line.send(ALL, SYNC_READ, struct.pack("<HH", PRESENT_POSITION, 4) + bytes(id for id, _ in servos))
        for _ in servos:
            id, error, data = line.status()
            worst = max(worst, abs(struct.unpack("<i", data)[0] - goal))
        cycles += 1
    print(f"{cycles} cycles in two seconds; at most {worst} of 4096 steps from the goal")
    if run:
        run.communicate()


main()
