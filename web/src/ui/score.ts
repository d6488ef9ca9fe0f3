// The score of a match and its clock, where the scene has one: properties NAME.goals_blue, NAME.goals_yellow, NAME.clock.

import type { Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { formatTime, h, setText } from './dom';

const PARTS = ['goals_blue', 'goals_yellow', 'clock'] as const;

export class Score {
  private readonly blue = h('b.blue');
  private readonly yellow = h('b.yellow');
  private readonly clock = h('span.played', { title: 'time played' });
  readonly element = h(
    'div.score',
    { role: 'group', 'aria-label': 'Score', hidden: true },
    h('span.team.blue', {}, 'blue'),
    this.blue,
    h('span', {}, ':'),
    this.yellow,
    h('span.team.yellow', {}, 'yellow'),
    this.clock,
  );
  /** Numbers of the properties that are shown, to be subscribed to; empty without a match. */
  properties: number[] = [];

  setScene(scene: Scene): void {
    const first = scene.properties.find((p) => p.path.endsWith(`.${PARTS[0]}`));
    const group = first?.path.slice(0, -PARTS[0].length);
    const numbers = PARTS.map((part) => scene.properties.findIndex((p) => p.path === `${group}${part}`));
    this.properties = numbers.every((n) => n >= 0) ? numbers : [];
    this.element.hidden = this.properties.length === 0;
  }

  update(f: Frame): void {
    if (this.element.hidden) return;
    const [blue, yellow, clock] = this.properties.map((p) => {
      const at = f.signalProperties.subarray(0, f.signalCount).indexOf(p);
      return at < 0 ? NaN : f.signalValues[at]!;
    });
    const goals = (n: number | undefined) => (Number.isFinite(n) ? String(n) : '–');
    setText(this.blue, goals(blue));
    setText(this.yellow, goals(yellow));
    setText(this.clock, Number.isFinite(clock) ? formatTime(clock!).slice(0, 5) : '');
  }
}
