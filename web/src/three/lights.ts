// Lights that programs switch on a robot: small glowing balls on head, chest and feet. They come as events of kind
// "light" (docs/viewer.md): "v6 lights: chest #ff0000, left_eye #0080ff", all that are on, or "v6 lights: off". Rings of
// lights whose colours differ come one by one: "left_eye_3 #0080ff".

import * as THREE from 'three';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Robot, Scene, Triple } from '../feed/protocol';

export interface Light {
  place: string;
  colour: number; // 0xrrggbb
}

/** Null: the text is about no lights. */
export function parseLights(text: string): Light[] | null {
  const list = /\blights: (.*)$/.exec(text)?.[1];
  if (list === undefined) return null;
  return [...list.matchAll(/(\w+) #([0-9a-f]{6})\b/g)].map((m) => ({ place: m[1]!, colour: parseInt(m[2]!, 16) }));
}

interface Spot {
  body: RegExp; // by name; the last that fits
  side: Triple; // where on the body's box, each −1 … 1: x forward, y left, z up
}
const SPOTS: [RegExp, Spot][] = [
  [/left_eye/, { body: /head/i, side: [1, 0.45, 0.35] }],
  [/right_eye/, { body: /head/i, side: [1, -0.45, 0.35] }],
  [/left_ear/, { body: /head/i, side: [0, 1, 0.3] }],
  [/right_ear/, { body: /head/i, side: [0, -1, 0.3] }],
  [/skull|head/, { body: /head/i, side: [0.3, 0, 1] }],
  [/left_foot/, { body: /(^l|left).*(foot|ankle)/i, side: [0.7, 0, 0.6] }],
  [/right_foot/, { body: /(^r|right).*(foot|ankle)/i, side: [0.7, 0, 0.6] }],
];
const CHEST: Spot = { body: /trunk|torso|chest/i, side: [1, 0, 0.2] };
const RADIUS = 0.07; // of a light over the robot's size
// Lights of a ring have numbers, "left_eye_1": how many there are, and the ring's two directions on the body's box.
const RINGS: [RegExp, { count: number; up: Triple; aside: Triple }][] = [
  [/_eye_\d+$/, { count: 8, up: [0, 0, 0.25], aside: [0, 0.25, 0] }],
  [/_ear_\d+$/, { count: 10, up: [0, 0, 0.35], aside: [0.35, 0, 0] }],
  [/skull_\d+$/, { count: 12, up: [0.5, 0, 0], aside: [0, 0.5, 0] }],
];

/** Where a light of a ring is beside the ring's middle, on the body's box. */
function onRing(place: string): Triple {
  const ring = RINGS.find(([name]) => name.test(place))?.[1];
  if (!ring) return [0, 0, 0];
  const angle = (2 * Math.PI * (Number(/\d+$/.exec(place)![0]) - 1)) / ring.count;
  return ring.up.map((u, i) => Math.cos(angle) * u + Math.sin(angle) * ring.aside[i]!) as Triple;
}

interface Box {
  middle: Triple;
  half: Triple;
}

/** About what a body's shapes fill, in the body's own axes; turned shapes as if they were not. */
function boxOf(robot: Robot, body: number, scene: Scene): Box {
  const low: Triple = [Infinity, Infinity, Infinity];
  const high: Triple = [-Infinity, -Infinity, -Infinity];
  for (const s of robot.bodies[body]!.shapes) {
    const mesh = s.mesh === undefined ? undefined : scene.meshes[s.mesh]?.vertices;
    for (let i = 0; i < 3; i++) {
      const across = s.size ? s.size[i]! / 2 : (s.radius ?? 0) + (s.kind === 'sphere' ? 0 : i === 2 ? (s.length ?? 0) / 2 : 0);
      let [from, to] = [-across, across];
      if (mesh) for (let v = i; v < mesh.length; v += 3) [from, to] = [Math.min(from, mesh[v]!), Math.max(to, mesh[v]!)];
      low[i] = Math.min(low[i]!, s.pose.p[i]! + from);
      high[i] = Math.max(high[i]!, s.pose.p[i]! + to);
    }
  }
  if (low[0] > high[0]) return { middle: [0, 0, 0], half: [0.03, 0.03, 0.03] };
  return {
    middle: low.map((x, i) => (x + high[i]!) / 2) as Triple,
    half: low.map((x, i) => (high[i]! - x) / 2) as Triple,
  };
}

/** Number of the body of a robot that wears a light, and where on it. */
export function placeOf(place: string, robot: Robot, scene: Scene): { body: number; at: Triple } {
  const spot = SPOTS.find(([name]) => name.test(place))?.[1] ?? CHEST;
  let body = 0;
  robot.bodies.forEach((b, i) => {
    if (spot.body.test(b.name) && b.shapes.length > 0) body = i;
  });
  const box = boxOf(robot, body, scene);
  const beside = onRing(place);
  return { body, at: box.middle.map((m, i) => m + (spot.side[i]! + beside[i]!) * box.half[i]!) as Triple };
}

interface Shown {
  mesh: THREE.Mesh;
  body: number; // of the scene
  at: THREE.Vector3;
}

export class Lights {
  readonly group = new THREE.Group();
  private scene: Scene | null = null;
  private readonly shown = new Map<number, Shown[]>(); // by robot
  private readonly wanted = new Map<string, Light[]>(); // by robot's name
  private readonly ball = new THREE.SphereGeometry(1, 12, 8);
  private readonly q = new THREE.Quaternion();

  /** Robots that are still there keep their lights. */
  setScene(scene: Scene): void {
    for (const robot of [...this.shown.keys()]) this.hide(robot);
    this.scene = scene;
    scene.robots.forEach((robot, r) => this.set(r, this.wanted.get(robot.name) ?? []));
  }

  private hide(robot: number): void {
    for (const old of this.shown.get(robot) ?? []) {
      this.group.remove(old.mesh);
      (old.mesh.material as THREE.Material).dispose();
    }
    this.shown.delete(robot);
  }

  /** All lights of a robot that are on. */
  set(robot: number, lights: Light[]): void {
    this.hide(robot);
    const scene = this.scene;
    const owner = scene?.robots[robot];
    if (!scene || !owner) return;
    this.wanted.set(owner.name, lights);
    const first = scene.robots.slice(0, robot).reduce((n, r) => n + r.bodies.length, 0);
    this.shown.set(
      robot,
      lights.map((light) => {
        const { body, at } = placeOf(light.place, owner, scene);
        const size = Math.hypot(...boxOf(owner, body, scene).half);
        const mesh = new THREE.Mesh(this.ball, new THREE.MeshBasicMaterial({ color: light.colour, toneMapped: false }));
        mesh.scale.setScalar(Math.max(0.004, RADIUS * size) * (/_\d+$/.test(light.place) ? 0.4 : 1));
        mesh.visible = false; // until the next frame says where
        this.group.add(mesh);
        return { mesh, body: first + body, at: new THREE.Vector3(...at) };
      }),
    );
  }

  update(f: Frame): void {
    for (const list of this.shown.values())
      for (const { mesh, body, at } of list) {
        mesh.visible = body < f.bodyCount;
        if (!mesh.visible) continue;
        const o = body * BODY_VALUES;
        this.q.set(f.bodies[o + 3]!, f.bodies[o + 4]!, f.bodies[o + 5]!, f.bodies[o + 6]!);
        mesh.position.copy(at).applyQuaternion(this.q);
        mesh.position.x += f.bodies[o]!;
        mesh.position.y += f.bodies[o + 1]!;
        mesh.position.z += f.bodies[o + 2]!;
      }
  }
}
