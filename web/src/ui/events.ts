// What happened, by kind: which kinds are marked on the time line, and a list from which one can go to any event.

import type { SimulationEvent } from '../feed/protocol';
import { h } from './dom';

const KEPT = 300; // of each kind: contacts must not push out goals
const LISTED = 200;

export class EventLog {
  readonly element = h('div.events', { role: 'dialog', 'aria-label': 'Events', hidden: true });
  private readonly kinds = h('div.kinds', { role: 'group', 'aria-label': 'Kinds of events' });
  private readonly list = h('ol.list');
  private readonly byKind = new Map<string, SimulationEvent[]>();
  private readonly hiddenKinds = new Set(['apart', 'light']); // they say little, and often

  constructor(
    private readonly goTo: (time: number) => void,
    private readonly changed: () => void,
  ) {
    this.element.append(this.kinds, this.list);
  }

  add(event: SimulationEvent): void {
    if (event.kind === 'reset') this.byKind.clear();
    if (event.kind === 'branch') this.forgetAfter(event.time);
    const list = this.byKind.get(event.kind) ?? [];
    this.byKind.set(event.kind, list);
    list.push(event);
    if (list.length > KEPT) list.shift();
    this.show();
  }

  clear(): void {
    this.byKind.clear();
    this.show();
  }

  /** Those of the kinds that are switched on, in the order of their times. */
  visible(): SimulationEvent[] {
    const all = [...this.byKind].flatMap(([kind, events]) => (this.hiddenKinds.has(kind) ? [] : events));
    return all.sort((a, b) => a.time - b.time);
  }

  all(): SimulationEvent[] {
    return [...this.byKind.values()].flat().sort((a, b) => a.time - b.time);
  }

  toggle(): void {
    this.element.hidden = !this.element.hidden;
    this.show();
    if (!this.element.hidden) this.element.querySelector('input')?.focus();
  }

  close(): void {
    this.element.hidden = true;
  }

  private forgetAfter(time: number): void {
    for (const [kind, events] of this.byKind)
      this.byKind.set(
        kind,
        events.filter((e) => e.time <= time),
      );
  }

  private show(): void {
    if (this.element.hidden) return;
    this.kinds.replaceChildren(...[...this.byKind].filter(([, e]) => e.length > 0).map(([kind, e]) => this.chip(kind, e.length)));
    const latest = this.visible().slice(-LISTED).reverse();
    this.list.replaceChildren(...latest.map((e) => this.line(e)));
    if (latest.length === 0) this.list.append(h('li.empty', {}, 'Nothing has happened yet.'));
  }

  private chip(kind: string, count: number): HTMLElement {
    const box = h('input', {
      type: 'checkbox',
      'data-kind': kind,
      onchange: () => {
        if (box.checked) this.hiddenKinds.delete(kind);
        else this.hiddenKinds.add(kind);
        this.changed();
        this.show();
        this.kinds.querySelector<HTMLElement>(`[data-kind="${kind}"]`)?.focus();
      },
    });
    box.checked = !this.hiddenKinds.has(kind);
    return h('label', {}, box, h(`i.swatch.mark.${kind}` as 'i'), h('span', {}, kind), h('span.count', {}, String(count)));
  }

  private line(e: SimulationEvent): HTMLElement {
    const go = h(
      'button',
      { type: 'button', onclick: () => this.goTo(e.time) },
      h('time', {}, `${e.time.toFixed(2)} s`),
      h(`i.swatch.mark.${e.kind}` as 'i'),
      h('span', {}, e.text),
    );
    return h('li', {}, go);
  }
}
