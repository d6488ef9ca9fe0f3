"""The robot's end of LoLA for small programs: MessagePack as far as LoLA needs it, and the socket. Plain Python.

    robot = Lola("/tmp/robocup")                       # gradus run nao --lola
    for sensors in robot:                              # every 12 ms, until the run ends
        robot.send({"Position": [...], "Stiffness": [1.0] * 25})
"""
import socket
import struct
import time

JOINTS = ("HeadYaw HeadPitch LShoulderPitch LShoulderRoll LElbowYaw LElbowRoll LWristYaw LHipYawPitch LHipRoll LHipPitch LKneePitch LAnklePitch "
          "LAnkleRoll RHipRoll RHipPitch RKneePitch RAnklePitch RAnkleRoll RShoulderPitch RShoulderRoll RElbowYaw RElbowRoll RWristYaw LHand RHand").split()
PACKET = 896  # bytes, always


def unpack(data, at=0):
    """One value and where the next begins."""
    tag = data[at]
    at += 1
    if tag < 0x80:
        return tag, at
    if tag < 0x90 or tag == 0xde:
        count, at = (tag & 15, at) if tag < 0x90 else (struct.unpack_from(">H", data, at)[0], at + 2)
        out = {}
        for _ in range(count):
            key, at = unpack(data, at)
            out[key], at = unpack(data, at)
        return out, at
    if tag < 0xa0 or tag == 0xdc:
        count, at = (tag & 15, at) if tag < 0xa0 else (struct.unpack_from(">H", data, at)[0], at + 2)
        if data[at] == 0xca:  # floats: all at once
            return list(struct.unpack_from(">" + "xf" * count, data, at)), at + 5 * count
        out = []
        for _ in range(count):
            value, at = unpack(data, at)
            out.append(value)
        return out, at
    if tag < 0xc0:
        return data[at:at + (tag & 31)].decode(), at + (tag & 31)
    if tag == 0xca:
        return struct.unpack_from(">f", data, at)[0], at + 4
    raise ValueError(f"byte {tag:#x} is not expected from LoLA")


def pack(actuators):
    """A dictionary of texts to lists of numbers or booleans."""
    out = bytearray([0x80 | len(actuators)])
    for key, values in actuators.items():
        out += bytes([0xa0 | len(key)]) + key.encode()
        out += bytes([0x90 | len(values)]) if len(values) < 16 else struct.pack(">BH", 0xdc, len(values))
        for x in values:
            out += bytes([0xc3 if x else 0xc2]) if isinstance(x, bool) else struct.pack(">Bf", 0xca, x)
    return bytes(out)


class Lola:
    def __init__(self, path="/tmp/robocup", patience=30):
        self.socket = socket.socket(socket.AF_UNIX)
        end = time.monotonic() + patience
        while True:
            try:
                self.socket.connect(path)
                return
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def __iter__(self):
        while True:
            data = bytearray()
            while len(data) < PACKET:
                got = self.socket.recv(PACKET - len(data))
                if not got:
                    return
                data += got
            yield unpack(data)[0]

    def send(self, actuators):
        try:
            self.socket.sendall(pack(actuators))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the run is over; the next packet does not come
