#!/usr/bin/env python3
"""Checks README.md and docs/*.md: every path and link is there, and every command shown runs: the lines of ```sh blocks, in the checkout; files they make are removed.

Each line must succeed. Lines that would start this very test run again (make test, make bench) are left out, and listed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import time

LEFT_OUT = ("make test", "make bench")
MADE_BY_USERS = ()  # paths that pages mention as examples of users' own files


def commands(page: pathlib.Path):
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.S):
        for line in block.splitlines():
            line = re.sub(r"\s+#.*$", "", line).strip()
            if line and not line.startswith("#"):
                yield line


def dead_paths(root: pathlib.Path, page: pathlib.Path):
    """Paths and links that the page mentions and that are not there."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    for link in links:
        if not (page.parent / link).exists():
            yield link
    folders = "src|apps|tests|tools|robots|scenes|motions|fields|include|examples|bench|web|cmake"
    for path in re.findall(rf"(?<![\w/.])((?:{folders})/[\w./-]*\w)", text):
        if not (root / path).exists() and not list(root.glob(path + "*")) and path not in MADE_BY_USERS:
            yield path


def files(root: pathlib.Path):
    return {p for folder in (root, *(root / "examples").iterdir()) if folder.is_dir() for p in folder.iterdir()}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failed = ran = 0
    before = files(root)
    for page in [root / "README.md"] + sorted((root / "docs").rglob("*.md")):
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
        for path in dead_paths(root, page):
            failed += 1
            print(f"{page.name}: '{path}' is not there")
    for made in files(root) - before:  # what the commands left behind
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or ran < 8 else 0


sys.exit(main())
