"""Programs written for the Nao's NaoQi run against gradus: put the folder `python` of gradus on PYTHONPATH.

    gradus run nao --naoqi=9559,robot=v6

    from naoqi import ALProxy
    motion = ALProxy("ALMotion", "127.0.0.1", 9559)
    motion.setStiffnesses("Body", 1.0)
    motion.walkTo(0.2, 0.0, 0.0)                 # returns when the robot has arrived, in simulated time
    task = motion.post.angleInterpolation("HeadYaw", [0.5, 0.0], [1.0, 2.0], True)

Calls are those of docs/links.md. Where gradus runs in lock-step (--naoqi=…,lockstep) simulated time stands while the program
thinks; time.sleep then sleeps in simulated time, so that scripts run as they are.
"""
import base64
import json
import os
import queue
import socket
import threading
import time
import traceback

__all__ = ["ALProxy", "ALBroker", "ALModule", "sleep", "simulated_time"]
_real_sleep = time.sleep
_modules = {}  # ALModule objects by name: events call their methods


class _Line:
    """One connection; calls of several threads share it, each waits for its own answer."""

    _lines = {}
    _lock = threading.Lock()

    def __init__(self, address):
        self.socket = socket.create_connection(address, 30)
        self.socket.settimeout(None)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("r", encoding="utf-8", newline="\n")
        self.hello = json.loads(self.file.readline())
        self.next = 0
        self.answers = {}
        self.arrived = threading.Condition()
        self.gone = False
        self.events = queue.Queue()
        if self.hello["lockstep"]:
            time.sleep = sleep
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._call_back, daemon=True).start()

    @classmethod
    def to(cls, ip, port):
        address = (ip or os.environ.get("NAO_IP", "127.0.0.1"), int(port or os.environ.get("NAO_PORT", 9559)))
        with cls._lock:
            line = cls._lines.get(address)
            if line is None or line.gone:
                line = cls._lines[address] = cls(address)
            return line

    def _listen(self):
        try:
            for text in self.file:
                answer = json.loads(text)
                if "event" in answer:
                    self.events.put(answer)
                    continue
                with self.arrived:
                    self.answers[answer["id"]] = answer
                    self.arrived.notify_all()
        except (OSError, ValueError):
            pass
        with self.arrived:
            self.gone = True
            self.arrived.notify_all()
        self.events.put(None)

    def _call_back(self):
        """Methods that events call, one after the other, beside the script's own thread."""
        for event in iter(self.events.get, None):
            try:
                module = _modules.get(event["module"])
                if module is not None:
                    getattr(module, event["method"])(event["event"], event["value"], event["module"])
            except Exception:
                traceback.print_exc()
            try:
                with self.arrived:
                    self.socket.sendall(json.dumps({"done": event["number"]}).encode() + b"\n")
            except OSError:
                return

    def call(self, name, arguments, post=False):
        with self.arrived:
            self.next += 1
            number = self.next
            message = {"id": number, "call": name, "args": list(arguments)}
            if post:
                message["post"] = True
            try:
                self.socket.sendall(json.dumps(message, default=float).encode() + b"\n")
            except OSError:
                self.gone = True
            self.arrived.wait_for(lambda: number in self.answers or self.gone)
            if number not in self.answers:
                raise RuntimeError(f"{name}: the connection to gradus is closed")
            answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{name}: {answer['error']}")
        return _with_bytes(answer["result"])


def _with_bytes(value):
    """Pixels of images travel as text."""
    if isinstance(value, list):
        return [base64.b64decode(x["base64"]) if isinstance(x, dict) and "base64" in x else x for x in value]
    return value


class _Post:
    def __init__(self, proxy):
        self._proxy = proxy

    def __getattr__(self, method):
        return lambda *arguments: self._proxy._call(method, arguments, True)


class ALProxy:
    """A module of the robot. Methods are called by their names; .post returns at once, with the number of the task."""

    def __init__(self, module, ip=None, port=None):
        if not isinstance(module, str):
            raise TypeError("ALProxy(module, ip, port)")
        broker = ALBroker._last
        self._line = _Line.to(ip or (broker and broker.ip), port or (broker and broker.port))
        self._module = module
        if module not in self._line.hello["modules"]:
            raise RuntimeError(f"there is no module {module}; known: {', '.join(self._line.hello['modules'])}")
        self.post = _Post(self)

    def _call(self, method, arguments, post=False):
        return self._line.call(f"{self._module}.{method}", arguments, post)

    def __getattr__(self, method):
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda *arguments: self._call(method, arguments)

    def call(self, method, *arguments):
        return self._call(method, arguments)

    def wait(self, task, milliseconds=0):
        """True if it is still running after that time (0: waits until it is over)."""
        return bool(self._line.call("ALMotion.wait", [task, milliseconds]))

    def stop(self, task):
        return self._line.call("ALMotion.stop", [task])

    def isRunning(self, task):
        return self._line.call("ALMotion.isRunning", [task])


class ALBroker:
    """Remembers where the robot is, for proxies that do not say."""

    _last = None

    def __init__(self, name, ip, port, parent_ip="127.0.0.1", parent_port=9559):
        self.name, self.ip, self.port = name, parent_ip, parent_port
        ALBroker._last = self

    def shutdown(self):
        ALBroker._last = None


class ALModule:
    """A base for modules of one's own. Events call their methods, in a thread of their own:

        class Watch(ALModule):
            def onBump(self, event, value, module): ...
        watch = Watch("watch")
        ALProxy("ALMemory").subscribeToEvent("LeftBumperPressed", "watch", "onBump")
    """

    def __init__(self, name):
        self.name = name
        _modules[name] = self

    def getName(self):
        return self.name

    def exit(self):
        _modules.pop(self.name, None)


def _any_line():
    for line in _Line._lines.values():
        if not line.gone:
            return line
    return None


def sleep(seconds):
    """In simulated time."""
    line = _any_line()
    if line is None:
        _real_sleep(seconds)
    else:
        line.call("gradus.sleep", [seconds])


def simulated_time():
    line = _any_line()
    return line.call("gradus.time", []) if line else None
