// The scene's robots: level of detail (exchangeable), cost, state.

import { ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { levelStyle } from '../levels';
import { h, setText } from './dom';

const FIELD_SHOWN = 6; // with more objects the list is folded

/** Distance from the reference as people say it. */
export function formatError(metres: number): string {
  if (!Number.isFinite(metres)) return '';
  return metres < 1 ? `${(1000 * metres).toFixed(0)} mm` : `${metres.toFixed(2)} m`;
}

export interface TreeListener {
  select(robot: number): void;
  setLevel(robot: number, level: string): void;
}

interface Row {
  element: HTMLElement;
  select: HTMLSelectElement;
  cost: HTMLElement;
  error: HTMLElement;
  state: HTMLElement;
  shownLevel: number;
}

export class Tree {
  readonly element = h('section.panel.tree', { 'aria-label': 'Scene' });
  private readonly list = h('div.robots', { role: 'list' });
  private readonly field = h('div.field');
  private readonly total = h('span.total');
  private rows: Row[] = [];
  private scene: Scene | null = null;

  constructor(private readonly listener: TreeListener) {
    this.element.append(h('h2', {}, 'Scene', this.total), this.list, this.field);
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.rows = scene.robots.map((_, r) => this.makeRow(scene, r));
    this.list.replaceChildren(...this.rows.map((row) => row.element));
    const list = h(
      'details',
      { open: scene.field.length <= FIELD_SHOWN },
      h('summary', {}, `Field, ${scene.field.length} object${scene.field.length === 1 ? '' : 's'}`),
      ...scene.field.map((f) => h('div.object', {}, h('span.swatch'), f.name || f.shape.kind)),
    );
    this.field.replaceChildren(...(scene.field.length > 0 ? [list] : []));
    this.field.querySelectorAll<HTMLElement>('.swatch').forEach((s, i) => {
      const c = scene.field[i]!.shape.colour;
      s.style.background = `rgb(${c.map((x) => Math.round(255 * x)).join(' ')})`;
    });
  }

  private makeRow(scene: Scene, r: number): Row {
    const robot = scene.robots[r]!;
    const select = h('select.level', {
      'aria-label': `Level of detail of ${robot.name}`,
      onchange: () => {
        this.listener.setLevel(r, select.value);
        this.rows[r]!.shownLevel = -1; // the next frame says what became of it
      },
    });
    for (const level of robot.levels)
      select.append(h('option', { value: level }, `${levelStyle(level).mark}  ${levelStyle(level).title}`));
    select.disabled = robot.levels.length < 2;
    const cost = h('span.cost', { title: 'cost of one step' });
    const error = h('span.error', { title: 'distance from the most detailed robot with the same task' });
    const state = h('span.state');
    const name = h('button.name', { type: 'button', onclick: () => this.listener.select(r) }, robot.name);
    const element = h('div.robot', { role: 'listitem' }, h('span.bar'), name, state, error, cost, select);
    element.classList.toggle('fixed', robot.levels.length < 2); // no choice: one line is enough
    return { element, select, cost, error, state, shownLevel: -1 };
  }

  setCanControl(can: boolean): void {
    this.rows.forEach((row, r) => (row.select.disabled = !can || (this.scene?.robots[r]?.levels.length ?? 0) < 2));
  }

  update(f: Frame, selected: number): void {
    let total = 0;
    this.rows.forEach((row, r) => {
      if (r >= f.robotCount) return;
      const cost = f.robots[r * ROBOT_VALUES]!;
      if (Number.isFinite(cost)) total += cost;
      setText(row.cost, Number.isFinite(cost) ? `${cost.toFixed(2)} µs` : '');
      const error = f.robots[r * ROBOT_VALUES + 1]!;
      setText(row.error, Number.isFinite(error) ? `± ${formatError(error)}` : '');
      setText(row.state, f.fallen[r] ? 'fallen' : '');
      row.element.classList.toggle('selected', r === selected);
      this.showLevel(row, r, f.levels[r]!);
    });
    setText(this.total, total > 0 ? `${total.toFixed(1)} µs/step` : '');
  }

  private showLevel(row: Row, r: number, level: number): void {
    if (level === row.shownLevel) return;
    row.shownLevel = level;
    const name = this.scene!.robots[r]!.levels[level] ?? '';
    row.select.value = name;
    row.element.style.setProperty('--level', levelStyle(name).colour);
  }
}
