// Pause, step, speed, and the line of time with events; dragging the line goes back where the feed keeps a past.

import type { Frame } from '../feed/codec';
import type { Command, Scene, SimulationEvent } from '../feed/protocol';
import { formatTime, h, iconButton, setIcon, setText } from './dom';
import { EventLog } from './events';

const SPEEDS: (number | 'max')[] = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 'max'];
const MARK_GAP = 3; // marks of one kind that would be nearer are one mark  [px]

function speedName(s: number | 'max'): string {
  if (s === 'max') return 'max';
  return SPEEDS.includes(s) && s < 1 ? `×1/${Math.round(1 / s)}` : `×${Number(s.toPrecision(3))}`;
}

export class Timeline {
  readonly element = h('footer.timeline', { 'aria-label': 'Time' });
  private readonly playButton = iconButton('pause', 'Pause (space)', () => this.togglePause());
  private readonly speed = h('select.speed', { 'aria-label': 'Speed', title: 'Target speed (↑ ↓)' });
  private readonly otherSpeed = h('option', { hidden: true }); // one that somebody else asked for
  private readonly clock = h('input.clock', {
    type: 'text',
    'aria-label': 'Simulated time; type a time to go there',
    spellcheck: 'false',
  });
  private readonly track = h('div.track', { role: 'slider', tabindex: 0, 'aria-label': 'Time line' });
  private readonly reached = h('div.reached');
  private readonly head = h('div.head');
  private readonly hoverMark = h('div.hover', { hidden: true });
  private readonly marks = h('div.marks');
  private readonly whyNot = h('div.why-not');
  private readonly ends = [h('span.end'), h('span.end')] as const;
  private readonly liveButton = h(
    'button.live',
    { type: 'button', title: 'Back to the newest moment (end)', onclick: () => this.goLive() },
    'Go to now',
  );
  private readonly branchButton = h(
    'button.branch',
    { type: 'button', title: 'Run on from here, keep the old course as a ghost (b)', onclick: () => this.branch() },
    'Branch here',
  );
  readonly log = new EventLog(
    (t) => this.scene?.can_seek && this.seek(t),
    () => (this.eventsAreNew = true),
  );
  private readonly eventsButton = iconButton('list', 'Events (e)', () => this.log.toggle());
  private eventsAreNew = false;
  private scene: Scene | null = null;
  private last: Frame | null = null;
  private tMin = 0;
  private tMax = 0;
  private markedMin = -1;
  private markedMax = -1;

  constructor(private readonly send: (c: Command) => void) {
    for (const s of SPEEDS) this.speed.append(h('option', { value: String(s) }, speedName(s)));
    this.speed.append(this.otherSpeed);
    this.speed.addEventListener('change', () =>
      this.sendSpeed(this.speed.value === 'max' ? 'max' : Number(this.speed.value)),
    );
    this.clock.addEventListener('keydown', (e) => this.onClockKey(e));
    this.track.append(this.reached, this.marks, this.hoverMark, this.head, this.whyNot);
    this.track.addEventListener('pointerdown', (e) => this.onTrackDown(e));
    this.element.append(
      h(
        'div.buttons',
        {},
        iconButton('reset', 'Start again (r)', () => this.reset()),
        iconButton('back', 'One step back (←)', () => this.stepBack(1)),
        this.playButton,
        iconButton('step', 'One step (→)', () => this.step(1)),
      ),
      this.speed,
      this.clock,
      this.ends[0],
      this.track,
      this.ends[1],
      this.branchButton,
      this.liveButton,
      this.eventsButton,
      this.log.element,
    );
    this.playButton.classList.add('primary');
  }

  setScene(scene: Scene): void {
    this.scene = scene;
    this.track.classList.toggle('seekable', scene.can_seek);
    this.element.classList.toggle('no-past', !scene.can_seek);
    const why = scene.can_seek ? '' : `No going back: ${scene.no_past || 'this run keeps no past'}`;
    this.track.title = why;
    this.whyNot.textContent = why;
  }

  setCanControl(can: boolean): void {
    this.element.classList.toggle('locked', !can);
    this.element
      .querySelectorAll<HTMLButtonElement | HTMLSelectElement | HTMLInputElement>(
        ':scope > button, .buttons button, select, .clock',
      )
      .forEach((b) => (b.disabled = !can && b !== this.eventsButton));
  }

  addEvent(event: SimulationEvent): void {
    this.log.add(event);
    this.eventsAreNew = true;
  }

  /** All that is known, whether marked or not. */
  get events(): SimulationEvent[] {
    return this.log.all();
  }

  clearEvents(): void {
    this.log.clear();
    this.eventsAreNew = true;
  }

  togglePause(): void {
    this.send({ do: this.last?.paused ? 'resume' : 'pause' });
  }

  step(count: number): void {
    this.send({ do: 'step', count });
  }

  stepBack(count: number): void {
    if (this.scene?.can_seek && this.last) this.seek((this.last.k - count) * this.scene.step);
  }

  reset(): void {
    this.send({ do: 'reset' });
  }

  branch(): void {
    if (this.scene?.can_branch) this.send({ do: 'branch' });
  }

  /** To the next event (1) or the one before (−1). */
  goToEvent(direction: number): void {
    const now = this.last?.time ?? 0;
    const h = this.scene?.step ?? 0.001;
    const times = this.log.visible().map((e) => e.time).filter((t) => (direction > 0 ? t > now + h / 2 : t < now - h / 2));
    if (times.length === 0 || !this.scene?.can_seek) return;
    this.seek(direction > 0 ? Math.min(...times) : Math.max(...times));
  }

  goLive(): void {
    this.seek(this.tMax);
    this.send({ do: 'resume' });
  }

  changeSpeed(by: number): void {
    const now = this.last?.speedTarget ?? 1;
    const factors = SPEEDS.map((s) => (s === 'max' ? Infinity : s));
    const i = factors.findIndex((s) => s >= now - 1e-6); // the same speed or, between two, the next faster one
    const from = by > 0 && factors[i]! > now + 1e-6 ? i - 1 : i;
    this.sendSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, from + by))]!);
  }

  private sendSpeed(factor: number | 'max'): void {
    this.send({ do: 'speed', factor });
  }

  private seek(time: number): void {
    this.send({ do: 'seek', time: Math.max(0, time) });
  }

  /** "12:34.5" or "754.5" and enter. */
  private onClockKey(e: KeyboardEvent): void {
    e.stopPropagation();
    if (e.key === 'Escape') this.clock.blur();
    if (e.key !== 'Enter') return;
    const parts = this.clock.value.trim().split(':').map(Number);
    const t = parts.reduce((sum, x) => 60 * sum + x, 0);
    if (Number.isFinite(t)) this.seek(t);
    this.clock.blur();
  }

  private onTrackDown(e: PointerEvent): void {
    if (!this.scene?.can_seek || this.element.classList.contains('locked')) return;
    this.track.setPointerCapture(e.pointerId);
    let pending = 0;
    const go = (p: PointerEvent) => {
      const box = this.track.getBoundingClientRect();
      const x = Math.min(1, Math.max(0, (p.clientX - box.left) / box.width));
      const t = this.tMin + x * (this.tMax - this.tMin);
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(() => this.seek(t));
    };
    go(e);
    this.track.onpointermove = go;
    this.track.onpointerup = () => (this.track.onpointermove = null);
  }

  hover(time: number | null): void {
    this.hoverMark.hidden = time === null || time < this.tMin || time > this.tMax;
    if (time !== null) this.hoverMark.style.left = `${this.percent(time)}%`;
  }

  /** For those who hear the page; a few times a second is enough. */
  private describeTrack(): void {
    this.track.setAttribute('aria-valuemin', this.tMin.toFixed(3));
    this.track.setAttribute('aria-valuemax', this.tMax.toFixed(3));
    this.track.setAttribute('aria-valuenow', (this.last?.time ?? 0).toFixed(3));
    this.track.setAttribute('aria-valuetext', `${(this.last?.time ?? 0).toFixed(1)} seconds`);
  }

  private percent(t: number): number {
    const span = this.tMax - this.tMin;
    return span > 0 ? (100 * (t - this.tMin)) / span : 100;
  }

  update(f: Frame): void {
    this.last = f;
    this.tMin = f.tMin;
    this.tMax = Math.max(f.tMax, f.time);
    setIcon(this.playButton, f.paused ? 'play' : 'pause');
    this.playButton.title = f.paused ? 'Go on (space)' : 'Pause (space)';
    this.playButton.setAttribute('aria-label', f.paused ? 'Go on' : 'Pause');
    const target = Number.isFinite(f.speedTarget) ? String(f.speedTarget) : 'max';
    if (document.activeElement !== this.speed && this.speed.value !== target) {
      if (!SPEEDS.some((s) => String(s) === target)) {
        this.otherSpeed.value = target;
        this.otherSpeed.textContent = speedName(f.speedTarget);
      }
      this.speed.value = target;
    }
    const shown = formatTime(f.time);
    if (document.activeElement !== this.clock && this.clock.value !== shown) this.clock.value = shown;
    this.head.style.left = this.reached.style.width = `${this.percent(f.time)}%`;
    setText(this.ends[0], `${this.tMin.toFixed(1)} s`);
    setText(this.ends[1], `${this.tMax.toFixed(1)} s`);
    this.liveButton.hidden = this.branchButton.hidden = !f.past || f.replay;
    if (this.eventsAreNew || this.tMin !== this.markedMin || Math.abs(this.tMax - this.markedMax) > 0.2)
      this.drawMarks();
  }

  private drawMarks(): void {
    this.eventsAreNew = false;
    this.describeTrack();
    this.markedMin = this.tMin;
    this.markedMax = this.tMax;
    const inSight = this.thinned();
    while (this.marks.children.length > inSight.length) this.marks.lastElementChild!.remove();
    inSight.forEach(({ event, count }, i) => {
      const mark = (this.marks.children[i] as HTMLElement | undefined) ?? this.marks.appendChild(h('i'));
      mark.className = `mark ${event.kind}`;
      mark.title = `${event.time.toFixed(3)} s  ${event.text}${count > 1 ? ` (and ${count - 1} more here)` : ''}`;
      mark.dataset['kind'] = event.kind;
      mark.style.left = `${this.percent(event.time)}%`;
    });
  }

  /** Events in reach; of one kind, those too near to be told apart are one mark. */
  private thinned(): { event: SimulationEvent; count: number }[] {
    const gap = ((this.tMax - this.tMin) * MARK_GAP) / Math.max(1, this.track.clientWidth);
    const lastOf = new Map<string, { event: SimulationEvent; count: number }>();
    const marks: { event: SimulationEvent; count: number }[] = [];
    for (const event of this.log.visible()) {
      if (event.time < this.tMin || event.time > this.tMax) continue;
      const last = lastOf.get(event.kind);
      if (last && event.time - last.event.time < gap) {
        last.count++;
        continue;
      }
      const mark = { event, count: 1 };
      lastOf.set(event.kind, mark);
      marks.push(mark);
    }
    return marks;
  }
}
