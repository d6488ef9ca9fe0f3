#!/usr/bin/env python3
"""Many viewers of one run: viewers.py GRADUS [--seconds 6] [--viewers 64] [--dead 5] [--scene levels]

Starts `gradus run SCENE --speed real --view`, lets it run without viewers but one, then with all of them, then with one
again, and compares the processor time that the thread of the simulation needs for a second of simulated time. That thread
does steps, snapshots and the encoding of frames; what viewers cost beyond the first is the difference. Processor time does
not count what other programs take. Exit status 1 if viewers slow the simulation or memory grows.
"""
import argparse, os, re, selectors, signal, socket, struct, subprocess, sys, time

RATIO_MAX = 1.15       # processor time per simulated second, with all viewers over with one
MEMORY_MAX = 4 << 20   # growth of resident memory while all of them watch [B]; sockets of viewers are the kernel's


def stream(port, token, buffer=0):
    s = socket.socket()
    if buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    s.connect(("127.0.0.1", port))
    s.sendall(f"GET /stream?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):  # byte by byte: what follows is left for the reader
        head += s.recv(1)
    assert head.startswith(b"HTTP/1.1 101"), head
    return s


class Watcher:
    """One that reads frames: counts them and knows the newest simulated time."""

    def __init__(self, sock):
        self.sock, self.data, self.frames, self.time = sock, b"", 0, 0.0

    def read(self):
        got = self.sock.recv(1 << 18)
        if not got:
            raise SystemExit("a viewer that reads was dropped")
        self.data += got
        at = 0
        while len(self.data) - at >= 2:
            size, head = self.data[at + 1] & 127, 2
            if size == 126:
                head = 4
            elif size == 127:
                head = 10
            if len(self.data) - at < head:
                break
            if head > 2:
                size = int.from_bytes(self.data[at + 2:at + head], "big")
            if len(self.data) - at < head + size:
                break
            opcode = self.data[at] & 15
            if opcode == 2:
                self.frames += 1
                self.time = struct.unpack_from("<d", self.data, at + head + 16)[0]
            elif opcode == 9:  # ping: answered, masked with zeros
                self.sock.sendall(bytes([0x8A, 0x80 | size, 0, 0, 0, 0]) + self.data[at + head:at + head + size])
            at += head + size
        self.data = self.data[at:]


def cpu_seconds(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/schedstat") as f:
        return int(f.read().split()[0]) * 1e-9


def resident(pid):
    with open(f"/proc/{pid}/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def measure(run, watchers, seconds):
    """Reads for some time; processor milliseconds of the simulation's thread per simulated second, frames per viewer and second."""
    selector = selectors.DefaultSelector()
    for w in watchers:
        selector.register(w.sock, selectors.EVENT_READ, w)
    before = None
    begin = time.monotonic()
    while time.monotonic() - begin < seconds + 1:
        for key, _ in selector.select(0.05):
            key.data.read()
        if before is None and time.monotonic() - begin > 1:  # a second to settle
            before = (cpu_seconds(run.pid, run.pid), watchers[0].time, [w.frames for w in watchers], time.monotonic())
    cpu, sim, frames, wall = before
    simulated = watchers[0].time - sim
    rate = min((w.frames - f) / (time.monotonic() - wall) for w, f in zip(watchers, frames))
    selector.close()
    return 1e3 * (cpu_seconds(run.pid, run.pid) - cpu) / simulated, simulated / (time.monotonic() - wall), rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradus")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--viewers", type=int, default=64)
    parser.add_argument("--dead", type=int, default=5)
    parser.add_argument("--scene", default="levels")
    o = parser.parse_args()
    run = subprocess.Popen([o.gradus, "run", o.scene, "--speed", "real", "--view", "--past", "16"], stderr=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, text=True)
    try:
        port = token = None
        for line in run.stderr:
            if found := re.search(r"watch only:\s+http://127.0.0.1:(\d+)/\?token=(\w+)", line):
                port, token = int(found[1]), found[2]
                break
        first = Watcher(stream(port, token))
        measure(run, [first], 3)  # fills the memory for the past, which is bounded
        one, speed_one, _ = measure(run, [first], o.seconds)
        crowd = [first] + [Watcher(stream(port, token)) for _ in range(o.viewers - 1)]
        dead = [stream(port, token, 4096) for _ in range(o.dead)]
        measure(run, crowd, 1)
        memory = resident(run.pid)
        all_, speed_all, rate = measure(run, crowd, o.seconds)
        growth = resident(run.pid) - memory
        for s in [w.sock for w in crowd[1:]] + dead:
            s.close()
        again, _, _ = measure(run, [first], o.seconds)
    finally:
        run.send_signal(signal.SIGTERM)
        run.wait()
    alone = (one + again) / 2
    print(f"simulation thread, processor time per simulated second of {o.scene}:")
    print(f"  one viewer   {one:8.2f} ms before, {again:.2f} ms after   ({speed_one:.2f} times real time)")
    print(f"  {len(crowd)} viewers and {o.dead} that never read   {all_:8.2f} ms   ({speed_all:.2f} times real time), {rate:.0f} frames a second to each")
    print(f"  ratio {all_ / alone:.3f}, memory {growth / 1e6:+.2f} MB")
    if all_ > RATIO_MAX * max(one, again) or growth > MEMORY_MAX:
        sys.exit("viewers are felt by the simulation")


main()
