#!/usr/bin/env python3
"""Plans the walk of robots/kidsize.toml and writes motions/kidsize_walk.toml.  Standard library only.

    python3 tools/make_kidsize_walk.py [--speed 0.1] [-o motions/kidsize_walk.toml]

1. Foot plan: parallel feet, first step half a stride, then a stride per step; flat soles.
2. Zero-moment point p: under the standing foot, running to the next one in double support.
3. Centre of mass c, as a point mass at constant height z over the ground (linear inverted pendulum):
       c'' = w^2 (c - p),  w^2 = g/z                                                                          (1)
   whose only bounded solution looks as far ahead as it looks back [Kajita 2003; closed form as in Lanari 2014]:
       c(t) = w/2 * integral of p(s) exp(-w |t - s|) ds                                                       (2)
4. The base is moved until the centre of mass of the whole robot is at c; the legs follow by inverse kinematics.
5. The zero-moment point of all moving masses is computed; (2) applied to its error corrects c (Kajita's second stage).
6. The frames before loop_from are the start from rest; those after it one period of two steps.
"""
import argparse
import io
import math
import re
import sys

from kidsize_body import Body, Legs, plus

G = 9.81
DT = 0.01  # of the plan; every second instant becomes a frame


def smooth(s):
    s = min(1.0, max(0.0, s))
    return s * s * (3 - 2 * s)


def smoother(s):
    s = min(1.0, max(0.0, s))
    return s * s * s * (10 - 15 * s + 6 * s * s)


def arguments():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--robot", default="robots/kidsize.toml")
    a.add_argument("-o", "--output", default="motions/kidsize_walk.toml")
    a.add_argument("--speed", type=float, default=0.10, help="m/s")
    a.add_argument("--step", type=float, default=0.50, help="duration of a step, s; a multiple of 0.02")
    a.add_argument("--double", type=float, default=0.25, help="share of double support")
    a.add_argument("--half", type=float, default=0.040, help="half distance of the ankles, m")
    a.add_argument("--height", type=float, default=0.272, help="of the base over the ground, m")
    a.add_argument("--lift", type=float, default=0.035, help="of the swinging foot, m")
    a.add_argument("--land", type=float, default=0.85, help="share of single support in which the foot arrives")
    a.add_argument("--zx", type=float, default=0.015, help="zero-moment point ahead of the ankle, m")
    a.add_argument("--zy", type=float, default=0.0, help="zero-moment point outward of the ankle, m")
    a.add_argument("--pitch", type=float, default=0.0, help="of the trunk, deg")
    a.add_argument("--passes", type=int, default=2, help="corrections by the full body's zero-moment point")
    a.add_argument("--arms", type=float, default=15.0, help="swing of the arms, deg")
    a.add_argument("--check", action="store_true", help="write nothing; is the output file what would be written?")
    a.add_argument("--pre", type=float, default=1.0, help="standing before the first step, s")
    return a.parse_args()


class Plan:
    """Feet and zero-moment point at every instant k DT. Step i begins at pre + i step; even steps are the left foot's."""

    def __init__(self, g, cycles):
        self.g = g
        self.stride = g.speed * g.step
        instants = [k * DT - g.pre for k in range(round((g.pre + 2 * cycles * g.step) / DT) + 1)]
        phases = [(i, t / g.step - i) for t in instants for i in [math.floor(t / g.step + 1e-9)]]
        self.zmp = [self._zmp(i, s) for i, s in phases]     # (x, y)
        self.feet = [self._feet(i, s) for i, s in phases]   # ({side: x}, {side: height}) of the ankles' foot points

    def landing(self, i):
        """x where step i ends; negative steps: the feet stand together."""
        return max(0, i + 1) * self.stride

    def swing(self, s):
        """Share of single support that is over; negative in double support."""
        return (s - self.g.double) / (1 - self.g.double)

    def standing_zmp(self, i):
        """Zero-moment point under the foot that stands in step i; before the first step the middle of both feet."""
        if i < 0:
            return (self.g.zx, 0.0)
        side = -1 if i % 2 == 0 else 1
        return (self.landing(i - 1) + self.g.zx, side * (self.g.half + self.g.zy))

    def _zmp(self, i, s):
        here, before = self.standing_zmp(i), self.standing_zmp(i - 1)
        w = smooth(s / self.g.double) if i >= 0 else 1.0
        return tuple((1 - w) * a + w * b for a, b in zip(before, here))

    def _feet(self, i, s):
        side = 1 if i % 2 == 0 else -1  # the one that swings
        x = {side: self.landing(i - 2), -side: self.landing(i - 1)}
        z = {1: 0.0, -1: 0.0}
        if i >= 0:
            x[side] += (self.landing(i) - x[side]) * smoother(self.swing(s) / self.g.land)
            z[side] = self.g.lift * math.sin(math.pi * min(1.0, max(0.0, self.swing(s)))) ** 2
        return x, z


def bounded(p, w):
    """(2): two first-order filters, one forward, one backward in time; beyond the ends p goes on as it ends."""
    n, decay = len(p), math.exp(-w * DT)
    # Exact for p linear between instants.
    a = (1 - decay) / (w * DT)
    new, old = 1 - a, a - decay
    forward, backward = [0.0] * n, [0.0] * n
    forward[0] = p[0]
    for k in range(1, n):
        forward[k] = decay * forward[k - 1] + new * p[k] + old * p[k - 1]
    backward[-1] = p[-1]
    for k in range(n - 2, -1, -1):
        backward[k] = decay * backward[k + 1] + new * p[k] + old * p[k + 1]
    return [(f + b) / 2 for f, b in zip(forward, backward)]


class Planner:
    def __init__(self, g):
        self.g = g
        self.body = Body(g.robot)
        self.legs = Legs(self.body)
        self.pitch = math.radians(g.pitch)

    def arms(self, plan, k):
        """The arms swing against the legs: left arm forward when the right foot is."""
        x, _ = plan.feet[k]
        ahead = (x[1] - x[-1]) / plan.stride * math.radians(self.g.arms)
        out = {}
        for side, name in ((1, "left"), (-1, "right")):
            out[f"{name}_shoulder_pitch"] = math.radians(10) + side * ahead
            out[f"{name}_shoulder_roll"] = side * math.radians(8)
            out[f"{name}_elbow"] = math.radians(-40)
        return out

    def joints(self, plan, k, base):
        x, z = plan.feet[k]
        q = self.arms(plan, k)
        for side in (1, -1):
            p_WA = (x[side], side * self.g.half, z[side] + self.legs.sole)
            c, s = math.cos(self.pitch), math.sin(self.pitch)
            d = plus(p_WA, base, -1)
            p_BA = (c * d[0] - s * d[2], d[1], s * d[0] + c * d[2])
            q |= self.legs.solve(side, p_BA, self.pitch)
        return q

    def world_masses(self, q, base):
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        return [(m, plus(base, (c * p[0] + s * p[2], p[1], -s * p[0] + c * p[2]))) for m, p in self.body.masses(q)]

    def centre(self, q, base):
        total = (0.0, 0.0, 0.0)
        for m, p in self.world_masses(q, base):
            total = plus(total, p, m / self.body.mass)
        return total

    def place(self, plan, k, c, guess):
        """Base and joints that put the centre of mass over c."""
        base = (guess[0], guess[1], self.g.height)
        for _ in range(6):
            q = self.joints(plan, k, base)
            now = self.centre(q, base)
            base = (base[0] + c[0] - now[0], base[1] + c[1] - now[1], base[2])
        return self.joints(plan, k, base), base

    def zero_moment_points(self, frames):
        """Of all masses as points, by central differences."""
        n = len(frames)
        points = [self.world_masses(q, base) for q, base in frames]
        out = []
        for k in range(n):
            i = min(max(k, 1), n - 2)
            x = y = f = 0.0
            for (m, a), (_, b), (_, c) in zip(points[i - 1], points[i], points[i + 1]):
                acc = [(a[d] - 2 * b[d] + c[d]) / DT**2 for d in range(3)]
                up = m * (acc[2] + G)
                x += b[0] * up - b[2] * m * acc[0]
                y += b[1] * up - b[2] * m * acc[1]
                f += up
            out.append((x / f, y / f))
        return out

    def plan(self, cycles):
        plan = Plan(self.g, cycles)
        n = len(plan.zmp)
        q, base = self.place(plan, 0, plan.zmp[0], (0.0, 0.0))
        height = self.centre(q, base)[2]
        w = math.sqrt(G / height)
        c = list(zip(*(bounded([p[d] for p in plan.zmp], w) for d in (0, 1))))
        for done in range(self.g.passes + 1):
            frames, guess = [], (0.0, 0.0)
            for k in range(n):
                q, base = self.place(plan, k, c[k], guess)
                guess = base
                frames.append((q, base))
            z = self.zero_moment_points(frames)
            error = [(p[0] - a[0], p[1] - a[1]) for p, a in zip(plan.zmp, z)]
            rms = [math.sqrt(sum(e[d] ** 2 for e in error[: n // 2]) / (n // 2)) for d in (0, 1)]
            print(f"  pass {done}: zero-moment point off by {1e3 * rms[0]:.1f}, {1e3 * rms[1]:.1f} mm (rms)")
            if done < self.g.passes:
                d = list(zip(*(bounded([e[i] for e in error], w) for i in (0, 1))))
                c = [plus(a, b) for a, b in zip(c, d)]
        return plan, frames, height


def text_of(planner, frames, first, last):
    g = planner.g
    names = [j for j in planner.body.joints() if j in frames[0][0]]
    with io.StringIO() as f:
        f.write("# Made by tools/make_kidsize_walk.py; docs/motions.md says how the walk is planned.\n\n[motion]\n")
        f.write('name  = "kidsize_walk"\nrobot = "kidsize"\n')
        f.write(f'about = "walks straight ahead with {g.speed:g} m/s, {g.step:g} s a step"\n')
        f.write(f'loop      = true\nperiod    = "{(last - first) * DT:.2f} s"\nloop_from = "{first * DT:.2f} s"\n')
        f.write("columns = [" + ", ".join(f'"{n}"' for n in ["time"] + names) + "]\n")
        f.write("units   = [" + ", ".join(f'"{u}"' for u in ["s"] + ["deg"] * len(names)) + "]\nrows = [\n")
        for k in range(0, last, 2):
            q = frames[k][0]
            planner.body.check_limits(q)
            f.write(f"  [{k * DT:.2f}, " + ", ".join(f"{math.degrees(q[n]):.3f}" for n in names) + "],\n")
        f.write("]\n")
        return f.getvalue()


def same(a, b):
    """Equal but for the last decimal of a number, which may differ between machines."""
    number = re.compile(r"-?[0-9]+[.][0-9]{3}")
    if number.sub("#", a) != number.sub("#", b):
        return False
    return all(abs(float(x) - float(y)) < 0.0015 for x, y in zip(number.findall(a), number.findall(b)))


def main():
    g = arguments()
    planner = Planner(g)
    start, cycles = 2, 6  # two cycles until the start is forgotten; ahead of the loop the plan must go on for as long
    plan, frames, height = planner.plan(cycles)
    first = round((g.pre + 2 * start * g.step) / DT)
    last = first + round(2 * g.step / DT)
    jump = max(abs(frames[last][0][n] - frames[first][0][n]) for n in frames[0][0])
    fastest = max(abs(b[0][n] - a[0][n]) / DT for a, b in zip(frames[:last], frames[1:]) for n in a[0])
    text = text_of(planner, frames, first, last)
    if g.check:
        with open(g.output) as f:
            good = same(f.read(), text)
        print(f"{g.output} {'is' if good else 'is not'} what the planner makes")
        return 0 if good else 1
    with open(g.output, "w") as f:
        f.write(text)
    print(f"{g.output}: {plan.stride * 1e3:.0f} mm a step, centre of mass at {height:.3f} m, "
          f"loop closes within {math.degrees(jump):.4f} deg, fastest joint {fastest:.1f} rad/s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
