#!/usr/bin/env python3
"""A Nao looks for an orange ball with its cameras, walks to it and pushes it along. Nothing but NaoQi: it runs on the robot, too."""
import math
import time

from where import ROOT, robot

ip, port = robot(60, "images", scene=str(ROOT / "examples/naoqi/play.toml"), name="nao")
from naoqi import ALProxy

motion, video, speech = ALProxy("ALMotion", ip, port), ALProxy("ALVideoDevice", ip, port), ALProxy("ALTextToSpeech", ip, port)
TOP, BOTTOM = (video.subscribeCamera("play", camera, 0, 11, 10) for camera in (0, 1))  # 160 x 120, RGB, 10 a second
VIEW = math.radians(56.3)  # from left to right


def look(eye):
    """How far left of the middle the ball is [rad], and how far down the picture (0 to 1); None if there is none."""
    width, height, _, _, _, _, pixels = video.getImageRemote(eye)[:7]
    found = [
        (x, y)
        for y in range(0, height, 2)
        for x in range(0, width, 2)
        if pixels[3 * (y * width + x)] > pixels[3 * (y * width + x) + 2] + 80
    ]
    if len(found) < 4:
        return None
    across, down = (sum(part) / len(found) for part in zip(*found))
    return VIEW * (0.5 - across / width), down / height


motion.setStiffnesses("Body", 1.0)
motion.setAngles(["HeadYaw", "HeadPitch"], [0.0, 0.1], 0.3)
motion.walkInit()
time.sleep(0.5)
start = motion.getRobotPosition(True)
at_feet, close, pushes, turned = False, False, 0, 1
for tick in range(400):
    seen, eye = look(TOP), TOP
    if not seen:
        seen, eye = look(BOTTOM), BOTTOM
    if seen:
        left, down = seen
        motion.move(0.09 * max(0.0, math.cos(2 * left)), 0.0, max(-0.4, min(0.4, 0.6 * left)))  # a step is planned 0.6 s ahead: turn gently
        turned = math.copysign(1, left)
        if at_feet:
            pushes += 1
            print(f"pushed the ball, {tick / 10:.0f} s", flush=True)
        at_feet, close = False, eye == BOTTOM and down > 0.85
    elif close:
        at_feet = True  # too near to be seen: go on
    else:
        motion.move(0.0, 0.0, 0.4 * turned)  # turns on the spot to where it saw it last
    if pushes == 3:
        break
    time.sleep(0.1)
motion.stopWalk()
speech.say("That was my ball")
x, y, _ = motion.getRobotPosition(True)
print(f"walked {math.hypot(x - start[0], y - start[1]):.2f} m, pushed the ball {pushes} times")
