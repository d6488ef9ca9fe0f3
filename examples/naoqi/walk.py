#!/usr/bin/env python3
"""USARSim 2012: five seconds straight ahead at full speed, as a script for the robot."""
import time

from where import robot

ip, port = robot(20)
from naoqi import ALProxy

motion = ALProxy("ALMotion", ip, port)
motion.setStiffnesses("Body", 1.0)
motion.walkInit()
x, y, theta = motion.getRobotPosition(True)
motion.setWalkTargetVelocity(1.0, 0.0, 0.0, 1.0)
time.sleep(5.0)
motion.setWalkTargetVelocity(0.0, 0.0, 0.0, 1.0)
motion.waitUntilWalkIsFinished()
time.sleep(1.0)
x1, y1, theta1 = motion.getRobotPosition(True)
print(f"walked {x1 - x:.2f} m in 5 s (real robot: 0.48 m, paper's simulator: 0.37 m)")
