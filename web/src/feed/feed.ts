// Where scenes and frames come from: a running simulator (live.ts) or a recording inside the page (recorded.ts).

import type { Frame, Picture } from './codec';
import type { Command, Lease, Plans, Scene, SimulationEvent } from './protocol';

export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

export interface Series {
  times: number[]; // [s]
  values: (number | null)[];
}

export interface FeedListener {
  scene(scene: Scene): void;
  /** The frame is overwritten by the next one. */
  frame(frame: Frame): void;
  picture(picture: Picture): void;
  plans(plans: Plans): void;
  event(event: SimulationEvent): void;
  lease(lease: Lease, mayControl: boolean): void;
  connection(state: Connection): void;
  /** A command was refused, or something else went wrong. */
  problem(text: string): void;
}

export interface Feed {
  start(listener: FeedListener): void;
  send(command: Command): void;
  readonly isRecording: boolean;
  /** Of a recording: all values of a property, for plots of the whole. */
  series?(property: number): Series;
}
