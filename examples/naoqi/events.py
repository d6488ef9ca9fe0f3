#!/usr/bin/env python3
"""A module of one's own whose methods events call, a picture, and a hand that follows a line: NaoQi beyond walking."""
import time

from where import robot

ip, port = robot(20, "images")
from naoqi import ALModule, ALProxy

motion, memory = ALProxy("ALMotion", ip, port), ALProxy("ALMemory", ip, port)
leds, video = ALProxy("ALLeds", ip, port), ALProxy("ALVideoDevice", ip, port)
speech = ALProxy("ALTextToSpeech", ip, port)


class Watch(ALModule):
    def __init__(self, name):
        ALModule.__init__(self, name)
        self.walks = []

    def on_walk(self, event, value, module):
        self.walks.append(value)
        leds.fadeRGB("FaceLeds", 0x00FF00 if value else 0xFF0000, 0.0)


watch = Watch("watch")
memory.subscribeToEvent("robotIsWalking", "watch", "on_walk")
motion.setStiffnesses("Body", 1.0)
speech.say("I walk")
motion.walkTo(0.08, 0.0, 0.0)

eye = video.subscribeCamera("me", 0, 1, 11, 10)  # top, 320 x 240, RGB
time.sleep(0.2)
width, height, layers, _, _, _, pixels = video.getImageRemote(eye)[:7]
video.unsubscribe(eye)

hand = motion.getPosition("LArm", 0, False)
goal = [hand[0] + 0.05, hand[1], hand[2] + 0.04] + hand[3:]
motion.positionInterpolation("LArm", 0, [goal, hand], 7, [1.0, 2.0], True)
off = max(abs(a - b) for a, b in zip(motion.getPosition("LArm", 0, True)[:3], hand[:3]))
print(f"walking was {watch.walks}, image {width} x {height} x {layers} of {len(pixels)} bytes, hand back within {1000 * off:.0f} mm")
