// What the colours of levels mean, and what each of them shows. Only where a scene mixes levels.

import { ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { LEVEL_ORDER, levelStyle } from '../levels';
import { h, setText } from './dom';

interface Row {
  element: HTMLElement;
  count: HTMLElement;
  cost: HTMLElement;
}

export class Legend {
  readonly element = h('details.levels', { open: true }, h('summary', {}, 'Levels of detail'));
  private readonly rows = new Map<string, Row>();

  setScene(scene: Scene): void {
    const offered = new Set(scene.robots.filter((r) => r.levels.length > 1).flatMap((r) => r.levels));
    this.element.querySelectorAll('.row').forEach((row) => row.remove());
    this.rows.clear();
    for (const level of LEVEL_ORDER.filter((name) => offered.has(name))) {
      const style = levelStyle(level);
      const count = h('span.count');
      const cost = h('span.cost');
      const element = h(
        'div.row',
        {},
        h('span.mark', {}, style.mark),
        h('span.title', {}, style.title),
        count,
        cost,
        h('span.shows', {}, style.shows),
      );
      element.style.setProperty('--level', style.colour);
      this.rows.set(level, { element, count, cost });
      this.element.append(element);
    }
    this.element.hidden = this.rows.size < 2;
  }

  /** How many robots are at each level, and what one of them costs. */
  update(f: Frame, scene: Scene): void {
    if (this.element.hidden || !this.element.open) return;
    for (const [level, row] of this.rows) {
      let count = 0;
      let cost = 0;
      for (let r = 0; r < f.robotCount; r++) {
        if (scene.robots[r]?.levels[f.levels[r]!] !== level) continue;
        count++;
        cost += f.robots[r * ROBOT_VALUES]!;
      }
      row.element.classList.toggle('unused', count === 0);
      setText(row.count, count > 1 ? `× ${count}` : '');
      setText(row.cost, count > 0 && Number.isFinite(cost) ? `${(cost / count).toFixed(1)} µs` : '');
    }
  }
}
