"""Kinematics of a robot file for the tools that plan motions: link poses, centre of mass, leg angles.

Reads robots/*.toml (the native form) with the standard library only. Frames: x forward, y left, z up; base B.
A joint is a dictionary entry {name: angle}; joints that are not named are 0. Lengths in m, angles in rad.
"""
import math
import re
import tomllib

UNITS = {"m": 1, "cm": 1e-2, "mm": 1e-3, "kg": 1, "g": 1e-3, "deg": math.pi / 180, "rad": 1}
AXES = {"x": 0, "y": 1, "z": 2}


def si(text):
    """"25 mm" -> 0.025"""
    number, unit = re.fullmatch(r"\s*(\S+)\s+(\S+)\s*", text).groups()
    return float(number) * UNITS[unit]


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    return [((1, 0, 0), (0, c, -s), (0, s, c)), ((c, 0, s), (0, 1, 0), (-s, 0, c)), ((c, -s, 0), (s, c, 0), (0, 0, 1))][axis]


def times(a, b):
    return tuple(tuple(sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def apply(a, v):
    return tuple(a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2] for i in range(3))


def transposed(a):
    return tuple(zip(*a))


def plus(a, b, scale=1.0):
    return tuple(x + scale * y for x, y in zip(a, b))


class Body:
    """The tree of a robot file. objects: name, parent, kind, offset, axis, mass, at (centre of mass), limits."""

    def __init__(self, path):
        with open(path, "rb") as f:
            entries = tomllib.load(f)["object"]
        self.objects, self.index = [], {}
        drawn = {e["name"]: e for e in entries}
        for i, e in enumerate(entries):
            mirrored = "mirror" in e
            source = drawn[e["mirror"]] if mirrored else e
            parent = self.index[e["after"]] if "after" in e else i - 1
            self.index[e["name"]] = i
            self.objects.append(self._object(e["name"], source, parent, -1 if mirrored else 1))
        self.mass = sum(o["mass"] for o in self.objects)

    @staticmethod
    def _object(name, e, parent, side):
        at = e.get("shape", {}).get("at", ["0 m"] * 3)
        at = [si(x) for x in at]
        offset = [si(x) for x in e.get("offset", ["0 m"] * 3)]
        low, high = (si(x) for x in e.get("limits", ["-1e9 rad", "1e9 rad"]))
        axis = AXES.get(e.get("axis"), None)
        if side < 0:
            at[1], offset[1] = -at[1], -offset[1]
            if axis in (0, 2):  # a mirrored roll or yaw
                low, high = -high, -low
        return {"name": name, "kind": e["kind"], "parent": parent, "offset": tuple(offset), "axis": axis,
                "mass": si(e["mass"]) if "mass" in e else 0.0, "at": tuple(at), "low": low, "high": high,
                "shape": e.get("shape", {})}

    def joints(self):
        return [o["name"] for o in self.objects if o["kind"] == "revolute"]

    def poses(self, q):
        """(R, p) of every object in the base's frame."""
        out = []
        for o in self.objects:
            if o["parent"] < 0:
                out.append((rotation(0, 0), (0.0, 0.0, 0.0)))
                continue
            R, p = out[o["parent"]]
            if o["kind"] == "translation":
                p = plus(p, apply(R, o["offset"]))
            elif o["kind"] == "revolute" and q.get(o["name"], 0.0) != 0.0:
                R = times(R, rotation(o["axis"], q[o["name"]]))
            out.append((R, p))
        return out

    def masses(self, q):
        """[(mass, centre in the base's frame)]"""
        return [(o["mass"], plus(p, apply(R, o["at"]))) for o, (R, p) in zip(self.objects, self.poses(q)) if o["mass"] > 0]

    def centre_of_mass(self, q):
        total = (0.0, 0.0, 0.0)
        for m, c in self.masses(q):
            total = plus(total, c, m / self.mass)
        return total

    def check_limits(self, q):
        for o in self.objects:
            if o["name"] in q and not o["low"] - 1e-9 <= q[o["name"]] <= o["high"] + 1e-9:
                raise SystemExit(f"{o['name']} = {math.degrees(q[o['name']]):.1f} deg is beyond its limits")


class Legs:
    """Inverse kinematics of a leg whose hip roll and pitch axes cross, as do the ankle's; hip yaw stays 0."""

    def __init__(self, body):
        at = dict(zip((o["name"] for o in body.objects), (p for _, p in body.poses({}))))
        self.hip = at["left_hip_pitch"]
        self.thigh = at["left_hip_pitch"][2] - at["left_knee"][2]
        self.shin = at["left_knee"][2] - at["left_ankle_pitch"][2]
        foot = body.objects[body.index["left_foot"]]
        height = si(foot["shape"]["box"][2])
        self.sole = height / 2 - foot["at"][2]        # of the ankle over the ground
        self.foot_centre = foot["at"][:2]             # from the ankle, left foot

    def solve(self, side, p_BA, pitch=0.0):
        """Angles of the leg for the ankle point p_BA in the base's frame; the sole is parallel to the ground when the base
        is pitched by `pitch`.   side: +1 left, -1 right"""
        a = plus(p_BA, (self.hip[0], side * self.hip[1], self.hip[2]), -1)
        l2 = sum(x * x for x in a)
        cosine = (l2 - self.thigh**2 - self.shin**2) / (2 * self.thigh * self.shin)
        if cosine > 1:
            raise SystemExit(f"the leg is too short by {math.sqrt(l2) - self.thigh - self.shin:.4f} m")
        knee = math.acos(max(cosine, -1.0))
        roll = math.atan2(a[1], -a[2])
        hip = math.atan2(-a[0], math.hypot(a[1], a[2])) - math.atan2(self.shin * math.sin(knee),
                                                                     self.thigh + self.shin * math.cos(knee))
        # Sole's normal, world z, in the frame behind the knee; the ankle turns the foot's z onto it.
        R_BK = times(rotation(0, roll), rotation(1, hip + knee))
        n = apply(transposed(times(rotation(1, pitch), R_BK)), (0, 0, 1))
        name = "left" if side > 0 else "right"
        return {f"{name}_hip_roll": roll, f"{name}_hip_pitch": hip, f"{name}_knee": knee,
                f"{name}_ankle_pitch": math.atan2(n[0], n[2]), f"{name}_ankle_roll": -math.asin(n[1])}
