#!/usr/bin/env python3
"""Writes the Nao robots (robots/nao_h21_v4.toml … robots/nao_h25_v6.toml and their parts in robots/nao/) from nao_facts.json.

    tools/make_nao.py [--facts FILE] [--check]

The facts are not part of gradus: they are looked for in $GRADUS_SHARED/facts and in ../shared/facts beside the checkout.
--check writes nothing; it fails if a file differs from what the facts give, and is skipped (status 77) without facts.

What is chosen where sources disagree or are silent (docs/nao.md says why):
- masses, centres, tensors: the generated URDFs V4.0 and V5.0; V6 = V5 with the V6 head of the team configurations
- right limbs are mirror images of the left ones (the URDF's masses and centres are; some of its right tensors are not)
- H21: no wrist; one forearm of 184.05 g, with the tensor of forearm and hand of the H25 scaled to that mass
- right KneePitch and ankles have their own limits
"""
import argparse
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "# Made by tools/make_nao.py; docs/nao.md has the sources.\n\n"
SERVOS = {"HeadYaw": "arm_150", "HeadPitch": "arm_173", "ShoulderPitch": "shoulder_150", "ShoulderRoll": "arm_173", "ElbowYaw": "arm_150",
          "ElbowRoll": "arm_173", "WristYaw": "wrist_51", "HipYawPitch": "leg_201", "HipRoll": "leg_201", "HipPitch": "leg_131",
          "KneePitch": "leg_131", "AnklePitch": "leg_131", "AnkleRoll": "leg_201"}

WHITE, GREY, DARK, ORANGE = "[0.93, 0.93, 0.95]", "[0.55, 0.57, 0.6]", "[0.12, 0.12, 0.14]", "[0.95, 0.45, 0.1]"

# (object, joint, link of the URDF, parent, offset from the parent's joint in mm, axis)
LEFT_ARM = [("LShoulderPitch", "LShoulder", [0, 98, 100], "y"), ("LShoulderRoll", "LBicep", None, "z"),
            ("LElbowYaw", "LElbow", [105, 15, 0], "x")]
LEFT_ELBOW = [("LElbowRoll", "LForeArm", None, "z")]
LEFT_LEG = [("LHipYawPitch", "LPelvis", [0, 50, -85], "[0, 1, -1]"), ("LHipRoll", "LHip", None, "x"),
            ("LHipPitch", "LThigh", None, "y"), ("LKneePitch", "LTibia", [0, 0, -100], "y"),
            ("LAnklePitch", "LAnklePitch", [0, 0, -102.9], "y"), ("LAnkleRoll", "l_ankle", None, "x")]

# Start posture: knees bent, arms hanging (in the zero posture they point forward).           [deg]
STAND = {"LShoulderPitch": 90, "LShoulderRoll": 8, "LElbowYaw": -60, "LElbowRoll": -20, "LHipPitch": -25.5, "LKneePitch": 51,
         "LAnklePitch": -25.5}

# What is seen and what touches, in each link's frame [mm]. Links between two joints at one place are mostly motors: not drawn.
SHAPES = {
    "torso": ['{ box = ["92 mm", "104 mm", "128 mm"], at = ["-2 mm", "0 mm", "38 mm"] }',
              '{ capsule = { radius = "44 mm", length = "66 mm", axis = "y" }, at = ["-2 mm", "0 mm", "90 mm"] }',
              '{ capsule = { radius = "36 mm", length = "52 mm", axis = "y" }, at = ["0 mm", "0 mm", "-48 mm"] }'],
    "Neck": ['{ cylinder = { radius = "24 mm", length = "24 mm" }, at = ["0 mm", "0 mm", "-8 mm"], collides = false }'],
    "Head": ['{ capsule = { radius = "52 mm", length = "22 mm", axis = "y" }, at = ["-2 mm", "0 mm", "60 mm"] }',
             '{ sphere = "44 mm", at = ["12 mm", "0 mm", "44 mm"] }'],
    "LShoulder": ['{ sphere = "33 mm" }'],
    "LBicep": ['{ capsule = { radius = "26 mm", length = "52 mm", axis = "x" }, at = ["40 mm", "8 mm", "0 mm"] }'],
    "LForeArm": ['{ capsule = { radius = "24 mm", length = "34 mm", axis = "x" }, at = ["28 mm", "0 mm", "0 mm"] }'],
    "hand": ['{ capsule = { radius = "19 mm", length = "30 mm", axis = "x" }, at = ["46 mm", "0 mm", "-4 mm"] }'],
    "LHip": ['{ sphere = "34 mm", at = ["-6 mm", "2 mm", "0 mm"] }'],
    "LThigh": ['{ capsule = { radius = "34 mm", length = "46 mm" }, at = ["4 mm", "2 mm", "-46 mm"] }',
               '{ sphere = "31 mm", at = ["6 mm", "2 mm", "-92 mm"] }'],
    "LTibia": ['{ capsule = { radius = "31 mm", length = "44 mm" }, at = ["4 mm", "1 mm", "-58 mm"] }'],
    "LAnklePitch": ['{ sphere = "26 mm", collides = false }'],
}
COLOURS = {"Neck": GREY, "LShoulder": GREY, "LBicep": WHITE, "LHip": GREY, "LThigh": WHITE, "LTibia": WHITE, "LAnklePitch": GREY, "LForeArm": WHITE, "hand": WHITE}
# Parts that are only seen: (name, after, offset mm, shape, colour)
FACE = [("eye_left", [44, 20, 66], '{ sphere = "13 mm", collides = false }', DARK),
        ("eye_right", [44, -20, 66], '{ sphere = "13 mm", collides = false }', DARK),
        ("ear_left", [-4, 60, 62], '{ cylinder = { radius = "27 mm", length = "14 mm", axis = "y" }, collides = false }', ORANGE),
        ("ear_right", [-4, -60, 62], '{ cylinder = { radius = "27 mm", length = "14 mm", axis = "y" }, collides = false }', ORANGE),
        ("camera_top", [54, 0, 84], '{ sphere = "6 mm", collides = false }', DARK)]


def text(x, digits=9):
    """A decimal without exponent noise."""
    return f"{x:.{digits}g}"


def millimetres(v):
    return "[" + ", ".join(f'"{text(x)} mm"' for x in v) + "]"


def inertia(t):
    return "[" + ", ".join(f'"{text(t[k])} kg m^2"' for k in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")) + "]"


def mass_keys(link):
    return {"mass": f'"{text(1000 * link["mass"])} g"', "com": millimetres([1000 * c for c in link["com"]]),
            "inertia": inertia(link["inertia_com"])}


def table(entries):
    width = max(len(k) for k in entries)
    return "[[object]]\n" + "".join(f"{k:<{width}} = {v}\n" for k, v in entries.items()) + "\n"


def shapes(name):
    s = SHAPES.get(name)
    if not s:
        return {}
    return {"shape": s[0] if len(s) == 1 else "[\n  " + ",\n  ".join(s) + ",\n]"}


def quoted(s):
    return f'"{s}"'


def limits_of(facts, version, joint):
    if version == "v6":
        lo, hi = facts["joint_limits_deg_V6"][joint]
    else:
        j = facts["H25_V40_urdf" if version == "v4" else "H25_V50_urdf"]["joints"][joint]
        lo, hi = j["lower_deg"], j["upper_deg"]
    return f'["{text(lo)} deg", "{text(hi)} deg"]'


def joint(facts, version, name, link, axis, after=None):
    e = {"name": quoted(name), "kind": '"revolute"'}
    if after:
        e["after"] = quoted(after)
    e["axis"] = axis if axis.startswith("[") else quoted(axis)
    e["limits"] = limits_of(facts, version, name)
    e["servo"] = quoted(name[1:] if name[0] in "LR" else name)
    if name in STAND:
        e["initial"] = f'"{text(STAND[name])} deg"'
    if link:
        e.update(mass_keys(link))
    return e


def chain(facts, version, links, rows, after):
    out = ""
    for name, link, offset, axis in rows:
        if offset:
            out += table({"name": quoted(name + "_place"), "kind": '"translation"', "after": quoted(after), "offset": millimetres(offset)})
            after = name + "_place"
        e = joint(facts, version, name, links[link], axis, after)
        e.update(shapes(link))
        if link in COLOURS:
            e["colour"] = COLOURS[link]
        out += table(e)
        after = name
    return out


def mirrored(facts, version, rows, after):
    """The right limb from the left one. Axes of yaw and roll stay, their limits change sign; limits that differ are given."""
    out = ""
    for name, _, offset, _ in rows:
        right = "R" + name[1:]
        if offset:
            out += table({"name": quoted(right + "_place"), "mirror": quoted(name + "_place"), "after": quoted(after)})
            after = right + "_place"
        e = {"name": quoted(right), "mirror": quoted(name), "after": quoted(after), "limits": limits_of(facts, version, right)}
        if right == "RHipYawPitch":
            e["mimic"] = '{ of = "LHipYawPitch" }'
        out += table(e)
        after = right
    return out


def foot_box(facts):
    """A team's simulation box. The sole's own extremes (110, 50, 39, 50 mm) are those of a rounded outline; a box with such corners
    would stand firmer than the robot does."""
    size, at = facts["foot"]["box_mm_LxWxH"]["bhuman NaoV6H25.rsi2"], facts["foot"]["box_mm_LxWxH"]["bhuman_box_center"]
    bottom = -facts["link_lengths_mm"]["FootHeight"]
    return f'{{ box = {millimetres(size)}, at = {millimetres([at[0], at[1], bottom + size[2] / 2])} }}'


def feet(facts):
    shell = [foot_box(facts), '{ capsule = { radius = "22 mm", length = "92 mm", axis = "x" }, at = ["28 mm", "5 mm", "-20 mm"], collides = false }']
    left = {"name": '"LFoot"', "kind": '"endpoint"', "after": '"LAnkleRoll"', "shape": "[\n  " + ",\n  ".join(shell) + ",\n]", "colour": WHITE}
    return table(left) + table({"name": '"RFoot"', "mirror": '"LFoot"', "after": '"RAnkleRoll"'})


def trunk(facts, version):
    links = facts["H25_V40_urdf" if version == "v4" else "H25_V50_urdf"]["links"]
    out = HEAD + f"# Trunk, legs and upper arms of the Nao {version.upper()}. Frames: x forward, y left, z up; arms point forward at zero.\n\n"
    base = {"name": '"Torso"', "kind": '"base"'}
    base.update(mass_keys(links["torso"]))
    base.update(shapes("torso"))
    base["colour"] = WHITE
    out += table(base) + table({"name": '"body"', "kind": '"fork"'})
    button = facts["sensors"]["chest_button_m"]
    out += table({"name": '"chest_place"', "kind": '"translation"', "after": '"body"', "offset": millimetres([46, 0, 1000 * button[2]])})
    out += table({"name": '"chest_button"', "kind": '"endpoint"', "shape": '{ sphere = "11 mm", collides = false }', "colour": ORANGE})
    out += chain(facts, version, links, LEFT_LEG, "body") + mirrored(facts, version, LEFT_LEG, "body") + feet(facts)
    out += chain(facts, version, links, LEFT_ARM, "body") + mirrored(facts, version, LEFT_ARM, "body")
    return out


def head(facts, version):
    links = dict(facts["H25_V40_urdf" if version == "v4" else "H25_V50_urdf"]["links"])
    if version == "v6":
        v6 = facts["masses_H25_V6_bhuman2021"]["links"]["head"]
        links["Head"] = {"mass": v6["mass_g"] / 1000, "com": [c / 1000 for c in v6["com_mm"]], "inertia_com": links["Head"]["inertia_com"]}
    out = HEAD + f"# Head of the Nao {version.upper()}.\n\n"
    out += table({"name": '"neck_place"', "kind": '"translation"', "after": '"body"', "offset": millimetres([0, 0, facts["link_lengths_mm"]["NeckOffsetZ"]])})
    for name, link, axis, after in (("HeadYaw", "Neck", "z", "neck_place"), ("HeadPitch", "Head", "y", "HeadYaw")):
        e = joint(facts, version, name, links[link], axis, after)
        e.update(shapes(link))
        e["colour"] = COLOURS.get(link, WHITE)
        out += table(e)
    out += table({"name": '"face"', "kind": '"fork"', "after": '"HeadPitch"'})
    for name, offset, shape, colour in FACE:
        out += table({"name": quoted(name + "_place"), "kind": '"translation"', "after": '"face"', "offset": millimetres(offset)})
        out += table({"name": quoted(name), "kind": '"endpoint"', "shape": shape, "colour": colour})
    return out


def merged(a, b, shift):
    """One body from two, the second shifted [m]; tensors about the common centre."""
    m = a["mass"] + b["mass"]
    cb = [b["com"][i] + shift[i] for i in range(3)]
    com = [(a["mass"] * a["com"][i] + b["mass"] * cb[i]) / m for i in range(3)]
    total = dict.fromkeys(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), 0.0)
    for link, c in ((a, a["com"]), (b, cb)):
        d = [c[i] - com[i] for i in range(3)]
        dd = sum(x * x for x in d)
        for k in total:
            i, j = "xyz".index(k[1]), "xyz".index(k[2])
            total[k] += link["inertia_com"][k] + link["mass"] * ((dd if i == j else 0) - d[i] * d[j])
    return {"mass": m, "com": com, "inertia_com": total}


def arms_h25(facts, version):
    links = dict(facts["H25_V40_urdf" if version == "v4" else "H25_V50_urdf"]["links"])
    links["hand"] = links["l_wrist"]
    wrist = [("LWristYaw", "hand", [facts["link_lengths_mm"]["LowerArmLength"], 0, 0], "x")]
    out = HEAD + f"# Forearms, wrists and hands of the H25 {version.upper()}.\n\n"
    out += chain(facts, version, links, LEFT_ELBOW + wrist, "LElbowYaw")
    return out + mirrored(facts, version, LEFT_ELBOW + wrist, "RElbowYaw")


def arms_h21(facts):
    """Hands without mass of their own: forearm and hand are one body, in the elbow's object."""
    out = HEAD + "# Forearms of the H21. The hands are fixed to them, and their mass is that of the forearms.\n\n"
    out += chain(facts, "v4", {"LForeArm": h21_forearm(facts)}, LEFT_ELBOW, "LElbowYaw")
    out += mirrored(facts, "v4", LEFT_ELBOW, "RElbowYaw")
    for side in "LR":
        out += table({"name": quoted(side + "Wrist_place"), "kind": '"translation"', "after": quoted(side + "ElbowRoll"),
                      "offset": millimetres([facts["link_lengths_mm"]["LowerArmLength"], 0, 0])})
        out += table({"name": quoted(side + "Hand"), "kind": '"endpoint"', "shape": SHAPES["hand"][0], "colour": WHITE})
    return out


def h21_forearm(facts):
    links = facts["H25_V40_urdf"]["links"]
    both = merged(links["LForeArm"], links["l_wrist"], [facts["link_lengths_mm"]["LowerArmLength"] / 1000, 0, 0])
    f = facts["masses_H21_V4_bhuman2014"]["links"]["foreArmLeft"]
    m = f["mass_g"] / 1000
    return {"mass": m, "com": [c / 1000 for c in f["com_mm"]], "inertia_com": {k: v * m / both["mass"] for k, v in both["inertia_com"].items()}}


def servos(version):
    """Which servo file drives which joint."""
    out = HEAD + f"# Servos of the Nao {version.upper()}.\n\n"
    for name, drive in SERVOS.items():
        if version == "v4" and drive == "shoulder_150":
            drive = "arm_150"
        out += f'[servo.{name}]\nfile = "../../servos/nao_{version}_{drive}.toml"\n\n'
    return out


def robot(kind, version):
    arms = "arms_h21" if kind == "h21" else f"arms_h25_{version}"
    parts = ["servos_v6" if version == "v6" else "servos_v4", f"trunk_{version}", f"head_{version}", arms]
    listed = ", ".join(quoted(f"nao/{p}.toml") for p in parts)
    return HEAD + (f'[robot]\nname    = "nao_{kind}_{version}"\nabout   = "Nao {kind.upper()} {version.upper()}"\n'
                   f'feet    = ["LFoot", "RFoot"]\ninclude = [{listed}]\n')


def all_files(facts):
    out = {"nao/arms_h21.toml": arms_h21(facts)}
    for version in ("v4", "v5", "v6"):
        out[f"nao/trunk_{version}.toml"] = trunk(facts, version)
        out[f"nao/head_{version}.toml"] = head(facts, version)
        out[f"nao/arms_h25_{version}.toml"] = arms_h25(facts, version)
        for kind in ("h21", "h25"):
            out[f"nao_{kind}_{version}.toml"] = robot(kind, version)
    for version in ("v4", "v6"):
        out[f"nao/servos_{version}.toml"] = servos(version)
    return out


def find_facts(given):
    places = [given] if given else [os.path.join(p, "facts", "nao_facts.json") for p in
                                    (os.environ.get("GRADUS_SHARED", ""), str(ROOT.parent / "shared"), str(ROOT.parent.parent / "shared")) if p]
    return next((p for p in places if os.path.exists(p)), None)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--facts")
    args.add_argument("--check", action="store_true")
    o = args.parse_args()
    path = find_facts(o.facts)
    if path is None:
        print("nao_facts.json is not here: set GRADUS_SHARED or give --facts", file=sys.stderr)
        return 77 if o.check else 1
    wrong = 0
    for name, content in all_files(json.load(open(path, encoding="utf-8"))).items():
        file = ROOT / "robots" / name
        if o.check:
            if not file.exists() or file.read_text(encoding="utf-8") != content:
                print(f"robots/{name} is not what the facts give; run tools/make_nao.py", file=sys.stderr)
                wrong = 1
        else:
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
