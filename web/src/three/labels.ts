// Name, level and cost over every robot.

import { BODY_VALUES, ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { levelStyle } from '../levels';
import { h, setText } from '../ui/dom';
import type { Stage } from './stage';

const HEAD_ROOM = 0.14; // above the highest body's origin  [m]
const LONG_MAX = 8; // with more robots the labels are short: mark instead of name of the level
const HEIGHT = 27; // of a label and the gap to the next  [px]

interface Label {
  element: HTMLElement;
  mark: HTMLElement;
  level: HTMLElement;
  cost: HTMLElement;
  shownLevel: number;
  width: number; // of the element [px], measured when its text changes
  x: number; // where it wants to be [px]
  y: number;
  distance: number; // from the camera; Infinity = not in sight
}

export class Labels {
  private readonly layer = h('div.labels', { 'aria-hidden': 'true' });
  private labels: (Label | null)[] = [];
  private scene: Scene | null = null;

  constructor(
    private readonly stage: Stage,
    holder: HTMLElement,
    private readonly onSelect: (robot: number) => void,
  ) {
    holder.append(this.layer);
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.labels = scene.robots.map((robot, r) => {
      if (robot.levels.length === 0 || robot.levels[0] === 'free_body') return null; // a ball needs no label
      const mark = h('span.mark');
      const level = h('span.level');
      const cost = h('span.cost');
      const element = h(
        'div.label',
        { onclick: () => this.onSelect(r) },
        h('span.name', {}, robot.name),
        mark,
        level,
        cost,
      );
      return { element, mark, level, cost, shownLevel: -1, width: 0, x: 0, y: 0, distance: Infinity };
    });
    const elements = this.labels.flatMap((l) => (l ? [l.element] : []));
    this.layer.classList.toggle('many', elements.length > LONG_MAX);
    this.layer.replaceChildren(...elements);
  }

  update(f: Frame, isOn: boolean, selected: number): void {
    this.layer.hidden = !isOn;
    if (!isOn || !this.scene) return;
    this.labels.forEach((label, r) => {
      if (label && r < f.robotCount) this.locate(label, r, f, r === selected);
    });
    this.spread();
  }

  private locate(label: Label, r: number, f: Frame, isSelected: boolean): void {
    const robot = this.scene!.robots[r]!;
    const first = this.stage.bodies.firstBodyOf(r);
    let top = first;
    for (let b = first; b < first + robot.bodies.length; b++)
      if (f.bodies[b * BODY_VALUES + 2]! > f.bodies[top * BODY_VALUES + 2]!) top = b;
    const base = first * BODY_VALUES;
    const z = f.bodies[top * BODY_VALUES + 2]! + HEAD_ROOM;
    const at = this.stage.project(f.bodies[base]!, f.bodies[base + 1]!, z);
    label.distance = at ? at.distance : Infinity;
    label.element.hidden = !at;
    if (!at) return;
    label.x = at.x;
    label.y = at.y;
    if (label.element.classList.contains('selected') !== isSelected) {
      label.element.classList.toggle('selected', isSelected);
      label.width = 0;
    }
    label.element.classList.toggle('fallen', f.fallen[r] === 1);
    label.element.classList.toggle('far', at.distance > 7);
    this.describe(label, r, f);
  }

  /** Nearest first; a label that would cover a nearer one moves up. */
  private spread(): void {
    const inSight = this.labels.filter((l): l is Label => l !== null && l.distance < Infinity);
    inSight.sort((a, b) => a.distance - b.distance);
    inSight.forEach((label, i) => {
      if (label.width === 0) label.width = label.element.offsetWidth;
      const half = label.width / 2 + 4;
      label.x = Math.min(Math.max(label.x, half), this.layer.clientWidth - half);
      const nearer = inSight.slice(0, i).filter((o) => Math.abs(label.x - o.x) < half + o.width / 2);
      nearer.sort((a, b) => b.y - a.y); // from below: each may push it further up
      for (const other of nearer) if (Math.abs(label.y - other.y) < HEIGHT) label.y = other.y - HEIGHT;
      label.element.style.transform = `translate(-50%, -100%) translate(${label.x.toFixed(1)}px, ${label.y.toFixed(1)}px)`;
      label.element.style.zIndex = String(1000 - i);
    });
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
