"""Where the scripts of this folder find their robot: --port as they are told, or a run of gradus that they start."""
import argparse
import atexit
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


def robot(seconds, *options, scene="nao", name="v6"):
    """ip and port. The run that is started is in lock-step, so it is as fast as the machine."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ip", default="127.0.0.1")
    parser.add_argument("--port", type=int)
    arguments = parser.parse_args()
    if arguments.port:
        return arguments.ip, arguments.port
    run = subprocess.Popen([ROOT / "gradus", "run", scene, "--naoqi=" + ",".join([f"0,robot={name},lockstep,patience=5s", *options]), "--for", f"{seconds}s", "--quiet"],
                           stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    atexit.register(run.terminate)
    for line in run.stderr:
        if found := re.search(r"connect to [\d.]+:(\d+)", line):
            return "127.0.0.1", int(found[1])
    sys.exit("gradus did not start")
