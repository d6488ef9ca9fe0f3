#!/usr/bin/env python3
"""A Nao looks after a rolling ball with its own camera: finds orange pixels and turns its head towards them, 30 times a second.

    make python
    PYTHONPATH=build/release/python python3 examples/vision/follow_ball.py

Nothing of the simulation is used but images and the head's joint angle, as on the robot; the truth is printed beside."""
import math
import pathlib

import gradus
import numpy as np

VIEW = math.radians(56.3)  # horizontal angle of the camera


def find_orange(image):
    """Column of the middle of all orange pixels, or None."""
    red, green, blue = (image[:, :, c].astype(int) for c in range(3))
    columns = np.nonzero((red > 100) & (red > 2 * blue) & (red > green + 40))[1]
    return columns.mean() if columns.size >= 4 else None


def main():
    sim = gradus.load(str(pathlib.Path(__file__).with_name("follow_ball.toml")))
    nao, ball = sim["nao"], sim["ball"]
    camera, yaw = nao.sensors["camera_top"], nao.joints.index("HeadYaw")

    past = []  # (time, angle of the head): an image is some 50 ms old when it arrives, and the head has moved on

    def look(robot):
        past.append((sim.time, robot.joint_q[yaw]))
        image = camera.image()
        column = find_orange(image.array) if image else None
        if column is None:
            return
        width = image.array.shape[1]
        bearing = -math.atan((column - (width - 1) / 2) / (width / 2 / math.tan(VIEW / 2)))  # to the left
        then = min(past[-10:], key=lambda p: abs(p[0] - image.time))[1]
        robot.targets[yaw] = np.clip(then + bearing, -2, 2)

    worst = 0.0
    while sim.time < 3.5:
        sim.run(0.5, {"nao": (look, 30)})
        true = math.atan2(ball.q[1] - nao.q[1], ball.q[0] - nao.q[0])
        error = true - nao.joint_q[yaw]
        worst = max(worst, abs(error)) if sim.time > 1 else worst
        print(f"{sim.time:4.1f} s  ball at {math.degrees(true):6.1f} deg, head at {math.degrees(nao.joint_q[yaw]):6.1f}, off by {math.degrees(error):5.1f}")
    return worst


if __name__ == "__main__":
    main()
