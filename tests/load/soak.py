#!/usr/bin/env python3
"""A booth for a day, in short: soak.py GRADUS [--minutes 120] [--viewers 20] [--rate 50] [--out DIR]

Two programs run in real time, each with viewers that come, stare, stall and vanish, and one that sends random valid commands:
  match   a logged match of wheeled robots beside a walking humanoid; yellow is played by a client that is killed again and again.
          At the end its log is run again without viewers, client and clock: every state's hash must be the one in the log.
  edited  a scene that keeps its past: seeks, branches, resets, and its file is saved anew three times a minute, sometimes broken.
Every minute: resident memory, open files, threads, viewers and commands so far. Exit status 1 if a program ends, stops answering,
grows (median of the last fifth over that of the second fifth) or if the replay differs.
"""
import argparse, asyncio, collections, json, os, pathlib, random, re, signal, statistics, struct, subprocess, sys, time

GROWTH_MAX = 8 << 20  # resident memory, last fifth over second fifth [B]
HERE = pathlib.Path(__file__).resolve().parent.parent.parent


class Gone(Exception):
    """The connection ended; viewers expect that of themselves, the commander of those who take control."""


class Viewer:
    """A WebSocket by hand: enough to watch, to act and to misbehave."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.frames, self.bytes = reader, writer, 0, 0

    @staticmethod
    async def open(port, token):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        writer.write(f"GET /stream?token={token} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101"):
            raise Gone(head[:60])
        return Viewer(reader, writer)

    def send(self, opcode, data):
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
        self.writer.write(bytes([0x80 | opcode]) + size + bytes(4) + data)

    async def message(self):
        """The next text message as JSON, or None for a frame."""
        while True:
            head = await self.reader.readexactly(2)
            size = head[1] & 127
            if size == 126:
                size = int.from_bytes(await self.reader.readexactly(2), "big")
            elif size == 127:
                size = int.from_bytes(await self.reader.readexactly(8), "big")
            data = await self.reader.readexactly(size)
            self.bytes += size
            opcode = head[0] & 15
            if opcode == 1:
                return json.loads(data)
            if opcode == 2:
                self.frames += 1
                return data
            if opcode == 8:
                raise Gone("closed")
            if opcode == 9:
                self.send(10, data)

    def close(self):
        self.writer.transport.abort() if random.random() < 0.5 else self.writer.close()


class Run:
    """A program with its page; what it says goes to a file."""

    def __init__(self, name, command, out):
        self.name, self.said = name, open(out / f"{name}.txt", "w+")
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=self.said, cwd=out)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            text = (out / f"{name}.txt").read_text()
            if found := re.search(r"watch and control:\s+http://127\.0\.0\.1:(\d+)/\?token=(\w+)", text):
                self.port, self.token = int(found[1]), found[2]
                break
            time.sleep(0.1)
        else:
            sys.exit(f"{name} printed no address")
        self.visits = self.commands = self.frames = 0
        self.refused = collections.Counter()
        self.memory = []

    def resident(self):
        with open(f"/proc/{self.process.pid}/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))


async def flap(run, dice):
    """One visitor after another at the same place."""
    while True:
        try:
            viewer = await Viewer.open(run.port, run.token)
        except (OSError, Gone, asyncio.IncompleteReadError):
            await asyncio.sleep(0.5)
            continue
        run.visits += 1
        stay, kind = dice.expovariate(1 / 5), dice.random()
        try:
            async with asyncio.timeout(stay):
                if kind < 0.15:  # stares at nothing: never reads
                    await asyncio.sleep(3600)
                while True:
                    message = await viewer.message()
                    if isinstance(message, dict) and message.get("type") == "scene" and kind > 0.5:
                        count = len(message["properties"])
                        wanted = sorted(dice.sample(range(count), min(count, dice.randint(0, 60))))
                        viewer.send(1, json.dumps({"id": 1, "do": "subscribe", "properties": wanted, "volumes": kind > 0.9}).encode())
        except (TimeoutError, OSError, Gone, asyncio.IncompleteReadError):
            pass
        run.frames += viewer.frames
        viewer.close()
        await asyncio.sleep(dice.random())


def command(dice, scene, values, may_seek, now):
    """A valid command. Values move by a tenth, within their bounds, around what the scene began with, so that a run stays one to look at."""
    what = dice.random()
    robots = scene["robots"]
    bodies = sum(len(r["bodies"]) for r in robots)
    if what < 0.70:
        at = dice.choice(settable) if (settable := [i for i in values if scene["properties"][i].get("settable")]) else None
        if at is None:
            return {"do": "resume"}
        p = scene["properties"][at]
        if p["type"] == "boolean":
            return {"do": "set_property", "path": p["path"], "value": dice.random() < 0.5}
        x = values[at] * dice.uniform(0.9, 1.1)
        lower, upper = p.get("lower"), p.get("upper")
        x = max(x, lower) if isinstance(lower, (int, float)) else x
        x = min(x, upper) if isinstance(upper, (int, float)) else x
        return {"do": "set_property", "path": p["path"], "value": x}
    if what < 0.80:
        return {"do": "push", "body": dice.randrange(bodies), "point": [0, 0, 0], "target": [dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(0, 1)],
                "stiffness": dice.uniform(1, 150), "max_force": dice.uniform(1, 30)}
    if what < 0.88:
        return {"do": "release_push"}
    if what < 0.92:
        r = dice.choice(robots)
        return {"do": "set_motion", "robot": r["name"], "level": dice.choice(r["levels"])}
    if what < 0.93:
        return {"do": "pause"}
    if what < 0.97:
        return {"do": "speed", "factor": dice.choice([0.5, 1, 1, 2])}
    if may_seek and what < 0.975:
        return {"do": "seek", "time": max(0.0, now - dice.expovariate(0.1))}
    if may_seek and what < 0.98:
        return {"do": "branch"}
    if may_seek and what < 0.981:
        return {"do": "reset"}
    if what < 0.99:
        return {"do": "step", "count": dice.randint(1, 20)}
    return {"do": "resume"}


async def click(run, dice, rate, may_seek):
    """Random valid commands; goes on with the scene that is there after each reload."""
    while True:
        try:
            viewer = await Viewer.open(run.port, run.token)
            viewer.send(1, json.dumps({"id": 1, "do": "take_control"}).encode())
            scene, values, now = None, {}, [0.0]

            async def listen():
                nonlocal scene, values
                while True:
                    m = await viewer.message()
                    if isinstance(m, bytes) and m[1] == 1:
                        if scene is None or struct.unpack_from("<I", m, 4)[0] != scene["revision"]:
                            continue  # of the scene before or after: its numbers are others
                        now[0] = struct.unpack_from("<d", m, 16)[0]
                        (bodies, contacts, robots, signals), flags = struct.unpack_from("<IIHH", m, 56), struct.unpack_from("<H", m, 2)[0]
                        at = 80 + 20 * bodies * (2 if flags & 16 else 1) + 48 * robots + 28 * contacts
                        for i in range(signals):
                            n, _, x = struct.unpack_from("<HHf", m, at + 8 * i)
                            if n not in values and x == x and abs(x) < 1e30:
                                values[n] = x
                    elif isinstance(m, dict) and m.get("type") == "scene":
                        scene, values = m, {}
                        settable = [i for i, p in enumerate(m["properties"]) if p.get("settable")]
                        chosen = sorted(dice.sample(settable, min(len(settable), 500)))
                        viewer.send(1, json.dumps({"id": 2, "do": "subscribe", "properties": chosen}).encode())
                    elif isinstance(m, dict) and m.get("type") == "reply" and not m.get("ok"):
                        run.refused[m.get("text", "")] += 1

            listener = asyncio.create_task(listen())
            while not listener.done():
                if scene is not None:
                    viewer.send(1, json.dumps({"id": run.commands % 1000 + 3, **command(dice, scene, values, may_seek, now[0])}).encode())
                    run.commands += 1
                    if dice.random() < 0.02:
                        viewer.send(1, json.dumps({"id": 3, "do": "resume"}).encode())
                await asyncio.sleep(1 / rate)
            listener.result()
        except (OSError, Gone, asyncio.IncompleteReadError):
            await asyncio.sleep(0.3)


async def edit(path, dice):
    """Saves the scene anew: other numbers, another number of robots, and now and then half a file."""
    whole = path.read_text()
    while True:
        await asyncio.sleep(20)
        text = whole.replace('"0.3 m"', f'"{dice.uniform(0.2, 0.4):.3f} m"').replace("@COUNT@", str(dice.randint(1, 3)))
        if dice.random() < 0.2:
            text = text[: dice.randrange(len(text))]
        path.write_text(text.replace("@COUNT@", "2"))


async def crash(client, out, dice):
    """A team's program that is killed, and started again after a while."""
    while True:
        process = subprocess.Popen([sys.executable, *client], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=out)
        try:
            await asyncio.sleep(dice.uniform(3, 20))
        finally:
            process.kill()
            process.wait()
        await asyncio.sleep(dice.uniform(0, 5))


EDITED = """[world]
about = "saved again and again"
step = "1 ms"
duration = "1 h"
include = ["fields/plane.toml"]

[robot.guard]
model = "robots/kidsize.toml"
motion = "articulated"
copies = { count = @COUNT@, per_row = 3, dx = "1 m" }
controller = { keyframes = "motions/kidsize_walk.toml" }

[robot.ball]
model = "robots/golf_ball.toml"
pose = { x = "0.3 m", z = "0.5 m" }
"""


async def soak(o, out):
    dice = random.Random(o.seed)
    scene = out / "edited.toml"
    scene.write_text(EDITED.replace("@COUNT@", "2"))
    vision, orders = 20000 + os.getpid() % 9000, 30000 + os.getpid() % 9000
    match = Run("match", [o.gradus, "run", "mirosot_and_humanoid", "--speed", "real", "--view", "--seed", "7", "--for", "1000000s", "--log", "match.mcap",
                          f"--firasim=yellow,vision=127.0.0.1:{vision},commands=127.0.0.1:{orders}"], out)
    edited = Run("edited", [o.gradus, "run", str(scene), "--speed", "real", "--view", "--past", "32"], out)
    scene.write_text(EDITED)
    client = [str(HERE / "examples/firasim_client/client.py"), "--team", "yellow", "--vision", f"127.0.0.1:{vision}", "--commands", f"127.0.0.1:{orders}", "--patience", "60"]
    runs = (match, edited)
    tasks = [asyncio.create_task(flap(run, random.Random(dice.random()))) for run in runs for _ in range(o.viewers // 2)]
    tasks += [asyncio.create_task(click(match, random.Random(1), o.rate / 2, False)), asyncio.create_task(click(edited, random.Random(2), o.rate / 2, True)),
              asyncio.create_task(edit(scene, random.Random(3))), asyncio.create_task(crash(client, out, random.Random(4)))]
    faults, begin = [], time.monotonic()
    while time.monotonic() - begin < 60 * o.minutes and not faults:
        await asyncio.sleep(min(60, 60 * o.minutes / 10))
        faults += [f"a task of the test failed: {t.exception()!r}" for t in tasks if t.done()]
        for run in runs:
            if run.process.poll() is not None:
                faults.append(f"{run.name} ended with {run.process.returncode}")
                continue
            run.memory.append(run.resident())
            print(f"{(time.monotonic() - begin) / 60:6.1f} min  {run.name:7} {run.memory[-1] / 1e6:7.1f} MB  {run.files():3} files  {run.threads()} threads  "
                  f"{run.visits} visits  {run.frames} frames seen  {run.commands} commands, {run.refused.total()} refused", flush=True)
    for t in tasks:
        t.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return runs, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gradus", type=os.path.abspath)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--rate", type=float, default=50, help="commands a second, to both programs together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("soak"))
    o = parser.parse_args()
    out = o.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    runs, faults = asyncio.run(soak(o, out))
    for run in runs:
        for text, count in run.refused.most_common(12):
            print(f"{run.name}: refused {count} times: {text[:150]}")
        run.process.send_signal(signal.SIGTERM)
        try:
            status = run.process.wait(timeout=30)
            if status not in (0, 128 + signal.SIGTERM, -signal.SIGTERM):
                faults.append(f"{run.name} ended with {status}")
        except subprocess.TimeoutExpired:
            faults.append(f"{run.name} does not end")
            run.process.kill()
        fifth = max(1, len(run.memory) // 5)
        if len(run.memory) >= 5:
            growth = statistics.median(run.memory[-fifth:]) - statistics.median(run.memory[fifth:2 * fifth])
            print(f"{run.name}: memory {growth / 1e6:+.1f} MB from the second to the last fifth")
            if growth > GROWTH_MAX:
                faults.append(f"{run.name} grows")
    replay = subprocess.run([o.gradus, "replay", "match.mcap"], cwd=out, capture_output=True, text=True)
    print((replay.stdout + replay.stderr).strip())
    if replay.returncode:
        faults.append("the replay differs")
    for fault in faults:
        print("FAULT:", fault)
    sys.exit(1 if faults else 0)


main()
