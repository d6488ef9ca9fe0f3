#!/usr/bin/env python3
"""Writes the Nao's slow motions (motions/nao_tai_chi.toml, nao_kick_left.toml, nao_kick_right.toml) from where feet and centre of
mass shall be.

    tools/make_nao_motions.py [--check]

Reads the robot of robots/nao_h25_v6.toml. Feet are placed, the trunk is moved until the centre of mass of all bodies is where it
is wanted, legs follow in closed form with one angle for both yaw-pitch joints [docs/nao.md].
"""
import argparse
import math
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("trunk_v6", "head_v6", "arms_h25_v6")
THIGH, SHIN, SOLE, HIP_Y, HIP_Z = 0.1, 0.1029, 0.04519, 0.05, 0.085
LEG = ("HipYawPitch", "HipRoll", "HipPitch", "KneePitch", "AnklePitch", "AnkleRoll")
ARM = ("ShoulderPitch", "ShoulderRoll", "ElbowYaw", "ElbowRoll")
COLUMNS = [s + j for s in "LR" for j in LEG if s + j != "RHipYawPitch"] + [s + j for s in "LR" for j in ARM]


# ---- rotations, vectors as lists -------------------------------------------------------------------------------------

def mul(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def act(A, v):
    return [sum(A[i][k] * v[k] for k in range(3)) for i in range(3)]


def back(A, v):
    return [sum(A[k][i] * v[k] for k in range(3)) for i in range(3)]


def add(a, b, f=1.0):
    return [x + f * y for x, y in zip(a, b)]


def rot(axis, a):
    """About a unit axis [Rodrigues]."""
    x, y, z = axis
    c, s = math.cos(a), math.sin(a)
    k = 1 - c
    return [[c + k * x * x, k * x * y - s * z, k * x * z + s * y], [k * x * y + s * z, c + k * y * y, k * y * z - s * x],
            [k * x * z - s * y, k * y * z + s * x, c + k * z * z]]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


# ---- the robot -------------------------------------------------------------------------------------------------------

def number(text):
    value, unit = text.split(" ", 1)
    return float(value) * {"g": 1e-3, "mm": 1e-3, "deg": math.pi / 180}[unit]


def read_robot():
    """Objects in order: name, parent, offset, axis, mass, centre."""
    raw, out = {}, []
    previous = None
    for part in PARTS:
        for o in tomllib.loads((ROOT / "robots" / "nao" / f"{part}.toml").read_text(encoding="utf-8"))["object"]:
            twin = raw.get(o.get("mirror"), {})
            raw[o["name"]] = o
            flip = -1 if twin else 1
            get = lambda key, default: o.get(key, twin.get(key, default))
            offset = [number(x) for x in get("offset", ["0 mm"] * 3)]
            com = [number(x) for x in get("com", ["0 mm"] * 3)]
            axis = get("axis", None)
            axis = {"x": X, "y": Y, "z": Z}.get(axis, axis) if isinstance(axis, str) else axis
            if isinstance(axis, list):
                n = math.sqrt(sum(a * a for a in axis))
                axis = (axis[0] / n, axis[1] / n, flip * axis[2] / n)
            kind = get("kind", None)
            out.append({"name": o["name"], "parent": o.get("after", previous), "offset": [offset[0], flip * offset[1], offset[2]],
                        "axis": axis if kind == "revolute" else None, "mass": number(get("mass", "0 g")), "com": [com[0], flip * com[1], com[2]]})
            previous = o["name"]
    return out


def centre_of_mass(robot, q):
    """In the trunk's frame."""
    frames, total, mass = {}, [0.0] * 3, 0.0
    for o in robot:
        R, p = frames.get(o["parent"], ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0.0] * 3))
        p = add(p, act(R, o["offset"]))
        if o["axis"]:
            name = "LHipYawPitch" if o["name"] == "RHipYawPitch" else o["name"]
            R = mul(R, rot(o["axis"], q.get(name, 0.0)))
        frames[o["name"]] = (R, p)
        total = add(total, add(p, act(R, o["com"])), o["mass"])
        mass += o["mass"]
    return [x / mass for x in total]


# ---- legs [facts/nao.md 5.4] -----------------------------------------------------------------------------------------

def knee(distance):
    c = (THIGH ** 2 + SHIN ** 2 - distance ** 2) / (2 * THIGH * SHIN)
    assert -1 <= c <= 1, f"a leg of {distance:.3f} m is out of reach"
    return math.pi - math.acos(c)


def own_yaw(R, p, side):
    up = [R[0][2], R[1][2], R[2][2]]
    d = back(R, add([0, side * HIP_Y, -HIP_Z], add(p, up, SOLE), -1))
    q3, q5 = knee(math.dist(d, [0, 0, 0])), math.atan2(d[1], d[2])
    q4 = math.atan2(-THIGH * math.sin(q3), SHIN + THIGH * math.cos(q3)) - math.atan2(d[0], math.hypot(d[1], d[2]))
    M = mul(mul(mul(rot(X, -side * math.pi / 4), R), rot(X, -q5)), rot(Y, -q4 - q3))
    return -side * math.atan2(-M[0][1], M[1][1])


def leg(R, p, side, yaw):
    n = [R[0][2], R[1][2], R[2][2]]
    A = mul(mul(rot(X, side * math.pi / 4), rot(Z, -side * yaw)), rot(X, -side * math.pi / 4))
    a = back(A, add(add(p, n, SOLE), [0, side * HIP_Y, -HIP_Z], -1))
    q3 = knee(math.dist(a, [0, 0, 0]))
    q1 = math.atan2(a[1], -a[2])
    q2 = math.atan2(-a[0], math.hypot(a[1], a[2])) - math.atan2(SHIN * math.sin(q3), THIGH + SHIN * math.cos(q3))
    m = back(mul(mul(A, rot(X, q1)), rot(Y, q2 + q3)), n)
    return [yaw, q1, q2, q3, math.atan2(m[0], m[2]), -math.asin(m[1])]


def posture(robot, pose):
    """Joint angles for feet, trunk and centre of mass. pose: left, right (x, y, z, pitch, roll) of the soles; com (x, y); hip height, trunk
    pitch and roll; arms (left, right: four angles in deg)."""
    q = {}
    for s, side in (("L", 1), ("R", -1)):
        for j, a in zip(ARM, pose["arms"][s]):
            q[s + j] = math.radians(a)
    R_t = mul(rot(X, pose.get("roll", 0.0)), rot(Y, pose.get("pitch", 0.0)))
    p_t = [pose["com"][0], pose["com"][1], pose["hip"] + HIP_Z]
    inverse = [list(c) for c in zip(*R_t)]
    for _ in range(40):
        feet = {}
        for s in "LR":
            x, y, z, pitch, roll = pose[s]
            feet[s] = (mul(inverse, mul(rot(X, roll), rot(Y, pitch))), back(R_t, add([x, y, z], p_t, -1)))
        yaw = 0.5 * (own_yaw(*feet["L"], 1) + own_yaw(*feet["R"], -1))
        for s, side in (("L", 1), ("R", -1)):
            for j, a in zip(LEG, leg(*feet[s], side, yaw)):
                q[s + j] = a
        c = add(p_t, act(R_t, centre_of_mass(robot, q)))
        p_t[0] += pose["com"][0] - c[0]
        p_t[1] += pose["com"][1] - c[1]
    return q


# ---- motions ---------------------------------------------------------------------------------------------------------

REST = {"L": [90, 8, -60, -20], "R": [90, -8, 60, 20]}
WIDE = {"L": [85, 60, -60, -10], "R": [85, -60, 60, 10]}
FRONT = {"L": [30, 20, -60, -40], "R": [30, -20, 60, 40]}
STAND = {"L": [0, 0.05, 0, 0, 0], "R": [0, -0.05, 0, 0, 0], "com": [0.025, 0], "hip": 0.222, "arms": REST}


def changed(pose, **what):
    out = {k: (dict(v) if isinstance(v, dict) else v) for k, v in pose.items()}
    out.update(what)
    return out


def mirrored(pose):
    out = dict(pose)
    flip = lambda f: [f[0], -f[1], f[2], f[3], -f[4]]
    out["L"], out["R"] = flip(pose["R"]), flip(pose["L"])
    out["com"] = [pose["com"][0], -pose["com"][1]]
    out["roll"] = -pose.get("roll", 0.0)
    arm = lambda a: [a[0], -a[1], -a[2], -a[3]]
    out["arms"] = {"L": arm(pose["arms"]["R"]), "R": arm(pose["arms"]["L"])}
    return out


OVER_LEFT = [0.028, 0.053]   # the middle of the left sole is at 0.03, 0.0556


def one_leg_balance():
    """On the left leg: (duration to get there, pose). 30 s on one foot: leg to the side, to the back, to the front, arms moving."""
    over = changed(STAND, com=OVER_LEFT, roll=-0.06)
    high = changed(over, R=[0, -0.06, 0.04, 0, -0.15], hip=0.222, roll=-0.1)
    side = changed(high, R=[0, -0.11, 0.055, 0, -0.45], arms=WIDE)
    rear = changed(high, R=[-0.08, -0.07, 0.06, 0.3, -0.15], arms=FRONT, pitch=0.1)
    ahead = changed(high, R=[0.09, -0.06, 0.05, -0.15, -0.15], arms=WIDE)
    return [(2.5, over), (2, high), (3, side), (4, side), (4, rear), (4, rear), (4, ahead), (4, ahead), (4, high), (2.5, over), (2, STAND)]


def tai_chi():
    left = one_leg_balance()
    return [(0, STAND)] + left + [(d, mirrored(p)) for d, p in left]


def kick():
    """With the right foot, standing on the left."""
    over = changed(STAND, com=OVER_LEFT, roll=-0.06)
    up = changed(over, R=[-0.01, -0.055, 0.03, 0, -0.1], hip=0.22, roll=-0.1)
    # The swing is too quick to move the trunk against it: the centre of mass goes with the leg, inside the sole.
    rear = changed(up, R=[-0.08, -0.055, 0.05, 0.35, -0.1], com=add(OVER_LEFT, [-0.017, 0]), arms={"L": [70, 40, -60, -20], "R": [110, -20, 60, 20]})
    hit = changed(up, R=[0.12, -0.055, 0.035, -0.2, -0.1], com=add(OVER_LEFT, [0.017, 0]), arms={"L": [110, 40, -60, -20], "R": [70, -20, 60, 20]})
    return [(0, STAND), (1.6, over), (1.0, up), (0.8, rear), (0.3, rear), (0.18, hit), (0.3, hit), (1.2, up), (1.2, over), (1.6, STAND)]


def smooth(a, b, s):
    if isinstance(a, dict):
        return {k: smooth(a.get(k, 0.0), b.get(k, 0.0), s) for k in {**a, **b}}
    if isinstance(a, list):
        return [smooth(x, y, s) for x, y in zip(a, b)]
    return a + (b - a) * s


def rows_of(robot, plan, period):
    rows, t0, last = [], 0.0, plan[0][1]
    rows.append((0.0, posture(robot, last)))
    for duration, pose in plan[1:]:
        n = max(1, round(duration / period))
        for i in range(1, n + 1):
            s = i / n
            rows.append((t0 + duration * s, posture(robot, smooth(last, pose, s * s * (3 - 2 * s)))))
        t0 += duration
        last = pose
    return rows


def motion(robot, name, about, plan, period):
    out = f"# Made by tools/make_nao_motions.py; docs/nao.md says how.\n\n[motion]\nname  = \"{name}\"\nabout = \"{about}\"\nloop  = false\n"
    out += "columns = [\"time\", " + ", ".join(f'"{c}"' for c in COLUMNS) + "]\n"
    out += "units   = [\"s\"" + ", \"deg\"" * len(COLUMNS) + "]\nrows = [\n"
    for t, q in rows_of(robot, plan, period):
        values = ", ".join(f"{math.degrees(q[c]) + 0.0:.2f}" for c in COLUMNS)
        out += f"  [{t:.3f}, {values}],\n"
    return out.replace("-0.00,", "0.00,") + "]\n"


def all_files():
    robot = read_robot()
    k = kick()
    return {"nao_tai_chi.toml": motion(robot, "nao_tai_chi", "balances 30 s on each leg", tai_chi(), 0.5),
            "nao_kick_right.toml": motion(robot, "nao_kick_right", "kicks with the right foot", k, 0.06),
            "nao_kick_left.toml": motion(robot, "nao_kick_left", "kicks with the left foot", [(d, mirrored(p)) for d, p in k], 0.06)}


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--check", action="store_true")
    o = args.parse_args()
    wrong = 0
    for name, content in all_files().items():
        file = ROOT / "motions" / name
        if not o.check:
            file.write_text(content, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != content:
            print(f"motions/{name} is not what tools/make_nao_motions.py makes", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main())
