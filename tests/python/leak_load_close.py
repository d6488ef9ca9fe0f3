"""Loads and drops a scene and a batch many times; the resident memory must not grow: leak_load_close.py [CYCLES]"""
import gc
import pathlib
import resource
import sys

import gradus

CART = "learn_cart_pole"


def resident_kib():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def cycle(i):
    if i % 2:
        sim = gradus.load(CART)
        sim.step(2)
        sim["cart"].targets[:] = 0
    else:
        batch = gradus.Batch(CART, 3, observe=["cart.joint_q"])
        batch.act(steps=2)
        batch.reset()


def main(cycles):
    for i in range(cycles // 10):  # allocators and caches take what they take
        cycle(i)
    gc.collect()
    before = resident_kib()
    for i in range(cycles):
        cycle(i)
    gc.collect()
    grown = resident_kib() - before
    print(f"{cycles} cycles: {before} KiB, grown by {grown} KiB, {1024 * grown / cycles:.1f} bytes a cycle")
    return grown


if __name__ == "__main__":
    # a leaked scene is 20 KiB and more; what the allocator keeps is not in proportion to the cycles
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000) > 2048)
