#!/usr/bin/env python3
"""USARSim 2012: five seconds of turning on the spot at full speed, as a script for the robot."""
import math
import time

from where import robot

ip, port = robot(20)
from naoqi import ALProxy

motion = ALProxy("ALMotion", ip, port)
motion.setStiffnesses("Body", 1.0)
motion.walkInit()
motion.setWalkTargetVelocity(0.0, 0.0, 1.0, 1.0)
turned, before = 0.0, motion.getRobotPosition(True)[2]
end = 5.0
while end > 0 or motion.walkIsActive():
    time.sleep(0.1)
    end -= 0.1
    if -0.05 < end < 0.05:
        motion.setWalkTargetVelocity(0.0, 0.0, 0.0, 1.0)
    now = motion.getRobotPosition(True)[2]
    turned += math.remainder(now - before, 2 * math.pi)
    before = now
print(f"turned {math.degrees(turned):.0f} degrees in 5 s (real robot: 210)")
