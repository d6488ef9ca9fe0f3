// The feed of a running simulator: one WebSocket, opened again by itself when it breaks.

import { decodeFrame, decodePicture, Frame, VERSION } from './codec';
import type { Connection, Feed, FeedListener } from './feed';
import type { Command, Message } from './protocol';

const RETRY_FIRST = 250; // [ms]
const RETRY_MAX = 5000;

export class LiveFeed implements Feed {
  readonly isRecording = false;
  private readonly frame = new Frame();
  private listener!: FeedListener;
  private socket: WebSocket | null = null;
  private retry = RETRY_FIRST;
  private nextId = 1;
  private mayControl = false;
  private sceneRevision = -1;

  constructor(private readonly url: string) {}

  start(listener: FeedListener): void {
    this.listener = listener;
    this.open();
  }

  send(command: Command): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ id: this.nextId++, ...command }));
  }

  private open(): void {
    this.report('connecting');
    const socket = new WebSocket(this.url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.retry = RETRY_FIRST;
      this.report('open');
    };
    socket.onmessage = (e) => (typeof e.data === 'string' ? this.onText(e.data) : this.onBinary(e.data as ArrayBuffer));
    socket.onclose = () => this.onClose(socket);
    this.socket = socket;
  }

  private onClose(socket: WebSocket): void {
    if (socket !== this.socket) return;
    this.socket = null;
    this.sceneRevision = -1;
    this.report('lost');
    setTimeout(() => void this.tryAgain(), this.retry);
    this.retry = Math.min(this.retry * 2, RETRY_MAX);
  }

  /** Asks for the page first: after a restart of the simulator the token is a new one, and no retry will help. */
  private async tryAgain(): Promise<void> {
    try {
      const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
      if (answer.status === 401 || answer.status === 403) return this.report('refused');
    } catch {
      this.report('lost'); // nobody there yet
      setTimeout(() => void this.tryAgain(), this.retry);
      this.retry = Math.min(this.retry * 2, RETRY_MAX);
      return;
    }
    this.open();
  }

  private report(state: Connection): void {
    this.listener.connection(state);
  }

  private onBinary(data: ArrayBuffer): void {
    const picture = decodePicture(data);
    if (picture) {
      if (picture.sceneRevision === this.sceneRevision) this.listener.picture(picture);
      return;
    }
    if (!decodeFrame(data, this.frame)) {
      this.listener.problem(
        'A frame could not be read: page and simulator are of different versions. Reload the page.',
      );
      return;
    }
    if (this.frame.sceneRevision === this.sceneRevision) this.listener.frame(this.frame);
  }

  private onText(text: string): void {
    const m = JSON.parse(text) as Message;
    switch (m.type) {
      case 'hello':
        this.mayControl = m.may_control;
        if (m.version !== VERSION)
          this.listener.problem(`The simulator speaks version ${m.version}, this page ${VERSION}.`);
        break;
      case 'scene':
        this.sceneRevision = m.revision;
        this.listener.scene(m);
        break;
      case 'plans':
        this.listener.plans(m);
        break;
      case 'event':
        this.listener.event(m);
        break;
      case 'lease':
        this.listener.lease(m, this.mayControl);
        break;
      case 'reply':
        if (!m.ok) this.listener.problem(m.text);
        break;
    }
  }
}
