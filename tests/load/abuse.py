#!/usr/bin/env python3
"""Whatever a socket can send, against a run in progress: abuse.py GRADUS [--scene levels] [--connections 10000]

Runs the scene for some simulated seconds without a viewer, then in real time with the viewer's server while it is abused:
oversized headers and messages, a good dialogue truncated at every byte, garbage, connections one after another, slow headers.
Each kind prints how many there were and how long the slowest was listened to. Exit status 1 if one was obeyed or kept for
longer than 5 s (6.5 s by our clock, which other programs delay), if the server does not serve the page afterwards, or if
the state's hash at the end differs from that of the run that nobody saw.
"""
import argparse, json, os, random, re, signal, socket, subprocess, sys, time

PATIENCE = 6.5  # [s]


class Server:
    def __init__(self, gradus, scene, seconds):
        self.process = subprocess.Popen([gradus, "run", scene, "--speed", "real", "--view", "--for", f"{seconds}s", "--json"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"watch and control:\s+http://127\.0\.0\.1:(\d+)/\?token=(\w+)", line)
            if found:
                self.port, self.token = int(found[1]), found[2]
                return
        raise SystemExit("the program printed no address")

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        s.settimeout(PATIENCE)
        return s

    def request(self, path, extra=""):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{extra}\r\n".encode()

    def upgrade(self):
        return self.request(f"/stream?token={self.token}", "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")

    def stream(self):
        s = self.connect()
        s.sendall(self.upgrade())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += s.recv(1)
        assert head.startswith(b"HTTP/1.1 101"), head
        return s

    def is_serving(self):
        with self.connect() as s:
            s.sendall(self.request(f"/?token={self.token}"))
            return s.recv(64).startswith(b"HTTP/1.1 200")

    def result(self):
        out, _ = self.process.communicate(timeout=120)
        return json.loads(out)


def message(text, opcode=1):
    """A client's WebSocket message, masked with zeros."""
    data = text if isinstance(text, bytes) else text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else (
        bytes([0x80 | 126]) + len(data).to_bytes(2, "big") if len(data) < 65536 else bytes([0x80 | 127]) + len(data).to_bytes(8, "big"))
    return bytes([0x80 | opcode]) + size + bytes(4) + data


def seconds_until_closed(s, data=b"", cut=False):
    """Sends, then reads until the server has closed. PATIENCE if it never does."""
    begin = time.monotonic()
    try:
        s.sendall(data)
        if cut:
            s.shutdown(socket.SHUT_WR)
        while s.recv(1 << 16):
            if time.monotonic() - begin > PATIENCE:
                break
    except socket.timeout:
        return PATIENCE
    except OSError:
        pass  # reset: closed as well
    finally:
        s.close()
    return time.monotonic() - begin


def oversized(server):
    yield seconds_until_closed(server.connect(), b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
    yield seconds_until_closed(server.connect(), b"GET /" + b"y" * 100_000)
    yield seconds_until_closed(server.connect(), server.request("/", "Content-Length: 1000000\r\n") + b"z" * 100_000)
    yield seconds_until_closed(server.stream(), message("{" + " " * 1_000_000))
    yield seconds_until_closed(server.stream(), bytes([0x81, 0xFF]) + (1 << 62).to_bytes(8, "big") + bytes(64))


def truncated(server):
    """Cut at every byte: the side that sent it is closed, as by a cable that was pulled."""
    dialogue = server.upgrade() + message('{"id":1,"do":"subscribe","properties":[0,1]}') + message('{"id":2,"do":"give_control"}')
    for n in range(len(dialogue)):
        yield seconds_until_closed(server.connect(), dialogue[:n], cut=True)


def garbage(server):
    """Bytes without sense, as a request and as messages. What cannot be understood is closed; text is answered with a refusal."""
    r = random.Random(7)
    for i in range(300):
        s = server.stream() if i % 3 == 0 else server.connect()
        yield seconds_until_closed(s, r.randbytes(r.randrange(1, 2000)), cut=True)


def one_after_another(server, count):
    for i in range(count):
        begin = time.monotonic()
        with server.connect() as s:
            s.sendall(server.request("/favicon.svg", "Connection: close\r\n"))
            answer = s.recv(64)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        yield time.monotonic() - begin


def slow_headers(server):
    s = server.connect()
    begin = time.monotonic()
    try:
        s.sendall(b"GET / HTTP/1.1\r\n")
        s.settimeout(0.25)
        while time.monotonic() - begin < PATIENCE:
            s.sendall(b"X-More: y\r\n")
            try:
                if not s.recv(1 << 16):
                    break
            except socket.timeout:
                pass
    except OSError:
        pass
    yield time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradus")
    parser.add_argument("--scene", default="levels")
    parser.add_argument("--connections", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=20, help="of the run; it goes on until the abuse is over")
    o = parser.parse_args()
    server = Server(o.gradus, o.scene, o.seconds)
    failed = False
    try:
        for name, attempts in (("oversized", oversized(server)), ("truncated at every byte", truncated(server)),
                               ("garbage", garbage(server)),
                               ("connections one after another", one_after_another(server, o.connections)),
                               ("slow headers", slow_headers(server))):
            begin = time.monotonic()
            times = list(attempts)
            is_well = max(times) < PATIENCE and server.is_serving()
            failed |= not is_well
            print(f"{name:30} {len(times):6}  slowest {max(times):6.3f} s  all {time.monotonic() - begin:6.1f} s  {'ok' if is_well else 'FAILED'}", flush=True)
        seen = server.result()
    finally:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGKILL)
    alone = json.loads(subprocess.run([o.gradus, "run", o.scene, "--for", f"{o.seconds}s", "--json"], capture_output=True, text=True, check=True).stdout)
    same = seen["hash"] == alone["hash"] and seen["steps"] == alone["steps"]
    print(f"state: {alone['hash']} after {alone['steps']} steps alone, {seen['hash']} after {seen['steps']} abused: {'the same bits' if same else 'FAILED'}")
    return 1 if failed or not same else 0


if __name__ == "__main__":
    sys.exit(main())
