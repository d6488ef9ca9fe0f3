// Plots of any property against simulated time: one chart per unit, cursor shared among them and with the time line.
// Beside a branch the course that was left is drawn dashed; "Δ" shows the difference of the two instead.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Frame } from '../feed/codec';
import type { Series } from '../feed/feed';
import type { Scene } from '../feed/protocol';
import { formatNumber, formatUnit, h } from './dom';

const SPAN = 20; // simulated seconds kept
const POINTS_MAX = 3000;
const COLOURS = ['#3d8fd1', '#e08a2e', '#2fae8a', '#d8709f', '#9a84e0', '#c2b02c', '#56c4e0', '#b5651d'];

export interface PlotsListener {
  changed(): void;
  /** The cursor is over this moment. */
  hover(time: number | null): void;
  drop(property: number): void;
}

type Values = (number | null)[]; // null where there is no value

interface Curve {
  property: number;
  live: Values;
  ghost: Values; // of the course that was left
  difference: Values; // live − ghost
}

interface Chart {
  unit: string;
  times: number[];
  curves: Curve[];
  holder: HTMLElement;
  legend: HTMLElement;
  plot: uPlot | null;
}

function finite(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}

function empty(length: number): Values {
  return new Array<null>(length).fill(null);
}

export class Plots {
  readonly element = h('section.plots', { 'aria-label': 'Plots' });
  readonly plotted = new Set<number>();
  private readonly hint = h('p.hint', {}, 'Drop a property here, or press its chart button, to plot it.');
  private charts: Chart[] = [];
  private scene: Scene | null = null;
  private readonly values = new Map<number, number>();
  private readonly ghostValues = new Map<number, number>();
  private hasGhost = false; // some curve has values of the course that was left
  private showsDifference = false;
  private lastDraw = 0;
  private lastTime = -1;

  /** series: where all values are known from the start, as in a recording. */
  constructor(
    private readonly listener: PlotsListener,
    private readonly series?: (property: number) => Series,
  ) {
    this.element.append(this.hint);
    this.element.addEventListener('dragover', (e) => e.preventDefault());
    this.element.addEventListener('drop', (e) => {
      e.preventDefault();
      const text = e.dataTransfer?.getData('application/x-gradus-property');
      if (text) this.listener.drop(Number(text));
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** Keeps what is plotted by path when the description changes, with its past when the run goes on. */
  setScene(scene: Scene, goesOn: boolean): void {
    const before = this.charts.flatMap((c) => c.curves.map((curve) => ({ times: c.times, curve })));
    const paths = before.map(({ curve }) => this.scene?.properties[curve.property]?.path);
    this.scene = scene;
    this.plotted.clear();
    for (const chart of this.charts) this.destroy(chart);
    this.charts = [];
    if (!goesOn) this.hasGhost = false;
    before.forEach(({ times, curve }, i) => {
      const property = scene.properties.findIndex((p) => p.path === paths[i]);
      if (property >= 0) this.add(property, goesOn ? { times, curve: { ...curve, property } } : undefined);
    });
    this.refresh();
  }

  /** A sensor's reading brings the truth along, dashed, in its colour. */
  toggle(property: number): void {
    const truth = this.truthOf(property);
    if (this.plotted.has(property)) {
      this.remove(property);
      if (truth >= 0) this.remove(truth);
    } else {
      this.add(property);
      if (truth >= 0) this.add(truth);
    }
    this.refresh();
    this.listener.changed();
  }

  /** Instead of both courses their difference, or back. */
  toggleDifference(): void {
    if (!this.hasGhost) return;
    this.showsDifference = !this.showsDifference;
    this.refresh();
  }

  private add(property: number, past?: { times: number[]; curve: Curve }): void {
    const p = this.scene?.properties[property];
    if (!p || this.plotted.has(property)) return;
    this.plotted.add(property);
    let chart = this.charts.find((c) => c.unit === p.unit);
    if (!chart) {
      const legend = h('div.legend');
      chart = {
        unit: p.unit,
        times: past?.times ?? [],
        curves: [],
        holder: h('div.chart', {}, legend),
        legend,
        plot: null,
      };
      this.charts.push(chart);
      this.element.append(chart.holder);
    }
    const whole = this.series?.(property);
    if (whole) chart.times = whole.times;
    const n = chart.times.length;
    chart.curves.push(
      past?.curve ?? { property, live: whole?.values ?? empty(n), ghost: empty(n), difference: empty(n) },
    );
  }

  private remove(property: number): void {
    this.plotted.delete(property);
    for (const chart of this.charts) {
      const i = chart.curves.findIndex((c) => c.property === property);
      if (i < 0) continue;
      chart.curves.splice(i, 1);
      if (chart.curves.length === 0) this.destroy(chart);
    }
    this.charts = this.charts.filter((c) => c.curves.length > 0);
  }

  private destroy(chart: Chart): void {
    chart.plot?.destroy();
    chart.holder.remove();
  }

  private refresh(): void {
    this.hint.hidden = this.charts.length > 0;
    this.element.classList.toggle('filled', this.charts.length > 0);
    for (const chart of this.charts) this.rebuild(chart);
  }

  /** Number of the property that tells what a sensor measures; −1: there is none. */
  private truthOf(property: number): number {
    const path = this.scene?.properties[property]?.path;
    return this.scene?.properties.findIndex((p) => p.path === `${path}.true`) ?? -1;
  }

  /** Number of the reading whose truth this is, if it is plotted too; −1: none. */
  private readingOf(truth: number): number {
    const path = this.scene?.properties[truth]?.path ?? '';
    if (!path.endsWith('.true')) return -1;
    const reading = this.scene!.properties.findIndex((p) => p.path === path.slice(0, -'.true'.length));
    return this.plotted.has(reading) ? reading : -1;
  }

  private colourOf(property: number): string {
    const own = [...this.plotted].filter((p) => this.readingOf(p) < 0);
    const reading = this.readingOf(property);
    return COLOURS[own.indexOf(reading < 0 ? property : reading) % COLOURS.length]!;
  }

  private rebuild(chart: Chart): void {
    chart.plot?.destroy();
    chart.legend.replaceChildren(...chart.curves.map((c) => this.makeEntry(c)), ...this.makeSwitch(chart.unit));
    chart.plot = new uPlot(this.options(chart), this.dataOf(chart), chart.holder);
  }

  private makeEntry(curve: Curve): HTMLElement {
    const name = this.scene!.properties[curve.property]!.path;
    const swatch = h('span.swatch');
    swatch.style.background = this.colourOf(curve.property);
    const close = h(
      'button.icon',
      { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => this.toggle(curve.property) },
      '×',
    );
    return h('span.entry', {}, swatch, name, h('b', { 'data-property': curve.property }), close);
  }

  private makeSwitch(unit: string): HTMLElement[] {
    const label = h('span.unit', {}, formatUnit(unit));
    if (!this.hasGhost) return [label];
    const button = h(
      'button.difference',
      {
        type: 'button',
        'aria-pressed': String(this.showsDifference),
        title: 'Difference between this course and the one that was left (x)',
        onclick: () => this.toggleDifference(),
      },
      'Δ ghost',
    );
    return [button, label];
  }

  /** Rows for uPlot: this course and, dashed, the one left; or their difference. */
  private dataOf(chart: Chart): uPlot.AlignedData {
    const rows = this.isDifference
      ? chart.curves.map((c) => c.difference)
      : chart.curves.flatMap((c) => (this.hasGhost ? [c.live, c.ghost] : [c.live]));
    return [chart.times, ...rows] as uPlot.AlignedData;
  }

  private get isDifference(): boolean {
    return this.showsDifference && this.hasGhost;
  }

  private options(chart: Chart): uPlot.Options {
    const style = getComputedStyle(document.documentElement);
    const axis = {
      stroke: style.getPropertyValue('--muted'),
      grid: { stroke: style.getPropertyValue('--line'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    return {
      ...this.sizeOf(chart),
      legend: { show: false },
      cursor: { sync: { key: 'time' }, drag: { x: false, y: false }, points: { size: 5 } },
      scales: { x: { time: false } },
      axes: [
        { ...axis, size: 22 },
        { ...axis, size: 52 },
      ],
      series: [{}, ...chart.curves.flatMap((c) => this.seriesOf(c))],
      hooks: {
        draw: [(u: uPlot) => this.drawNow(u)],
        setCursor: [
          (u: uPlot) => this.listener.hover(u.cursor.idx == null ? null : (chart.times[u.cursor.idx] ?? null)),
        ],
      },
    };
  }

  private seriesOf(curve: Curve): uPlot.Series[] {
    const line = { stroke: this.colourOf(curve.property), width: 1.5, points: { show: false }, spanGaps: false };
    const solid = this.readingOf(curve.property) < 0 ? line : { ...line, width: 1, dash: [2, 3] };
    return this.hasGhost && !this.isDifference ? [solid, { ...solid, width: 1.2, dash: [5, 4] }] : [solid];
  }

  /** In a recording: a line at the moment shown. */
  private drawNow(u: uPlot): void {
    if (!this.series || this.lastTime < 0) return;
    const x = u.valToPos(this.lastTime, 'x', true);
    u.ctx.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent');
    u.ctx.fillRect(x, u.bbox.top, 1.5, u.bbox.height);
  }

  private sizeOf(chart: Chart): { width: number; height: number } {
    const width = chart.holder.clientWidth || 320;
    return { width, height: Math.max(70, (this.element.clientHeight || 150) - 34) };
  }

  private resize(): void {
    for (const chart of this.charts) chart.plot?.setSize(this.sizeOf(chart));
  }

  /** Colours of axes follow the theme. */
  restyle(): void {
    for (const chart of this.charts) this.rebuild(chart);
  }

  update(f: Frame, now: number): void {
    if (this.charts.length === 0) return;
    this.read(f);
    if (f.time !== this.lastTime && !this.series) for (const chart of this.charts) this.append(chart, f.time);
    this.lastTime = f.time;
    if (!this.hasGhost && this.ghostValues.size > 0) {
      this.hasGhost = true;
      this.refresh();
    }
    if (now - this.lastDraw < 66) return;
    this.lastDraw = now;
    for (const chart of this.charts)
      this.series ? chart.plot?.redraw(false) : chart.plot?.setData(this.dataOf(chart));
    this.element.querySelectorAll<HTMLElement>('b[data-property]').forEach((b) => {
      const x = this.valueShown(Number(b.dataset['property']));
      b.textContent = x === null ? '' : formatNumber(x);
    });
  }

  private read(f: Frame): void {
    this.values.clear();
    this.ghostValues.clear();
    for (let s = 0; s < f.signalCount; s++) this.values.set(f.signalProperties[s]!, f.signalValues[s]!);
    for (let s = 0; s < f.ghostSignalCount; s++)
      if (this.plotted.has(f.ghostSignalProperties[s]!))
        this.ghostValues.set(f.ghostSignalProperties[s]!, f.ghostSignalValues[s]!);
  }

  private difference(property: number): number | null {
    const live = finite(this.values.get(property));
    const ghost = finite(this.ghostValues.get(property));
    return live === null || ghost === null ? null : live - ghost;
  }

  private valueShown(property: number): number | null {
    return this.isDifference ? this.difference(property) : finite(this.values.get(property));
  }

  private append(chart: Chart, time: number): void {
    const times = chart.times;
    const rows = [times, ...chart.curves.flatMap((c) => [c.live, c.ghost, c.difference])];
    let keep = times.length; // went back in time: what came later is drawn anew
    while (keep > 0 && times[keep - 1]! >= time) keep--;
    for (const row of rows) row.length = keep;
    times.push(time);
    for (const c of chart.curves) {
      c.live.push(finite(this.values.get(c.property)));
      c.ghost.push(finite(this.ghostValues.get(c.property)));
      c.difference.push(this.difference(c.property));
    }
    const isLong = times.length > POINTS_MAX || time - times[0]! > SPAN * 1.2;
    if (!isLong) return;
    let first = Math.max(0, times.length - POINTS_MAX);
    while (time - times[first]! > SPAN) first++;
    for (const row of rows) row.splice(0, first);
  }
}
