// Every property of the selected robot with its live value; plot it, or set it where that is possible.

import { ROBOT_VALUES, type Frame } from '../feed/codec';
import type { Property, Scene } from '../feed/protocol';
import { levelStyle } from '../levels';
import { formatNumber, formatUnit, h, icon, setText } from './dom';
import { formatError } from './tree';

export interface InspectorListener {
  togglePlot(property: number): void;
  setProperty(path: string, value: number | boolean): void;
  /** The shown properties changed, and so what must be subscribed. */
  shownChanged(): void;
}

interface Row {
  property: number;
  element: HTMLElement;
  value: HTMLElement;
  plot: HTMLButtonElement;
  search: string;
  input: HTMLInputElement | null; // shows the value until somebody types
  initial: number | null; // of a parameter, as frames carry numbers
}

const SHOWN_MAX = 400; // rows that get live values

function formatValue(x: number, type: Property['type']): string {
  if (type === 'boolean') return x !== 0 ? 'on' : 'off';
  return type === 'whole' ? String(x) : formatNumber(x);
}

/** "0 … 10", for a property that takes not just any number. */
function rangeText({ lower, upper, unit }: Property): string {
  if (typeof lower !== 'number') return '';
  const range = typeof upper === 'number' ? `${lower} … ${upper}` : `at least ${lower}`;
  return unit ? `${range} ${formatUnit(unit)}` : range;
}

export class Inspector {
  readonly element = h('section.panel.inspector', { 'aria-label': 'Inspector' });
  private readonly title = h('h2');
  private readonly facts = h('dl.facts');
  private readonly filter = h('input.filter', {
    type: 'search',
    placeholder: 'Filter properties',
    'aria-label': 'Filter properties',
  });
  private readonly list = h('div.properties');
  private rows: Row[] = [];
  private byProperty = new Map<number, Row>();
  private readonly inView = new Set<Element>();
  private readonly watcher = new IntersectionObserver(
    (changes) => {
      for (const c of changes) c.isIntersecting ? this.inView.add(c.target) : this.inView.delete(c.target);
    },
    { root: this.list },
  );
  private scene: Scene | null = null;
  private robot = -1;
  private factCells: Record<string, HTMLElement> = {};

  constructor(private readonly listener: InspectorListener) {
    this.filter.addEventListener('input', () => this.applyFilter());
    this.element.append(this.title, this.facts, this.filter, this.list);
  }

  show(scene: Scene, robot: number): void {
    this.scene = scene;
    this.robot = robot;
    const r = scene.robots[robot];
    this.title.textContent = r ? r.name : 'Nothing selected';
    this.makeFacts();
    this.makeRows();
    this.applyFilter();
    this.listener.shownChanged();
  }

  private makeFacts(): void {
    this.factCells = {};
    this.facts.replaceChildren();
    for (const name of ['level', 'cost', 'error', 'centre of mass', 'speed']) {
      const cell = h('dd');
      this.factCells[name] = cell;
      this.facts.append(h('dt', {}, name), cell);
    }
  }

  /** Paths robot.object.property become groups by object; those of the whole scene come last. */
  private makeRows(): void {
    const scene = this.scene!;
    const prefix = (scene.robots[this.robot]?.name ?? '\0') + '.';
    const own = new Map<string, HTMLElement>();
    const common = new Map<string, HTMLElement>();
    this.rows = [];
    scene.properties.forEach((property, i) => {
      const isOwn = property.path.startsWith(prefix);
      const isOfScene = !scene.robots.some((r) => property.path.startsWith(r.name + '.'));
      if (!isOwn && !isOfScene) return;
      const parts = (isOwn ? property.path.slice(prefix.length) : property.path).split('.');
      const leaf = parts.pop()!;
      const name = parts.join('.') || (isOwn ? 'robot' : 'simulation');
      const groups = isOwn ? own : common;
      if (!groups.has(name)) groups.set(name, h('div.group', { 'data-name': name }, h('h3', {}, name)));
      const row = this.makeRow(property, i, leaf);
      this.rows.push(row);
      groups.get(name)!.append(row.element);
    });
    this.joinSingles(own);
    this.list.replaceChildren(...own.values(), ...common.values());
    this.byProperty = new Map(this.rows.map((row) => [row.property, row]));
    this.watcher.disconnect();
    this.inView.clear();
    for (const row of this.rows) this.watcher.observe(row.element);
    if (this.rows.length === 0) this.list.append(h('p.empty', {}, 'This object has no properties.'));
  }

  /** A group of one needs no heading: its name goes into the row. */
  private joinSingles(groups: Map<string, HTMLElement>): void {
    for (const [name, group] of groups) {
      if (group.children.length !== 2) continue;
      group.classList.add('single');
      group.firstElementChild!.remove();
      group.querySelector('.leaf')!.prepend(h('span.of', {}, name + '.'));
    }
  }

  private makeRow(property: Property, index: number, leaf: string): Row {
    const value = h('span.value');
    const plot = h('button.icon.plot', {
      type: 'button',
      title: `Plot ${property.path}`,
      'aria-label': `Plot ${property.path}`,
      'aria-pressed': 'false',
      onclick: () => this.listener.togglePlot(index),
    });
    plot.append(icon('chart'));
    const about = this.scene!.abouts[property.about ?? -1] ?? '';
    const element = h(
      'div.property',
      { draggable: 'true', 'data-path': property.path, title: [about, rangeText(property)].filter(Boolean).join('\n') },
      h('span.leaf', {}, leaf),
      value,
      h('span.unit', {}, formatUnit(property.unit)),
      plot,
    );
    element.addEventListener('dragstart', (e) =>
      e.dataTransfer?.setData('application/x-gradus-property', String(index)),
    );
    if (property.settable) element.append(this.makeSetter(property));
    const input = element.querySelector('input');
    const initial = typeof property.initial === 'number' ? Math.fround(property.initial) : null;
    return { property: index, element, value, plot, search: property.path.toLowerCase(), input, initial };
  }

  private makeSetter(property: Property): HTMLElement {
    if (property.type === 'boolean') {
      const on = (value: boolean) =>
        h(
          'button',
          { type: 'button', onclick: () => this.listener.setProperty(property.path, value) },
          value ? 'on' : 'off',
        );
      return h('span.setter', {}, on(true), on(false));
    }
    const input = h('input', {
      type: 'number',
      step: 'any',
      min: property.lower,
      max: property.upper,
      'aria-label': `Set ${property.path}`,
    });
    const send = () => {
      const x = input.valueAsNumber;
      if (Number.isFinite(x)) this.listener.setProperty(property.path, x);
      input.value = '';
    };
    input.addEventListener('keydown', (e) => {
      if (e.key === 'Enter') send();
      if (e.key === 'Escape') input.value = '';
    });
    if (typeof property.initial !== 'number') return h('span.setter', {}, input);
    const { initial } = property;
    const undo = h('button.icon.undo', {
      type: 'button',
      title: `Back to ${formatNumber(initial)}`,
      'aria-label': `Set ${property.path} back`,
      onclick: () => this.listener.setProperty(property.path, initial),
    });
    undo.append(icon('undo'));
    return h('span.setter', {}, undo, input);
  }

  private applyFilter(): void {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of this.rows) row.element.hidden = !words.every((w) => row.search.includes(w));
    this.list.querySelectorAll<HTMLElement>('.group').forEach((g) => {
      g.hidden = g.querySelectorAll('.property:not([hidden])').length === 0;
    });
    this.listener.shownChanged();
  }

  /** All that pass the filter; where they are too many, those in view and the first ones. */
  shown(): number[] {
    const passing = this.rows.filter((row) => !row.element.hidden);
    if (passing.length <= SHOWN_MAX) return passing.map((row) => row.property);
    const inView = passing.filter((row) => this.inView.has(row.element));
    return [...new Set([...inView, ...passing])].slice(0, SHOWN_MAX).map((row) => row.property);
  }

  setPlotted(plotted: Set<number>): void {
    for (const row of this.rows) row.plot.setAttribute('aria-pressed', String(plotted.has(row.property)));
  }

  update(f: Frame): void {
    for (let s = 0; s < f.signalCount; s++) {
      const row = this.byProperty.get(f.signalProperties[s]!);
      if (!row || row.element.hidden) continue;
      const x = f.signalValues[s]!;
      const text = formatValue(x, this.scene!.properties[row.property]!.type);
      setText(row.value, text);
      if (row.input && row.input.placeholder !== text) row.input.placeholder = text;
      row.element.classList.toggle('changed', row.initial !== null && x !== row.initial);
    }
    this.updateFacts(f);
  }

  private updateFacts(f: Frame): void {
    const robot = this.scene?.robots[this.robot];
    if (!robot || this.robot >= f.robotCount) return;
    const o = this.robot * ROBOT_VALUES;
    const d = f.robots;
    const style = levelStyle(robot.levels[f.levels[this.robot]!] ?? '');
    const set = (name: string, text: string) => setText(this.factCells[name]!, text);
    set('level', `${style.mark} ${style.title}`);
    this.factCells['level']!.style.setProperty('--level', style.colour);
    set('cost', Number.isFinite(d[o]!) ? `${d[o]!.toFixed(2)} µs/step` : 'not measured');
    set('error', formatError(d[o + 1]!) || 'no reference');
    set('centre of mass', [2, 3, 4].map((i) => d[o + i]!.toFixed(3)).join('  ') + ' m');
    set('speed', `${Math.hypot(d[o + 5]!, d[o + 6]!, d[o + 7]!).toFixed(3)} m/s`);
  }
}
