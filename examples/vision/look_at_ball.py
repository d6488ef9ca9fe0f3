#!/usr/bin/env python3
"""A robot that turns its head to an orange ball, with nothing but Python: images come by memory, not through the pipe.

gradus starts it (look_at_ball.toml) and speaks with it in lines of JSON; see docs/controllers.md.
"""
import json
import sys

robot = json.loads(sys.stdin.readline())
yaw = 0.0
memory = None

for line in sys.stdin:
    state = json.loads(line)
    answer = {"images": ["camera_top"]}  # once would do
    image = state["sensors"]["camera_top"].get("image")  # only when a new one has arrived
    if image:
        memory = memory or open(image["file"], "rb", buffering=0)
        f = image["formats"][0]  # yuyv: Y Cb Y Cr
        memory.seek(f["offset"])
        pixels = memory.read(f["bytes"])
        columns = [
            x
            for y in range(0, f["height"], 2)
            for x in range(0, f["width"], 2)
            if pixels[y * f["row_bytes"] + 2 * x + 3] - pixels[y * f["row_bytes"] + 2 * x + 1] > 60
        ]
        if len(columns) > 10:
            off = sum(columns) / len(columns) / f["width"] - 0.5
            yaw = max(-1.5, min(1.5, yaw - 0.3 * off))
            print(f"{image['time']:.3f} s: ball at {off:+.3f} of the picture", file=sys.stderr)
        answer["target"] = {"HeadYaw": yaw}
    print(json.dumps(answer), flush=True)
