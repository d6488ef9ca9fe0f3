"""Drives a robot of gradus over TCP, from this or another machine. One file, nothing to install: copy it.

    from gradus_tcp import Robot
    robot = Robot(port=4000)                       # gradus run nao --tcp=4000
    for state in robot:                            # until the run ends
        robot.answer(target={"HeadYaw": 0.3})      # or a list for all joints; also stiffness, velocity, torque, kp, kd

Robot(port=4000, images=["camera_top"]) gets its images too: state["sensors"]["camera_top"]["image"], whenever a new one
has arrived. A state is a dictionary: k, time, q, v, tau, gyro, accelerometer, foot_force, … and, for robots that have some, sensors by
name (docs/controllers.md). In lock-step (gradus' default) simulated time waits for each answer.
"""
import json
import re
import socket
import struct
import subprocess

LISTS = ("target", "stiffness", "velocity", "torque", "kp", "kd")


class Robot:
    def __init__(self, host="127.0.0.1", port=4000, robot=None, token=None, binary=True, timeout=60, images=()):
        self.socket = socket.create_connection((host, port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.binary = binary
        self._buffer = bytearray()
        hello = {"form": "binary" if binary else "lines"}
        if robot:
            hello["robot"] = robot
        if token:
            hello["token"] = token
        self.images = list(images)  # cameras whose images come with the states; binary form
        if self.images:
            hello["images"] = self.images
        self.socket.sendall(json.dumps(hello).encode() + b"\n")
        line = self._line()
        self.about = json.loads(line) if line else {"error": "gradus hung up"}
        if "error" in self.about:
            raise ConnectionError(self.about["error"])
        self.name, self.joints, self.period = self.about["robot"], self.about["joints"], self.about["period"]
        self._asked = {}  # the last list of each kind, for answers by name
        if binary:
            self._parts = [(name, count) for name, count in self.about["state"]]
            self._state = struct.Struct("<%dd" % sum(count for _, count in self._parts))

    def __iter__(self):
        while (state := self.see()) is not None:
            yield state

    def see(self):
        """The next state; None when the run is over."""
        return self._see_frame() if self.binary else self._see_line()

    def answer(self, **lists):
        """Lists of one number a joint, or dictionaries of some by name; nothing: all stays as it is."""
        if not self.binary:
            return self.socket.sendall(json.dumps(lists).encode() + b"\n")
        mask, payload = 0, b""
        for bit, name in enumerate(LISTS):
            if name not in lists:
                continue
            numbers = lists[name]
            if isinstance(numbers, dict):
                numbers = self._completed(name, numbers)
            self._asked[name] = list(numbers)
            mask |= 1 << bit
            payload += struct.pack("<%dd" % len(numbers), *numbers)
        self.socket.sendall(struct.pack("<II", len(payload) + 4, mask) + payload)

    def close(self):
        self.socket.close()

    def _completed(self, name, some):
        """Joints that are not named keep what was asked before; at first: where they are, at full stiffness."""
        first = {"target": lambda: self._q, "stiffness": lambda: [1.0] * len(self.joints)}
        whole = self._asked.get(name) or list(first.get(name, lambda: [0.0] * len(self.joints))())
        for joint, number in some.items():
            whole[self.joints.index(joint)] = number
        return whole

    def _see_line(self):
        line = self._line()
        state = json.loads(line) if line else None
        if state and "error" in state:
            raise ConnectionError(state["error"])
        return state

    def _see_frame(self):
        head = self._bytes(4)
        if head is None:
            return None
        if head == b'{"er':  # the reason why gradus hangs up is a line, in both forms
            raise ConnectionError(json.loads(head + (self._line() or b'ror": "?"}'))["error"])
        body = self._bytes(struct.unpack("<I", head)[0])
        if body is None:
            return None
        numbers = self._state.unpack_from(body)
        state, at = {"sensors": {}}, 0
        for name, count in self._parts:
            values = numbers[at:at + count]
            at += count
            if name.startswith("sensors."):
                state["sensors"][name[8:]] = {"time": values[0], "sample": int(values[1]), "values": values[2:]}
            else:
                state[name] = values[0] if name in ("k", "time") else values
        self._q = state["q"]
        if self.images:
            self._take_images(body, self._state.size, state["sensors"])
        return state

    def _take_images(self, body, at, sensors):
        """New images: sensors[camera]["image"] is {"frame", "time", format: (width, height, row_bytes, bytes)}."""
        count, = struct.unpack_from("<I", body, at)
        at += 4
        for _ in range(count):
            camera, formats, frame, time = struct.unpack_from("<IIqd", body, at)
            at += 24
            image = sensors[self.images[camera]]["image"] = {"frame": frame, "time": time}
            for _ in range(formats):
                name, width, height, row_bytes, size = struct.unpack_from("<16sIIII", body, at)
                at += 32
                image[name.rstrip(b"\0").decode()] = (width, height, row_bytes, body[at:at + size])
                at += size

    def _line(self):
        while (end := self._buffer.find(b"\n")) < 0:
            if not self._more():
                return None
        line = bytes(self._buffer[:end])
        del self._buffer[:end + 1]
        return line

    def _bytes(self, count):
        while len(self._buffer) < count:
            if not self._more():
                return None
        out = bytes(self._buffer[:count])
        del self._buffer[:count]
        return out

    def _more(self):
        try:
            got = self.socket.recv(65536)
        except ConnectionError:
            return False
        self._buffer += got
        return bool(got)


def launch(gradus, scene, *options, link="tcp", items="0"):
    """Starts gradus on a free port; the process and the port."""
    run = subprocess.Popen([gradus, "run", scene, f"--{link}={items}", *options], stderr=subprocess.PIPE, text=True)
    for line in run.stderr:
        if found := re.search(r"connect to [\d.]+:(\d+)", line):
            return run, int(found[1])
    raise RuntimeError(f"{gradus} did not start")
