#!/usr/bin/env python3
"""USARSim 2012: Tai Chi, half a minute on each leg, as one angleInterpolation. The key frames are motions/nao_tai_chi.toml."""
import math
import time
import tomllib

from where import ROOT, robot

ip, port = robot(90)
from naoqi import ALProxy

motion = ALProxy("ALMotion", ip, port)
memory = ALProxy("ALMemory", ip, port)
ALProxy("ALTextToSpeech", ip, port).post.say("Tai Chi")
file = tomllib.loads((ROOT / "motions/nao_tai_chi.toml").read_text())["motion"]
names = file["columns"][1:]
times = [row[0] + 1.0 for row in file["rows"]]
angles = [[math.radians(row[1 + i]) for row in file["rows"]] for i in range(len(names))]
motion.setStiffnesses("Body", 1.0)
task = motion.post.angleInterpolation(names, angles, [times] * len(names), True)
worst, one_leg = 0.0, 0.0
while motion.isRunning(task):
    time.sleep(0.1)
    worst = max(worst, abs(memory.getData("Device/SubDeviceList/InertialSensor/AngleX/Sensor/Value")))
    feet = [sum(memory.getData(f"Device/SubDeviceList/{side}Foot/FSR/{pad}/Sensor/Value") for pad in ("FrontLeft", "FrontRight", "RearLeft", "RearRight")) for side in "LR"]
    one_leg += 0.1 if min(feet) < 0.1 else 0.0
print(f"{times[-1]:.0f} s of Tai Chi, {one_leg:.0f} s of it on one leg, torso never tilted by more than {math.degrees(worst):.0f} degrees")
