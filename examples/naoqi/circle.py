#!/usr/bin/env python3
"""USARSim 2012: a circle of 60 cm radius, walked without looking, as a script for the robot."""
import math
import time

from where import robot

ip, port = robot(60)
from naoqi import ALProxy

motion = ALProxy("ALMotion", ip, port)
motion.setStiffnesses("Body", 0.7)  # as `gradus paper usarsim-circle`; stiffer legs slip more on hard floors
motion.walkInit()
start = motion.getRobotPosition(True)
speed, step_time = 0.0952, 0.42
steps = round(2 * math.pi * 0.6 / (speed * step_time))  # 94
motion.move(speed, 0.0, speed / 0.6)
# A walk ends with the step that is begun when it is told to: halfway through the last one.
duration = (steps - 0.5) * step_time
left = right = 0.0
for _ in range(int(duration)):
    time.sleep(1.0)
    x, y, theta = motion.getRobotPosition(True)
    left, right = max(left, y - start[1]), max(right, start[1] - y)
time.sleep(duration % 1.0)
motion.stopWalk()
time.sleep(1.0)
x, y, theta = motion.getRobotPosition(True)
print(f"circle {left + right:.2f} m wide (1.20 m meant), gap between start and end {math.hypot(x - start[0], y - start[1]):.3f} m")
