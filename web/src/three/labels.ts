// Name, level and cost over every robot. Where robots are small on the screen a label would cover the game: there the
// robot wears its number, its name when it is selected, and the whole label when it is under the mouse.

import { BODY_VALUES, ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Robot, Scene } from '../feed/protocol';
import { levelStyle } from '../levels';
import { h, setText } from '../ui/dom';
import { radiusOf } from './soft_shadows';
import type { Stage } from './stage';

const HEAD_ROOM = 0.14; // above the highest body's origin  [m]
const LONG_MAX = 8; // with more robots the labels are short: mark instead of name of the level
const HEIGHT = 27; // of a label and the gap to the next  [px]
const LIFT_MAX = 3 * HEIGHT; // a label that would have to move further up from its robot is left out  [px]
const LABEL_FROM = 90; // diameter of a robot on the screen, arms stretched, that is worth a label  [px]
const NUMBER_FROM = 11; // … and a number  [px]
const SPEECH_TIME = 4000; // that words stay  [ms]
const LONGEST_SPEECH = 60; // characters
const NUMBER_ROOM = 9; // half the room that a number takes  [px]

interface Label {
  robot: number;
  element: HTMLElement;
  mark: HTMLElement;
  level: HTMLElement;
  cost: HTMLElement;
  speech: HTMLElement;
  shownLevel: number;
  width: number; // of the element [px], measured when its text changes
  x: number; // where it wants to be [px]
  y: number;
  distance: number; // from the camera; Infinity = not in sight
  size: number; // of the robot on the screen [px]
  isNumber: boolean;
  look: 'number-only' | 'name-only' | 'whole';
  isWanted: boolean; // selected or under the mouse: always shown
}

/** A ball is known by its form and colour. */
const isBall = (robot: Robot): boolean =>
  robot.bodies.length === 1 && robot.bodies[0]!.shapes.length === 1 && robot.bodies[0]!.shapes[0]!.kind === 'sphere';

/** blue3 is 3; a name without a number is its first letters. */
const numberOf = (name: string): string => /\d+$/.exec(name)?.[0] ?? name.slice(0, 2);

export class Labels {
  private readonly layer = h('div.labels', { 'aria-hidden': 'true' });
  private labels: (Label | null)[] = [];
  private scene: Scene | null = null;
  private radii: number[] = []; // per body [m]
  private pointer: { x: number; y: number } | null = null; // on the canvas [px]
  private readonly silences = new Map<number, number>(); // timers by robot
  isStale = false; // the mouse has moved since the last update

  constructor(
    private readonly stage: Stage,
    holder: HTMLElement,
    private readonly onSelect: (robot: number) => void,
  ) {
    holder.append(this.layer);
    const canvas = stage.renderer.domElement;
    const point = (x: number, y: number) => {
      this.pointer = { x, y };
      this.isStale = true;
    };
    canvas.addEventListener('pointermove', (e) => point(e.offsetX, e.offsetY));
    canvas.addEventListener('pointerleave', () => point(-1e6, -1e6));
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.radii = scene.robots.flatMap((r) => r.bodies.map((b) => Math.max(0, ...b.shapes.map(radiusOf))));
    this.labels = scene.robots.map((robot, r) => {
      if (robot.levels.length === 0 || robot.levels[0] === 'free_body' || isBall(robot)) return null;
      const mark = h('span.mark');
      const level = h('span.level');
      const cost = h('span.cost');
      const speech = h('span.speech', { hidden: true });
      const element = h(
        'div.label',
        { onclick: () => this.onSelect(r) },
        h('span.number', {}, numberOf(robot.name)),
        h('span.name', {}, robot.name),
        mark,
        level,
        cost,
        speech,
      );
      const place = { width: 0, x: 0, y: 0, distance: Infinity, size: 0 };
      const look = { isNumber: false, look: 'whole' as const, isWanted: false };
      return { robot: r, element, mark, level, cost, speech, shownLevel: -1, ...place, ...look };
    });
    const elements = this.labels.flatMap((l) => (l ? [l.element] : []));
    this.layer.classList.toggle('many', elements.length > LONG_MAX);
    this.layer.replaceChildren(...elements);
  }

  /** What a robot says stands at its label for a while. */
  say(robot: number, text: string): void {
    const label = this.labels[robot];
    if (!label) return;
    const words = /\bsays: (.*)$/s.exec(text)?.[1] ?? text;
    label.speech.textContent = `“${words.length > LONGEST_SPEECH ? words.slice(0, LONGEST_SPEECH) + '…' : words}”`;
    label.speech.hidden = false;
    label.width = 0;
    this.isStale = true;
    window.clearTimeout(this.silences.get(robot));
    this.silences.set(
      robot,
      window.setTimeout(() => {
        label.speech.hidden = true;
        label.width = 0;
        this.isStale = true;
      }, SPEECH_TIME),
    );
  }

  update(f: Frame, isOn: boolean, selected: number): void {
    this.isStale = false;
    this.layer.hidden = !isOn;
    if (!isOn || !this.scene) return;
    const shown = this.labels.filter((l): l is Label => l !== null && l.robot < f.robotCount);
    for (const label of shown) this.locate(label, f);
    const hovered = this.underPointer(shown);
    for (const label of shown) this.style(label, f, label.robot === selected, label === hovered);
    this.spread(shown.filter((l) => l.distance < Infinity));
  }

  /** Over the robot's head, and how large it is on the screen. */
  private locate(label: Label, f: Frame): void {
    const first = this.stage.bodies.firstBodyOf(label.robot);
    const base = first * BODY_VALUES;
    const [x, y, z] = [f.bodies[base]!, f.bodies[base + 1]!, f.bodies[base + 2]!];
    let top = z;
    let reach = 0;
    for (let b = first; b < first + this.scene!.robots[label.robot]!.bodies.length; b++) {
      const o = b * BODY_VALUES;
      const away = Math.hypot(f.bodies[o]! - x, f.bodies[o + 1]! - y, f.bodies[o + 2]! - z);
      reach = Math.max(reach, away + (this.radii[b] ?? 0));
      top = Math.max(top, f.bodies[o + 2]!);
    }
    const middle = this.stage.project(x, y, z);
    label.distance = middle ? middle.distance : Infinity;
    label.element.hidden = !middle;
    if (!middle) return;
    label.size = (2 * reach) / this.stage.pixelSize(middle.distance);
    label.isNumber = label.size < LABEL_FROM;
    const at = label.isNumber ? middle : this.stage.project(x, y, top + Math.min(HEAD_ROOM, reach));
    label.x = at?.x ?? middle.x;
    label.y = at?.y ?? middle.y;
  }

  private underPointer(labels: Label[]): Label | null {
    let nearest: Label | null = null;
    let least = Infinity;
    for (const label of labels) {
      if (!this.pointer || label.distance === Infinity || !label.isNumber) continue;
      const away = Math.hypot(label.x - this.pointer.x, label.y - this.pointer.y);
      if (away < least && away < Math.max(10, 0.6 * label.size)) [nearest, least] = [label, away];
    }
    return nearest;
  }

  private style(label: Label, f: Frame, isSelected: boolean, isHovered: boolean): void {
    const { classList } = label.element;
    label.isWanted = isSelected || isHovered;
    const isSmall = label.isNumber;
    if (label.isWanted && isSmall) {
      label.isNumber = false;
      label.y -= label.size / 2 + 4;
    }
    const look = label.isNumber ? 'number-only' : isSmall && !isHovered ? 'name-only' : 'whole';
    if (label.look !== look || classList.contains('selected') !== isSelected) label.width = 0;
    label.look = look;
    classList.toggle('selected', isSelected);
    classList.toggle('number-only', look === 'number-only');
    classList.toggle('name-only', look === 'name-only');
    classList.toggle('fallen', f.fallen[label.robot] === 1);
    classList.toggle('far', label.distance > 7);
    this.describe(label, label.robot, f);
  }

  /** Wanted ones first, then the nearest; a label that would cover another moves up, a number gives way. */
  private spread(labels: Label[]): void {
    labels.sort((a, b) => Number(b.isWanted) - Number(a.isWanted) || a.distance - b.distance);
    const placed: Label[] = [];
    labels.forEach((label, i) => {
      const isShown = label.isNumber ? this.placeNumber(label, placed) : this.placeLabel(label, placed);
      label.element.hidden = !isShown;
      if (!isShown) return;
      placed.push(label);
      const up = label.isNumber ? '-50%' : '-100%';
      label.element.style.transform = `translate(-50%, ${up}) translate(${label.x.toFixed(1)}px, ${label.y.toFixed(1)}px)`;
      label.element.style.zIndex = String(1000 - i);
    });
  }

  private placeNumber(label: Label, placed: Label[]): boolean {
    if (label.size < NUMBER_FROM) return false;
    return placed.every((o) => {
      const room = o.isNumber ? NUMBER_ROOM : o.width / 2;
      const middle = o.isNumber ? o.y : o.y - HEIGHT / 2;
      const high = o.isNumber ? NUMBER_ROOM : HEIGHT / 2;
      return Math.abs(label.x - o.x) > room + NUMBER_ROOM || Math.abs(label.y - middle) > high + NUMBER_ROOM;
    });
  }

  private placeLabel(label: Label, placed: Label[]): boolean {
    label.element.hidden = false; // else it has no width
    if (label.width === 0) label.width = label.element.offsetWidth;
    const half = label.width / 2 + 4;
    label.x = Math.min(Math.max(label.x, half), this.layer.clientWidth - half);
    const wish = label.y;
    const others = placed.filter((o) => !o.isNumber && Math.abs(label.x - o.x) < half + o.width / 2);
    others.sort((a, b) => b.y - a.y); // from below: each may push it further up
    for (const other of others) if (Math.abs(label.y - other.y) < HEIGHT) label.y = other.y - HEIGHT;
    return label.isWanted || wish - label.y <= LIFT_MAX;
  }

  private describe(label: Label, r: number, f: Frame): void {
    const level = f.levels[r]!;
    if (level !== label.shownLevel) {
      const style = levelStyle(this.scene!.robots[r]!.levels[level] ?? '');
      label.shownLevel = level;
      label.width = 0;
      label.mark.textContent = style.mark;
      label.level.textContent = style.title;
      label.element.style.setProperty('--level', style.colour);
    }
    const cost = f.robots[r * ROBOT_VALUES]!;
    setText(label.cost, Number.isFinite(cost) ? `${cost < 10 ? cost.toFixed(2) : cost.toFixed(0)} µs` : '');
  }
}
