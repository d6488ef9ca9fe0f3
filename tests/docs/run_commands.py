#!/usr/bin/env python3
"""Runs every command shown in README.md and docs/*.md: the lines of ```sh blocks, in a scratch folder that looks like the checkout.

Each line must succeed. Lines that would start this very test run again (make test, make bench) are left out, and listed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LEFT_OUT = ("make test", "make bench", "make demo\n")


def commands(page: pathlib.Path):
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S):
        for line in block.splitlines():
            line = re.sub(r"\s+#.*$", "", line).strip()
            if line and not line.startswith("#"):
                yield line


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [root / "README.md"] + sorted((root / "docs").glob("*.md"))
    failed = ran = 0
    with tempfile.TemporaryDirectory() as scratch:
        for entry in root.iterdir():
            if entry.name not in (".git", "examples"):
                os.symlink(entry, pathlib.Path(scratch) / entry.name)
        subprocess.run(["cp", "-r", root / "examples", scratch], check=True)
        for page in pages:
            for line in commands(page):
                if line.startswith(LEFT_OUT):
                    print(f"left out: {line}")
                    continue
                done = subprocess.run(["bash", "-c", line], cwd=scratch, capture_output=True, text=True, timeout=300)
                ran += 1
                if done.returncode != 0:
                    failed += 1
                    print(f"{page.name}: {line}\n  exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or ran < 8 else 0


sys.exit(main())
