#!/usr/bin/env python3
"""Runs every command shown in README.md and docs/*.md: the lines of ```sh blocks, in the checkout; files they make are removed.

Each line must succeed. Lines that would start this very test run again (make test, make bench) are left out, and listed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import time

LEFT_OUT = ("make test", "make bench")


def commands(page: pathlib.Path):
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S):
        for line in block.splitlines():
            line = re.sub(r"\s+#.*$", "", line).strip()
            if line and not line.startswith("#"):
                yield line


def files(root: pathlib.Path):
    return {p for folder in (root, root / "examples/controller") for p in folder.iterdir()}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failed = ran = 0
    before = files(root)
    for page in [root / "README.md"] + sorted((root / "docs").glob("*.md")):
        for line in commands(page):
            if line.startswith(LEFT_OUT):
                print(f"left out: {line}")
                continue
            start = time.monotonic()
            done = subprocess.run(["bash", "-c", line], cwd=root, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
            ran += 1
            print(f"{time.monotonic() - start:6.1f} s  {line}", flush=True)
            if done.returncode != 0:
                failed += 1
                print(f"{page.name}: {line}\n  exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    for made in files(root) - before:  # what the commands left behind
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or ran < 8 else 0


sys.exit(main())
