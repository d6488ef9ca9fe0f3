// Plots of any property against simulated time: one chart per unit, cursor shared among them and with the time line.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Frame } from '../feed/codec';
import type { Series } from '../feed/feed';
import type { Scene } from '../feed/protocol';
import { formatNumber, h } from './dom';

const SPAN = 20; // simulated seconds kept
const POINTS_MAX = 3000;
const COLOURS = ['#3d8fd1', '#e08a2e', '#2fae8a', '#d8709f', '#9a84e0', '#c2b02c', '#56c4e0', '#b5651d'];

export interface PlotsListener {
  changed(): void;
  /** The cursor is over this moment. */
  hover(time: number | null): void;
  drop(property: number): void;
}

interface Chart {
  unit: string;
  properties: number[];
  data: [number[], ...(number | null)[][]]; // time, then one row per property; null where there is no value
  holder: HTMLElement;
  legend: HTMLElement;
  plot: uPlot | null;
}

function finite(x: number | undefined): number | null {
  return x !== undefined && Number.isFinite(x) ? x : null;
}

export class Plots {
  readonly element = h('section.plots', { 'aria-label': 'Plots' });
  readonly plotted = new Set<number>();
  private readonly hint = h('p.hint', {}, 'Drop a property here, or press its chart button, to plot it.');
  private charts: Chart[] = [];
  private scene: Scene | null = null;
  private readonly values = new Map<number, number>();
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

  /** Keeps what is plotted by path when the description changes. */
  setScene(scene: Scene): void {
    const paths = [...this.plotted].map((p) => this.scene?.properties[p]?.path);
    this.scene = scene;
    this.plotted.clear();
    for (const chart of this.charts) this.destroy(chart);
    this.charts = [];
    for (const path of paths) {
      const i = scene.properties.findIndex((p) => p.path === path);
      if (i >= 0) this.add(i);
    }
    this.refresh();
  }

  toggle(property: number): void {
    this.plotted.has(property) ? this.remove(property) : this.add(property);
    this.refresh();
    this.listener.changed();
  }

  private add(property: number): void {
    const p = this.scene?.properties[property];
    if (!p || this.plotted.has(property)) return;
    this.plotted.add(property);
    let chart = this.charts.find((c) => c.unit === p.unit);
    if (!chart) {
      const legend = h('div.legend');
      chart = { unit: p.unit, properties: [], data: [[]], holder: h('div.chart', {}, legend), legend, plot: null };
      this.charts.push(chart);
      this.element.append(chart.holder);
    }
    chart.properties.push(property);
    const whole = this.series?.(property);
    if (whole) chart.data[0] = whole.times;
    chart.data.push(whole ? whole.values : new Array<null>(chart.data[0].length).fill(null));
  }

  private remove(property: number): void {
    this.plotted.delete(property);
    for (const chart of this.charts) {
      const i = chart.properties.indexOf(property);
      if (i < 0) continue;
      chart.properties.splice(i, 1);
      chart.data.splice(i + 1, 1);
      if (chart.properties.length === 0) this.destroy(chart);
    }
    this.charts = this.charts.filter((c) => c.properties.length > 0);
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

  private colourOf(property: number): string {
    return COLOURS[[...this.plotted].indexOf(property) % COLOURS.length]!;
  }

  private rebuild(chart: Chart): void {
    chart.plot?.destroy();
    const names = chart.properties.map((p) => this.scene!.properties[p]!.path);
    chart.legend.replaceChildren(
      ...chart.properties.map((p, i) => {
        const swatch = h('span.swatch');
        swatch.style.background = this.colourOf(p);
        const close = h(
          'button.icon',
          { type: 'button', 'aria-label': `Remove ${names[i]}`, onclick: () => this.toggle(p) },
          '×',
        );
        return h('span.entry', {}, swatch, names[i]!, h('b', { 'data-property': p }), close);
      }),
      h('span.unit', {}, chart.unit),
    );
    chart.plot = new uPlot(this.options(chart), chart.data as uPlot.AlignedData, chart.holder);
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
      series: [
        {},
        ...chart.properties.map((p) => ({
          stroke: this.colourOf(p),
          width: 1.5,
          points: { show: false },
          spanGaps: false,
        })),
      ],
      hooks: {
        draw: [(u: uPlot) => this.drawNow(u)],
        setCursor: [
          (u: uPlot) => this.listener.hover(u.cursor.idx == null ? null : (chart.data[0][u.cursor.idx] ?? null)),
        ],
      },
    };
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
    this.values.clear();
    for (let s = 0; s < f.signalCount; s++) this.values.set(f.signalProperties[s]!, f.signalValues[s]!);
    if (f.time !== this.lastTime && !this.series) for (const chart of this.charts) this.append(chart, f.time);
    this.lastTime = f.time;
    if (now - this.lastDraw < 66) return;
    this.lastDraw = now;
    for (const chart of this.charts)
      this.series ? chart.plot?.redraw(false) : chart.plot?.setData(chart.data as uPlot.AlignedData);
    this.element.querySelectorAll<HTMLElement>('b[data-property]').forEach((b) => {
      const x = this.values.get(Number(b.dataset['property']));
      b.textContent = x === undefined ? '' : formatNumber(x);
    });
  }

  private append(chart: Chart, time: number): void {
    const times = chart.data[0];
    const isBack = times.length > 0 && time < times[times.length - 1]!;
    if (isBack) {
      let keep = times.length; // went back in time: what came later is drawn anew
      while (keep > 0 && times[keep - 1]! >= time) keep--;
      for (const row of chart.data) row.length = keep;
    }
    times.push(time);
    chart.properties.forEach((p, i) => (chart.data[i + 1] as (number | null)[]).push(finite(this.values.get(p))));
    const isLong = times.length > POINTS_MAX || time - times[0]! > SPAN * 1.2;
    if (!isLong) return;
    let first = Math.max(0, times.length - POINTS_MAX);
    while (time - times[first]! > SPAN) first++;
    for (const row of chart.data) row.splice(0, first);
  }
}
