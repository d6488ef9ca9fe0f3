#!/usr/bin/env python3
"""Draws robots of a CSV log as stick figures, one picture per instant, seen from the right side or from behind, as SVG.

    gradus run levels --log walk.csv
    python3 tools/plot_run.py walk.csv --robot level3 --times 2:3:0.1 -o walk.svg
    rsvg-convert walk.svg -o walk.png

Standard library only. The log must hold base and joints, as it does by default.
"""
import argparse
import csv
import math

from kidsize_body import Body, apply, plus, rotation, si, times

SCALE = 260  # pixels per metre
CELL = (190, 190)


def arguments():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("log")
    a.add_argument("--model", default="robots/kidsize.toml")
    a.add_argument("--robot", action="append", required=True, help="one row of pictures each; may be repeated")
    a.add_argument("--times", default="0:10:0.5", help="from:to:step in s")
    a.add_argument("--view", choices=["side", "behind"], default="side")
    a.add_argument("-o", "--output", default="run.svg")
    return a.parse_args()


def read_log(path):
    with open(path) as f:
        rows = csv.reader(f)
        names = [n.split(" ")[0] for n in next(rows)]  # "level3.x [m]"
        return [dict(zip(names, map(float, r))) for r in rows if r]


def corners(shape, at, side):
    """Points that show a shape: a box's corners seen from the view's direction, else its centre line."""
    if "box" not in shape:
        return []
    x, y, z = (si(v) / 2 for v in shape["box"])
    a, b = (x, 0) if side else (0, y)
    return [plus(at, (sx * a, sx * b, sz * z)) for sx, sz in ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))]


def lines_of(body, row, robot, side):
    """[(colour, [points in the world])]"""
    q = {j: row[f"{robot}.{j}.q"] for j in body.joints()}
    base = [row[f"{robot}.{c}"] for c in ("x", "y", "z", "roll", "pitch", "yaw")]
    R_WB = times(times(rotation(2, base[5]), rotation(1, base[4])), rotation(0, base[3]))
    poses = [(times(R_WB, R), plus(base[:3], apply(R_WB, p))) for R, p in body.poses(q)]
    out = []
    for o, (R, p) in zip(body.objects, poses):
        colour = "#c33" if o["name"].startswith("left") else "#36c" if o["name"].startswith("right") else "#333"
        if o["parent"] >= 0:
            out.append((colour, [poses[o["parent"]][1], p]))
        out.append((colour, [plus(p, apply(R, c)) for c in corners(o["shape"], o["at"], side)]))
        if "sphere" in o["shape"] and o["name"] == "head":
            out.append((colour, [p, plus(p, apply(R, (0, 0, 0.075)))]))
    return [(c, points) for c, points in out if len(points) > 1]


def picture(lines, centre, at, label, side):
    def place(p):
        across = (p[0] - centre[0]) if side else -(p[1] - centre[1])
        return f"{at[0] + CELL[0] / 2 + SCALE * across:.1f},{at[1] + CELL[1] - 25 - SCALE * p[2]:.1f}"

    floor = at[1] + CELL[1] - 25
    out = [f'<line x1="{at[0]}" x2="{at[0] + CELL[0]}" y1="{floor}" y2="{floor}" stroke="#888"/>',
           f'<text x="{at[0] + 4}" y="{at[1] + CELL[1] - 6}" font-size="11">{label}</text>']
    for colour, points in lines:
        out.append(f'<polyline points="{" ".join(map(place, points))}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return out


def main():
    a = arguments()
    first, last, step = map(float, a.times.split(":"))
    log, body, side = read_log(a.log), Body(a.model), a.view == "side"
    count = int(math.floor((last - first) / step + 1e-9)) + 1
    wanted = [min(log, key=lambda r: abs(r["time"] - first - i * step)) for i in range(count)]
    per_row = min(count, 10)
    rows_each = -(-count // per_row)
    out = []
    for i, robot in enumerate(a.robot):
        for k, row in enumerate(wanted):
            at = (CELL[0] * (k % per_row), CELL[1] * (i * rows_each + k // per_row))
            centre = (row[f"{robot}.x"], row[f"{robot}.y"])
            out += picture(lines_of(body, row, robot, side), centre, at, f"{robot} {row['time']:.2f} s", side)
    width, height = CELL[0] * per_row, CELL[1] * rows_each * len(a.robot)
    with open(a.output, "w") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">\n'
                f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(out) + "\n</svg>\n")


if __name__ == "__main__":
    main()
