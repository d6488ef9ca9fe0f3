// The list of keys, on "?".

import { OVERLAYS } from '../three/overlays';
import { h } from './dom';

const KEYS: [string, string][] = [
  ['Space', 'pause, go on'],
  ['→  /  Shift →', 'one step, ten steps'],
  ['←  /  Shift ←', 'one step back, ten steps back'],
  ['↑  ↓', 'faster, slower'],
  ['PgUp  PgDn', 'event before, after'],
  ['e', 'events: list, and which are marked'],
  ['End', 'back to the newest moment'],
  ['r', 'start again'],
  ['b', 'branch from the moment shown'],
  ['x', 'plots: difference from the ghost'],
  ['[  ]', 'previous, next robot'],
  ['1  2  3  4', 'camera: orbit, follow, robot, top'],
  ['i', "a robot's camera: the next, none"],
  ['a', 'show all'],
  [',  .  +  -', 'camera: turn, zoom'],
  ['Shift W A S D', 'push the robot, 30 N'],
  ['s', 'save a picture'],
  ['Shift V', 'record a video, stop'],
  ['d', 'dark, light'],
  ['?', 'this list'],
];

const MOUSE: [string, string][] = [
  ['click a robot', 'select it'],
  ['drag a robot', 'pull it with a spring'],
  ['drag the ground', 'turn the camera'],
  ['right drag', 'move the camera'],
  ['wheel', 'zoom'],
];

export class Help {
  readonly element = h('dialog.help', { 'aria-label': 'Keys' });

  constructor() {
    const table = (rows: [string, string][]) =>
      h(
        'dl',
        {},
        ...rows.flatMap(([key, text]) => [
          h('dt', {}, ...key.split('  ').map((k) => (k === '/' ? ' / ' : h('kbd', {}, k)))),
          h('dd', {}, text),
        ]),
      );
    const overlays = Object.values(OVERLAYS).map((o): [string, string] => [o.key, o.title.toLowerCase()]);
    this.element.append(
      h(
        'form',
        { method: 'dialog' },
        h('header', {}, h('h2', {}, 'Keys and mouse'), h('button.icon', { 'aria-label': 'Close' }, '×')),
        h(
          'div.columns',
          {},
          h('section', {}, h('h3', {}, 'Time and camera'), table(KEYS)),
          h('section', {}, h('h3', {}, 'Overlays'), table(overlays), h('h3', {}, 'Mouse'), table(MOUSE)),
        ),
      ),
    );
    this.element.addEventListener('click', (e) => {
      if (e.target === this.element) this.element.close();
    });
  }

  toggle(): void {
    this.element.open ? this.element.close() : this.element.showModal();
  }
}
