#!/usr/bin/env python3
"""USARSim 2012: a circle of 60 cm radius, walked without looking, as a script for the robot."""
import math
import time

from where import robot

ip, port = robot(60)
from naoqi import ALProxy

motion = ALProxy("ALMotion", ip, port)
motion.setStiffnesses("Body", 1.0)
motion.walkInit()
start = motion.getRobotPosition(True)
speed = 0.0952
motion.move(speed, 0.0, speed / 0.6)
left = right = 0.0
for _ in range(int(2 * math.pi * 0.6 / speed)):
    time.sleep(1.0)
    x, y, theta = motion.getRobotPosition(True)
    left, right = max(left, y - start[1]), max(right, start[1] - y)
time.sleep((2 * math.pi * 0.6 / speed) % 1.0)
motion.stopWalk()
time.sleep(1.0)
x, y, theta = motion.getRobotPosition(True)
print(f"circle {left + right:.2f} m wide (1.20 m meant), gap between start and end {math.hypot(x - start[0], y - start[1]):.2f} m")
