// Balance of a robot on flat ground: where it may be held, where it is pressed, where it would have to step.

import { CONTACT_VALUES, type Frame } from '../feed/codec';
import { STATIC_WORLD } from '../feed/protocol';

const GRAVITY = 9.81; // [m/s²]

export type Point = [number, number];
export type Corner = [number, number, number];

/** Convex hull of points seen from above, counter-clockwise [Andrew 1979]. */
export function convexHull<P extends Point | Corner>(points: P[]): P[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: P[]): P[] => {
    const chain: P[] = [];
    for (const p of list) {
      while (chain.length >= 2 && turn(chain[chain.length - 2]!, chain[chain.length - 1]!, p) <= 0) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turn(a: Point | Corner, b: Point | Corner, c: Point | Corner): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** Of every robot that stands on something: hull of its points of contact with the static world, corners at their heights. */
export function supportPolygons(f: Frame, robotOf: (body: number) => number): Map<number, Corner[]> {
  const points = new Map<number, Corner[]>();
  for (let c = 0; c < f.contactCount; c++) {
    if (f.contactBodies[2 * c + 1] !== STATIC_WORLD) continue;
    const robot = robotOf(f.contactBodies[2 * c]!);
    const list = points.get(robot) ?? [];
    const at = c * CONTACT_VALUES;
    list.push([f.contacts[at]!, f.contacts[at + 1]!, f.contacts[at + 2]!]);
    points.set(robot, list);
  }
  for (const [robot, list] of points) points.set(robot, convexHull(list));
  return points;
}

/**
 * Static stability margin, as property `margin` of a robot: distance of the centre of mass, seen from above, from the nearest point of
 * the polygon's edges; negative outside.
 */
export function stabilityMargin(hull: Corner[], x: number, y: number): { margin: number; at: Corner } | null {
  let inside = hull.length >= 3;
  let best: { margin: number; at: Corner } | null = null;
  hull.forEach((a, i) => {
    const b = hull[(i + 1) % hull.length]!;
    inside = inside && turn(a, b, [x, y]) > 0;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length2 = dx * dx + dy * dy;
    const s = length2 > 0 ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / length2)) : 0;
    const at: Corner = [a[0] + s * dx, a[1] + s * dy, a[2] + s * (b[2] - a[2])];
    const margin = Math.hypot(x - at[0], y - at[1]);
    if (!best || margin < best.margin) best = { margin, at };
  });
  const found = best as { margin: number; at: Corner } | null;
  return found && { margin: inside ? found.margin : -found.margin, at: found.at };
}

/** Where an inverted pendulum of the centre of mass's height must step to come to rest: ξ = c + ċ √(z/g) [Pratt 2006]. */
export function capturePoint(robots: Float32Array, offset: number, to: number[]): void {
  const seconds = Math.sqrt(Math.max(robots[offset + 4]!, 0) / GRAVITY);
  to[0] = robots[offset + 2]! + robots[offset + 5]! * seconds;
  to[1] = robots[offset + 3]! + robots[offset + 6]! * seconds;
}
