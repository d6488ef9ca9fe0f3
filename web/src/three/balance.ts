// Balance of a robot on flat ground: where it may be held, where it is pressed, where it would have to step.

import { CONTACT_VALUES, type Frame } from '../feed/codec';
import { STATIC_WORLD } from '../feed/protocol';

const GRAVITY = 9.81; // [m/s²]

export type Point = [number, number];

/** Convex hull of points in the plane, counter-clockwise [Andrew 1979]. */
export function convexHull(points: Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  if (sorted.length < 3) return sorted;
  const half = (list: Point[]): Point[] => {
    const chain: Point[] = [];
    for (const p of list) {
      while (chain.length >= 2 && turn(chain[chain.length - 2]!, chain[chain.length - 1]!, p) <= 0) chain.pop();
      chain.push(p);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turn(a: Point, b: Point, c: Point): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** Of every robot that stands on something: hull of its points of contact with the static world. */
export function supportPolygons(f: Frame, robotOf: (body: number) => number): Map<number, Point[]> {
  const points = new Map<number, Point[]>();
  for (let c = 0; c < f.contactCount; c++) {
    if (f.contactBodies[2 * c + 1] !== STATIC_WORLD) continue;
    const robot = robotOf(f.contactBodies[2 * c]!);
    const list = points.get(robot) ?? [];
    list.push([f.contacts[c * CONTACT_VALUES]!, f.contacts[c * CONTACT_VALUES + 1]!]);
    points.set(robot, list);
  }
  for (const [robot, list] of points) points.set(robot, convexHull(list));
  return points;
}

/** Where an inverted pendulum of the centre of mass's height must step to come to rest: ξ = c + ċ √(z/g) [Pratt 2006]. */
export function capturePoint(robots: Float32Array, offset: number, to: number[]): void {
  const seconds = Math.sqrt(Math.max(robots[offset + 4]!, 0) / GRAVITY);
  to[0] = robots[offset + 2]! + robots[offset + 5]! * seconds;
  to[1] = robots[offset + 3]! + robots[offset + 6]! * seconds;
}
