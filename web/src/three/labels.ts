// Name, level and cost over every robot.

import { BODY_VALUES, ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { levelStyle } from '../levels';
import { h, setText } from '../ui/dom';
import type { Stage } from './stage';

interface Label {
  element: HTMLElement;
  level: HTMLElement;
  cost: HTMLElement;
  shownLevel: number;
  head: number; // metres above the highest body's origin
}

export class Labels {
  private readonly layer = h('div.labels', { 'aria-hidden': 'true' });
  private labels: (Label | null)[] = [];
  private scene: Scene | null = null;

  constructor(private readonly stage: Stage, holder: HTMLElement, private readonly onSelect: (robot: number) => void) {
    holder.append(this.layer);
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.labels = scene.robots.map((robot, r) => {
      if (robot.levels.length === 0 || robot.levels[0] === 'free_body') return null; // a ball needs no label
      const level = h('span.level');
      const cost = h('span.cost');
      const element = h('div.label', { onclick: () => this.onSelect(r) }, h('span.name', {}, robot.name), level, cost);
      return { element, level, cost, shownLevel: -1, head: 0.14 };
    });
    this.layer.replaceChildren(...this.labels.flatMap((l) => (l ? [l.element] : [])));
  }

  update(f: Frame, isOn: boolean, selected: number): void {
    this.layer.hidden = !isOn;
    if (!isOn || !this.scene) return;
    this.labels.forEach((label, r) => {
      if (label && r < f.robotCount) this.place(label, r, f, r === selected);
    });
  }

  private place(label: Label, r: number, f: Frame, isSelected: boolean): void {
    const robot = this.scene!.robots[r]!;
    const first = this.stage.bodies.firstBodyOf(r);
    let top = first;
    for (let b = first; b < first + robot.bodies.length; b++)
      if (f.bodies[b * BODY_VALUES + 2]! > f.bodies[top * BODY_VALUES + 2]!) top = b;
    const base = first * BODY_VALUES;
    const z = f.bodies[top * BODY_VALUES + 2]! + label.head;
    const at = this.stage.project(f.bodies[base]!, f.bodies[base + 1]!, z);
    label.element.hidden = !at;
    if (!at) return;
    label.element.classList.toggle('selected', isSelected);
    label.element.classList.toggle('fallen', f.fallen[r] === 1);
    label.element.classList.toggle('far', at.distance > 7);
    label.element.style.transform = `translate(-50%, -100%) translate(${at.x.toFixed(1)}px, ${at.y.toFixed(1)}px)`;
    label.element.style.zIndex = String(1000 - Math.min(999, Math.round(at.distance * 20)));
    this.describe(label, r, f);
  }

  private describe(label: Label, r: number, f: Frame): void {
    const level = f.levels[r]!;
    if (level !== label.shownLevel) {
      const style = levelStyle(this.scene!.robots[r]!.levels[level] ?? '');
      label.shownLevel = level;
      label.level.textContent = style.title;
      label.element.style.setProperty('--level', style.colour);
    }
    const cost = f.robots[r * ROBOT_VALUES]!;
    setText(label.cost, Number.isFinite(cost) ? `${cost < 10 ? cost.toFixed(2) : cost.toFixed(0)} µs` : '');
  }
}
